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

// fitter finds the lengthscales that maximise Laplace's approximation of the evidence of a model's duels.
type fitter struct {
	model  *model
	starts [][]float64 // of a fit: logarithms of lengthscales in box widths
	solver gp.Solver
	mode   []float64 // a at the mode of the last evaluation in this fit, nil before the first
	hyper  *gp.Hyper
	grad   []float64 // workspace
	work   fitWork
}

// fitWork counts the work of a fit.
type fitWork struct {
	Evaluations int `json:"fit_evaluations"` // of the evidence
	Failures    int `json:"fit_failures"`    // evaluations without a posterior mode, and local searches that did not end at a maximum
}

func newFitter(m *model, box space.Box, cfg Config) (*fitter, error) {
	d := box.Dim()
	fitted, err := cfg.fitted(d)
	if err != nil {
		return nil, err
	}
	f := &fitter{model: m, starts: [][]float64{slices.Repeat([]float64{fmath.Log(cfg.Fit.start())}, d)}, grad: make([]float64, d)}
	f.hyper = gp.NewHyper(gp.KernelPrior{Kernel: cfg.Kernel, Widths: box.Widths(), Lengthscale: fitted}, search.Settings{GradTol: 1e-5, ValueTol: 1e-10},
		f.evidence)
	if cfg.hasPrior() {
		f.starts = append(f.starts, f.hyper.ModeStarts()...)
	}
	return f, nil
}

// startIn returns the lengthscales that a fit in the box starts from, in units of x.
func (f FitConfig) startIn(box space.Box) []float64 {
	l := box.Widths()
	for j := range l {
		l[j] *= f.start()
	}
	return l
}

// fit returns lengthscales in units of x: the best result of local searches in their logarithms, from the
// fitter's starts and from now, the current lengthscales. If none finds a maximum it returns now.
func (f *fitter) fit(now []float64) []float64 {
	f.work, f.mode = fitWork{}, nil
	m := f.hyper.Fit(append(f.starts[:len(f.starts):len(f.starts)], f.hyper.Logs(kernel.Config{Lengthscale: now}))...)
	f.work.Evaluations = m.Evaluations
	f.work.Failures += m.Unfinished
	if m.Status == search.Undefined {
		return now
	}
	return m.Kernel.Lengthscale
}

// evidence returns the log marginal likelihood of the duels with the kernel c, NaN if Laplace's approximation
// did not converge. It adds the gradient in the logarithms of the lengthscales to grad, unless that is nil.
func (f *fitter) evidence(c kernel.Config, grad []float64) float64 {
	k, err := c.New(len(f.grad))
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
