package utility

import (
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/math/gp"
	"popbench/kernel"
	"popbench/space"
)

// KernelFit fits the kernel for a method whose model is another one. It finds the hyper-parameters that [Base] would find
// from the same duels.
type KernelFit struct {
	Kernel kernel.Config // the last fit, in units of x; before the first, the modes of the priors

	model *Model
	frame space.Frame
	fit   gp.MAP
}

// NewKernelFit returns the kernel in force before the first answer: a known one, or that of the fit that fit asks for, or
// set. The fit is nil if the kernel stays.
func NewKernelFit(s algorithms.Setup, fit string, set kernel.Config) (kernel.Config, *KernelFit) {
	if k := s.Known.Kernel; k != nil {
		return *k, nil
	}
	if fit != settings.FitMAP {
		return set, nil
	}
	f := &KernelFit{model: NewModel(s.Domain.Dim(), settings.DefaultUtility()), frame: space.NewFrame(s.Domain)}
	f.Kernel = f.model.Kernel.FromUnit(f.frame.Box().Widths())
	return f.Kernel, f
}

// Learn fits the kernel to one more answer and reports whether it did. Ties and self-duels are left out. If no posterior
// converges, the kernel stays as it is.
func (f *KernelFit) Learn(c algorithms.Comparison) bool {
	f.model.Work = Work{}
	winner, loser := c.Points[c.Winner], c.Points[1-c.Winner]
	if c.Tie || slices.Equal(winner, loser) {
		return false
	}
	d := f.model.Dim
	f.model.Add(f.frame.ToUnit(make([]float64, d), winner), f.frame.ToUnit(make([]float64, d), loser))
	before := f.model.Kernel
	fit, err := f.model.Refit()
	if err != nil {
		f.model.Kernel = before
		return false
	}
	f.fit, f.Kernel = fit, f.model.Kernel.FromUnit(f.frame.Box().Widths())
	return true
}

// Metrics describes the last fit: the norm of the gradient of log evidence + log prior in the logarithms of the
// hyper-parameters, the work since the last answer, and the hyper-parameters, with lengthscales in box widths.
func (f *KernelFit) Metrics() []algorithms.Metric {
	w, k := f.model.Work, f.model.Kernel
	return append([]algorithms.Metric{
		algorithms.KindCertificate.Metric("fit_gradient", f.fit.Gradient),
		algorithms.KindWork.Metric("fit_solves", float64(w.Solves)),
		algorithms.KindWork.Metric("fit_failures", float64(w.Failures)),
		algorithms.KindState.Metric("variance", k.Variance),
	}, algorithms.LengthscaleMetrics(k.Lengthscale)...)
}
