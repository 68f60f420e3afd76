package arms

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Covariance is a posterior covariance of utilities.
type Covariance struct {
	Sigma wide.Matrix // its upper triangle
	Least float64     // variance of a difference that is not rounding: LeastVariance of the largest prior variance
}

// LeastVariance is the least variance of a difference that is not rounding, relative to the largest prior variance.
const LeastVariance = 1e-13

// Variance returns σ²(i, j) = Σ_ii + Σ_jj - 2Σ_ij, the variance of the difference of two utilities. A value below the
// rounding of Σ becomes zero, as between arms with the same features.
func (c *Covariance) Variance(i, j int) float64 {
	i, j = min(i, j), max(i, j)
	s, d := c.Sigma.Stride, c.Sigma.Data
	v := (d[i*s+i] - d[i*s+j]) + (d[j*s+j] - d[i*s+j])
	if !(v > c.Least) {
		return 0
	}
	return v
}

// posterior is the covariance Σ = (G⁻¹ + L_W)⁻¹ of the utilities of the arms, K×K, positive semi-definite.
type posterior struct {
	Covariance // with both triangles
	duels      *Duels
	// InfoGain is the information gain of the answers at hand, ½ log det(I + W½DGDᵀW½).
	InfoGain float64

	// Workspaces of compute: L_W B, and the Newton-like matrix with Bᵀ to its right.
	lb, system wide.Matrix
	factor     wide.Matrix // of Draw
}

func newPosterior(d *Duels) posterior {
	k, r := d.arms.k, d.arms.root.rank
	c := posterior{Covariance: Covariance{newMatrix(k, k), LeastVariance * d.arms.top}, duels: d, factor: newMatrix(k, k)}
	c.lb, c.system = newMatrix(k, r), newMatrix(r, r+k)
	for i := range k {
		copy(c.Row(i), d.arms.Gram(i))
	}
	return c
}

