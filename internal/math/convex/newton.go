package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// evaluate evaluates s.cur. It leaves the weights at u and, in x, z = νc, v = κGp and f = Gα - v. c is nil for
// the MLE.
func (s *Solver) evaluate(c []float64, rho float64) (e evaluation) {
	if s.reduced {
		return s.evaluateReduced(c, rho)
	}
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
	s.gram.mul(v, s.kp)
	for i, vi := range v {
		f[i] = cur.g[i] - vi
		e.rest2 -= float64((s.kp[i] - cur.alpha[i]) * f[i])
	}
	e.rest2 = max(e.rest2, 0)
	return e
}

// newton solves the optimality system of the package comment from s.cur (for the MLE if c = nil) until the
// gap is a small fraction of the tolerance or stagnates. For the MLE the residuals must be as small: on
// separable data its gap is small long before. With chord, the first steps use the factor of an earlier
// solve, if there is one, while they pay.
func (s *Solver) newton(c []float64, rho float64, chord bool) (res Result) {
	last, x, fall, otherFall := math.Inf(1), &s.x, chordFall, otherChordFall
	if s.reduced {
		x, fall, otherFall = nil, reducedChordFall, reducedChordFall
	}
	for range s.limits.newton {
		e := s.evaluate(c, rho)
		scale := s.enclose(c, rho, e, &res)
		left, target := res.Gap/scale, goal*s.tol
		if c == nil {
			b2 := s.b * s.b
			left, target = max(left, math.Sqrt(e.rest2)/s.b, math.Abs(e.norm2/b2-1)), mleGoal*s.tol
		}
		if res.Status.OK() && (left <= target || left <= nearGoal*s.tol && left > stagnation*last) {
			return res
		}
		if c != nil && res.Bound <= s.cutoff && !s.cancels(rho) {
			res.Status = Bounded
			return res
		}
		if !(e.norm2 > 0) {
			return res.orElse(LossOfPrecision)
		}
		pays := left < fall*last && !math.IsInf(last, 1)
		if chord {
			chord = math.IsInf(last, 1) || left < otherFall*last
			pays = pays || chord
		}
		last = left
		if !(pays && s.factor.reuse(x)) && !s.factorize(s.factor, x) {
			return res.orElse(LossOfPrecision)
		}
		da, db := s.direction(c, rho, e)
		if math.IsNaN(da) || math.IsNaN(db) || math.IsInf(da, 0) || math.IsInf(db, 0) {
			return res.orElse(LossOfPrecision)
		}
		s.advance(da, db)
	}
	return res.orElse(IterationLimit)
}

// factorize factors M for the weights left by weigh; see factor.
func (s *Solver) factorize(f factor, x *vectors) bool {
	s.work.Newton++
	if _, ok := f.(*denseFactor); ok {
		s.work.Dense++
	}
	return f.factor(&s.root, x)
}

