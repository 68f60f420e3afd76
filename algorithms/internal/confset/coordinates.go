package confset

import (
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// coordinates is the frame of a surrogate, whose Pg_i are the columns of C = s.low.g: G is the identity. With a the
// coordinates of Ph and p those of κ∇ℓ, an iterate has F = νa + y and u = CᵀF. A Newton step is H⁻¹(da νa + db p - e),
// H = I + CRRᵀCᵀ, e = F - νa - p. So it takes two products with C, and one more for a new start. In x and in the factor's m
// the first r elements are used.
type coordinates struct{ *Solver }

func (s coordinates) functional(c []float64, rho float64) ([]float64, float64) {
	a := s.low.g.coordinates(c)
	return a, max(rho, wide.Dot(a, a))
}

func (s coordinates) combine(b, room []float64) (alpha, h []float64) {
	g := s.low.g
	p := room[:g.r]
	linalg.MulT(p, 1, g.rows, g.stride, b)
	return p, p
}

func (s coordinates) image(_, alpha []float64) []float64 { return alpha }

func (s coordinates) expand(coef, alpha []float64) { s.low.g.expand(coef, alpha) }

func (s coordinates) differences(dst []float64, nu float64, h []float64) {
	linalg.Mul(dst, nu, s.low.g.rows, s.low.g.stride, h)
}

func (s coordinates) norm2(i int) float64 { return s.low.g.diagonal[i] }

func (s coordinates) shrunk(f factor, dst, h []float64) {
	l := f.last()
	copy(dst, h)
	solveTriangular(l.u, l.stride, dst)
	for k, v := range h {
		dst[k] = v - dst[k]
	}
}

func (s coordinates) start(h, alpha, _ []float64) {
	cur := &s.cur
	copy(cur.alpha, alpha)
	if h != nil {
		wide.AddScaled(cur.alpha, fmath.Exp(cur.lnNu), h)
	}
	s.differences(cur.g, 1, cur.alpha)
}

func (s coordinates) own(dst []float64) {
	for k, v := range s.cur.alpha {
		dst[k] = v - s.x[ofZ][k]
	}
}

func (s coordinates) terms() []float64 { return s.kp }

// evaluate leaves in x also νa, p and the residual e.
func (s coordinates) evaluate(a []float64, rho float64) (e evaluation) {
	cur := &s.cur
	r := len(cur.alpha)
	res, z := s.x[ofF][:r], s.x[ofZ][:r]
	e.ll, e.logNeg = s.weigh(cur.g, cur.lnKa)
	s.gradient()
	s.f = cur.alpha
	clear(z)
	e.norm2 = wide.Dot(cur.alpha, cur.alpha)
	if a != nil {
		e.nu = fmath.Exp(cur.lnNu)
		across := float64(e.nu * max(rho-wide.Dot(a, a), 0))
		e.value = wide.Dot(a, cur.alpha) + across
		e.norm2 += float64(e.nu * across)
		wide.AddScaled(z, e.nu, a)
	}
	for k, p := range s.slope.alpha {
		res[k] = cur.alpha[k] - z[k] - p
	}
	e.rest2 = wide.Dot(res, res)
	return e
}

func (s coordinates) products(a []float64, rho float64, e evaluation) (d products) {
	last, f := s.factor.last(), s.cur.alpha
	r := len(f)
	solve := func(k int) []float64 {
		last.m[k] = append(last.m[k][:0], s.x[k][:r]...)
		solveTriangular(last.u, last.stride, last.m[k])
		return last.m[k]
	}
	p, d0, d2 := s.slope.h, solve(ofF), solve(ofV)
	wide.Scale(d0, -1)
	d.excess = e.norm2 - float64(s.b*s.b) + float64(2*wide.Dot(f, d0)) + wide.Dot(d0, d0)
	d.f2, d.d22 = wide.Dot(f, d2)+wide.Dot(d0, d2), wide.Dot(d2, d2)
	d.p0, d.p2 = wide.Dot(p, d0), wide.Dot(p, d2)
	if a == nil {
		last.m[ofZ] = linalg.Resize(last.m[ofZ], r)
		clear(last.m[ofZ])
		return d
	}
	d1, across := solve(ofZ), float64(float64(e.nu*e.nu)*max(rho-wide.Dot(a, a), 0))
	d.f1 = wide.Dot(f, d1) + wide.Dot(d0, d1) + across
	d.d11, d.d12 = wide.Dot(d1, d1)+across, wide.Dot(d1, d2)
	d.p1, d.h1 = wide.Dot(p, d1), wide.Dot(s.x[ofZ][:r], d1)+across
	return d
}

func (s coordinates) trial(da, db float64) (size float64) {
	m, next := &s.factor.last().m, &s.next
	step := s.tmp[:len(s.cur.alpha)]
	for k, d := range m[ofF] {
		step[k] = d + float64(da*m[ofZ][k]) + float64(db*m[ofV][k])
		next.alpha[k] = s.cur.alpha[k] + step[k]
	}
	s.differences(next.g, 1, step)
	for i, d := range next.g {
		u := s.cur.g[i]
		size = largerChange(size, d, u)
		next.g[i] = u + d
	}
	return size
}

// A step costs little compared with a factor.
func (s coordinates) chord() (x *vectors, fall, otherFall float64) {
	return nil, reducedChordFall, reducedChordFall
}

// span has one coordinate more for the part of h orthogonal to the pivots.
func (s coordinates) span(a []float64, rho float64) *span {
	g := s.low.g
	p := &linalg.Pivoted{N: g.n, C: g.c, Pivot: g.pivot}
	if a == nil {
		return newSpan(g.n, p)
	}
	a = slices.Clone(a)
	if across := rho - wide.Dot(a, a); across > rankNoise*rho {
		a = append(a, math.Sqrt(across))
		p.C = slices.Concat(p.C, make([]float64, g.n))
		p.Pivot = slices.Concat(p.Pivot, []int{g.n})
	}
	in := newSpan(g.n, p)
	in.a = a
	return in
}

func (s coordinates) toSpan(w []float64, _ *span, alpha []float64) { copy(w, alpha) }

func (s coordinates) fromSpan(alpha []float64, in *span, w []float64) (nu float64) {
	r := len(alpha)
	if in.r > r {
		nu = w[r] / in.a[r]
	}
	for k := range alpha {
		alpha[k] = w[k] - float64(nu*in.a[k])
	}
	return nu
}