// compute sets sigma and the gain from scratch. With G = BBᵀ and weights W = V/noise,
//
//	Σ = noise B (noise I + BᵀL_V B)⁻¹ Bᵀ
//
// The matrix in brackets has no eigenvalue below noise, so that its Cholesky factor is accurate even if G is singular.
func (c *posterior) compute(sigma wide.Matrix, weight []float64, noise float64) {
	k, b, r := c.duels.arms.k, c.duels.arms.root.b, c.duels.arms.root.rank
	c.duels.laplacian(c.lb, b, r, weight)
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

// newtonMatrix sets the upper triangle of the leading r×r part of dst to noise I + BᵀLB, with lb = L B. B is k×r.
func newtonMatrix(dst, b, lb wide.Matrix, k, r int, noise float64) {
	for i := range r {
		clear(row(dst, i, r))
	}
	linalg.AddUpper(dst, false, b, lb, r, k)
	for i := range r {
		dst.Data[i*dst.Stride+i] += noise
	}
}

// Row returns row i of Σ, of length K, valid until the next update. The caller must not change it.
func (c *posterior) Row(i int) []float64 { return row(c.Sigma, i, c.duels.arms.k) }

// Draw sets dst, of length K, to mean + √scale C z, where C is the lower Cholesky factor of Σ: a draw from
// N(mean, scale Σ) if z, of length K, are independent standard normal numbers. Several draws from one Σ need one Factor.
func (c *posterior) Draw(dst, mean []float64, scale float64, z []float64) {
	root := math.Sqrt(scale)
	for i := range dst {
		dst[i] = mean[i] + float64(root*wide.Dot(row(c.factor, i, i+1), z))
	}
}

// Factor prepares Draw for the present Σ, with LeastVariance added to the diagonal, since Σ may be singular.
func (c *posterior) Factor() {
	k := c.duels.arms.k
	for i := range k {
		copy(row(c.factor, i, k), c.Row(i))
	}
	linalg.CholeskyOfSemidefinite(c.factor.Data, c.factor.Stride, k, c.Least)
}

// Posterior is the Gaussian posterior covariance of the utilities if every answer observes a difference with noise of
// variance ρ²:
//
//	Σ = (G⁻¹ + L/ρ²)⁻¹ = (I + GL/ρ²)⁻¹ G
//
// Gaussian regression with the duelling kernel has the same covariance. An answer about arms a and b, with d = e_a - e_b,
// changes it by a matrix of rank one:
//
//	Σ ← Σ - (Σd)(Σd)ᵀ / (ρ² + dᵀΣd)
//
// at K² operations. Σ is computed again from scratch after refreshEvery answers, or when rounding shows. It depends on
// which arms were compared, not on which won.
type Posterior struct {
	posterior
	noise float64
	seen  int         // number of answers that Σ has
	count []float64   // of those answers, for each pair
	since int         // number of updates since Σ was computed from scratch
	fresh wide.Matrix // workspace; after refresh, Σ as it was before
	u, v  []float64   // workspaces
}

// When Σ is computed from scratch.
const (
	refreshEvery  = 64   // updates
	largeResidual = 1e-9 // of the equation of Σ in the direction of the last answer, relative to the largest G_ii
)

// NewPosterior returns the prior of the arms of d, for noise of variance ρ² > 0. Update adds the answers.
func NewPosterior(d *Duels, noise float64) *Posterior {
	checkPositive("variance of the noise", noise)
	k := d.arms.k
	return &Posterior{posterior: newPosterior(d), noise: noise, fresh: newMatrix(k, k), u: make([]float64, k), v: make([]float64, k)}
}

// Update adds the answers that the duels have and p has not.
func (p *Posterior) Update() {
	for ; p.seen < p.duels.Len(); p.seen++ {
		at := int(p.duels.answers[p.seen].pair)
		if at < 0 {
			continue
		}
		if at == len(p.count) {
			p.count = append(p.count, 0)
		}
		p.count[at]++
		p.add(p.duels.pairs[at])
		if p.since++; p.since == refreshEvery || p.residual(p.duels.pairs[at]) > largeResidual*p.duels.arms.top {
			p.refresh()
		}
	}
}

// add changes Σ by an answer about a pair.
func (p *Posterior) add(d pair) {
	p.difference(p.u, d)
	s := p.noise + max(p.u[d.a]-p.u[d.b], 0)
	p.InfoGain += float64(0.5 * fmath.Log(s/p.noise))
	wide.Scale(p.u, 1/math.Sqrt(s))
	for i, u := range p.u {
		wide.AddScaled(p.Row(i), -u, p.u) // the same bits in both triangles: u_i u_j commutes
	}
}

// difference sets dst = Σ(e_a - e_b).
func (p *Posterior) difference(dst []float64, d pair) {
	copy(dst, p.Row(int(d.a)))
	wide.AddScaled(dst, -1, p.Row(int(d.b)))
}

// residual returns the largest element of (I + GL/ρ²)Σd - Gd, with d = e_a - e_b.
func (p *Posterior) residual(d pair) (largest float64) {
	p.difference(p.u, d)
	p.duels.laplacianVector(p.v, p.count, p.u)
	wide.Gemv(p.u, 1/p.noise, p.duels.arms.gram.Data, p.duels.arms.gram.Stride, p.v)
	a, b := p.duels.arms.Gram(int(d.a)), p.duels.arms.Gram(int(d.b))
	for i, v := range p.u {
		largest = max(largest, math.Abs(v-(a[i]-b[i])))
	}
	return largest
}

func (p *Posterior) refresh() {
	p.compute(p.fresh, p.count, p.noise)
	p.Sigma, p.fresh = p.fresh, p.Sigma
	p.since = 0
}

// Laplace is the posterior covariance of the Laplace approximation of an estimate with ridge λ, which weighs every answer
// by the curvature of its loss:
//
//	Σ = (G⁻¹ + L_W/λ)⁻¹,   W = diag σ'(h)
type Laplace struct {
	posterior
	lambda float64
	weight []float64
	slope  []float64 // workspace
}

// NewLaplace returns the prior of the arms of d, for a ridge λ > 0.
func NewLaplace(d *Duels, lambda float64) *Laplace {
	checkPositive("ridge λ", lambda)
	return &Laplace{posterior: newPosterior(d), lambda: lambda, slope: make([]float64, d.arms.k)}
}

// Update computes Σ for all answers at the utilities f, of length K.
func (l *Laplace) Update(f []float64) {
	l.weight = linalg.Resize(l.weight, len(l.duels.pairs))
	l.duels.slope(l.slope, l.weight, f)
	l.compute(l.Sigma, l.weight, l.lambda)
}
