package gp

import "gonum.org/v1/gonum/blas"

// Pathwise sets dst to the weights c that turn a draw of the prior into one of the
// posterior: if h is the draw, prior its values at the n latent values and noise n
// independent standard normal numbers, then
//
//	h(x) + kᵀ c,   k = (cov(f(x), g_i))_i,
//
// is a draw of the posterior at all x together (Matheron's rule; Wilson et al.,
// "Efficiently sampling functions from Gaussian process posteriors", ICML 2020,
// Eq. 11). Away from the answers it is the prior's draw, not zero. For the
// posterior of Gaussian sites of precision W,
//
//	c = a - W½ B⁻¹ (W½ prior + noise),
//
// which needs no site's variance 1/W. dst may be prior or noise.
func (p *Posterior) Pathwise(dst, prior, noise []float64) {
	p.check(len(dst))
	p.check(len(prior))
	p.check(len(noise))
	for i, w := range p.sqrtW {
		dst[i] = float64(w*prior[i]) + noise[i]
	}
	if p.n > 0 {
		bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, p.n, p.l, p.n, dst, 1)
	}
	p.Unwhiten(dst, dst)
	for i, a := range p.alpha {
		dst[i] = a - dst[i]
	}
}
