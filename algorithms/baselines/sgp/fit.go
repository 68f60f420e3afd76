package sgp

import (
	"math"
	"slices"

	"popbench/internal/gp"
	"popbench/internal/linalg"
	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// fitter finds the lengthscales under which the duels of a model are most likely,
// by Laplace's approximation.
type fitter struct {
	model  *Model
	start  float64 // lengthscale to climb from, in box widths
	kernel kernel.Config
	widths []float64 // of the box

	solver gp.Solver
	hyper  *gp.Hyper // of lengthscales in box widths
	grad   []float64 // scratch
	work   fitWork
}

// fitWork counts what a fitter did: evaluations of the evidence, and those without
// a posterior mode or climbs that ended at no maximum.
type fitWork struct{ evaluations, failures int }

func newFitter(m *Model, box space.Box, cfg Config) *fitter {
	d := box.Dim()
	f := &fitter{model: m, start: cfg.Fit.Start, kernel: cfg.Kernel, widths: box.Widths(), grad: make([]float64, d)}
	flat := gp.Parameter{Prior: gp.Gamma{Shape: 1}, Lo: cfg.Fit.Lo, Hi: cfg.Fit.Hi}
	f.hyper = gp.NewHyper(slices.Repeat([]gp.Parameter{flat}, d), search.Settings{GradTol: 1e-5, ValueTol: 1e-10}, f.evidence)
	return f
}

// fit returns lengthscales, in the units of x: the better of what climbs in their
// logarithms find from the settings' start and from now, those in force. Where
// neither finds anything it returns now.
func (f *fitter) fit(now []float64) []float64 {
	f.work = fitWork{}
	first := slices.Repeat([]float64{f.start}, len(now))
	second := f.kernel.WithLengthscale(now).ToUnit(f.widths).Lengthscale
	m := f.hyper.Fit(gp.Logs(first), gp.Logs(second))
	f.work.evaluations = m.Evaluations
	f.work.failures += m.Unfinished
	if m.Status == search.Undefined {
		return now
	}
	return f.config(m.X).Lengthscale
}

// config returns the kernel with lengthscales in box widths.
func (f *fitter) config(x []float64) kernel.Config {
	return f.kernel.WithLengthscale(x).FromUnit(f.widths)
}

// evidence is the log marginal likelihood of the duels at lengthscales in box
// widths, NaN if the posterior's mode was not found. It adds the gradient in their
// logarithms to grad.
func (f *fitter) evidence(x, grad []float64) float64 {
	k, err := f.config(x).New(len(x))
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
		f.model.duels.GradLogLengthscale(f.grad, k.(kernel.Stationary), fit.Sensitivity())
		linalg.AddScaled(grad, 1, f.grad)
	}
	return fit.Evidence
}
