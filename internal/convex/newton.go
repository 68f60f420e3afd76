package convex

import "math"

const (
	goal       = 0.01 // gap at which a solve is over, of the tolerance: f errs by the order of its root
	mleGoal    = 1e-4 // the same of the MLE: its error is one of every level
	maxNewton  = 60   // Newton systems of one attempt; a cold start takes 4 to 15, a warm one 1 to 4
	maxMove    = 1.5  // largest change of u in a step, relative where |u| is large
	maxRise    = 4.0  // largest relative rise of ν in a step …
	maxFall    = 0.8  // … and fall of ν and κ
	maxLogRise = 2.5  // largest rise of log κ against log ν in a step …
	chordFall  = 0.1  // a factor serves again after a step that left no more than this of the gap
	growth     = 0.25 // … and of |log κ| more
)

// evaluation is what the constraints and the dual say of an iterate.
type evaluation struct {
	nu     float64
	ll     float64 // ℓ(u)
	logNeg float64 // log(-ℓ)
	value  float64 // ⟨f, h⟩
	norm2  float64 // ‖f‖²
	rest2  float64 // ‖Σ (κp_i - α_i) g_i‖², zero where the Lagrangian is stationary
}

// evaluate evaluates s.cur; it leaves the weights at u, z = νc, v = κGp and
// f = Gα - v. For the MLE c is nil.
func (s *Solver) evaluate(c []float64, rho float64) (e evaluation) {
	cur := &s.cur
	if c == nil {
		clear(s.z)
		copy(s.u, cur.g)
	} else {
		e.nu = math.Exp(cur.lnNu)
		for i, ci := range c {
			z := e.nu * ci
			s.z[i] = z
			s.u[i] = z + cur.g[i]
		}
		ca := dot(c, cur.alpha)
		e.value = e.nu*rho + ca
		e.norm2 = e.nu * (e.value + ca)
	}
	e.norm2 += dot(cur.alpha, cur.g)
	e.ll, e.logNeg = s.weigh(s.u, cur.lnKa)
	s.mulGram(s.v, s.kp)
	for i, v := range s.v {
		f := cur.g[i] - v
		s.f[i] = f
		e.rest2 -= (s.kp[i] - cur.alpha[i]) * f
	}
	e.rest2 = max(e.rest2, 0)
	return e
}

// newton solves the optimality system of the package comment from s.cur, the
// MLE's for c = nil, until the gap is a small part of the tolerance or stops
// falling. The MLE has to settle besides: on separable data its gap is small
// long before.
func (s *Solver) newton(c []float64, rho float64) (res Result) {
	last := math.Inf(1)
	for range maxNewton {
		e := s.evaluate(c, rho)
		scale := s.enclose(c, rho, e, &res)
		// What is left to do; f has to settle too where there is no h to say so.
		left, enough := res.Gap/scale, goal*s.tol
		if c == nil {
			b2 := s.b * s.b
			left, enough = max(left, math.Sqrt(e.rest2)/s.b, math.Abs(e.norm2/b2-1)), mleGoal*s.tol
		}
		if res.Status.OK() && (left <= enough || left <= 1e4*s.tol && left > 0.5*last) {
			return res
		}
		// In a basis a factor costs many times the rest of a step; there it serves
		// as long as steps with it pay.
		again := s.inBasis() && left < chordFall*last && !math.IsInf(last, 1)
		last = left
		if !(e.norm2 > 0) || !s.factor(true, again) {
			break
		}
		da, db := s.direction(c, rho, e)
		if math.IsNaN(da) || math.IsNaN(db) || math.IsInf(da, 0) || math.IsInf(db, 0) {
			break
		}
		s.advance(da, db)
	}
	return res
}

