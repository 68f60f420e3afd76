package convex

import "math"

const (
	maxLogStep = 1.5  // damping of a step in log ν and log κ
	stepTol    = 1e-6 // relative size of an undamped step after which the error, quadratic in it, is rounding
)

// MLE maximises the log-likelihood over ‖f‖ <= norm (Eq. MLE_prob) and keeps
// the maximiser for SetLevel, MLECoef and MLEDiff.
func (s *Solver) MLE(norm float64) Result {
	s.b = norm
	s.Work.Solves++
	m := &s.mle
	if s.n == 0 {
		m.Result = Result{Status: Free, LogNu: math.Inf(-1), LogKappa: math.Inf(-1)}
		return m.Result
	}
	s.mleStart()
	systems := s.Work.Newton
	res := s.mleNewton()
	if !res.Status.OK() {
		s.Work.Retries++
		res = s.mleInterior()
	}
	if !res.Status.OK() {
		s.Work.Failures++
	}
	res.Newton = s.Work.Newton - systems
	m.Result = res
	return res
}

// mleStart begins close to f = 0, on the path that the estimate takes as the
// norm grows: there κ is small and u = κ G p(0).
func (s *Solver) mleStart() {
	c := &s.cur
	for i := range c.u {
		c.u[i] = 0
	}
	s.weigh(c.u, 0)
	s.mulGram(s.v, s.kp)
	var top float64
	for _, v := range s.v {
		top = max(top, math.Abs(v))
	}
	lnKa := math.Log(s.b) - 0.5*math.Log(dot(s.kp, s.v))
	c.lnKa = min(lnKa, -math.Log(top))
	c.lnNu = math.Inf(-1)
	if k := math.Exp(c.lnKa); !math.IsInf(k, 0) && !math.IsNaN(k) {
		for i, v := range s.v {
			c.u[i] = k * v
		}
	} else {
		c.lnKa = 0
	}
}

// mleNewton solves u = κ G p(u), ‖f‖ = B from s.cur.
func (s *Solver) mleNewton() Result {
	c := &s.cur
	lnB2 := 2 * math.Log(s.b)
	limit := maxLogStep
	var res Result
	for range maxNewton {
		s.weigh(c.u, c.lnKa)
		if !s.factor() {
			return res
		}
		s.mulGram(s.v, s.kp)
		n2 := dot(s.kp, s.v)
		if !(n2 > 0) {
			return res
		}
		for i, u := range c.u {
			s.f[i] = u - s.v[i]
		}
		s.solveW(s.sv, s.v)
		s.solveW(s.sf, s.f)
		a := 2 - 2*dot(s.v, s.sv)/n2
		db := (lnB2 - math.Log(n2) - 2*dot(s.v, s.sf)/n2) / a
		if math.IsNaN(db) {
			return res
		}
		// On data that a ball of this size cannot separate κ has no finite
		// value; steps that keep hitting the limit may grow.
		if math.Abs(db) > limit {
			db = math.Copysign(limit, db)
			limit *= 2
		} else {
			limit = maxLogStep
		}
		if s.advance(0, db) && s.mleCertify(&res) {
			return res
		}
		if c.lnKa > 2*s.b+700 {
			return res
		}
	}
	return res
}

// advance adds the Newton step with the given steps of log ν and log κ to
// s.cur, from the solves in sc, sv, sf; true if it was small and undamped. A
// step that has to be damped while u is far from solving u = νc + κGp at the
// present ν and κ only moves u towards that: off this path the linear model of
// the two scalar equations is worthless.
func (s *Solver) advance(da, db float64) bool {
	c := &s.cur
	size := max(math.Abs(da), math.Abs(db), s.step(da, db))
	t := 1.0
	if size > maxLogStep {
		if off := s.step(0, 0); off > 0.3*maxLogStep {
			size, da, db = off, 0, 0
		} else {
			s.step(da, db)
		}
		t = min(1, maxLogStep/size)
	}
	for i := range c.u {
		c.u[i] += t * s.p[i]
	}
	c.lnNu += t * da
	c.lnKa += t * db
	return t == 1 && size < stepTol
}

