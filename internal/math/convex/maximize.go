package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

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
}

// SaveStart copies the solution of the last Maximize into dst, for a warm start.
func (s *Solver) SaveStart(dst *WarmStart) {
	dst.alpha = linalg.Resize(dst.alpha, s.n)
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
	c, rho = s.gram.project(c, rho)
	s.best.ok = false
	s.setCut(nil, nil, 0, 0)
	s.mleValue = wide.Dot(c, s.mle.coef)
	if math.IsNaN(s.mleValue + rho) {
		s.work.Failures++
		return Result{Status: Undefined, Value: math.Inf(-1), Bound: math.Inf(1), Gap: math.Inf(1)}
	}
	if rho <= 0 || s.singleton {
		// Every function of the set is a maximiser, or the set has only one function.
		copy(s.best.alpha, s.mle.coef)
		s.bestNu = 0
		res := Result{LogNu: math.Inf(-1), LogKappa: s.mle.LogKappa}
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
	for i, v := range c {
		s.u[i] = nu * v
	}
	if logLik(s.u, s.blocks) >= s.lbar {
		clear(s.best.alpha)
		s.bestNu = nu
		v := nu * rho
		return Result{Status: Free, Value: v, Bound: v, LogNu: fmath.Log(nu), LogKappa: math.Inf(-1)}
	}
	systems := s.work.Newton
	var res Result
	cur := &s.cur
	if from != nil && from.ok && len(from.alpha) == s.n {
		copy(cur.alpha, from.alpha)
		s.gram.mul(cur.g, cur.alpha)
		cur.lnNu, cur.lnKa = from.lnNu, from.lnKa
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
		if other := s.recoverMax(c, rho); other.Status.OK() || !keep {
			res, keep = other, false
		}
	}
	if keep {
		for i, a := range cur.alpha {
			s.best.alpha[i] = float64(s.iterateShare*s.effectiveCoef(i, a)) + float64(s.mleShare*s.mle.coef[i])
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

// newtonCold solves from a cold start. nu is the ν of a free solution.
func (s *Solver) newtonCold(c []float64, rho, nu float64) Result {
	cur := &s.cur
	copy(cur.alpha, s.cold.alpha)
	copy(cur.g, s.cold.g)
	cur.lnNu, cur.lnKa = fmath.Log(min(coldShare*nu, s.mleDistance/math.Sqrt(rho))), s.cold.lnKa
	return s.newton(c, rho, false)
}

// Function returns the feasible f = nu h + Σ coef_i g_i that has the Value of the last Maximize: it sets
// coef, of length n, and returns nu.
func (s *Solver) Function(coef []float64) (nu float64) {
	s.gram.expand(coef, s.best.alpha)
	return s.bestNu
}
