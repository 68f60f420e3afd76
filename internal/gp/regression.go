package gp

import "math"

// Regress makes p the posterior of n latent values that were seen as
// y_i = g_i + ε_i with Gaussian noise of the given variance, positive: exact. g are
// the prior covariances, n×n, row-major; y has length n.
//
// With W = I/variance, [Posterior.Unwhiten] after [Posterior.Whiten] of any y is
// (G + variance I)⁻¹ y, and log|G + variance I| is LogDetB plus n log(variance).
func (p *Posterior) Regress(g, y []float64, variance float64) {
	p.resize(len(y))
	w := 1 / math.Sqrt(variance)
	for i := range p.sqrtW {
		p.sqrtW[i] = w
	}
	p.factor(g)
	p.Whiten(p.alpha, y)
	p.Unwhiten(p.alpha, p.alpha)
}
