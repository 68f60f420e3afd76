package utility

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// Precision is the accuracy of a fit of hyper-parameters.
type Precision struct {
	Gain     float64 // relative gain in log evidence + log prior below which the fit stops
	Residual float64 // of the posteriors during the fit; the last one is solved to rounding
}

// Precisions in a step of the algorithm, and in Solve.
var (
	Quick = Precision{Gain: 1e-7, Residual: 1e-3}
	Exact = Precision{Gain: 1e-14, Residual: 1e-11}
)

// hyperFit returns the MAP fit of the hyper-parameters. Lengthscales are in units of the model's coordinates,
// which for the algorithm are [0,1]^d. The variance has the range of BoTorch's PairwiseGP. A Gamma prior leaves
// little mass outside either range. The dim-scaled prior leaves a fifth above 100 in 32 dimensions, where f hardly
// depends on the coordinate; its mode is 1.2.
func (m *Model) hyperFit(p Precision) *gp.Hyper {
	parameter := func(prior gp.Prior) gp.Parameter {
		return gp.Parameter{Prior: prior, LogNorm: prior.LogNorm(), Lo: 0.01, Hi: 100}
	}
	prior := gp.KernelPrior{
		Kernel: m.Kernel, Widths: slices.Repeat([]float64{1}, m.Dim),
		Lengthscale: parameter(m.lengthscalePrior()), Variance: gp.VarianceParameter(gp.Gamma(m.cfg.VariancePrior)),
	}
	m.tol = p.Residual
	s := search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-9, ValueTol: p.Gain, StepTol: 1e-7, Basin: basin}
	if n := len(m.curvature); n > 0 {
		s.Curvature = make([]float64, n*n)
		for i, c := range m.curvature {
			s.Curvature[i*n+i] = c
		}
	}
	return gp.NewHyper(prior, s, m.evidence)
}

// basin is a factor of 1.6 in a hyper-parameter: a start closer to a maximum leads to the same.
const basin = 0.05

// Fit sets the hyper-parameters to the maximum of log evidence + log prior, found by local searches from the
// starts, and computes their posterior.
func (m *Model) Fit(p Precision, starts ...kernel.Config) (gp.MAP, error) {
	hyper := m.hyperFit(p)
	logs := make([][]float64, len(starts))
	for i, k := range starts {
		logs[i] = hyper.Logs(k)
	}
	fit := hyper.Fit(logs...)
	if fit.Curvature != nil {
		n := len(fit.Logs)
		m.curvature = make([]float64, n)
		for i := range n {
			m.curvature[i] = fit.Curvature[i*n+i]
		}
	}
	if fit.Status == search.Undefined {
		m.Work.Failures++
		return fit, fmt.Errorf("the posterior of %d duels converged with none of the hyper-parameters tried; the starts were %v", m.Len(), starts)
	}
	m.tol = 0
	hyper.Certify(&fit)
	if err := m.converged(); err != nil {
		return fit, err
	}
	if !fit.OK() {
		m.Work.Failures++
	}
	return fit, nil
}

// restartEvery is the number of duels after which a fit starts from the prior's mode too, not only from where
// the last one ended. In 1062 data sets of 1 to 60 duels in 1, 2 and 6 dimensions, with a Gamma prior, the two
// differed in one, by 0.001. A dim-scaled prior needs more starts; see Hyper.ModeStarts.
const restartEvery = 10

// Refit is a Fit after one more duel, from where the last one ended and, every restartEvery duels, from the priors' mode.
func (m *Model) Refit() (gp.MAP, error) {
	var starts []kernel.Config
	n := m.Len()
	if n > 1 {
		starts = append(starts, m.Kernel)
	}
	if n < restartEvery || n%restartEvery == 0 {
		starts = append(starts, m.modalKernels()...)
	}
	return m.Fit(Quick, starts...)
}

// modalKernels returns the starts of a fit that does not rely on the last one: with a dim-scaled prior several.
func (m *Model) modalKernels() []kernel.Config {
	if m.cfg.LengthscalePrior.Family.IsZero() {
		return []kernel.Config{m.ModalKernel()}
	}
	var starts []kernel.Config
	for _, logs := range m.hyperFit(Quick).ModeStarts() {
		k := m.ModalKernel()
		for i := range k.Lengthscale {
			k.Lengthscale[i] = fmath.Exp(logs[i])
		}
		starts = append(starts, k)
	}
	return starts
}

// LogPosterior returns log evidence + log prior of the current hyper-parameters.
func (m *Model) LogPosterior() float64 {
	return m.hyperFit(Exact).AddLogPrior(m.Post.Evidence, m.Kernel)
}

// evidence returns the log evidence with the kernel k, NaN if the posterior did not converge. It adds the
// gradient in the logarithms of the hyper-parameters to grad.
func (m *Model) evidence(k kernel.Config, grad []float64) float64 {
	if err := m.condition(k, m.tol); err != nil || !m.Post.Converged {
		return math.NaN()
	}
	m.theta = linalg.Resize(m.theta, len(grad))
	m.evidenceGrad(m.theta)
	wide.AddScaled(grad, 1, m.theta)
	return m.Post.Evidence
}

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