// step sets p to the Newton step of u and returns its size, relative where |u|
// is large.
func (s *Solver) step(da, db float64) (size float64) {
	for i := range s.t2 {
		z := s.sv[i]*db - s.sf[i]
		w := s.v[i]*db - s.f[i]
		if da != 0 {
			z += s.sc[i] * da
			w += s.zc[i] * da
		}
		s.t2[i], s.p[i] = z, w
	}
	s.mulGram(s.t1, s.t2)
	for i, u := range s.cur.u {
		d := s.p[i] - s.t1[i]
		s.p[i] = d
		size = max(size, math.Abs(d)/(1+0.5*math.Abs(u)))
	}
	return size
}

// mleCertify encloses the optimum from s.cur and keeps the estimate; true if
// the enclosure is within the tolerance. It bounds with the multiplier
// μ = 1/2κ of the norm: ℓ(f) + μ(B² - ‖f‖²) + ‖∇L‖²/4μ.
func (s *Solver) mleCertify(res *Result) bool {
	c, m := &s.cur, &s.mle
	s.weigh(c.u, c.lnKa)
	s.mulGram(s.v, s.kp) // y of f = Σ kp g
	n2 := dot(s.kp, s.v)
	copy(m.coef, s.kp)
	scale := 1.0
	if n2 > s.b*s.b {
		scale = s.b / math.Sqrt(n2)
	}
	for i, v := range s.v {
		m.u[i] = scale * v
		m.coef[i] *= scale
	}
	ll, _ := likelihood(s.v, s.blocks, s.logP)
	for i, lp := range s.logP {
		s.t2[i] = math.Exp(c.lnKa+lp) - s.kp[i]
	}
	bound := ll + (0.5*(s.b*s.b-n2)+0.5*s.quadGram(s.t2))*math.Exp(-c.lnKa)
	if scale < 1 {
		ll = LogLik(m.u, s.blocks)
	}
	return s.enclose(res, ll, min(bound, 0), max(1, -ll))
}

// enclose fills res with value and bound; true if within tolerance.
func (s *Solver) enclose(res *Result, value, bound, scale float64) bool {
	res.Value, res.Bound = value, max(bound, value)
	res.Gap = res.Bound - value
	res.LogNu, res.LogKappa = s.cur.lnNu, s.cur.lnKa
	if !math.IsNaN(res.Gap) && res.Gap <= s.tol*scale {
		res.Status = Converged
		return true
	}
	return false
}

// MLECoef returns the coefficients of the estimate, f = Σ coef_i g_i, length n;
// it is valid until the next MLE or Append.
func (s *Solver) MLECoef() []float64 { return s.mle.coef }

// MLEDiff returns the estimate's differences u, length n; valid as MLECoef is.
func (s *Solver) MLEDiff() []float64 { return s.mle.u }

// SetLevel fixes the confidence set {‖f‖ <= B, ℓ(f) >= ℓ_MLE - beta} of the
// last MLE, and where solves without a warm start begin.
func (s *Solver) SetLevel(beta float64) {
	s.beta = beta
	s.lbar = s.mle.Value - beta
	s.logNL = math.Log(-s.lbar)
	if s.n == 0 {
		return
	}
	// The multiple of the MLE that lies on the level, by bisection in the
	// factor: -ℓ falls as it grows.
	lo, hi := 0.0, 1.0
	for range 30 {
		mid := 0.5 * (lo + hi)
		for i, u := range s.mle.u {
			s.cold.u[i] = mid * u
		}
		if LogLik(s.cold.u, s.blocks) < s.lbar {
			lo = mid
		} else {
			hi = mid
		}
		if hi-lo < 1e-2 {
			break
		}
	}
	for i, u := range s.mle.u {
		s.cold.u[i] = hi * u
	}
	s.weigh(s.cold.u, 0)
	s.cold.lnKa = math.Log(0.7*s.b) - 0.5*math.Log(s.quadGram(s.kp))
}

// Start is where a solve may begin: the solution of one with a similar h.
type Start struct {
	p  point
	ok bool
}