// direction returns the Newton steps da and db of log ν and log κ.
//
// With K = κW (I + GκW)⁻¹ = R M⁻¹ Rᵀ the step of f is d0 + da d1 + db d2,
//
//	d0 = Σ (κp - α + K f)_i g_i,  d1 = νh - Σ (K z)_i g_i,  d2 = Σ (κp - K v)_i g_i,
//
// all of whose inner products follow from y_x = L⁻¹Rᵀx and m_x = L⁻ᵀy_x, or with
// a basis from y_x = Rᵀx and m_x = M⁻¹y_x, see inner: xᵀKGKx' = xᵀKx' - m_x·m_x'. So the norm is the exact
// quadratic in da and db, which matters when the step is long, and only the
// likelihood is linear, in its logarithm.
func (s *Solver) direction(c []float64, rho float64, e evaluation) (da, db float64) {
	yv, yf, yz := s.row(0), s.row(1), s.row(2)
	copy(s.mv, yv)
	copy(s.mf, yf)
	copy(s.mz, yz)
	if !s.inBasis() {
		backSubstitute(s.chol, s.stride, s.mv, s.mf, s.mz)
	} else {
		s.low.solve(s.mv)
		s.low.solve(s.mf)
		if c != nil {
			s.low.solve(s.mz)
		}
	}
	kv, vv := dot(s.kp, s.v), s.inner(yv, yv, s.mv)
	kf, vf := dot(s.kp, s.f), s.inner(yv, yf, s.mf)
	ff := s.inner(yf, yf, s.mf)
	ku := dot(s.kp, s.u)

	// ⟨f, d·⟩ and ⟨d·, d·⟩; u = z + v + f.
	f0 := ku - dot(s.cur.alpha, s.u) + vf + ff
	f2 := ku - vv - vf
	d00 := e.rest2 - ff - dot(s.mf, s.mf)
	d02 := vf - kf + dot(s.mf, s.mv)
	d22 := kv - vv - dot(s.mv, s.mv)
	norm2 := e.norm2 - s.b*s.b + 2*f0 + d00
	if c == nil {
		return 0, largerRoot(d22, f2+d02, norm2)
	}
	zz, zv, zf := s.inner(yz, yz, s.mz), s.inner(yz, yv, s.mv), s.inner(yz, yf, s.mf)
	kz := dot(s.kp, s.z)
	hh := e.nu * e.nu * rho
	f1 := e.nu*e.value - zz - zv - zf
	f2 -= zv
	norm2 += 2 * zf
	d01 := kz - dot(s.cur.alpha, s.z) + zf + dot(s.mz, s.mf)
	d11 := hh - zz - dot(s.mz, s.mz)
	d12 := kz - zv - dot(s.mz, s.mv)

	// log(-ℓ) = log(-ℓ̄) is a line a1 da + a2 db = a0 …
	g := math.Exp(-s.cur.lnKa - e.logNeg)
	a1 := -g * (kz - zv)
	a2 := -g * (kv - vv)
	a0 := s.logNL - e.logNeg - g*(kf-vf)
	t := a0 / (a1*a1 + a2*a2)
	da, db = t*a1, t*a2
	// … that is followed to where it leaves the ball, in the sense in which
	// ⟨f, h⟩ rises.
	ua, ub := a2, -a1
	if ua*(hh-zz)+ub*(kz-zv) < 0 {
		ua, ub = -ua, -ub
	}
	f1, f2 = f1+d01, f2+d02
	t = largerRoot(
		d11*ua*ua+2*d12*ua*ub+d22*ub*ub,
		f1*ua+f2*ub+d11*ua*da+d12*(ua*db+ub*da)+d22*ub*db,
		norm2+2*(f1*da+f2*db)+d11*da*da+2*d12*da*db+d22*db*db)
	return da + t*ua, db + t*ub
}

// inner returns xᵀKx' from y_x, y_x' and m_x'.
func (s *Solver) inner(yx, y, m []float64) float64 {
	if s.inBasis() {
		return dot(yx, m)
	}
	return dot(yx, y)
}

// largerRoot returns the larger root t of at² + 2bt + c, a >= 0, or where it is
// least when it has none.
func largerRoot(a, b, c float64) float64 {
	disc := b*b - a*c
	switch {
	case !(disc > 0):
		return -b / a
	case b > 0:
		return -c / (b + math.Sqrt(disc))
	}
	return (math.Sqrt(disc) - b) / a
}

// advance moves s.cur along the Newton step for the steps da and db of log ν
// and log κ, damped where u moves far. A step that has to be damped while f is
// far from stationary for the present ν and κ only moves towards that: off this
// path the linear model of the likelihood is worthless.
func (s *Solver) advance(da, db float64) {
	cur := &s.cur
	t := 1.0
	if size := s.next(da, db); size > maxMove {
		if off := s.next(0, 0); off > 0.3*maxMove {
			size, da, db = off, 0, 0
		} else {
			s.next(da, db)
		}
		t = maxMove / max(size, maxMove)
	}
	// f is linear in ν, which must stay positive.
	t = min(t, maxRise/max(da, maxRise), maxFall/max(-da, maxFall))
	// κ is no part of f. Where it rises with ν the equations are linear in both;
	// where it rises alone, they are closer to linear in log κ.
	shared := min(max(da, 0), db)
	if most := maxLogRise + growth*math.Abs(cur.lnKa); t*(db-shared) > most {
		t = most / (db - shared)
	}
	if t == 1 {
		cur.alpha, s.nextAlpha = s.nextAlpha, cur.alpha
		cur.g, s.nextG = s.nextG, cur.g
	} else {
		for i, a := range s.nextAlpha {
			cur.alpha[i] += t * (a - cur.alpha[i])
			cur.g[i] += t * (s.nextG[i] - cur.g[i])
		}
	}
	cur.lnNu += math.Log1p(t * da)
	if db < 0 {
		// Its share of f is often so small that the equations are linear in κ.
		cur.lnKa += math.Log1p(max(t*db, -maxFall))
	} else {
		cur.lnKa += math.Log1p(t*shared) + t*(db-shared)/(1+t*shared)
	}
}

// next sets nextAlpha and nextG to α and Gα after the whole step and returns
// the size of its change of u, relative where |u| is large.
func (s *Solver) next(da, db float64) (size float64) {
	for i, m := range s.mf {
		s.tmp[i] = da*s.mz[i] + db*s.mv[i] - m
	}
	s.applyR(s.tmp, s.tmp)
	for i, k := range s.kp {
		s.nextAlpha[i] = k + k*db - s.tmp[i]
	}
	s.mulGram(s.nextG, s.nextAlpha)
	for i, u := range s.u {
		d := da*s.z[i] + s.nextG[i] - s.cur.g[i]
		size = max(size, math.Abs(d)/(1+0.5*math.Abs(u)))
	}
	return size
}
