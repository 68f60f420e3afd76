package sgp

import (
	"math"

	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/kernel"
)

// model is the posterior of a utility f ~ GP(0, k) given duels, where each option's value has independent noise
// N(0, σ²):
//
//	v_i = f(loser_i) + ε - f(winner_i) - ε' < 0,   v ~ N(0, Σ),   Σ = D K Dᵀ + 2σ²I
//
// with D K Dᵀ the covariances of the differences of f. The posterior of f is a regression on v, mixed
// over v ~ N(0, Σ) truncated to v < 0: a skew Gaussian process. It is not safe for concurrent use.
type model struct {
	gp.Duels         // call Condition after Add
	noise    float64 // σ
	k        kernel.Kernel
	gram     []float64 // D K Dᵀ, n×n
	sigma    []float64 // Σ
}

// newModel returns the model of a utility on R^d without duels. noise is the deviation σ, positive.
func newModel(d int, noise float64) *model {
	return &model{noise: noise, Duels: gp.Duels{Dim: d}}
}

// Condition computes the covariances of the duels under the kernel. The methods below use the last ones.
func (m *model) Condition(k kernel.Kernel) {
	n := m.Len()
	m.k, m.gram, m.sigma = k, linalg.Resize(m.gram, n*n), linalg.Resize(m.sigma, n*n)
	m.Gram(m.gram, k)
	copy(m.sigma, m.gram)
	for i := range n {
		m.sigma[i*n+i] += float64(2 * m.noise * m.noise)
	}
}

// Laplace returns the Gaussian approximation of the posterior for fits of lengthscales: the differences of f
// have the link Φ(g/(√2 σ)). The result is in the memory of s; start is as for gp.Solver.Laplace.
func (m *model) Laplace(s *gp.Solver, start []float64) *gp.Approximation {
	return s.Laplace(m.gram, m.Len(), m.link(), start)
}

// EP returns the Gaussian approximation by expectation propagation, with the same link.
func (m *model) EP(s *gp.Solver) *gp.Approximation { return s.EP(m.gram, m.Len(), m.link()) }

func (m *model) link() gp.Probit { return gp.Probit{Scale: math.Sqrt2 * m.noise} }

// Given returns the posterior of f for known v, of length n: a Gaussian process. It is valid until the next Add
// or Condition.
func (m *model) Given(v []float64) *given {
	g := m.newGiven()
	for i, vi := range v {
		g.c[i] = -vi // as a difference winner - loser
	}
	g.post.Regress(m.gram, g.c, 2*m.noise*m.noise)
	return g
}

// newGiven returns a posterior that is not set yet.
func (m *model) newGiven() *given {
	n := m.Len()
	return &given{model: m, cov: make([]float64, n), slopes: make([]float64, 2*n), c: make([]float64, n), buf: make([]float64, m.Dim)}
}

// given is a posterior of f given the differences. It is not safe for concurrent use.
type given struct {
	model  *model
	post   gp.Posterior
	cov    []float64 // length n, prior covariances of f(x) with f(winner_i) - f(loser_i)
	slopes []float64 // length 2n, of the last Mean
	c      []float64
	buf    []float64 // length d
}

// Mean returns the mean of f(x).
func (g *given) Mean(x []float64) float64 {
	g.model.CovSlopes(g.cov, g.slopes, g.model.k, x)
	return g.post.Mean(g.cov)
}

// Moments returns mean and variance of f(x).
func (g *given) Moments(x []float64) (mean, variance float64) {
	mean = g.Mean(x)
	g.post.Whiten(g.cov, g.cov) // for gradient
	prior := g.model.k.Eval(x, x)
	variance = prior
	for _, v := range g.cov {
		variance -= float64(v * v)
	}
	// Differences alone never determine f(x), but rounding can make the variance of a wide prior zero or less.
	return mean, max(variance, 1e-12*prior)
}

// gradient sets dst to the gradient of a function of mean and deviation sd of f(x), given its derivatives in
// these, after Moments at the same x.
func (g *given) gradient(dst, x []float64, sd, byMean, bySD float64) {
	// With b = Σ⁻¹k the variance is k(x,x) - kᵀb; ∂sd = (½∂k(x,x) - bᵀ∂k)/sd.
	g.post.Unwhiten(g.cov, g.cov)
	for i, a := range g.post.Alpha {
		g.c[i] = float64(byMean*a) - float64(bySD/sd*g.cov[i])
	}
	g.model.GradCov(dst, g.model.k, x, g.slopes, g.c, g.buf)
	g.model.k.GradDiag(g.buf, x)
	for j, v := range g.buf {
		dst[j] += float64(bySD / sd * v)
	}
}
