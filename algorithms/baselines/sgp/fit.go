package sgp

import (
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// fitter finds the lengthscales under which the duels of a model are most likely,
// by Laplace's approximation.
type fitter struct {
	model  *model
	start  []float64 // logarithms of lengthscales to climb from, in box widths
	solver gp.Solver
	mode   []float64 // of the last evaluation in this fit, nil before the first
	hyper  *gp.Hyper
	grad   []float64 // scratch
	work   fitWork
}

// fitWork counts what a fit took.
type fitWork struct {
	Evaluations int `json:"fit_evaluations"` // of the evidence
	Failures    int `json:"fit_failures"`    // of these, without a posterior mode; and climbs that ended at no maximum
}

func newFitter(m *model, box space.Box, cfg Config) *fitter {
	d := box.Dim()
	f := &fitter{model: m, start: slices.Repeat([]float64{fmath.Log(cfg.Fit.Start)}, d), grad: make([]float64, d)}
	f.hyper = gp.NewHyper(gp.KernelPrior{
		Kernel: cfg.Kernel, Widths: box.Widths(),
		Lengthscale: gp.Parameter{Prior: gp.Gamma{Shape: 1}, Lo: cfg.Fit.Lo, Hi: cfg.Fit.Hi},
	}, search.Settings{GradTol: 1e-5, ValueTol: 1e-10}, f.evidence)
	return f
}

// start returns the lengthscales that a fit in the box starts from, in units of x.
func (f FitConfig) start(box space.Box) []float64 {
	l := box.Widths()
	for j := range l {
		l[j] *= f.Start
	}
	return l
}

// fit returns lengthscales, in the units of x: the better of what climbs in their
// logarithms find from the settings' start and from now, those in force. Where
// neither finds anything it returns now.
func (f *fitter) fit(now []float64) []float64 {
	f.work, f.mode = fitWork{}, nil
	m := f.hyper.Fit(f.start, f.hyper.Logs(kernel.Config{Lengthscale: now}))
	f.work.Evaluations = m.Evaluations
	f.work.Failures += m.Unfinished
	if m.Status == search.Undefined {
		return now
	}
	return m.Kernel.Lengthscale
}

// evidence is the log marginal likelihood of the duels with the kernel c, NaN if the
// posterior's mode was not found. It adds the gradient in the logarithms of the
// lengthscales to grad.
func (f *fitter) evidence(c kernel.Config, grad []float64) float64 {
	k, err := c.New(len(f.start))
	if err != nil {
		panic(err) // the settings were checked, and the range is finite
	}
	f.model.Condition(k)
	fit := f.model.Laplace(&f.solver, f.mode)
	if fit.Status != gp.Converged {
		f.work.Failures++
		f.mode = nil
		return math.NaN()
	}
	f.mode = fit.Alpha()
	if grad != nil {
		f.model.GradLogLengthscale(f.grad, k.(kernel.Stationary), fit.Sensitivity())
		wide.AddScaled(grad, 1, f.grad)
	}
	return fit.Evidence
}
