package qeubo

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/gp"
	"popbench/internal/linalg"
	"popbench/internal/search"
)

// parameters are lengthscales in units of x, which the algorithm scales to
// [0,1]^d, and the variance. The range of the variance is that of BoTorch's
// PairwiseGP; a Gamma prior leaves little outside either.
func (c Config) parameters(d int) []gp.Parameter {
	parameter := func(prior gp.Gamma) gp.Parameter {
		return gp.Parameter{Prior: prior, LogNorm: prior.LogNorm(), Lo: 0.01, Hi: 100}
	}
	lengthscale, variance := parameter(gp.Gamma(c.LengthscalePrior)), parameter(gp.Gamma(c.VariancePrior))
	return append(slices.Repeat([]gp.Parameter{lengthscale}, d), variance)
}

// Precision is how well a fit solves for its hyper-parameters.
type Precision struct {
	Gain     float64 // relative gain in log evidence + log prior that is not worth a step
	Residual float64 // of the posteriors on the way; the last one is solved to rounding
}

// Precisions of a step of the algorithm, and of a problem solved by itself.
var (
	Quick = Precision{Gain: 1e-7, Residual: 1e-4}
	Exact = Precision{Gain: 1e-14, Residual: 1e-11}
)

// Fit sets the hyper-parameters to those of greatest log evidence + log prior, by
// climbs from the starts, and computes their posterior.
func (m *Model) Fit(starts []Hyper, p Precision) (gp.MAP, error) {
	logs := make([][]float64, len(starts))
	for i, h := range starts {
		logs[i] = gp.Logs(h.values())
	}
	tol := p.Residual
	hyper := gp.NewHyper(m.params, search.Settings{Step: 0.03, MaxIter: 100, GradTol: 1e-9, ValueTol: p.Gain, StepTol: 1e-7},
		func(x, grad []float64) float64 { return m.evidence(x, grad, tol) })
	fit := hyper.Fit(logs...)
	if fit.Status == search.Undefined {
		m.work.Failures++
		return fit, fmt.Errorf("no hyper-parameters gave %d duels a posterior; starts were %v", m.Len(), starts)
	}
	tol = 0
	hyper.Certify(&fit)
	if err := m.converged(); err != nil {
		return fit, err
	}
	if !fit.OK() {
		m.work.Failures++
	}
	return fit, nil
}

// Restart is the prior's mode, to climb from.
func (m *Model) Restart() Hyper {
	return Hyper{
		Lengthscale: slices.Repeat([]float64{m.params[0].Prior.Mode()}, m.duels.Dim),
		Variance:    m.params[m.duels.Dim].Prior.Mode(),
	}
}

// values are the lengthscales and the variance.
func (h Hyper) values() []float64 { return append(slices.Clone(h.Lengthscale), h.Variance) }

// LogPosterior is log evidence + log prior of the hyper-parameters in force.
func (m *Model) LogPosterior() float64 {
	return gp.LogPrior(m.post.Evidence, m.params, m.hyper.values())
}

// evidence is the log evidence at the lengthscales and the variance x, NaN where
// it is not known. It adds the gradient in their logarithms to grad. The posterior
// is solved to a residual of tol.
func (m *Model) evidence(x, grad []float64, tol float64) float64 {
	d := m.duels.Dim
	if err := m.condition(Hyper{x[:d], x[d]}, tol); err != nil || m.post.Status != gp.Converged {
		return math.NaN()
	}
	m.theta = linalg.Resize(m.theta, d+1)
	m.evidenceGrad(m.theta)
	linalg.AddScaled(grad, 1, m.theta)
	return m.post.Evidence
}
