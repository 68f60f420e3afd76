package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// interior is the fallback: a logarithmic-barrier method (Boyd and
// Vandenberghe, Convex Optimization, Sec. 11.3) in coordinates w of an
// orthonormal basis of span{g_1..g_n, h}, in which ‖f‖ = ‖w‖ and u = C w. It
// starts well inside both constraints, stays there, and its line search makes
// every centring converge; it does not mind an inactive norm. It allocates; it
// runs rarely.
type interior struct {
	c              []float64 // n×r, rows of the g
	a              []float64 // h, length r
	w, dw, g, next []float64 // length r
	p, u, logP     []float64 // length n
	h              []float64 // r×r
}

const maxInterior = 400 // Newton systems of one run

// basis sets up coordinates for the Gram matrix of the g and, unless c is nil,
// of h, by Cholesky with complete pivoting; it returns the rank r.
func (s *Solver) basis(c []float64, rho float64) int {
	n := s.n
	N := n
	if c != nil {
		N++
	}
	a := make([]float64, N*N)
	for i := range n {
		copy(a[i*N:i*N+n], s.gram[i*s.stride:i*s.stride+n])
		if c != nil {
			a[i*N+n], a[n*N+i] = c[i], c[i]
		}
	}
	if c != nil {
		a[N*N-1] = rho
	}
	var top float64
	for i := range N {
		top = max(top, a[i*N+i])
	}
	l := make([]float64, N*N) // column k of the factor in l[.*N+k]
	done := make([]bool, N)
	r := 0
	for ; r < N; r++ {
		piv, d := -1, 1e-15*top
		for i := range N {
			if !done[i] && a[i*N+i] > d {
				piv, d = i, a[i*N+i]
			}
		}
		if piv < 0 {
			break
		}
		done[piv] = true
		root := math.Sqrt(d)
		for i := range N {
			if !done[i] {
				l[i*N+r] = a[i*N+piv] / root
			}
		}
		l[piv*N+r] = root
		for i := range N {
			if done[i] {
				continue
			}
			for j := range N {
				if !done[j] {
					a[i*N+j] -= l[i*N+r] * l[j*N+r]
				}
			}
		}
	}
	m := &s.ipm
	m.c = make([]float64, n*r)
	for i := range n {
		copy(m.c[i*r:(i+1)*r], l[i*N:i*N+r])
	}
	m.a = make([]float64, r)
	if c != nil {
		copy(m.a, l[n*N:n*N+r])
	}
	for _, v := range []*[]float64{&m.w, &m.dw, &m.g, &m.next} {
		*v = make([]float64, r)
	}
	for _, v := range []*[]float64{&m.p, &m.u, &m.logP} {
		*v = make([]float64, n)
	}
	m.h = make([]float64, r*r)
	return r
}

func (s *Solver) gemv(t blas.Transpose, r int, x, dst []float64) {
	blas64.Implementation().Dgemv(t, s.n, r, 1, s.ipm.c, r, x, 1, 0, dst, 1)
}

// gradient evaluates at w: u = Cw, ℓ, p and g = Cᵀp.
func (s *Solver) gradient(r int, w []float64) float64 {
	m := &s.ipm
	s.gemv(blas.NoTrans, r, w, m.u)
	ll, _ := likelihood(m.u, s.blocks, m.logP)
	for i, lp := range m.logP {
		m.p[i] = math.Exp(lp)
	}
	s.gemv(blas.Trans, r, m.p, m.g)
	return ll
}

// hessian sets m.h = weight · CᵀWC + diag · I, W at the last gradient.
func (s *Solver) hessian(r int, weight, diag float64) {
	m := &s.ipm
	clear(m.h)
	add := func(k float64, x []float64) {
		for i, xi := range x {
			if xi == 0 {
				continue
			}
			row := m.h[i*r : i*r+i+1]
			for j := range row {
				row[j] += k * xi * x[j]
			}
		}
	}
	row := func(i int) []float64 { return m.c[i*r : (i+1)*r] }
	o := 0
	mean := make([]float64, r)
	for b := 0; o < s.n; b++ {
		size := 1
		if s.blocks != nil {
			size = s.blocks[b]
		}
		if size == 1 {
			add(weight*m.p[o]*-math.Expm1(m.logP[o]), row(o))
			o++
			continue
		}
		clear(mean)
		for j := o; j < o+size; j++ {
			add(weight*m.p[j], row(j))
			for k, v := range row(j) {
				mean[k] += m.p[j] * v
			}
		}
		add(-weight, mean)
		o += size
	}
	for i := range r {
		m.h[i*r+i] += diag
	}
}

