// Package gp computes posteriors of latent values under a Gaussian process prior
// when each value is seen only through a link: which of two options won.
//
// # Form
//
// There are n latent values g with prior N(0, G), and answer i has probability
// p(g_i). For duels of one utility f, g_i = f(winner_i) - f(loser_i), so that
// G = D K Dᵀ with K the kernel matrix of the options and D the differences; for a
// classifier of pairs z, g_i = s_i f(z_i) with the answer's sign s_i. The kernel
// matrix of the options is never factored and never inverted: repeated points
// and a singular K do no harm, and all costs go with the number of answers.
//
// # Gaussian posterior
//
// Every method here ends in a Gaussian posterior of the latent function given by
// 2n numbers, a and w >= 0: with k = (cov(f(x), g_i))_i, the prior covariances,
//
//	mean f(x)        = kᵀ a
//	cov(f(x), f(y))  = k(x, y) - k_xᵀ W½ B⁻¹ W½ k_y,   B = I + W½ G W½
//
// (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
// Sec. 3.4). B has no eigenvalue below 1, so its Cholesky factor L always
// exists to full accuracy.
package gp

import (
	"fmt"
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Status says how a fit ended.
type Status int

const (
	// Failed: the iteration did not reach its tolerance. The numbers are those of
	// its last iterate and not to be used as a posterior.
	Failed Status = iota
	// Converged: to the tolerance of the method; Approximation.Residual is its certificate.
	Converged
)

func (s Status) String() string { return [...]string{"failed", "converged"}[s] }

// Posterior is the Gaussian posterior of all latent values, as in the package
// comment. It is read only, and safe for concurrent use.
type Posterior struct {
	n      int
	alpha  []float64 // a, length n
	sqrtW  []float64 // W½, length n
	l      []float64 // L in the lower triangle of an n×n matrix, row-major
	logDet float64   // log|B|
}

// Len is n, the number of answers.
func (p *Posterior) Len() int { return p.n }

// Alpha returns a, of length n. It must not be changed.
func (p *Posterior) Alpha() []float64 { return p.alpha }

// SqrtW returns the diagonal of W½, of length n. It must not be changed.
func (p *Posterior) SqrtW() []float64 { return p.sqrtW }

// Mean is the posterior mean of a latent value whose prior covariances with the
// n answered ones are k.
func (p *Posterior) Mean(k []float64) float64 {
	p.check(len(k))
	return wide.Dot(k, p.alpha)
}

// Whiten sets dst = L⁻¹ W½ k, so that the posterior covariance of two latent
// values is their prior covariance less the dot product of their whitened
// covariances with the n answered ones. dst may be k.
func (p *Posterior) Whiten(dst, k []float64) {
	p.check(len(k))
	p.check(len(dst))
	for i, w := range p.sqrtW {
		dst[i] = w * k[i]
	}
	linalg.SolveLower(p.l, p.n, dst)
}

// WhitenRows does what Whiten does to each of the len(rows)/n rows of length n.
func (p *Posterior) WhitenRows(rows []float64) {
	if p.n == 0 {
		return
	}
	if len(rows)%p.n != 0 {
		panic(fmt.Sprintf("gp: %d covariances are not whole rows of %d", len(rows), p.n))
	}
	m := len(rows) / p.n
	columns := make([]float64, len(rows))
	for i := range p.n {
		for j := range m {
			columns[i*m+j] = rows[j*p.n+i]
		}
	}
	p.WhitenColumns(columns)
	for i := range p.n {
		for j := range m {
			rows[j*p.n+i] = columns[i*m+j]
		}
	}
}

// MeanColumns sets mean to what Mean is for each column of a matrix as of
// WhitenColumns.
func (p *Posterior) MeanColumns(mean, columns []float64) {
	clear(mean)
	wide.GemvT(mean, 1, columns, p.columns(columns), p.alpha)
}

// WhitenColumns does what Whiten does to each column of a row-major matrix of n
// rows: row i holds the covariances of many latent values with answer i. For many
// values it is several times as fast as WhitenRows.
func (p *Posterior) WhitenColumns(columns []float64) {
	m := p.columns(columns)
	for i, w := range p.sqrtW {
		wide.Scale(columns[i*m:(i+1)*m], w)
	}
	wide.SolveL(p.l, p.n, p.n, wide.Matrix{Data: columns, Stride: m}, m)
}

// columns returns the number of columns of a matrix of n rows.
func (p *Posterior) columns(matrix []float64) int {
	if p.n == 0 {
		return 0
	}
	if len(matrix)%p.n != 0 {
		panic(fmt.Sprintf("gp: %d covariances are not whole columns of %d", len(matrix), p.n))
	}
	return len(matrix) / p.n
}

// Unwhiten sets dst = W½ L⁻ᵀ v, the transpose of Whiten: the gradient of
// ½|Whiten(k)|² in k is Unwhiten(Whiten(k)). dst may be v.
func (p *Posterior) Unwhiten(dst, v []float64) {
	p.check(len(v))
	p.check(len(dst))
	copy(dst, v)
	linalg.SolveLowerTransposed(p.l, p.n, dst)
	for i, w := range p.sqrtW {
		dst[i] *= w
	}
}

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
	linalg.SolveLower(p.l, p.n, dst)
	p.Unwhiten(dst, dst)
	for i, a := range p.alpha {
		dst[i] = a - dst[i]
	}
}

func (p *Posterior) check(n int) {
	if n != p.n {
		panic(fmt.Sprintf("gp: %d covariances for the posterior of %d answers", n, p.n))
	}
}

// factor sets L and log|B| for the prior covariances g (n×n, row-major) and the
// weights in sqrtW.
func (p *Posterior) factor(g []float64) {
	n := p.n
	for i, wi := range p.sqrtW {
		row := p.l[i*n : i*n+i+1]
		for j, gij := range g[i*n : i*n+i+1] {
			row[j] = wi * gij * p.sqrtW[j]
		}
		row[i]++
	}
	p.factorB(p.l, n, 0)
}

// factorB factors B, n×n, as of linalg.Cholesky with m additional rows, and sets
// log|B|. As B >= I, a pivot below 1 is rounding.
func (p *Posterior) factorB(b []float64, n, m int) {
	if !linalg.Cholesky(b, n, n, m, 1) {
		b[0] = math.NaN() // as are numbers of B, and all that follows
	}
	p.logDet = linalg.LogDet(b, n, n)
}

// resize gives the posterior its n and room for it.
func (p *Posterior) resize(n int) {
	p.n = n
	p.alpha, p.sqrtW = linalg.Resize(p.alpha, n), linalg.Resize(p.sqrtW, n)
	p.l = linalg.Resize(p.l, n*n)
}
