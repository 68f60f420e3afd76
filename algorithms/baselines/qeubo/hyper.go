package qeubo

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// precision is how well a fit solves for its hyper-parameters.
type precision struct {
	Gain     float64 // relative gain in log evidence + log prior that is not worth a step
	Residual float64 // of the posteriors on the way; the last one is solved to rounding
}

// Precisions of a step of the algorithm, and of a problem solved by itself.
var (
	quick = precision{Gain: 1e-7, Residual: 1e-4}
	exact = precision{Gain: 1e-14, Residual: 1e-11}
)

// hyperFit is the fit of the hyper-parameters, lengthscales in units of x, which the
// algorithm scales to [0,1]^d. The range of the variance is that of BoTorch's
// PairwiseGP; a Gamma prior leaves little outside either.
func (m *model) hyperFit(p precision) *gp.Hyper {
	parameter := func(prior gp.Gamma) gp.Parameter {
		return gp.Parameter{Prior: prior, LogNorm: prior.LogNorm(), Lo: 0.01, Hi: 100}
	}
	prior := gp.KernelPrior{
		Kernel: m.kernel, Widths: slices.Repeat([]float64{1}, m.Dim),
		Lengthscale: parameter(gp.Gamma(m.cfg.LengthscalePrior)), Variance: parameter(gp.Gamma(m.cfg.VariancePrior)),
	}
	m.tol = p.Residual
	return gp.NewHyper(prior, search.Settings{Step: 0.03, MaxIter: 100, GradTol: 1e-9, ValueTol: p.Gain, StepTol: 1e-7}, m.evidence)
}

// Fit sets the hyper-parameters to those of greatest log evidence + log prior, by
// climbs from the starts, and computes their posterior.
func (m *model) Fit(p precision, starts ...kernel.Config) (gp.MAP, error) {
	hyper := m.hyperFit(p)
	logs := make([][]float64, len(starts))
	for i, k := range starts {
		logs[i] = hyper.Logs(k)
	}
	fit := hyper.Fit(logs...)
	if fit.Status == search.Undefined {
		m.work.Failures++
		return fit, fmt.Errorf("no hyper-parameters gave %d duels a posterior; starts were %v", m.Len(), starts)
	}
	m.tol = 0
	hyper.Certify(&fit)
	if err := m.converged(); err != nil {
		return fit, err
	}
	if !fit.OK() {
		m.work.Failures++
	}
	return fit, nil
}

// Restart is the kernel at the modes of the priors, to climb from.
func (m *model) modalKernel() kernel.Config {
	l, v := gp.Gamma(m.cfg.LengthscalePrior).Mode(), gp.Gamma(m.cfg.VariancePrior).Mode()
	return kernel.Config{Family: "se-half", Lengthscale: slices.Repeat([]float64{l}, m.Dim), Variance: v}
}

// LogPosterior is log evidence + log prior of the hyper-parameters in force.
func (m *model) LogPosterior() float64 {
	return m.hyperFit(exact).AddLogPrior(m.post.Evidence, m.kernel)
}

// evidence is the log evidence with the kernel k, NaN where it is not known. It adds
// the gradient in the logarithms of the hyper-parameters to grad.
func (m *model) evidence(k kernel.Config, grad []float64) float64 {
	if err := m.condition(k, m.tol); err != nil || m.post.Status != gp.Converged {
		return math.NaN()
	}
	m.theta = linalg.Resize(m.theta, len(grad))
	m.evidenceGrad(m.theta)
	wide.AddScaled(grad, 1, m.theta)
	return m.post.Evidence
}
