package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// The maxima of a surrogate are solved in coordinates of the span of its pivots, in which G is the identity. With
// a the coordinates of Ph and p those of κ∇ℓ, the iterate is F = νa + y, y those of Σ α_i Pg_i, and u = CᵀF. A Newton
// step is H⁻¹(da νa + db p - e), H = I + CRRᵀCᵀ, e = F - νa - p. So it takes two products with C, and one more for
// a new start. There s.cur has F and u, c is a, x and the factor's m have r elements, and α of a WarmStart is y.

// evaluateReduced is evaluate in coordinates.
func (s *Solver) evaluateReduced(a []float64, rho float64) (e evaluation) {
	cur, r := &s.cur, len(a)
	p, res, z := s.x[ofV][:r], s.x[ofF][:r], s.x[ofZ][:r]
	e.nu = fmath.Exp(cur.lnNu)
	e.ll, e.logNeg = s.weigh(cur.g, cur.lnKa)
	linalg.MulT(p, 1, s.low.g.rows, s.low.g.stride, s.kp)
	across := float64(e.nu * max(rho-wide.Dot(a, a), 0))
	e.value = wide.Dot(a, cur.alpha) + across
	e.norm2 = wide.Dot(cur.alpha, cur.alpha) + float64(e.nu*across)
	for k, v := range a {
		z[k] = float64(e.nu * v)
		res[k] = cur.alpha[k] - z[k] - p[k]
	}
	e.rest2 = wide.Dot(res, res)
	return e
}

// directionReduced is direction in coordinates.
func (s *Solver) directionReduced(a []float64, rho float64, e evaluation) (da, db float64) {
	r, m, f := len(a), &s.low.m, s.cur.alpha
	for k := range m {
		m[k] = linalg.Resize(m[k], r)
		copy(m[k], s.x[k][:r])
		solveTriangular(s.low.u, s.low.stride, m[k])
	}
	d0, d1, d2 := m[ofF], m[ofZ], m[ofV]
	wide.Scale(d0, -1)
	p, z := s.x[ofV][:r], s.x[ofZ][:r]
	across := float64(float64(e.nu*e.nu) * max(rho-wide.Dot(a, a), 0))

	// log(-ℓ) = log(-ℓ̄) is a line a1 da + a2 db = a0 …
	g := fmath.Exp(-s.cur.lnKa - e.logNeg)
	p1, p2 := wide.Dot(p, d1), wide.Dot(p, d2)
	a1, a2 := -g*p1, -g*p2
	a0 := s.logNL - e.logNeg + float64(g*wide.Dot(p, d0))
	t := a0 / (float64(a1*a1) + float64(a2*a2))
	da, db = float64(t*a1), float64(t*a2)
	// … that is followed to the boundary of the ball, in the direction in which ⟨f, h⟩ rises.
	ua, ub := a2, -a1
	if float64(ua*(wide.Dot(z, d1)+across))+float64(ub*wide.Dot(z, d2)) < 0 {
		ua, ub = -ua, -ub
	}
	norm2 := e.norm2 - float64(s.b*s.b) + float64(2*wide.Dot(f, d0)) + wide.Dot(d0, d0)
	f1, f2 := wide.Dot(f, d1)+wide.Dot(d0, d1)+across, wide.Dot(f, d2)+wide.Dot(d0, d2)
	d11, d12, d22 := wide.Dot(d1, d1)+across, wide.Dot(d1, d2), wide.Dot(d2, d2)
	t = largerRoot(
		float64(d11*ua*ua)+float64(2*d12*ua*ub)+float64(d22*ub*ub),
		float64(f1*ua)+float64(f2*ub)+float64(d11*ua*da)+float64(d12*(float64(ua*db)+float64(ub*da)))+float64(d22*ub*db),
		norm2+float64(2*(float64(f1*da)+float64(f2*db)))+float64(d11*da*da)+float64(2*d12*da*db)+float64(d22*db*db))
	return da + float64(t*ua), db + float64(t*ub)
}

// trialReduced is trial in coordinates.
func (s *Solver) trialReduced(da, db float64) (size float64) {
	m, next := &s.low.m, &s.next
	r := len(m[ofF])
	step := s.tmp[:r]
	for k, d := range m[ofF] {
		step[k] = d + float64(da*m[ofZ][k]) + float64(db*m[ofV][k])
		next.alpha[k] = s.cur.alpha[k] + step[k]
	}
	linalg.Mul(next.g, 1, s.low.g.rows, s.low.g.stride, step)
	for i, d := range next.g {
		u := s.cur.g[i]
		size = max(size, math.Abs(d)/(1+float64(relativeU*math.Abs(u))))
		next.g[i] = u + d
	}
	return size
}

// reduce prepares solves in coordinates. Cold starts are the given multiple of the MLE.
func (s *Solver) reduce(g *lowRank, multiple float64) {
	s.reduced = true
	s.resizeIterates(g.r)
	s.mle.reduced = append(s.mle.reduced[:0], g.coefficients(s.mle.coef)...)
	for k, v := range s.mle.reduced {
		s.cold.alpha[k] = multiple * v
	}
	s.ColdCut()
	s.coldNormal, s.coldLeast = append(s.coldNormal[:0], s.cut.alpha...), s.cut.Least
}

// freeReduced is free in coordinates. Mostly the cut of the cold start shows that ν h is outside.
func (s *Solver) freeReduced(a []float64, rho, nu float64) bool {
	if norm := math.Sqrt(rho); wide.Dot(s.coldNormal, a)*s.b < float64((s.coldLeast-float64(coldMargin*s.b))*norm) {
		return false
	}
	linalg.Mul(s.u, nu, s.low.g.rows, s.low.g.stride, a)
	return logLik(s.u, s.blocks) >= s.lbar
}

// toReduced completes s.cur once it has y, ν and κ.
func (s *Solver) toReduced(a []float64) {
	cur := &s.cur
	wide.AddScaled(cur.alpha, fmath.Exp(cur.lnNu), a)
	linalg.Mul(cur.g, 1, s.low.g.rows, s.low.g.stride, cur.alpha)
}

// split sets s.best to the function of coordinates w in a span, and returns its ν.
func (s *Solver) split(span *span, w []float64) (nu float64) {
	r := s.low.g.r
	if span.r > r {
		nu = w[r] / span.a[r]
	}
	for k := range s.best.alpha {
		s.best.alpha[k] = w[k] - float64(nu*span.a[k])
	}
	return nu
}

// largerRoot returns the larger root t of at² + 2bt + c, a >= 0, or its minimiser if it has no root.
func largerRoot(a, b, c float64) float64 {
	disc := float64(b*b) - float64(a*c)
	switch {
	case !(disc > 0):
		return -b / a
	case b > 0:
		return -c / (b + math.Sqrt(disc))
	}
	return (math.Sqrt(disc) - b) / a
}
