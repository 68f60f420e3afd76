package utility

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Precision is the accuracy of a fit of hyper-parameters.
type Precision struct {
	Gain     float64 // relative gain in log evidence + log prior below which the fit stops
	Residual float64 // of the posteriors during the fit; the last one is solved to rounding
}

// Precisions in a step of the algorithm, and in Solve.
var (
	Quick = Precision{Gain: 1e-7, Residual: 1e-4}
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
	return gp.NewHyper(prior, search.Settings{Step: 0.03, MaxIter: 100, GradTol: 1e-9, ValueTol: p.Gain, StepTol: 1e-7}, m.evidence)
}

// Fit sets the hyper-parameters to the maximum of log evidence + log prior, found by local searches from the
// starts, and computes their posterior.
func (m *Model) Fit(p Precision, starts ...kernel.Config) (gp.MAP, error) {
	hyper := m.hyperFit(p)
	logs := make([][]float64, len(starts))
	for i, k := range starts {
		logs[i] = hyper.Logs(k)
	}
	fit := hyper.Fit(logs...)
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
	if err := m.condition(k, m.tol); err != nil || m.Post.Status != gp.Converged {
		return math.NaN()
	}
	m.theta = linalg.Resize(m.theta, len(grad))
	m.evidenceGrad(m.theta)
	wide.AddScaled(grad, 1, m.theta)
	return m.Post.Evidence
}
