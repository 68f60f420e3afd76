package dts

import (
	"math"

	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/space"
)

// Limits of the hyper-parameters, lengthscales in widths of the box.
const (
	minLengthscale, maxLengthscale = 0.02, 5
	minVariance, maxVariance       = 0.01, 1000
)

// Priors of the hyper-parameters, Gamma(shape, rate): those of qEUBO's public code,
// which has the same inputs and the same link (Astudillo et al., AISTATS 2023).
const (
	lengthscaleShape, lengthscaleRate = 3, 6
	varianceShape, varianceRate       = 2, 0.15
)

// hyperFit says what a fit of the hyper-parameters took and came to.
type hyperFit struct {
	value       float64 // log evidence + log prior
	evaluations int
	systems     int // factored
	failures    int // of inferences, which were not used
}

// fitHyper sets lengthscales and variance to the maximum of evidence times prior,
// as found from those in force and from the given ones, and fits the posterior.
func (m *Model) fitHyper(given Pairs) hyperFit {
	d := len(given.Lengthscale)
	var h hyperFit
	box := space.Box{Lo: make([]float64, d+1), Hi: make([]float64, d+1)}
	for j := range d {
		box.Lo[j], box.Hi[j] = math.Log(minLengthscale), math.Log(maxLengthscale)
	}
	box.Lo[d], box.Hi[d] = math.Log(minVariance), math.Log(maxVariance)
	dG := make([]float64, m.duels.len()*m.duels.len())
	objective := func(x, grad []float64) float64 {
		p := Pairs{Prior: m.kernel.Prior, Variance: math.Exp(x[d]), Lengthscale: make([]float64, d)}
		for j := range d {
			p.Lengthscale[j] = math.Exp(x[j])
		}
		m.setKernel(p)
		fit := m.Fit()
		h.evaluations++
		h.systems += fit.Newton
		if fit.Status != gp.Converged {
			h.failures++
			return math.NaN()
		}
		value, slope := logGamma(p.Variance, varianceShape, varianceRate)
		if grad != nil {
			grad[d] = slope + fit.EvidenceGrad(m.g)
		}
		for j, l := range p.Lengthscale {
			logp, slope := logGamma(l, lengthscaleShape, lengthscaleRate)
			value += logp
			if grad != nil {
				m.duels.gramSlope(m.kernel, dG, m.k, j)
				grad[j] = slope + fit.EvidenceGrad(dG)
			}
		}
		return value + fit.Evidence
	}
	logs := func(p Pairs) []float64 {
		x := make([]float64, d+1)
		for j, l := range p.Lengthscale {
			x[j] = math.Log(l)
		}
		x[d] = math.Log(p.Variance)
		return x
	}
	climb := search.NewLocal(box, search.Settings{MaxIter: 50, Step: 0.1, GradTol: 1e-5, ValueTol: 1e-10})
	best := logs(m.kernel.Pairs)
	h.value = math.Inf(-1)
	for _, start := range [][]float64{best, logs(given)} {
		if r := climb.Maximize(objective, start); r.Status != search.Undefined && r.Value > h.value {
			h.value, best = r.Value, append([]float64(nil), r.X...)
		}
	}
	objective(best, nil) // leaves the posterior at the best
	return h
}
