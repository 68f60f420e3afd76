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

// fitter finds the lengthscales, and the variance if it has a prior, that maximise Laplace's approximation of the evidence
// of a model's duels.
type fitter struct {
	model  *model
	starts [][]float64 // of a fit: logarithms of lengthscales in box widths, and of the variance
	solver gp.Solver
	warm   bool // the solver has the mode of the last evaluation in this fit
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
	f := &fitter{model: m, grad: make([]float64, d)}
	prior := gp.KernelPrior{Kernel: cfg.Kernel, Widths: box.Widths(), Lengthscale: fitted}
	if cfg.fitsVariance() {
		prior.Variance = gp.VarianceParameter(gp.Gamma(cfg.VariancePrior))
	}
	f.hyper = gp.NewHyper(prior, search.Settings{GradTol: 1e-5, ValueTol: 1e-10}, f.evidence)
	start := f.hyper.Logs(cfg.startIn(box))
	for i := range d {
		start[i] = fmath.Log(cfg.Fit.start()) // without the rounding of a division by the widths
	}
	f.starts = [][]float64{start}
	if cfg.hasPrior() {
		f.starts = append(f.starts, f.hyper.ModeStarts()...)
	}
	return f, nil
}

func (c Config) startIn(box space.Box) kernel.Config {
	k := c.Kernel.WithLengthscale(slices.Repeat([]float64{c.Fit.start()}, box.Dim())).FromUnit(box.Widths())
	if c.fitsVariance() {
		k.Variance = gp.Gamma(c.VariancePrior).Mode()
	}
	return k
}

// fit returns the best result of local searches in the logarithms of the hyper-parameters, from the fitter's starts and from
// now, the current kernel. If none finds a maximum it returns now.
func (f *fitter) fit(now kernel.Config) kernel.Config {
	f.work, f.warm = fitWork{}, false
	m := f.hyper.Fit(append(f.starts[:len(f.starts):len(f.starts)], f.hyper.Logs(now))...)
	f.work.Evaluations = m.Evaluations
	f.work.Failures += m.Unfinished
	if m.Status == search.Undefined {
		return now
	}
	return m.Kernel
}

// evidence returns the log marginal likelihood of the duels with the kernel c, NaN if Laplace's approximation
// did not converge. It adds the gradient in the logarithms of the hyper-parameters to grad, unless that is nil.
func (f *fitter) evidence(c kernel.Config, grad []float64) float64 {
	k, err := c.New(len(f.grad))
	if err != nil {
		panic(err) // the settings were checked, and the range is finite
	}
	f.model.Condition(k)
	var start []float64
	if f.warm {
		start = f.solver.Predict(f.model.gram)
	}
	fit := f.model.Laplace(&f.solver, start)
	if f.warm = fit.Converged; !f.warm {
		f.work.Failures++
		return math.NaN()
	}
	if grad != nil {
		s, d := fit.Sensitivity(), len(f.grad)
		f.model.GradLogLengthscale(f.grad, k.(kernel.Stationary), s)
		wide.AddScaled(grad[:d], 1, f.grad)
		if len(grad) > d {
			grad[d] += wide.Dot(s, f.model.gram) // G is proportional to the variance
		}
	}
	return fit.Evidence
}
