package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Relaxation estimates the optimum of Maximize for many h at once, for the
// price of one triangular solve each, to tell where exact solves are worth it.
//
// Any f of the confidence set satisfies ½‖f‖² - κ(ℓ(f) - ℓ̄) <= ½B², whatever
// κ >= 0. With ℓ replaced by its quadratic model at a point u_0 on the level
// this is an ellipsoid, with centre Σ α_i g_i and shape I + κ Σ W_ij g_i g_jᵀ,
// and the maximum of a linear functional over it is in closed form. It is an
// estimate, not a bound: the model is not the likelihood.
type Relaxation struct {
	n, stride int
	chol      []float64 // factor of M = I + RᵀGR
	r, w      []float64
	alpha     []float64
	radius    float64
	z         []float64
	s         *Solver
}

// Relax sets up the relaxation of the confidence set of SetLevel, with
// κ = e^lnKa times that of its cold start; false if it has no use there.
func (s *Solver) Relax(x *Relaxation, lnKa float64) bool {
	n := s.n
	x.s, x.n, x.stride = s, n, s.stride
	x.alpha = sized(x.alpha, n, s.stride)
	x.r, x.w, x.z = sized(x.r, n, s.stride), sized(x.w, n, s.stride), sized(x.z, n, s.stride)
	if cap(x.chol) < n*s.stride {
		x.chol = make([]float64, s.stride*s.stride)
	}
	x.chol = x.chol[:n*s.stride]
	if n == 0 {
		x.radius = s.b
		return true
	}
	lnKa += s.cold.lnKa
	u := s.cold.u
	ll, _ := s.weigh(u, lnKa)
	if !s.factor() {
		return false
	}
	copy(x.chol, s.chol[:n*s.stride])
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
	s.solveW(s.sv, s.v)
	for i, b := range s.f {
		x.alpha[i] = b - s.sv[i]
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

// Estimate returns the relaxation's maximum of ⟨f, h⟩ for c and rho as in
// Maximize. It does not allocate.
func (x *Relaxation) Estimate(c []float64, rho float64) float64 {
	if x.n == 0 {
		return x.radius * math.Sqrt(max(rho, 0))
	}
	s := x.s
	for i, r := range x.r {
		x.z[i] = r * c[i]
	}
	if s.blocks != nil {
		w := s.w
		s.w = x.w
		s.reflect(x.z)
		s.w = w
	}
	blas64.Implementation().Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, x.n, x.chol, x.stride, x.z, 1)
	return dot(x.alpha, c) + x.radius*math.Sqrt(max(0, rho-dot(x.z, x.z)))
}

// ColdLogKappa is the log κ that Relax counts from.
func (s *Solver) ColdLogKappa() float64 { return s.cold.lnKa }