// cholSolve overwrites dst with h⁻¹ dst, and h with its factor.
func (s *Solver) cholSolve(r int, dst []float64) bool {
	m := &s.ipm
	s.Work.Newton++
	if !s.lp.Dpotrf(blas.Lower, r, m.h, r) {
		return false
	}
	bl := blas64.Implementation()
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, r, m.h, r, dst, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, r, m.h, r, dst, 1)
	return true
}

// rankOne adds k x xᵀ to the lower triangle of h.
func (m *interior) rankOne(k float64, x []float64) {
	r := len(x)
	for i, xi := range x {
		for j := 0; j <= i; j++ {
			m.h[i*r+j] += k * xi * x[j]
		}
	}
}

// barrier runs the method from m.w, strictly feasible: linear maximises ⟨a, w⟩
// under both constraints, otherwise it maximises ℓ in the ball. It leaves the
// enclosure in res and reports whether that is within the tolerance.
func (s *Solver) barrier(r int, linear bool, scale float64, res *Result) bool {
	m := &s.ipm
	b2 := s.b * s.b
	// slack evaluates at w: ℓ, the slacks, and the barrier function.
	slack := func(w []float64, tau float64) (ll, s1, s2, value, fun float64) {
		ll = s.gradient(r, w)
		s1, s2 = b2-dot(w, w), ll-s.lbar
		value = ll
		fun = tau * math.Log(s1)
		if linear {
			value = dot(m.a, w)
			fun += tau * math.Log(s2)
		}
		return ll, s1, s2, value, fun + value
	}
	*res = Result{Value: math.Inf(-1), Bound: math.Inf(1)}
	tau := scale
	for range maxInterior {
		_, s1, s2, value, fun := slack(m.w, tau)
		s.boundInterior(r, linear, s1, s2, tau, value, res)
		if value >= res.Value && res.Gap <= s.tol*scale {
			// Good enough to keep, but the gap is one-sided: go on while it
			// falls cheaply.
			copy(s.cur.u, m.u)
			res.Status = Recovered
			if res.Gap <= 0.01*s.tol*scale {
				return true
			}
		}
		mu, lambda := tau/s1, 1.0
		if linear {
			lambda = tau / s2
		}
		s.hessian(r, lambda, 2*mu)
		m.rankOne(4*mu/s1, m.w)
		if linear {
			m.rankOne(lambda/s2, m.g)
		}
		for i, w := range m.w {
			m.dw[i] = lambda*m.g[i] - 2*mu*w
			if linear {
				m.dw[i] += m.a[i]
			}
		}
		slope := append([]float64(nil), m.dw...)
		if !s.cholSolve(r, m.dw) {
			return res.Status.OK()
		}
		dec := dot(slope, m.dw) // squared Newton decrement
		moved := false
		for t := 1.0; t > 1e-12; t *= 0.5 {
			for i := range r {
				m.next[i] = m.w[i] + t*m.dw[i]
			}
			// A NaN of the logarithm outside the set fails the comparison.
			if _, _, _, _, f := slack(m.next, tau); f >= fun+0.1*t*dec {
				copy(m.w, m.next)
				moved = true
				break
			}
		}
		if !moved || dec < 0.01*tau {
			if tau < 1e-16*scale {
				break
			}
			tau *= 0.1
		}
	}
	return res.Status.OK()
}

