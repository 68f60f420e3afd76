package dts

import (
	"math"
	"slices"

	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/kernel"
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

// fitHyper sets lengthscales and variance of the kernel exp(-r²/2) on [0,1]^d to the
// maximum of evidence times prior, as found from those in force and from the prior's
// mode, and fits the posterior.
func (m *Model) fitHyper() hyperFit {
	d := m.duels.d
	var h hyperFit
	box := space.Box{Lo: make([]float64, d+1), Hi: make([]float64, d+1)}
	for j := range d {
		box.Lo[j], box.Hi[j] = math.Log(minLengthscale), math.Log(maxLengthscale)
	}
	box.Lo[d], box.Hi[d] = math.Log(minVariance), math.Log(maxVariance)
	dG := make([]float64, m.duels.len()*m.duels.len())
	p := m.kernel.Pairs
	objective := func(x, grad []float64) float64 {
		for j := range d {
			p.Kernel.Lengthscale[j] = math.Exp(x[j])
		}
		p.Kernel.Variance = math.Exp(x[d])
		m.setKernel(p)
		fit := m.Fit()
		h.evaluations++
		h.systems += fit.Newton
		if fit.Status != gp.Converged {
			h.failures++
			return math.NaN()
		}
		value, slope := logGamma(p.Kernel.Variance, varianceShape, varianceRate)
		if grad != nil {
			grad[d] = slope + fit.EvidenceGrad(m.g)
		}
		for j, l := range p.Kernel.Lengthscale {
			logp, slope := logGamma(l, lengthscaleShape, lengthscaleRate)
			value += logp
			if grad != nil {
				m.duels.gramSlope(m.kernel, dG, m.k, j)
				grad[j] = slope + fit.EvidenceGrad(dG)
			}
		}
		return value + fit.Evidence
	}
	logs := func(k kernel.Config) []float64 {
		x := make([]float64, d+1)
		for j, l := range k.Lengthscale {
			x[j] = math.Log(l)
		}
		x[d] = math.Log(k.Variance)
		return x
	}
	climb := search.NewLocal(box, search.Settings{MaxIter: 50, Step: 0.1, GradTol: 1e-5, ValueTol: 1e-10})
	best := logs(p.Kernel)
	h.value = math.Inf(-1)
	for _, start := range [][]float64{best, logs(modalKernel(d))} {
		if r := climb.Maximize(objective, start); r.Status != search.Undefined && r.Value > h.value {
			h.value, best = r.Value, slices.Clone(r.X)
		}
	}
	objective(best, nil) // leaves the posterior at the best
	return h
}

// modalKernel has the hyper-parameters that the priors favour.
func modalKernel(d int) kernel.Config {
	const l, v = (lengthscaleShape - 1.) / lengthscaleRate, (varianceShape - 1.) / varianceRate
	return kernel.Config{Family: "se-half", Variance: v, Lengthscale: slices.Repeat([]float64{l}, d)}
}

// logGamma is the logarithm of a Gamma(shape, rate) density, but for a constant,
// and its derivative in log v.
func logGamma(v, shape, rate float64) (logp, slope float64) {
	return (shape-1)*math.Log(v) - rate*v, shape - 1 - rate*v
}
