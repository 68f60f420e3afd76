package sgp

import (
	"math"

	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// fitter finds the lengthscales under which the duels of a model are most likely,
// by Laplace's approximation.
type fitter struct {
	model  *Model
	cfg    FitConfig
	kernel kernel.Config
	widths []float64 // of the box

	solver      gp.Solver
	local       *search.Local
	lengthscale []float64
	work        fitWork
}

// fitWork counts what a fitter did: evaluations of the evidence, and those without
// a posterior mode or climbs that ended at no maximum.
type fitWork struct{ evaluations, failures int }

func newFitter(m *Model, box space.Box, cfg Config) *fitter {
	d := box.Dim()
	f := &fitter{
		model: m, cfg: cfg.Fit, kernel: cfg.Kernel,
		widths: make([]float64, d), lengthscale: make([]float64, d),
		local: search.NewLocal(space.Cube(d, math.Log(cfg.Fit.Lo), math.Log(cfg.Fit.Hi)), search.Settings{GradTol: 1e-5, ValueTol: 1e-10}),
	}
	for j := range d {
		f.widths[j] = box.Hi[j] - box.Lo[j]
	}
	return f
}

// fit returns lengthscales, in the units of x: the better of what climbs in their
// logarithms find from the settings' start and from now, those in force. Where
// neither finds anything it returns now.
func (f *fitter) fit(now []float64) []float64 {
	f.work = fitWork{}
	first, second := make([]float64, len(now)), make([]float64, len(now))
	for j, l := range now {
		first[j] = math.Log(f.cfg.Start)
		second[j] = math.Log(l / f.widths[j])
	}
	best, value := now, math.Inf(-1)
	for _, start := range [][]float64{first, second} {
		r := f.local.Maximize(f.evidence, start)
		if r.Status == search.MaxIterations {
			f.work.failures++
		}
		if r.Status != search.Undefined && r.Value > value {
			best, value = make([]float64, len(now)), r.Value
			f.scale(best, r.X)
		}
	}
	return best
}

// scale sets dst to the lengthscales of the given logarithms of box widths.
func (f *fitter) scale(dst, logs []float64) {
	for j, v := range logs {
		dst[j] = math.Exp(v) * f.widths[j]
	}
}

// evidence is the log marginal likelihood of the duels at the logarithms of the
// lengthscales in box widths, NaN if the posterior's mode was not found. It is a
// search.Objective.
func (f *fitter) evidence(logs, grad []float64) float64 {
	f.work.evaluations++
	f.scale(f.lengthscale, logs)
	k, err := f.kernel.WithLengthscale(f.lengthscale).New(len(logs))
	if err != nil {
		panic(err) // the settings were checked, and the range is finite
	}
	f.model.Condition(k)
	fit := f.model.Laplace(&f.solver)
	if fit.Status != gp.Converged {
		f.work.failures++
		return math.NaN()
	}
	if grad != nil {
		f.model.duels.GradLogLengthscale(grad, k.(kernel.Stationary), fit.Sensitivity())
	}
	return fit.Evidence
}
