package confset

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
	s.factor = s.exact
	if s.findLowRank() {
		s.factor = s.low
		if g := s.surrogate; g.MLE(norm).Status.OK() {
			s.ll0 = g.ll0
			g.weigh(g.mle.u, g.mle.LogKappa)
			s.frame.start(nil, g.kp, nil)
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
	c := &s.cur
	clear(s.u)
	s.ll0, _ = s.weigh(s.u, 0)
	s.gradient()
	s.frame.start(nil, s.slope.alpha, s.slope.h)
	var top float64
	for _, x := range c.g {
		top = max(top, math.Abs(x))
	}
	c.lnKa = min(fmath.Log(s.b)-float64(0.5*fmath.Log(wide.Dot(s.slope.alpha, s.slope.h))), -fmath.Log(top))
	c.lnNu = math.Inf(-1)
	k := fmath.Exp(c.lnKa)
	if math.IsInf(k, 0) || math.IsNaN(k) {
		k, c.lnKa = 1, 0
	}
	wide.Scale(c.alpha, k)
	wide.Scale(c.g, k)
}

// keepMLE keeps s.cur, shrunk into the ball, as the MLE. It reports whether s.cur is a solution whose terms do
// not cancel.
func (s *Solver) keepMLE(res *Result) bool {
	m, cur := &s.mle, &s.cur
	e := s.frame.evaluate(nil, 0)
	if norm := math.Sqrt(e.norm2); norm > s.b {
		wide.Scale(cur.alpha, s.b/norm)
		wide.Scale(cur.g, s.b/norm)
		e = s.frame.evaluate(nil, 0)
	}
	s.frame.own(m.coef)
	copy(m.u, cur.g)
	res.enclose(e.ll, res.Bound, s.tol*max(1, -e.ll), max(1, -e.ll))
	m.kappa = fmath.Exp(cur.lnKa)
	m.rest = math.Sqrt(e.rest2)
	m.slack = float64(s.b*s.b) - e.norm2
	// κ tr(WG) for duels, and an upper bound of it for larger comparisons, where W <= diag(p).
	m.curvature = 0
	var slope float64
	for i, r := range s.root.r {
		m.curvature += float64(r * r * s.frame.norm2(i))
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

// MLECoef returns the coefficients of the MLE, f̂ = Σ coef_i g_i, of length n; a surrogate has none. It is valid until the
// next MLE or Append.
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
	for i, a := range s.mle.coef {
		s.cold.alpha[i] = hi * a
	}
	for i, u := range s.mle.u {
		s.cold.g[i] = hi * u
	}
	s.weigh(s.cold.g, 0)
	s.gradient()
	s.cold.lnKa = fmath.Log(max(coldShare, hi)*s.b) - float64(0.5*fmath.Log(wide.Dot(s.slope.alpha, s.slope.h)))
	k := s.ColdCut()
	s.coldNormal, s.coldLeast = append(s.coldNormal[:0], k.alpha...), k.Least
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
		panic("confset: c of the wrong length")
	}
	h, rho := s.frame.functional(c, rho)
	mle := s.mle.coef
	s.best.ok = false
	s.setCut(0, 0)
	s.mleValue = wide.Dot(h, mle)
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
	if s.free(h, rho, nu) {
		clear(s.best.alpha)
		s.bestNu = nu
		v := nu * rho
		return Result{Status: Free, Value: v, Bound: v, LogKappa: math.Inf(-1)}
	}
	systems := s.work.Newton
	var res Result
	cur := &s.cur
	if from != nil && from.ok && s.startFrom(h, from) {
		res = s.newton(h, rho, true)
		if !res.Status.ended() {
			s.work.Retries++
		}
	}
	if !res.Status.ended() {
		res = s.newtonCold(h, rho, nu)
	}
	if in := s.factor; !res.Status.ended() && in != s.exact {
		s.work.Retries++
		s.factor = s.exact
		res = s.newtonCold(h, rho, nu)
		s.factor = in
	}
	s.setCut(s.norm, s.least)
	keep := res.Status.ended()
	if !keep || s.cancels(rho) {
		s.work.Retries++
		if other := s.recoverMax(h, rho); other.Status.OK() || !keep {
			res, keep = other, false
		}
	}
	if keep {
		s.frame.own(s.best.alpha)
		for i, a := range s.best.alpha {
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

// free reports whether the maximiser over the ball alone, ν h, is in the level set. Mostly the cut of the cold start shows
// that it is not.
func (s *Solver) free(h []float64, rho, nu float64) bool {
	if norm := math.Sqrt(rho); wide.Dot(s.coldNormal, h)*s.b < float64((s.coldLeast-float64(coldMargin*s.b))*norm) {
		return false
	}
	s.frame.differences(s.u, nu, h)
	return logLik(s.u, s.blocks) >= s.lbar
}

// startFrom sets s.cur to a warm start. It returns false if that is of another data set.
func (s *Solver) startFrom(h []float64, from *WarmStart) bool {
	cur, n := &s.cur, len(from.alpha)
	cur.lnNu, cur.lnKa = from.lnNu, from.lnKa
	if n == len(cur.alpha) {
		s.frame.start(h, from.alpha, nil)
		return true
	}
	g := s.Surrogate()
	if g == s || n != g.low.g.r {
		return false
	}
	g.frame.expand(cur.alpha, from.alpha)
	clear(cur.g)
	for _, i := range g.Pivots() { // other coefficients are zero
		wide.AddScaled(cur.g, cur.alpha[i], s.data.row(i))
	}
	return true
}

// newtonCold solves from a cold start. nu is the ν of a free solution.
func (s *Solver) newtonCold(h []float64, rho, nu float64) Result {
	cur := &s.cur
	cur.lnNu, cur.lnKa = fmath.Log(min(coldShare*nu, s.mleDistance/math.Sqrt(rho))), s.cold.lnKa
	s.frame.start(h, s.cold.alpha, s.cold.g)
	return s.newton(h, rho, false)
}

// Function returns the feasible f = nu h + Σ coef_i g_i that has the Value of the last Maximize: it sets
// coef, of length n, and returns nu.
func (s *Solver) Function(coef []float64) (nu float64) {
	s.frame.expand(coef, s.best.alpha)
	return s.bestNu
}
