package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Relaxation estimates the optimum of Maximize for many h at once, at the cost of a triangular solve each, to
// choose where to solve exactly.
//
// Any f of the confidence set satisfies ½‖f‖² - κ(ℓ(f) - ℓ̄) <= ½B² for any κ >= 0. With ℓ replaced by its
// quadratic model at a point u_0 on the level, this is an ellipsoid with centre Σ α_i g_i and shape
// I + κ Σ W_ij g_i g_jᵀ, and the maximum of a linear functional over it is in closed form. It is an estimate,
// not a bound, because the model is not the likelihood.
type Relaxation struct {
	s         *Solver
	factor    factor // of M at u_0: dense or low, as in the solver
	dense     denseFactor
	low       lowRankFactor
	alpha     []float64 // of the centre
	reduced   []float64 // its coordinates, in a surrogate
	radius    float64
	lnKa      float64
	rest, tmp []float64
}

// Relax sets up the relaxation of the confidence set of SetLevel, with e^lnKa times the κ of the cold start. It
// returns false if the relaxation does not exist there.
func (s *Solver) Relax(x *Relaxation, lnKa float64) bool {
	n := s.n
	x.s = s
	x.alpha, x.tmp = linalg.Resize(x.alpha, n), linalg.Resize(x.tmp, n)
	if n == 0 {
		x.radius = s.b
		return true
	}
	x.lnKa = lnKa + s.cold.lnKa
	u := s.cold.g
	ll, _ := s.weigh(u, x.lnKa)
	switch f := s.factor.(type) {
	case *denseFactor:
		x.dense.g, x.factor = f.g, &x.dense
	case *lowRankFactor:
		x.low.g, x.factor = f.g, &x.low
	}
	if !s.factorize(x.factor, nil) {
		return false
	}
	// b = κ(p + W u_0), α = b - κW u*, where u* = G α minimises the model.
	v, b := s.x[ofV], s.x[ofF]
	s.root.applyRt(b, u)
	s.root.applyR(b, b) // κW u_0
	pu, uwu := wide.Dot(s.kp, u), wide.Dot(b, u)
	for i, kp := range s.kp {
		b[i] += kp
	}
	s.gram.mul(v, b)
	solveK(x.factor, x.alpha, v, x.tmp)
	for i, bi := range b {
		x.alpha[i] = bi - x.alpha[i]
	}
	s.gram.mul(v, x.alpha)
	if s.reduced {
		x.reduced = append(x.reduced[:0], s.low.g.coefficients(x.alpha)...)
	}
	// The minimum of J(f) = ½‖f‖² - κ(ℓ - ℓ̄), from κ(ℓ_0 - ℓ̄ - pᵀu_0 - ½u_0ᵀWu_0).
	j0 := -(float64(fmath.Exp(x.lnKa)*(ll-s.lbar)) - pu - float64(0.5*uwu))
	q := float64(s.b*s.b) - float64(2*j0) + wide.Dot(b, v)
	if !(q > 0) || math.IsInf(q, 1) {
		return false
	}
	x.radius = math.Sqrt(q)
	return true
}

// Estimate sets dst[j] to the relaxation's maximum of ⟨f, h_j⟩ for the N h_j with ρ_j = rho[j] and
// ⟨g_i, h_j⟩ = c[i*N+j]. It overwrites c and does not allocate.
func (x *Relaxation) Estimate(dst, c, rho []float64) {
	n := len(dst)
	if len(c) != x.s.n*n || len(rho) != n {
		panic("convex: c or rho of the wrong length")
	}
	x.rest = append(x.rest[:0], rho...)
	clear(dst)
	if x.s.n > 0 {
		x.factor.relax(dst, x.rest, c, x.alpha)
	}
	for j, q := range x.rest {
		dst[j] += float64(x.radius * math.Sqrt(max(0, q)))
	}
}

// solve returns the relaxation's maximum for one h, c and rho as in Maximize. Its maximiser is
// nu h + Σ coef_i g_i, coef of length n > 0. In a surrogate coef has coordinates. It does not allocate.
func (x *Relaxation) solve(coef, c []float64, rho float64) (value, nu float64) {
	if x.s.reduced {
		return x.solveReduced(coef, x.s.low.g.coordinates(c), rho)
	}
	solveK(x.factor, coef, c, x.tmp) // κW (I + GκW)⁻¹ c
	root := math.Sqrt(max(rho-wide.Dot(c, coef), leastAcross*rho))
	nu = x.radius / root
	for i, a := range x.alpha {
		coef[i] = a - float64(nu*coef[i])
	}
	return wide.Dot(x.alpha, c) + float64(x.radius*root), nu
}

// Predict sets dst to the relaxation's solution for one h, c and rho as in Maximize, for a warm start.
func (x *Relaxation) Predict(dst *WarmStart, c []float64, rho float64) {
	dst.alpha = linalg.Resize(dst.alpha, len(x.s.cur.alpha))
	if dst.ok = x.s.n > 0; dst.ok {
		_, nu := x.solve(dst.alpha, c, rho)
		dst.lnNu, dst.lnKa = fmath.Log(nu), x.lnKa
	}
}

// ColdLogKappa returns log κ of the cold start, which Relax adds to its argument.
func (s *Solver) ColdLogKappa() float64 { return s.cold.lnKa }

// solveReduced is Relaxation.solve in coordinates.
func (x *Relaxation) solveReduced(y, a []float64, rho float64) (value, nu float64) {
	f := x.factor.last()
	copy(y, a)
	solveTriangular(f.u, f.stride, y)
	root := math.Sqrt(max(rho-wide.Dot(a, a), 0) + wide.Dot(a, y))
	nu = x.radius / root
	for k, v := range x.reduced {
		y[k] = v - float64(nu*(a[k]-y[k]))
	}
	return wide.Dot(x.reduced, a) + float64(x.radius*root), nu
}
