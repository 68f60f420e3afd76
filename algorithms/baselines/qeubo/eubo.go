package qeubo

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// EUBO returns the expected utility of the better of x and y,
//
//	E max(f(x), f(y)) = μ_y + δ Φ(δ/s) + s φ(δ/s),  δ = μ_x - μ_y
//
// where s is the posterior standard deviation of f(x) - f(y) (Astudillo et al. 2023, Sec. 3.3). It sets gradX
// and gradY to its gradients, unless both are nil.
func (m *model) EUBO(x, y, gradX, gradY []float64) float64 {
	if gradX == nil {
		m.Duels.Cov(m.row, m.k, x)
		m.Duels.Cov(m.diff, m.k, y)
	} else {
		m.CovSlopes(m.row, m.slopesX, m.k, x)
		m.CovSlopes(m.diff, m.slopesY, m.k, y)
	}
	meanX, meanY := m.post.Mean(m.row), m.post.Mean(m.diff)
	for i, c := range m.row {
		m.diff[i] = c - m.diff[i]
	}
	m.post.Whiten(m.diff, m.diff)
	prior := m.k.Eval(x, y)
	s2 := float64(2*(m.kernel.Variance-prior)) - wide.Dot(m.diff, m.diff)
	b := better(meanX, meanY, s2, m.kernel.Variance)
	if gradX == nil {
		return b.value
	}
	// The variance's slopes are -2 ∂k(x,y) ∓ 2 Σ c_i ∂cov_i, c = M (k_x - k_y).
	m.post.Unwhiten(m.diff, m.diff)
	for i, a := range m.post.Alpha() {
		m.back[i] = float64(b.pX*a) - float64(b.slope*m.diff[i])
		m.diff[i] = float64((1-b.pX)*a) + float64(b.slope*m.diff[i])
	}
	m.GradCov(gradX, m.k, x, m.slopesX, m.back, m.grad)
	m.GradCov(gradY, m.k, y, m.slopesY, m.diff, m.grad)
	w := [1]float64{-b.slope}
	m.k.GradSum(m.grad, x, y, w[:])
	for j, v := range m.grad {
		gradX[j] += v
		gradY[j] -= v // ∂k(x, y)/∂y = -∂k(x, y)/∂x: the kernel is stationary
	}
	return b.value
}

// larger is E max(X, Y) of jointly Gaussian X and Y, with its derivatives: pX in the mean of X (1 - pX in that
// of Y), and half of slope in s², the variance of X - Y.
type larger struct{ value, pX, slope float64 }

// better computes larger from the means and s². A variance of the size of rounding, relative to that of the
// prior, counts as zero: the larger mean remains.
func better(meanX, meanY, s2, prior float64) larger {
	delta := meanX - meanY
	top := max(meanX, meanY)
	if !(s2 > 1e-14*prior) {
		p := 0.5
		if delta != 0 {
			p = math.Max(0, math.Copysign(1, delta))
		}
		return larger{value: top, pX: p}
	}
	// With u = |δ|/s the other option adds s (φ(u) - u Φ(-u)). That is positive, and small compared with top
	// where the difference loses digits.
	s := math.Sqrt(s2)
	u := delta / s
	phi := fmath.Exp(-u*u/2) / math.Sqrt(2*math.Pi)
	tail := float64(0.5 * fmath.Erfc(math.Abs(u)/math.Sqrt2))
	b := larger{value: top + float64(s*max(phi-float64(math.Abs(u)*tail), 0)), pX: tail, slope: phi / s}
	if delta > 0 {
		b.pX = 1 - tail
	}
	return b
}
