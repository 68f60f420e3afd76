// Package gp computes posteriors under a Gaussian process prior: of latent values that are observed only
// through a link, that is, by which of two options won; and of a function with noisy value observations.
//
// # Form
//
// There are n latent values g with prior N(0, G), and comparison i has probability p(g_i). For duels of one
// utility f, g_i = f(winner_i) - f(loser_i), so that G = D K Dᵀ with K the kernel matrix of the options and D
// the differences. For a classifier of pairs z, g_i = s_i f(z_i), where s_i is the sign of the comparison. The
// kernel matrix of the options is never factored or inverted. So repeated points and a singular K do no harm,
// and all costs grow with the number of comparisons only.
//
// # Gaussian posterior
//
// Every method for comparisons ends in a Gaussian posterior of the latent function, given by 2n numbers, a and
// w >= 0: with the prior covariances k = (cov(f(x), g_i))_i,
//
//	mean f(x)        = kᵀ a
//	cov(f(x), f(y))  = k(x, y) - k_xᵀ W½ B⁻¹ W½ k_y,   B = I + W½ G W½
//
// (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, Sec. 3.4). B has no eigenvalue
// below 1, so its Cholesky factor L always exists to full accuracy.
package gp

import (
	"fmt"
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Posterior is the Gaussian posterior of all latent values, as in the package comment. It is read-only, and
// safe for concurrent use.
type Posterior struct {
	n      int
	Alpha  []float64 // a, length n
	SqrtW  []float64 // W½, length n
	l      []float64 // L in the lower triangle of an n×n matrix, row-major
	LogDet float64   // log|B|; half of it is the information gain
}

// Len returns n, the number of comparisons.
func (p *Posterior) Len() int { return p.n }

// Mean returns the posterior mean of a latent value whose prior covariances with the n observed ones are k.
func (p *Posterior) Mean(k []float64) float64 {
	p.check(len(k))
	return wide.Dot(k, p.Alpha)
}

// Whiten sets dst = L⁻¹ W½ k. The posterior covariance of two latent values is their prior covariance minus the
// dot product of their whitened covariances with the n observed ones. dst may be k.
func (p *Posterior) Whiten(dst, k []float64) {
	p.check(len(k))
	p.check(len(dst))
	for i, w := range p.SqrtW {
		dst[i] = w * k[i]
	}
	linalg.SolveLower(p.l, p.n, dst)
}

// WhitenColumns applies Whiten to each column of a row-major matrix of n rows: row i holds the covariances of
// many latent values with comparison i.
func (p *Posterior) WhitenColumns(columns []float64) {
	m := p.columns(columns)
	for i, w := range p.SqrtW {
		wide.Scale(columns[i*m:(i+1)*m], w)
	}
	p.SolveColumns(columns)
}

// SolveColumns is WhitenColumns for rows that are multiplied by SqrtW already.
func (p *Posterior) SolveColumns(columns []float64) {
	m := p.columns(columns)
	wide.SolveL(p.l, p.n, p.n, wide.Matrix{Data: columns, Stride: m}, m)
}

func (p *Posterior) columns(matrix []float64) int {
	if p.n == 0 {
		return 0
	}
	if len(matrix)%p.n != 0 {
		panic(fmt.Sprintf("gp: %d covariances are not whole columns of %d", len(matrix), p.n))
	}
	return len(matrix) / p.n
}

// Unwhiten sets dst = W½ L⁻ᵀ v, the transpose of Whiten: the gradient of ½|Whiten(k)|² in k is
// Unwhiten(Whiten(k)). dst may be v.
func (p *Posterior) Unwhiten(dst, v []float64) {
	p.check(len(v))
	p.check(len(dst))
	copy(dst, v)
	linalg.SolveLowerTransposed(p.l, p.n, dst)
	for i, w := range p.SqrtW {
		dst[i] *= w
	}
}

// Whitener returns M = L⁻¹ W½, n×n, for many products: Whiten(k) is M k, and Unwhiten(v) is Mᵀv.
func (p *Posterior) Whitener() wide.Matrix {
	m := wide.Matrix{Data: make([]float64, p.n*p.n), Stride: p.n}
	linalg.InvertLower(m, wide.Matrix{Data: p.l, Stride: p.n}, p.n)
	for i := range p.n {
		row := m.Data[i*p.n : i*p.n+i+1]
		wide.Product(row, 1, row, p.SqrtW)
	}
	return m
}

// Pathwise sets dst to the weights c that turn a draw h of the prior into a draw of the posterior. prior has
// the values of the draw at the n latent values, noise n independent standard normal numbers. Then
//
//	h(x) + kᵀ c,   k = (cov(f(x), g_i))_i,
//
// is a joint draw of the posterior at all x (Matheron's rule; Wilson et al., "Efficiently sampling functions
// from Gaussian process posteriors", ICML 2020, Eq. 11). Far from the compared points it is the prior's draw,
// not zero. For the posterior of Gaussian sites of precision W,
//
//	c = a - W½ B⁻¹ (W½ prior + noise),
//
// which does not need the variance 1/W of a site. dst may be prior or noise.
func (p *Posterior) Pathwise(dst, prior, noise []float64) {
	p.check(len(dst))
	p.check(len(prior))
	p.check(len(noise))
	for i, w := range p.SqrtW {
		dst[i] = float64(w*prior[i]) + noise[i]
	}
	linalg.SolveLower(p.l, p.n, dst)
	p.Unwhiten(dst, dst)
	for i, a := range p.Alpha {
		dst[i] = a - dst[i]
	}
}

func (p *Posterior) check(n int) {
	if n != p.n {
		panic(fmt.Sprintf("gp: %d covariances for the posterior of %d comparisons", n, p.n))
	}
}

// factor sets L and log|B| for the prior covariances g (n×n, row-major) and the weights in sqrtW.
func (p *Posterior) factor(g []float64) {
	n := p.n
	for i, wi := range p.SqrtW {
		row := p.l[i*n : i*n+i+1]
		for j, gij := range g[i*n : i*n+i+1] {
			row[j] = wi * gij * p.SqrtW[j]
		}
		row[i]++
	}
	if !linalg.Cholesky(p.l, n, n, 1) { // since B >= I, a pivot below 1 is due to rounding
		p.l[0] = math.NaN() // numbers of B are NaN too, so everything computed from L is
	}
	p.LogDet = linalg.LogDet(p.l, n, n)
}

func (p *Posterior) resize(n int) {
	p.n = n
	p.Alpha, p.SqrtW = linalg.Resize(p.Alpha, n), linalg.Resize(p.SqrtW, n)
	p.l = linalg.Resize(p.l, n*n)
}
