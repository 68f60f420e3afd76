package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Relaxation estimates the optimum of Maximize for many h at once, for the
// price of a triangular solve each, to tell where exact solves are worth it.
//
// Any f of the confidence set satisfies ½‖f‖² - κ(ℓ(f) - ℓ̄) <= ½B², whatever
// κ >= 0. With ℓ replaced by its quadratic model at a point u_0 on the level
// this is an ellipsoid, with centre Σ α_i g_i and shape I + κ Σ W_ij g_i g_jᵀ,
// and the maximum of a linear functional over it is in closed form. It is an
// estimate, not a bound: the model is not the likelihood.
type Relaxation struct {
	n, stride int
	basis     *basis    // of the solver
	chol      []float64 // factor of M = I + RᵀGR …
	low       woodbury  // … or with a basis
	r, w      []float64
	alpha     []float64
	radius    float64
	lnKa      float64
	s         *Solver
	rest      []float64
	mean      []float64
	phi       []float64 // with a basis, coordinates of the h of Estimate, one a column …
	centre    []float64 // … and of the ellipsoid's centre
}

// Relax sets up the relaxation of the confidence set of SetLevel, with
// κ = e^lnKa times that of its cold start; false if it has no use there.
func (s *Solver) Relax(x *Relaxation, lnKa float64) bool {
	n := s.n
	x.s, x.n, x.stride = s, n, s.stride
	x.alpha = sized(x.alpha, n, s.stride)
	x.r, x.w = sized(x.r, n, s.stride), sized(x.w, n, s.stride)
	x.basis = nil
	if s.inBasis() {
		x.basis = s.basis
	}
	if n == 0 {
		x.radius = s.b
		return true
	}
	lnKa += s.cold.lnKa
	x.lnKa = lnKa
	u := s.cold.g
	ll, _ := s.weigh(u, lnKa)
	if !s.factor(false, false) {
		return false
	}
	if s.inBasis() {
		s.low.copyTo(&x.low)
	} else {
		x.chol = sized(x.chol, n*s.stride, s.stride*s.stride)
		copy(x.chol, s.chol[:n*s.stride])
	}
	copy(x.r, s.r)
	copy(x.w, s.w)
	// b = κ(p + W u_0), α = b - κW u*, u* = G α minimises the model.
	s.applyRt(s.f, u)
	s.applyR(s.f, s.f) // κW u_0
	pu, uwu := dot(s.kp, u), dot(s.f, u)
	for i, kp := range s.kp {
		s.f[i] += kp
	}
	s.mulGram(s.v, s.f)
	s.solveW(s.z, s.v)
	for i, b := range s.f {
		x.alpha[i] = b - s.z[i]
	}
	s.mulGram(s.v, x.alpha)
	// J(f) = ½‖f‖² - κ(ℓ - ℓ̄): its minimum, from κ(ℓ_0 - ℓ̄ - pᵀu_0 - ½u_0ᵀWu_0).
	j0 := -(math.Exp(lnKa)*(ll-s.lbar) - pu - 0.5*uwu)
	q := s.b*s.b - 2*j0 + dot(s.f, s.v)
	if !(q > 0) || math.IsInf(q, 1) {
		return false
	}
	x.radius = math.Sqrt(q)
	return true
}

func sized(v []float64, n, room int) []float64 {
	if cap(v) < n {
		v = make([]float64, room)
	}
	return v[:n]
}

// Estimate sets dst[j] to the relaxation's maximum of ⟨f, h_j⟩ for the N h_j
// with ρ_j = rho[j] and ⟨g_i, h_j⟩ = c[i*N+j]. It overwrites c and does not
// allocate.
func (x *Relaxation) Estimate(dst, c, rho []float64) {
	n := len(dst)
	if len(c) != x.n*n || len(rho) != n {
		panic("convex: c or rho of the wrong length")
	}
	clear(dst)
	x.rest = sized(x.rest, n, n)
	copy(x.rest, rho)
	if x.basis != nil {
		x.estimate(dst, c)
		return
	}
	row := func(i int) []float64 { return c[i*n : (i+1)*n] }
	for i, a := range x.alpha {
		blas64.Implementation().Daxpy(n, a, row(i), 1, dst, 1)
	}
	x.scaleRows(c, n)
	// Forward substitution, all right-hand sides at once: Z = L⁻¹ Rᵀ C.
	for i := range x.n {
		z := row(i)
		for j, l := range x.chol[i*x.stride : i*x.stride+i] {
			blas64.Implementation().Daxpy(n, -l, row(j), 1, z, 1)
		}
		inv := 1 / x.chol[i*x.stride+i]
		for j, v := range z {
			v *= inv
			z[j] = v
			x.rest[j] -= v * v
		}
	}
	for j, q := range x.rest {
		dst[j] += x.radius * math.Sqrt(max(0, q))
	}
}