// boundInterior tightens res by the value at m.w and by two Lagrangian bounds:
// with the barrier's multipliers, and with those of least squares, which are
// accurate when the slacks are rounding.
func (s *Solver) boundInterior(r int, linear bool, s1, s2, tau, value float64, res *Result) {
	m := &s.ipm
	ww, wg, gg := dot(m.w, m.w), dot(m.w, m.g), dot(m.g, m.g)
	var pairs [2][2]float64 // μ, λ
	if linear {
		// min ‖a + λ g - 2μ w‖².
		aw, ag := dot(m.a, m.w), dot(m.a, m.g)
		det := ww*gg - wg*wg
		pairs[0] = [2]float64{tau / s1, tau / s2}
		pairs[1] = [2]float64{0.5 * (aw*gg - ag*wg) / det, (aw*wg - ag*ww) / det}
	} else {
		pairs[0] = [2]float64{tau / s1, 1}
		pairs[1] = [2]float64{0.5 * wg / ww, 1}
	}
	res.Value = max(res.Value, value)
	for _, pair := range pairs {
		mu, lambda := pair[0], pair[1]
		if !(mu > 0) || !(lambda >= 0) || math.IsInf(mu, 0) || math.IsInf(lambda, 0) {
			continue
		}
		var rd float64
		for i, w := range m.w {
			d := lambda*m.g[i] - 2*mu*w
			if linear {
				d += m.a[i]
			}
			rd += d * d
		}
		bound := value + mu*s1 + rd/(4*mu)
		if linear {
			bound += lambda * s2
		}
		if bound < res.Bound {
			res.Bound = bound
			s.cur.lnNu, s.cur.lnKa = math.Inf(-1), math.Log(lambda)-math.Log(2*mu)
			if linear {
				s.cur.lnNu = -math.Log(2 * mu)
			}
			res.LogNu, res.LogKappa = s.cur.lnNu, s.cur.lnKa
		}
	}
	res.Bound = max(res.Bound, res.Value)
	res.Gap = res.Bound - res.Value
}

// mleInterior is the fallback of MLE.
func (s *Solver) mleInterior() Result {
	r := s.basis(nil, 0)
	m := &s.ipm
	var res Result
	s.barrier(r, false, 1, &res) // from w = 0
	s.gradient(r, m.w)
	copy(s.mle.u, m.u)
	copy(s.cur.u, m.u)
	for i, lp := range m.logP {
		s.mle.coef[i] = math.Exp(s.cur.lnKa + lp)
	}
	return res
}

// maxInterior is the fallback of Maximize.
func (s *Solver) maxInterior(c []float64, rho float64, prior Result) Result {
	r := s.basis(c, rho)
	m := &s.ipm
	// Start on the ray to the MLE, halfway between the level and the ball: the
	// MLE in these coordinates is Cᵀcoef, c its differences.
	s.gemv(blas.Trans, r, s.mle.coef, m.w)
	lo, hi := 0.0, 1.0
	for range 50 {
		mid := 0.5 * (lo + hi)
		for i := range r {
			m.next[i] = mid * m.w[i]
		}
		if s.gradient(r, m.next) < s.lbar {
			lo = mid
		} else {
			hi = mid
		}
	}
	for i := range m.w {
		m.w[i] *= 0.5 * (hi + 1)
	}
	var res Result
	if n1 := s.b*s.b - dot(m.w, m.w); n1 > 0 && s.gradient(r, m.w) > s.lbar {
		s.barrier(r, true, max(1, s.b*math.Sqrt(rho)), &res)
	} else {
		res = prior
	}
	if !res.Status.OK() {
		// The set may have no interior (β = 0): the MLE is feasible, and the
		// distance bound holds.
		value := dot(c, s.mle.coef)
		bound := s.tighten(c, rho, math.Inf(1))
		if prior.Bound > prior.Value {
			bound = min(bound, prior.Bound)
		}
		if res.Bound > res.Value {
			value, bound = max(value, res.Value), min(bound, res.Bound)
		}
		var enc Result
		copy(s.cur.u, s.mle.u)
		s.cur.lnNu, s.cur.lnKa = math.Inf(-1), s.mle.LogKappa
		if s.enclose(&enc, value, bound, max(1, s.b*math.Sqrt(rho))) {
			enc.Status = Recovered
		}
		return enc
	}
	return res
}
