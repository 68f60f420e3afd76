package confset

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
	s      *Solver
	factor factor // of M at u_0: dense or low, as in the solver
	dense  denseFactor
	low    lowRankFactor
	alpha  []float64 // of the centre, as in frame
	radius float64
	lnKa   float64
	rest   []float64
}

// Relax sets up the relaxation of the confidence set of SetLevel, with e^lnKa times the κ of the cold start. It
// returns false if the relaxation does not exist there.
func (s *Solver) Relax(x *Relaxation, lnKa float64) bool {
	n := s.n
	x.s = s
	x.alpha = linalg.Resize(x.alpha, len(s.cur.alpha))
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
	// With b = κ(p + W u_0), the model is least at (I + κ Σ W_ij g_i g_jᵀ)⁻¹ Σ b_i g_i.
	v, b := s.x[ofV], s.x[ofF]
	s.root.applyRt(b, u)
	s.root.applyR(b, b) // κW u_0
	pu, uwu := wide.Dot(s.kp, u), wide.Dot(b, u)
	for i, kp := range s.kp {
		b[i] += kp
	}
	y, h := s.frame.combine(b, v)
	s.frame.shrunk(x.factor, x.alpha, h)
	for i, v := range y {
		x.alpha[i] = v - x.alpha[i]
	}
	// The minimum of J(f) = ½‖f‖² - κ(ℓ - ℓ̄), from κ(ℓ_0 - ℓ̄ - pᵀu_0 - ½u_0ᵀWu_0).
	j0 := -(float64(fmath.Exp(x.lnKa)*(ll-s.lbar)) - pu - float64(0.5*uwu))
	q := float64(s.b*s.b) - float64(2*j0) + wide.Dot(y, s.frame.image(s.tmp, x.alpha))
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
		panic("confset: c or rho of the wrong length")
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

// solve returns the relaxation's maximum for one h, c and rho as in Maximize. Its maximiser is nu h + y, y as in frame.
// There must be differences. It does not allocate.
func (x *Relaxation) solve(y, c []float64, rho float64) (value, nu float64) {
	h, rho := x.s.frame.functional(c, rho)
	x.s.frame.shrunk(x.factor, y, h)
	root := math.Sqrt(max(rho-wide.Dot(h, y), leastAcross*rho))
	nu = x.radius / root
	for i, a := range x.alpha {
		y[i] = a - float64(nu*y[i])
	}
	return wide.Dot(x.alpha, h) + float64(x.radius*root), nu
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