// estimate is Estimate with a basis, in its coordinates φ of the h_j, where
// ρ - cᵀκW(I + GκW)⁻¹c = ρ - |φ|² + |L⁻¹φ|², L being woodbury's.
func (x *Relaxation) estimate(dst, c []float64) {
	b, n := x.basis, len(dst)
	x.phi, x.centre = sized(x.phi, b.r*n, b.r*n), sized(x.centre, b.r, b.r)
	phi, centre := x.phi, x.centre
	for k, i := range b.pivot {
		copy(phi[k*n:(k+1)*n], c[i*n:(i+1)*n])
	}
	bl.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, b.r, n, 1, b.coord, b.r, phi, n)
	bl.Dgemv(blas.NoTrans, b.r, b.n, 1, b.c, b.n, x.alpha, 1, 0, centre, 1)
	bl.Dgemv(blas.Trans, b.r, n, 1, phi, n, centre, 1, 0, dst, 1)
	for i, v := range phi {
		x.rest[i%n] -= v * v
	}
	for j, q := range x.rest {
		x.rest[j] = max(0, q)
	}
	bl.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, b.r, n, 1, x.low.chol, b.r, phi, n)
	for i, v := range phi {
		x.rest[i%n] += v * v
	}
	for j, q := range x.rest {
		dst[j] += x.radius * math.Sqrt(q)
	}
}

// scaleRows multiplies c, n columns, by Rᵀ from the left.
func (x *Relaxation) scaleRows(c []float64, n int) {
	for i, r := range x.r {
		for j := range n {
			c[i*n+j] *= r
		}
	}
	if x.s.blocks == nil {
		return
	}
	o := 0
	x.mean = sized(x.mean, n, n)
	for _, m := range x.s.blocks {
		clear(x.mean)
		for i := o; i < o+m; i++ {
			blas64.Implementation().Daxpy(n, x.w[i], c[i*n:(i+1)*n], 1, x.mean, 1)
		}
		for i := o; i < o+m; i++ {
			blas64.Implementation().Daxpy(n, -x.w[i], x.mean, 1, c[i*n:(i+1)*n], 1)
		}
		o += m
	}
}

// Solve returns the relaxation's maximum for one h, c and rho as in Maximize,
// and its maximiser nu h + Σ coef_i g_i, coef of length n. It does not allocate.
func (x *Relaxation) Solve(coef, c []float64, rho float64) (value, nu float64) {
	s := x.s
	if x.n == 0 {
		root := math.Sqrt(max(rho, 0))
		return x.radius * root, x.radius / root
	}
	c, rho = s.seen(c, rho)
	// s.chol serves solveW; lend it this factor.
	chol, low, r, w := s.chol, s.low, s.r, s.w
	s.chol, s.low, s.r, s.w = x.chol, x.low, x.r, x.w
	s.solveW(coef, c) // κW (I + GκW)⁻¹ c
	s.chol, s.low, s.r, s.w = chol, low, r, w
	root := math.Sqrt(max(rho-dot(c, coef), 1e-12*rho))
	nu = x.radius / root
	for i, a := range x.alpha {
		coef[i] = a - nu*coef[i]
	}
	return dot(x.alpha, c) + x.radius*root, nu
}

// Predict sets dst to the relaxation's solution for one h, c and rho as in
// Maximize, for a solve to start from.
func (x *Relaxation) Predict(dst *Start, c []float64, rho float64) {
	dst.alpha = sized(dst.alpha, x.n, x.s.stride)
	if dst.ok = x.n > 0; dst.ok {
		_, nu := x.Solve(dst.alpha, c, rho)
		dst.lnNu, dst.lnKa = math.Log(nu), x.lnKa
	}
}

// ColdLogKappa is the log κ that Relax counts from.
func (s *Solver) ColdLogKappa() float64 { return s.cold.lnKa }
