package arms

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Covariance is a posterior covariance Σ = (G⁻¹ + L_W)⁻¹ of the utilities, K×K, positive semi-definite.
type Covariance struct {
	duels *Duels
	sigma wide.Matrix // Σ
	// InfoGain is the information gain of the answers at hand, ½ log det(I + W½DGDᵀW½).
	InfoGain float64

	// Workspaces of compute: L_W B, the Newton-like matrix with Bᵀ to its right, and the degrees.
	lb, system wide.Matrix
	degree     []float64
	factor     wide.Matrix // of Draw
}

func newCovariance(d *Duels) Covariance {
	k, r := d.arms.k, d.arms.root.rank
	c := Covariance{duels: d, sigma: newMatrix(k, k), factor: newMatrix(k, k)}
	c.lb, c.system, c.degree = newMatrix(k, r), newMatrix(r, r+k), make([]float64, k)
	for i := range k {
		copy(row(c.sigma, i, k), d.arms.Gram(i))
	}
	return c
}

// compute sets sigma and the gain from scratch. With G = BBᵀ and weights W = V/noise,
//
//	Σ = noise B (noise I + BᵀL_V B)⁻¹ Bᵀ
//
// The matrix in brackets has no eigenvalue below noise, so that its Cholesky factor is accurate even if G is singular.
func (c *Covariance) compute(sigma wide.Matrix, weight []float64, noise float64) {
	k, b, r := c.duels.arms.k, c.duels.arms.root.b, c.duels.arms.root.rank
	c.duels.laplacian(c.lb, b, r, weight, c.degree)
	newtonMatrix(c.system, b, c.lb, k, r, noise)
	wide.Transpose(wide.Matrix{Data: c.system.Data[r:], Stride: c.system.Stride}, b, k, r)
	wide.Cholesky(c.system.Data, c.system.Stride, r, k, noise)
	for i := range k {
		clear(row(sigma, i, k))
	}
	y := wide.Matrix{Data: c.system.Data[r:], Stride: c.system.Stride}
	wide.GemmT(sigma, false, y, y, k, k, r)
	for i := range k {
		wide.Scale(row(sigma, i, k), noise)
	}
	c.InfoGain = 0
	for i := range r {
		c.InfoGain += fmath.Log(c.system.Data[i*c.system.Stride+i])
	}
	c.InfoGain -= float64(0.5 * float64(r) * fmath.Log(noise))
}

// newtonMatrix sets the leading r×r part of dst to noise I + BᵀLB, with lb = L B. B is k×r.
func newtonMatrix(dst, b, lb wide.Matrix, k, r int, noise float64) {
	for i := range r {
		clear(row(dst, i, r))
	}
	wide.GemmT(dst, false, b, lb, r, r, k)
	for i := range r {
		dst.Data[i*dst.Stride+i] += noise
	}
}

// Row returns row i of Σ, of length K, valid until the next update. The caller must not change it.
func (c *Covariance) Row(i int) []float64 { return row(c.sigma, i, c.duels.arms.k) }

// Variance returns σ²(i, j) = Σ_ii + Σ_jj - 2Σ_ij, the variance of the difference of two utilities. A value below the
// rounding of Σ becomes zero, as between arms with the same features.
func (c *Covariance) Variance(i, j int) float64 {
	v := (c.Row(i)[i] - c.Row(i)[j]) + (c.Row(j)[j] - c.Row(i)[j])
	if !(v > leastVariance*c.duels.arms.top) {
		return 0
	}
	return v
}

// leastVariance is the least variance of a difference that is not rounding, relative to the largest prior variance.
const leastVariance = 1e-13

// Draw sets dst, of length K, to mean + √scale C z, where C is the lower Cholesky factor of Σ: a draw from
// N(mean, scale Σ) if z, of length K, are independent standard normal numbers. Several draws from one Σ need one Factor.
func (c *Covariance) Draw(dst, mean []float64, scale float64, z []float64) {
	root := math.Sqrt(scale)
	for i := range dst {
		dst[i] = mean[i] + float64(root*wide.Dot(row(c.factor, i, i+1), z))
	}
}

// Factor prepares Draw for the present Σ. If Σ is singular, rounding of the size of leastVariance replaces the pivots
// that are missing.
func (c *Covariance) Factor() {
	k := c.duels.arms.k
	for i := range k {
		copy(row(c.factor, i, k), c.Row(i))
	}
	linalg.Cholesky(c.factor.Data, c.factor.Stride, k, 0, leastVariance*c.duels.arms.top)
}
