package utility

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
func (m *Model) EUBO(x, y, gradX, gradY []float64) float64 {
	if gradX == nil {
		m.Duels.Cov(m.row, m.K, x)
		m.Duels.Cov(m.diff, m.K, y)
	} else {
		m.CovSlopes(m.row, m.slopesX, m.K, x)
		m.CovSlopes(m.diff, m.slopesY, m.K, y)
	}
	meanX, meanY := m.Post.Mean(m.row), m.Post.Mean(m.diff)
	for i, c := range m.row {
		m.diff[i] = c - m.diff[i]
	}
	m.Post.Whiten(m.diff, m.diff)
	prior := m.K.Eval(x, y)
	s2 := float64(2*(m.Kernel.Variance-prior)) - wide.Dot(m.diff, m.diff)
	b := Better(meanX, meanY, s2, m.Kernel.Variance)
	if gradX == nil {
		return b.Value
	}
	// The variance's slopes are -2 ∂k(x,y) ∓ 2 Σ c_i ∂cov_i, c = M (k_x - k_y).
	m.Post.Unwhiten(m.diff, m.diff)
	for i, a := range m.Post.Alpha {
		m.back[i] = float64(b.PX*a) - float64(b.Slope*m.diff[i])
		m.diff[i] = float64((1-b.PX)*a) + float64(b.Slope*m.diff[i])
	}
	m.GradCov(gradX, m.K, x, m.slopesX, m.back, m.grad)
	m.GradCov(gradY, m.K, y, m.slopesY, m.diff, m.grad)
	w := [1]float64{-b.Slope}
	m.K.GradSum(m.grad, x, y, w[:])
	for j, v := range m.grad {
		gradX[j] += v
		gradY[j] -= v // ∂k(x, y)/∂y = -∂k(x, y)/∂x: the kernel is stationary
	}
	return b.Value
}

// Larger is E max(X, Y) of jointly Gaussian X and Y, with its derivatives: PX in the mean of X, 1 - PX in the mean
// of Y, and Slope/2 in s², the variance of X - Y.
type Larger struct{ Value, PX, Slope float64 }

// Better computes Larger from the means and s². If s² is no more than rounding error, relative to the prior
// variance, it counts as zero: the larger mean remains.
func Better(meanX, meanY, s2, prior float64) Larger {
	delta := meanX - meanY
	top := max(meanX, meanY)
	if !(s2 > 1e-14*prior) {
		p := 0.5
		if delta != 0 {
			p = math.Max(0, math.Copysign(1, delta))
		}
		return Larger{Value: top, PX: p}
	}
	// With u = |δ|/s the other option adds s (φ(u) - u Φ(-u)). This sum is positive, and small compared with top where
	// its subtraction loses digits.
	s := math.Sqrt(s2)
	u := delta / s
	phi := fmath.Exp(-u*u/2) / math.Sqrt(2*math.Pi)
	tail := float64(0.5 * fmath.Erfc(math.Abs(u)/math.Sqrt2))
	b := Larger{Value: top + float64(s*max(phi-float64(math.Abs(u)*tail), 0)), PX: tail, Slope: phi / s}
	if delta > 0 {
		b.PX = 1 - tail
	}
	return b
}
