package confset

import (
	"math"

	"popbench/internal/math/fmath"
)

// newton solves the optimality system of the package comment from s.cur (for the MLE if h = nil) until the
// gap is a small fraction of the tolerance or stagnates. For the MLE the residuals must be as small: on
// separable data its gap is small long before. With chord, the first steps use the factor of an earlier
// solve, if there is one, while they pay.
func (s *Solver) newton(h []float64, rho float64, chord bool) (res Result) {
	last := math.Inf(1)
	x, fall, otherFall := s.frame.chord()
	for range s.limits.newton {
		e := s.frame.evaluate(h, rho)
		scale := s.enclose(h, rho, e, &res)
		left, target := res.Gap/scale, goal*s.tol
		if h == nil {
			b2 := s.b * s.b
			left, target = max(left, math.Sqrt(e.rest2)/s.b, math.Abs(e.norm2/b2-1)), mleGoal*s.tol
		}
		if res.Status.OK() && (left <= target || left <= nearGoal*s.tol && left > stagnation*last) {
			return res
		}
		if h != nil && res.Bound <= s.cutoff && !s.cancels(rho) {
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
		da, db := s.direction(h, rho, e)
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

// direction returns the Newton steps da and db of log ν and log κ, so that the step of f is d0 + da d1 + db d2. The norm is
// the exact quadratic in da and db, which matters for long steps. Only the logarithm of the likelihood is linearised.
func (s *Solver) direction(h []float64, rho float64, e evaluation) (da, db float64) {
	d := s.frame.products(h, rho, e)
	if h == nil {
		return 0, largerRoot(d.d22, d.f2, d.excess)
	}
	// log(-ℓ) = log(-ℓ̄) is a line a1 da + a2 db = a0 …
	g := fmath.Exp(-s.cur.lnKa - e.logNeg)
	a1, a2 := -g*d.p1, -g*d.p2
	a0 := s.logNL - e.logNeg + float64(g*d.p0)
	t := a0 / (float64(a1*a1) + float64(a2*a2))
	da, db = float64(t*a1), float64(t*a2)
	// … that is followed to the boundary of the ball, in the direction in which ⟨f, h⟩ rises.
	ua, ub := a2, -a1
	if float64(ua*d.h1)+float64(ub*d.p1) < 0 {
		ua, ub = -ua, -ub
	}
	t = largerRoot(
		float64(d.d11*ua*ua)+float64(2*d.d12*ua*ub)+float64(d.d22*ub*ub),
		float64(d.f1*ua)+float64(d.f2*ub)+float64(d.d11*ua*da)+float64(d.d12*(float64(ua*db)+float64(ub*da)))+float64(d.d22*ub*db),
		d.excess+float64(2*(float64(d.f1*da)+float64(d.f2*db)))+float64(d.d11*da*da)+float64(2*d.d12*da*db)+float64(d.d22*db*db))
	return da + float64(t*ua), db + float64(t*ub)
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

// advance moves s.cur along the Newton step for the steps da and db of log ν and log κ. It damps the step if u
// moves far. If a step must be damped while f is far from stationary for the present ν and κ, it moves only
// towards stationarity: off this path the linear model of the likelihood is worthless.
func (s *Solver) advance(da, db float64) bool {
	cur := &s.cur
	t := 1.0
	if size := s.frame.trial(da, db); size > maxMove {
		if off := s.frame.trial(0, 0); off > offPath*maxMove {
			size, da, db = off, 0, 0
		} else {
			s.frame.trial(da, db)
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
