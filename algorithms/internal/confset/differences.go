package confset

import (
	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// differences is the frame of the given g_i: an iterate has α and Gα.
type differences struct{ *Solver }

func (s differences) functional(c []float64, rho float64) ([]float64, float64) { return c, rho }

func (s differences) combine(b, room []float64) (alpha, h []float64) { return b, s.image(room, b) }

func (s differences) image(dst, alpha []float64) []float64 {
	s.data.mul(dst, alpha)
	return dst
}

func (s differences) expand(coef, alpha []float64) { copy(coef, alpha) }

func (s differences) differences(dst []float64, nu float64, h []float64) {
	for i, c := range h {
		dst[i] = nu * c
	}
}

func (s differences) norm2(i int) float64 { return s.data.norm2(i) }

func (s differences) shrunk(f factor, dst, h []float64) { // K h
	r := &f.last().root
	r.applyRt(s.tmp, h)
	f.solve(s.tmp)
	r.applyR(dst, s.tmp)
}

func (s differences) start(_, alpha, gy []float64) {
	cur := &s.cur
	copy(cur.alpha, alpha)
	if gy == nil {
		s.data.mul(cur.g, alpha)
	} else {
		copy(cur.g, gy)
	}
}

// own leaves out differences that compare a point with itself. Then g_i is zero, but α_i = κp_i can be so large that it
// swamps other coefficients where a caller adds them up.
func (s differences) own(dst []float64) {
	for i, a := range s.cur.alpha {
		dst[i] = 0
		if s.size[i] != 0 {
			dst[i] = a
		}
	}
}

func (s differences) terms() []float64 { return s.cur.alpha }

// evaluate leaves in x also z = νc, v = κGp and f = Gα - v.
func (s differences) evaluate(c []float64, rho float64) (e evaluation) {
	cur, v, f, z := &s.cur, s.x[ofV], s.x[ofF], s.x[ofZ]
	if c == nil {
		clear(z)
		copy(s.u, cur.g)
	} else {
		e.nu = fmath.Exp(cur.lnNu)
		for i, ci := range c {
			z[i] = float64(e.nu * ci)
			s.u[i] = z[i] + cur.g[i]
		}
		ca := wide.Dot(c, cur.alpha)
		e.value = float64(e.nu*rho) + ca
		e.norm2 = e.nu * (e.value + ca)
	}
	e.norm2 += wide.Dot(cur.alpha, cur.g)
	e.ll, e.logNeg = s.weigh(s.u, cur.lnKa)
	s.gradient()
	s.f = s.u
	for i, vi := range v {
		f[i] = cur.g[i] - vi
		e.rest2 -= float64((s.kp[i] - cur.alpha[i]) * f[i])
	}
	e.rest2 = max(e.rest2, 0)
	return e
}

// products: with K = κW (I + GκW)⁻¹ = R M⁻¹ Rᵀ the step is
//
//	d0 = Σ (κp - α + K f)_i g_i,  d1 = νh - Σ (K z)_i g_i,  d2 = Σ (κp - K v)_i g_i.
//
// All their inner products follow from xᵀKx' and m_x = M⁻¹Rᵀx by xᵀKGKx' = xᵀKx' - m_x·m_x'.
func (s differences) products(c []float64, rho float64, e evaluation) (d products) {
	k, m := s.factor, &s.factor.last().m
	mv, mf, mz := m[ofV], m[ofF], m[ofZ]
	v, f, z := s.x[ofV], s.x[ofF], s.x[ofZ]
	kv, vv := wide.Dot(s.kp, v), k.inner(ofV, ofV)
	kf, vf := wide.Dot(s.kp, f), k.inner(ofV, ofF)
	ff := k.inner(ofF, ofF)
	ku := wide.Dot(s.kp, s.u) // u = z + v + f

	f0 := ku - wide.Dot(s.cur.alpha, s.u) + vf + ff
	f2 := ku - vv - vf
	d00 := e.rest2 - ff - wide.Dot(mf, mf)
	d02 := vf - kf + wide.Dot(mf, mv)
	d.d22 = kv - vv - wide.Dot(mv, mv)
	d.p0, d.p2 = vf-kf, kv-vv
	d.excess = e.norm2 - float64(s.b*s.b) + float64(2*f0) + d00
	if c == nil {
		d.f2 = f2 + d02
		return d
	}
	zz, zv, zf := k.inner(ofZ, ofZ), k.inner(ofZ, ofV), k.inner(ofZ, ofF)
	kz := wide.Dot(s.kp, z)
	hh := float64(e.nu * e.nu * rho)
	f1 := float64(e.nu*e.value) - zz - zv - zf
	d01 := kz - wide.Dot(s.cur.alpha, z) + zf + wide.Dot(mz, mf)
	d.excess += float64(2 * zf)
	d.f1, d.f2 = f1+d01, f2-zv+d02
	d.d11 = hh - zz - wide.Dot(mz, mz)
	d.d12 = kz - zv - wide.Dot(mz, mv)
	d.p1, d.h1 = kz-zv, hh-zz
	return d
}

func (s differences) trial(da, db float64) (size float64) {
	last := s.factor.last()
	mv, mz, z := last.m[ofV], last.m[ofZ], s.x[ofZ]
	for i, m := range last.m[ofF] {
		s.tmp[i] = float64(da*mz[i]) + float64(db*mv[i]) - m
	}
	last.applyR(s.tmp, s.tmp)
	for i, k := range s.kp {
		s.next.alpha[i] = k + float64(k*db) - s.tmp[i]
	}
	s.data.mul(s.next.g, s.next.alpha)
	for i, u := range s.u {
		d := float64(da*z[i]) + s.next.g[i] - s.cur.g[i]
		size = largerChange(size, d, u)
	}
	return size
}

func (s differences) chord() (x *vectors, fall, otherFall float64) {
	return &s.x, chordFall, otherChordFall
}

func (s differences) span(c []float64, rho float64) *span { return s.data.span(c, rho) }

func (s differences) toSpan(w []float64, in *span, alpha []float64) {
	linalg.MulT(w, 1, in.c, in.r, alpha)
}

func (s differences) fromSpan(alpha []float64, in *span, w []float64) (nu float64) {
	return in.expand(alpha, w)
}