// Keep copies the solution of the last Maximize into dst, for a warm start.
func (s *Solver) Keep(dst *Start) {
	if cap(dst.p.u) < s.n {
		dst.p.u = make([]float64, s.stride)
	}
	dst.p.u = dst.p.u[:s.n]
	copy(dst.p.u, s.best.u)
	dst.p.lnNu, dst.p.lnKa = s.best.lnNu, s.best.lnKa
	dst.ok = !math.IsInf(s.best.lnKa, -1)
}

// Maximize solves max ⟨f, h⟩ over the set of SetLevel for the h with
// c_i = ⟨g_i, h⟩ and rho = ⟨h, h⟩ >= 0. from may be nil for a cold start.
func (s *Solver) Maximize(c []float64, rho float64, from *Start) Result {
	s.Work.Solves++
	if len(c) != s.n {
		panic("convex: c of the wrong length")
	}
	if !(rho > 0) {
		s.setFree(math.Inf(-1))
		return Result{Status: Free, LogNu: math.Inf(-1), LogKappa: math.Inf(-1)}
	}
	root := math.Sqrt(rho)
	nu := s.b / root
	if s.free(c, nu) {
		s.setFree(math.Log(nu))
		v := nu * rho
		return Result{Status: Free, Value: v, Bound: v, LogNu: math.Log(nu), LogKappa: math.Inf(-1)}
	}
	systems := s.Work.Newton
	var res Result
	if from != nil && from.ok && len(from.p.u) == s.n {
		copy(s.cur.u, from.p.u)
		s.cur.lnNu, s.cur.lnKa = from.p.lnNu, from.p.lnKa
		res = s.maxNewton(c, rho)
		if !res.Status.OK() {
			s.Work.Retries++
		}
	}
	if !res.Status.OK() {
		copy(s.cur.u, s.cold.u)
		s.cur.lnNu, s.cur.lnKa = math.Log(0.7*nu), s.cold.lnKa
		res = s.maxNewton(c, rho)
		if !res.Status.OK() {
			s.Work.Retries++
			res = s.maxInterior(c, rho, res)
		}
	}
	if !res.Status.OK() {
		s.Work.Failures++
	}
	copy(s.best.u, s.cur.u)
	s.best.lnNu, s.best.lnKa = s.cur.lnNu, s.cur.lnKa
	res.Newton = s.Work.Newton - systems
	return res
}

func (s *Solver) setFree(lnNu float64) {
	s.best.lnNu, s.best.lnKa = lnNu, math.Inf(-1)
}

// free reports whether f = nu h is inside the likelihood's level.
func (s *Solver) free(c []float64, nu float64) bool {
	for i, v := range c {
		s.t2[i] = nu * v
	}
	return LogLik(s.t2, s.blocks) >= s.lbar
}

// Function gives the last Maximize's f = nu h + Σ coef_i g_i: it fills coef,
// of length n, and returns nu.
func (s *Solver) Function(coef []float64) (nu float64) {
	if math.IsInf(s.best.lnKa, -1) {
		for i := range coef {
			coef[i] = 0
		}
		return math.Exp(s.best.lnNu)
	}
	likelihood(s.best.u, s.blocks, s.logP)
	for i, lp := range s.logP {
		coef[i] = math.Exp(s.best.lnKa + lp)
	}
	return math.Exp(s.best.lnNu)
}

