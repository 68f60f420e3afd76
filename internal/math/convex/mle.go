package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// MLE maximises the log-likelihood over ‖f‖ <= norm (Eq. MLE_prob) and keeps the maximiser for SetLevel and
// MLECoef. It always starts cold, so the MLE depends only on the data, not on how they were added.
func (s *Solver) MLE(norm float64) Result {
	s.b = norm
	s.work.Solves++
	m := &s.mle
	if s.n == 0 {
		m.Result = Result{Status: Free, LogNu: math.Inf(-1), LogKappa: math.Inf(-1)}
		return m.Result
	}
	systems := s.work.Newton
	var res Result
	s.factor = s.exact
	if s.findLowRank() {
		s.factor = s.low
		if s.surrogate.MLE(norm).Status.OK() {
			g := s.surrogate
			s.ll0 = g.ll0
			copy(s.cur.alpha, g.mle.coef)
			s.gram.mul(s.cur.g, s.cur.alpha)
			s.cur.lnNu, s.cur.lnKa = math.Inf(-1), g.mle.LogKappa
			res = s.newton(nil, 0, false)
		}
		if !res.Status.OK() {
			s.work.Retries++
			s.factor = s.exact
		}
	}
	if !res.Status.OK() {
		s.mleStart()
		res = s.newton(nil, 0, false)
	}
	if !res.Status.OK() || !s.keepMLE(&res) {
		s.work.Retries++
		res = s.recoverMLE()
	}
	if !res.Status.OK() {
		s.work.Failures++
	}
	res.Newton = s.work.Newton - systems
	m.Result = res
	return res
}

// mleStart starts close to f = 0, on the path that the MLE follows as the norm grows: there κ is small and
// α = κ p(0).
func (s *Solver) mleStart() {
	c, v := &s.cur, s.x[ofV]
	clear(s.u)
	s.ll0, _ = s.weigh(s.u, 0)
	s.gram.mul(v, s.kp)
	var top float64
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	c.lnKa = min(fmath.Log(s.b)-float64(0.5*fmath.Log(wide.Dot(s.kp, v))), -fmath.Log(top))
	c.lnNu = math.Inf(-1)
	k := fmath.Exp(c.lnKa)
	if math.IsInf(k, 0) || math.IsNaN(k) {
		k, c.lnKa = 1, 0
	}
	for i, x := range v {
		c.alpha[i] = k * s.kp[i]
		c.g[i] = k * x
	}
}

// keepMLE keeps s.cur, shrunk into the ball, as the MLE. It reports whether s.cur is a solution whose terms do
// not cancel.
func (s *Solver) keepMLE(res *Result) bool {
	m, cur := &s.mle, &s.cur
	if norm := math.Sqrt(wide.Dot(cur.alpha, cur.g)); norm > s.b {
		for i := range cur.alpha {
			cur.alpha[i] *= s.b / norm
			cur.g[i] *= s.b / norm
		}
	}
	e := s.evaluate(nil, 0)
	for i, a := range cur.alpha {
		m.coef[i] = s.effectiveCoef(i, a)
	}
	copy(m.u, cur.g)
	res.enclose(e.ll, res.Bound, s.tol*max(1, -e.ll), max(1, -e.ll))
	m.kappa = fmath.Exp(cur.lnKa)
	m.rest = math.Sqrt(e.rest2)
	m.slack = float64(s.b*s.b) - e.norm2
	// κ tr(WG) for duels, and an upper bound of it for larger comparisons, where W <= diag(p).
	m.curvature = 0
	var slope float64
	for i, r := range s.root.r {
		m.curvature += float64(r * r * s.gram.norm2(i))
		slope += float64(s.kp[i] * s.size[i])
	}
	// Rounding of the sums in ℓ itself and of the sums in u.
	s.noise = float64(llNoise*-e.ll) + uNoise*s.terms()*slope/m.kappa
	return res.Status.OK() && !s.cancels(0)
}

// distance bounds ‖f - f̂‖ for every f of the ball with ℓ(f) >= ℓ(f̂) - beta.
//
// L = ℓ + μ(B² - ‖f‖²) is concave with modulus 2μ, so at distance d
// μd² <= beta + μ(B² - ‖f̂‖²) + ‖∇L(f̂)‖ d. With beta = 0 that bound is the square root of a rounding error.
// Then the monotonicity of ∇ℓ, and a bound on the error of μ, give a bound linear in the rounding error.
func (s *Solver) distance(beta float64) float64 {
	m := &s.mle
	d := m.rest + math.Sqrt(float64(m.rest*m.rest)+float64(2*m.kappa*beta)+max(0, m.slack))
	if beta == 0 {
		d = float64(3*m.rest) + float64(2*math.Abs(m.slack)/s.b*(m.curvature+3))
	}
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}

// MLECoef returns the coefficients of the MLE, f̂ = Σ coef_i g_i, of length n. It is valid until the next MLE or
// Append.
func (s *Solver) MLECoef() []float64 { return s.mle.coef }
