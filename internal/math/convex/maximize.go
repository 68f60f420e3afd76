package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// MLE maximises the log-likelihood over ‖f‖ <= norm (Eq. MLE_prob) and keeps the maximiser for SetLevel and
// MLECoef. It always starts cold, so the MLE depends only on the data, not on how they were added.
func (s *Solver) MLE(norm float64) Result {
	s.b = norm
	s.work.Solves++
	m := &s.mle
	if s.n == 0 {
		m.Result = Result{Status: Free, LogKappa: math.Inf(-1)}
		return m.Result
	}
	systems := s.work.Newton
	var res Result
	s.reduced = false
	s.resizeIterates(s.n)
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

// SetLevel sets the confidence set {‖f‖ <= B, ℓ(f) >= ℓ_MLE - beta} of the last MLE, and where cold solves
// start.
func (s *Solver) SetLevel(beta float64) {
	if g := s.Surrogate(); g != s {
		g.SetLevel(beta)
	}
	// A smaller β cannot be distinguished from 0 in ℓ.
	least := leastBeta * s.noise
	s.singleton = s.n > 0 && beta <= least
	s.beta = max(beta, least)
	s.mleDistance = s.distance(s.beta)
	s.lbar = s.mle.Value - s.beta
	s.logNL = fmath.Log(-s.lbar)
	if s.n == 0 {
		return
	}
	// Cold solves start at the multiple of the MLE that lies on the level, found by bisection: -ℓ falls as
	// the multiple grows.
	lo, hi := 0.0, 1.0
	for range bisectMax {
		mid := 0.5 * (lo + hi)
		for i, u := range s.mle.u {
			s.u[i] = mid * u
		}
		if logLik(s.u, s.blocks) < s.lbar {
			lo = mid
		} else {
			hi = mid
		}
		if hi-lo < bisectTol {
			break
		}
	}
	for i, u := range s.mle.u {
		s.cold.alpha[i] = hi * s.mle.coef[i]
		s.cold.g[i] = hi * u
	}
	s.weigh(s.cold.g, 0)
	s.gram.mul(s.x[ofV], s.kp)
	s.cold.lnKa = fmath.Log(max(coldShare, hi)*s.b) - float64(0.5*fmath.Log(wide.Dot(s.kp, s.x[ofV])))
	if g, ok := s.gram.(*lowRank); ok {
		s.reduce(g, hi)
	}
}

// SaveStart copies the solution of the last Maximize into dst, for a warm start.
func (s *Solver) SaveStart(dst *WarmStart) {
	dst.alpha = linalg.Resize(dst.alpha, len(s.best.alpha))
	copy(dst.alpha, s.best.alpha)
	dst.lnNu, dst.lnKa, dst.ok = s.best.lnNu, s.best.lnKa, s.best.ok
}

// Maximize solves max ⟨f, h⟩ over the set of SetLevel, for the h with c_i = ⟨g_i, h⟩ and
// rho = ⟨h, h⟩ >= 0. from is the warm start; nil starts cold.
func (s *Solver) Maximize(c []float64, rho float64, from *WarmStart) Result {
	s.work.Solves++
	if len(c) != s.n {
		panic("convex: c of the wrong length")
	}
	given, mle := c, s.mle.coef
	if s.reduced {
		c, mle = s.low.g.coordinates(c), s.mle.reduced
		rho = max(rho, wide.Dot(c, c)) // unless rounding left it below
	}
	s.best.ok = false
	s.setCut(nil, nil, 0, 0)
	s.mleValue = wide.Dot(c, mle)
	if math.IsNaN(s.mleValue + rho) {
		s.work.Failures++
		return Result{Status: Undefined, Value: math.Inf(-1), Bound: math.Inf(1), Gap: math.Inf(1)}
	}
	if rho <= 0 || s.singleton {
		// Every function of the set is a maximiser, or the set has only one function.
		copy(s.best.alpha, mle)
		s.bestNu = 0
		res := Result{LogKappa: s.mle.LogKappa}
		if rho <= 0 {
			res.Status = Free
			return res
		}
		res.enclose(s.mleValue, s.mleValue+float64(s.distance(0)*math.Sqrt(rho)), (s.tol+maxNoise)*s.scale(rho), s.scale(rho))
		if res.Status.OK() {
			return res
		}
	}
	nu := s.b / math.Sqrt(rho)
	if s.free(c, rho, nu) {
		clear(s.best.alpha)
		s.bestNu = nu
		v := nu * rho
		return Result{Status: Free, Value: v, Bound: v, LogKappa: math.Inf(-1)}
	}
	systems := s.work.Newton
	var res Result
	cur := &s.cur
	if from != nil && from.ok && s.startFrom(c, from) {
		res = s.newton(c, rho, true)
		if !res.Status.ended() {
			s.work.Retries++
		}
	}
	if !res.Status.ended() {
		res = s.newtonCold(c, rho, nu)
	}
	if in := s.factor; !res.Status.ended() && in != s.exact {
		s.work.Retries++
		s.factor = s.exact
		res = s.newtonCold(c, rho, nu)
		s.factor = in
	}
	keep := res.Status.ended()
	if !keep || s.cancels(rho) {
		s.work.Retries++
		if other := s.recoverMax(given, rho); other.Status.OK() || !keep {
			res, keep = other, false
		}
	}
	if keep {
		for i, a := range cur.alpha {
			if s.reduced {
				a -= s.x[ofZ][i]
			} else {
				a = s.effectiveCoef(i, a)
			}
			s.best.alpha[i] = float64(s.iterateShare*a) + float64(s.mleShare*mle[i])
		}
		s.bestNu = s.iterateShare * fmath.Exp(cur.lnNu)
		s.best.lnNu, s.best.lnKa, s.best.ok = cur.lnNu, cur.lnKa, true
	}
	if !res.Status.ended() {
		s.work.Failures++
	}
	res.Newton = s.work.Newton - systems
	return res
}

// free reports whether the maximiser over the ball alone, ν h, is in the level set.
func (s *Solver) free(c []float64, rho, nu float64) bool {
	if s.reduced {
		return s.freeReduced(c, rho, nu)
	}
	for i, v := range c {
		s.u[i] = nu * v
	}
	return logLik(s.u, s.blocks) >= s.lbar
}

// startFrom sets s.cur to a warm start. It returns false if that is of another data set.
func (s *Solver) startFrom(c []float64, from *WarmStart) bool {
	cur, n := &s.cur, len(from.alpha)
	cur.lnNu, cur.lnKa = from.lnNu, from.lnKa
	switch g := s.surrogate; {
	case n != len(cur.alpha) && g != nil && g.reduced && n == g.low.g.r:
		g.expand(cur.alpha, from.alpha)
		clear(cur.g)
		for _, i := range g.Pivots() { // other coefficients are zero
			wide.AddScaled(cur.g, cur.alpha[i], s.data.row(i))
		}
		return true
	case n != len(cur.alpha):
		return false
	}
	copy(cur.alpha, from.alpha)
	if s.reduced {
		s.toReduced(c)
	} else {
		s.gram.mul(cur.g, cur.alpha)
	}
	return true
}

// newtonCold solves from a cold start. nu is the ν of a free solution.
func (s *Solver) newtonCold(c []float64, rho, nu float64) Result {
	cur := &s.cur
	copy(cur.alpha, s.cold.alpha)
	copy(cur.g, s.cold.g)
	cur.lnNu, cur.lnKa = fmath.Log(min(coldShare*nu, s.mleDistance/math.Sqrt(rho))), s.cold.lnKa
	if s.reduced {
		s.toReduced(c)
	}
	return s.newton(c, rho, false)
}

// Function returns the feasible f = nu h + Σ coef_i g_i that has the Value of the last Maximize: it sets
// coef, of length n, and returns nu.
func (s *Solver) Function(coef []float64) (nu float64) {
	s.expand(coef, s.best.alpha)
	return s.bestNu
}