// direction returns the Newton steps da and db of log ν and log κ.
//
// With K = κW (I + GκW)⁻¹ = R M⁻¹ Rᵀ the step of f is d0 + da d1 + db d2,
//
//	d0 = Σ (κp - α + K f)_i g_i,  d1 = νh - Σ (K z)_i g_i,  d2 = Σ (κp - K v)_i g_i.
//
// All their inner products follow from xᵀKx' and m_x = M⁻¹Rᵀx by xᵀKGKx' = xᵀKx' - m_x·m_x'. So the norm is
// the exact quadratic in da and db, which matters for long steps. Only the logarithm of the likelihood is
// linearised.
func (s *Solver) direction(c []float64, rho float64, e evaluation) (da, db float64) {
	if s.reduced {
		return s.directionReduced(c, rho, e)
	}
	k, m := s.factor, &s.factor.last().m
	mv, mf, mz := m[ofV], m[ofF], m[ofZ]
	v, f, z := s.x[ofV], s.x[ofF], s.x[ofZ]
	kv, vv := wide.Dot(s.kp, v), k.inner(ofV, ofV)
	kf, vf := wide.Dot(s.kp, f), k.inner(ofV, ofF)
	ff := k.inner(ofF, ofF)
	ku := wide.Dot(s.kp, s.u)

	// ⟨f, d·⟩ and ⟨d·, d·⟩; u = z + v + f.
	f0 := ku - wide.Dot(s.cur.alpha, s.u) + vf + ff
	f2 := ku - vv - vf
	d00 := e.rest2 - ff - wide.Dot(mf, mf)
	d02 := vf - kf + wide.Dot(mf, mv)
	d22 := kv - vv - wide.Dot(mv, mv)
	norm2 := e.norm2 - float64(s.b*s.b) + float64(2*f0) + d00
	if c == nil {
		return 0, largerRoot(d22, f2+d02, norm2)
	}
	zz, zv, zf := k.inner(ofZ, ofZ), k.inner(ofZ, ofV), k.inner(ofZ, ofF)
	kz := wide.Dot(s.kp, z)
	hh := float64(e.nu * e.nu * rho)
	f1 := float64(e.nu*e.value) - zz - zv - zf
	f2 -= zv
	norm2 += float64(2 * zf)
	d01 := kz - wide.Dot(s.cur.alpha, z) + zf + wide.Dot(mz, mf)
	d11 := hh - zz - wide.Dot(mz, mz)
	d12 := kz - zv - wide.Dot(mz, mv)

	// log(-ℓ) = log(-ℓ̄) is a line a1 da + a2 db = a0 …
	g := fmath.Exp(-s.cur.lnKa - e.logNeg)
	a1 := -g * (kz - zv)
	a2 := -g * (kv - vv)
	a0 := s.logNL - e.logNeg - float64(g*(kf-vf))
	t := a0 / (float64(a1*a1) + float64(a2*a2))
	da, db = float64(t*a1), float64(t*a2)
	// … that is followed to the boundary of the ball, in the direction in which ⟨f, h⟩ rises.
	ua, ub := a2, -a1
	if float64(ua*(hh-zz))+float64(ub*(kz-zv)) < 0 {
		ua, ub = -ua, -ub
	}
	f1, f2 = f1+d01, f2+d02
	t = largerRoot(
		float64(d11*ua*ua)+float64(2*d12*ua*ub)+float64(d22*ub*ub),
		float64(f1*ua)+float64(f2*ub)+float64(d11*ua*da)+float64(d12*(float64(ua*db)+float64(ub*da)))+float64(d22*ub*db),
		norm2+float64(2*(float64(f1*da)+float64(f2*db)))+float64(d11*da*da)+float64(2*d12*da*db)+float64(d22*db*db))
	return da + float64(t*ua), db + float64(t*ub)
}

// advance moves s.cur along the Newton step for the steps da and db of log ν and log κ. It damps the step if u
// moves far. If a step must be damped while f is far from stationary for the present ν and κ, it moves only
// towards stationarity: off this path the linear model of the likelihood is worthless.
func (s *Solver) advance(da, db float64) bool {
	cur := &s.cur
	t := 1.0
	if size := s.trial(da, db); size > maxMove {
		if off := s.trial(0, 0); off > offPath*maxMove {
			size, da, db = off, 0, 0
		} else {
			s.trial(da, db)
		}
		t = maxMove / max(size, maxMove)
	}
	// f is linear in ν, which must stay positive.
	t = min(t, maxRise/max(da, maxRise), maxFall/max(-da, maxFall))
	// κ is not part of the iterate f. While κ rises with ν, the equations are linear in both. Where it rises alone,
	// they are closer to linear in log κ.
	shared := min(max(da, 0), db)
	if most := maxLogRise + float64(growth*math.Abs(cur.lnKa)); t*(db-shared) > most {
		t = most / (db - shared)
	}
	if t == 1 {
		cur.alpha, s.next.alpha = s.next.alpha, cur.alpha
		cur.g, s.next.g = s.next.g, cur.g
	} else {
		for i, a := range s.next.alpha {
			cur.alpha[i] += float64(t * (a - cur.alpha[i]))
		}
		for i, g := range s.next.g {
			cur.g[i] += float64(t * (g - cur.g[i]))
		}
	}
	cur.lnNu += fmath.Log1p(t * da)
	if db < 0 {
		// κ's share of f is often so small that the equations are linear in κ.
		cur.lnKa += fmath.Log1p(max(t*db, -maxFall))
	} else {
		cur.lnKa += fmath.Log1p(t*shared) + t*(db-shared)/(1+float64(t*shared))
	}
	return t == 1
}

// trial sets s.next to α and Gα after the whole step. It returns the size of the change of u, relative where
// |u| is large.
func (s *Solver) trial(da, db float64) (size float64) {
	if s.reduced {
		return s.trialReduced(da, db)
	}
	last := s.factor.last()
	mv, mz, z := last.m[ofV], last.m[ofZ], s.x[ofZ]
	for i, m := range last.m[ofF] {
		s.tmp[i] = float64(da*mz[i]) + float64(db*mv[i]) - m
	}
	last.applyR(s.tmp, s.tmp)
	for i, k := range s.kp {
		s.next.alpha[i] = k + float64(k*db) - s.tmp[i]
	}
	s.gram.mul(s.next.g, s.next.alpha)
	for i, u := range s.u {
		d := float64(da*z[i]) + s.next.g[i] - s.cur.g[i]
		size = max(size, math.Abs(d)/(1+float64(relativeU*math.Abs(u))))
	}
	return size
}