// maxNewton solves the optimality system of the package comment from s.cur.
func (s *Solver) maxNewton(c []float64, rho float64) (res Result) {
	cur := &s.cur
	lnB2 := 2 * math.Log(s.b)
	certs := 0
	for range maxNewton {
		_, logNeg := s.weigh(cur.u, cur.lnKa)
		if !s.factor() {
			return res
		}
		s.mulGram(s.v, s.kp)
		nu := math.Exp(cur.lnNu)
		for i, ci := range c {
			s.zc[i] = nu * ci
			s.f[i] = cur.u[i] - s.zc[i] - s.v[i]
		}
		ck, kv := dot(s.zc, s.kp), dot(s.kp, s.v)
		hh := nu * nu * rho
		n2 := hh + 2*ck + kv
		if !(n2 > 0) {
			return res
		}
		s.solveW(s.sc, s.zc)
		s.solveW(s.sv, s.v)
		s.solveW(s.sf, s.f)
		// Rows: log(-ℓ) = log(-ℓ̄), then log ‖f‖² = log B².
		g := math.Exp(-cur.lnKa - logNeg)
		a11 := -g * (ck - dot(s.v, s.sc))
		a12 := -g * (kv - dot(s.v, s.sv))
		r1 := s.logNL - logNeg - g*(dot(s.kp, s.f)-dot(s.v, s.sf))
		for i := range s.t1 {
			s.t1[i] = s.zc[i] + s.v[i]
		}
		a21 := 2 * (hh + ck - dot(s.t1, s.sc)) / n2
		a22 := 2 * (ck + kv - dot(s.t1, s.sv)) / n2
		r2 := lnB2 - math.Log(n2) - 2*dot(s.t1, s.sf)/n2
		det := a11*a22 - a12*a21
		da := (r1*a22 - a12*r2) / det
		db := (a11*r2 - r1*a21) / det
		if math.IsNaN(da) || math.IsNaN(db) || math.IsInf(da, 0) || math.IsInf(db, 0) {
			return res
		}
		// As κ falls to zero its logarithm wants to run away; that must not hold
		// up ν.
		if db < -maxLogStep && math.Abs(ck)+kv < 0.1*n2 {
			db = -maxLogStep
		}
		if s.advance(da, db) {
			if s.certify(c, rho, &res) {
				return res
			}
			if certs++; certs == 3 {
				return res
			}
		}
	}
	return res
}

// certify encloses the optimum from s.cur; true if within the tolerance.
func (s *Solver) certify(c []float64, rho float64, res *Result) bool {
	cur := &s.cur
	s.weigh(cur.u, cur.lnKa)
	s.mulGram(s.v, s.kp)
	nu := math.Exp(cur.lnNu)
	ck, kv := dot(c, s.kp), dot(s.kp, s.v)
	n2 := nu*nu*rho + 2*nu*ck + kv
	value := nu*rho + ck
	for i, ci := range c {
		s.f[i] = nu*ci + s.v[i] // y of f = νh + Σ kp g
	}
	ll, _ := likelihood(s.f, s.blocks, s.logP)
	for i, lp := range s.logP {
		s.t2[i] = math.Exp(cur.lnKa+lp) - s.kp[i] // κ(p(y) - p(u))
	}
	bound := value + math.Exp(cur.lnKa-cur.lnNu)*(ll-s.lbar) + 0.5*(s.b*s.b-n2+s.quadGram(s.t2))/nu
	return s.enclose(res, s.feasible(c, value, n2, ll), s.tighten(c, rho, bound), max(1, s.b*math.Sqrt(rho)))
}

// feasible returns the value of the feasible function nearest at hand to the f
// with the given value, squared norm and log-likelihood, whose differences are
// in s.f: f shrunk into the ball, then blended with the MLE, along which the
// concave likelihood rises at least linearly.
func (s *Solver) feasible(c []float64, value, n2, ll float64) float64 {
	if n2 > s.b*s.b {
		shrink := s.b / math.Sqrt(n2)
		value *= shrink
		for i, y := range s.f {
			s.t2[i] = shrink * y
		}
		ll = LogLik(s.t2, s.blocks)
	}
	if short := s.lbar - ll; short > 0 {
		theta := short / (short + s.beta)
		value = (1-theta)*value + theta*dot(c, s.mle.coef)
	}
	return value
}

// tighten returns the least of the bound and two that hold whatever the
// iterate: Cauchy-Schwarz, B‖h‖; and, since ℓ + μ(B² - ‖f‖²) is concave with
// modulus 2μ, μ = 1/2κ_MLE, every f of the set lies within sqrt(2κ(β + gap)) of
// the MLE. The latter decides when β is tiny.
func (s *Solver) tighten(c []float64, rho, bound float64) float64 {
	root := math.Sqrt(rho)
	if math.IsNaN(bound) {
		bound = math.Inf(1)
	}
	far := math.Sqrt(2*(s.beta+s.mle.Gap)) * math.Exp(0.5*s.mle.LogKappa)
	return min(bound, s.b*root, dot(c, s.mle.coef)+root*far)
}
