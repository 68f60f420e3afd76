package confset

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// barrier is the logarithmic barrier method (Boyd and Vandenberghe, "Convex Optimization", Sec. 11.3),
// the fallback of Newton's method. It works in the coordinates of a span. There nothing cancels when the
// multiplier of the norm vanishes, as it does when repeated comparisons contradict each other or h lies
// in the span of the g. From inside both constraints it maximises
//
//	a·w + τ log(B² - |w|²) + τ log(ℓ(Cw) - ℓ̄)
//
// by Newton's method with a line search, for ever smaller τ. For the MLE the objective is ℓ instead of
// a·w, and there is no second constraint. All values are differences from the values at the MLE (for the
// MLE itself, at zero), so that a tiny β causes no cancellation. It is rarely needed, and allocates.
type barrier struct {
	*span
	s        *Solver
	linear   bool      // the objective is a·w, not ℓ
	from     []float64 // the MLE
	slack    float64   // B² - |from|²
	beta     float64   // ℓ(from) - ℓ̄
	u, p     []float64 // u and ∇ℓ at the MLE, length n
	w        []float64 // the iterate minus the MLE
	gradient []float64 // Cᵀp at the iterate
	rise     []float64 // gradient of the barrier function
	step     []float64 // Newton step
	next     []float64
	weighted []float64 // RᵀC, n×r
	hessian  []float64 // r×r; overwritten by its factor
}

// barrierValues are the values of the problem's functions at an iterate. value, gain and fun are
// differences from the values at the MLE.
type barrierValues struct {
	value  float64 // the objective: a·w, or ℓ for the MLE
	gain   float64 // ℓ
	s1, s2 float64 // slack of the norm and of the likelihood; for the MLE s2 is 1
	fun    float64 // the barrier function
}

func (s *Solver) newBarrier(h []float64, rho float64) *barrier {
	p := &barrier{span: s.frame.span(h, rho), s: s, linear: h != nil}
	for _, v := range []*[]float64{&p.from, &p.w, &p.gradient, &p.rise, &p.step, &p.next} {
		*v = make([]float64, p.r)
	}
	p.u, p.p = make([]float64, p.n), make([]float64, p.n)
	p.weighted, p.hessian = make([]float64, p.n*p.r), make([]float64, p.r*p.r)
	return p
}

// setOrigin shrinks from into the ball and makes it the origin.
func (p *barrier) setOrigin() {
	s := p.s
	norm := math.Sqrt(wide.Dot(p.from, p.from))
	if norm > s.b {
		for i := range p.from {
			p.from[i] *= s.b / norm
		}
		norm = s.b
	}
	p.slack = (s.b - norm) * (s.b + norm)
	linalg.Mul(p.u, 1, p.c, p.r, p.from)
	ll, _ := s.weigh(p.u, 0)
	copy(p.p, s.kp)
	p.beta = ll - s.lbar
}

// evaluate evaluates at w. It leaves u, the weights W and kp = p.
func (p *barrier) evaluate(w []float64, tau float64) (at barrierValues) {
	s := p.s
	linalg.Mul(s.x[ofZ], 1, p.c, p.r, w)
	at.gain = gain(p.u, s.x[ofZ], p.p, s.blocks)
	for i, u := range p.u {
		s.u[i] = u + s.x[ofZ][i]
	}
	s.weigh(s.u, 0)
	at.s1 = p.slack - float64(2*wide.Dot(p.from, w)) - wide.Dot(w, w)
	at.value, at.s2 = at.gain, 1
	if p.linear {
		at.value, at.s2 = wide.Dot(p.a, w), p.beta+at.gain
	}
	// Outside, a logarithm is NaN, which fails every comparison.
	at.fun = float64(tau*fmath.Log(at.s1)) + (at.value + float64(tau*fmath.Log(at.s2)))
	return at
}

// newton sets rise and step to the gradient and the Newton step of the barrier function, after
// evaluate of w. It returns false if no Hessian could be factored.
func (p *barrier) newton(at barrierValues, tau float64) bool {
	s, r := p.s, p.r
	s.root.applyRtRows(p.weighted, p.c, r, p.next)
	mu, lambda := tau/at.s1, 1.0
	if p.linear {
		lambda = tau / at.s2
	}
	for i, w := range p.w {
		w += p.from[i]
		p.next[i] = w
		p.rise[i] = float64(lambda*p.gradient[i]) - float64(2*mu*w) + p.a[i]
	}
	// Near the end the terms of the Hessian differ so much in size that it can look indefinite. Then a
	// small multiple of the identity is added.
	var jitter float64
	for range ridgeTries {
		s.work.Newton++
		w := wide.Matrix{Data: p.weighted, Stride: r}
		clear(p.hessian)
		linalg.AddUpper(wide.Matrix{Data: p.hessian, Stride: r}, false, w, w, r, p.n)
		wide.Scale(p.hessian, lambda)
		var trace float64
		for i := range r {
			row := p.hessian[i*r+i : (i+1)*r]
			wide.AddScaled(row, 4*mu/at.s1*p.next[i], p.next[i:])
			if p.linear {
				wide.AddScaled(row, lambda/at.s2*p.gradient[i], p.gradient[i:])
			}
			p.hessian[i*r+i] += float64(2*mu) + jitter
			trace += p.hessian[i*r+i]
		}
		if wide.Cholesky(p.hessian, r, r, 0, 0) {
			copy(p.step, p.rise)
			solveTriangular(p.hessian, r, p.step)
			return true
		}
		jitter = max(ridgeStart*trace, ridgeGrowth*jitter)
	}
	return false
}

// run runs the method from w, strictly inside, and leaves the last iterate in w. It tightens the
// bounds in res. origin is the objective at the MLE.
func (p *barrier) run(origin, scale float64, res *Result) {
	s := p.s
	target := goal * s.tol * scale
	if !p.linear {
		target = mleGoal * s.tol * scale
	}
	for tau, systems := scale, 0; systems < s.limits.barrier; systems++ {
		at := p.evaluate(p.w, tau)
		linalg.MulT(p.gradient, 1, p.c, p.r, s.kp)
		p.enclose(at, origin, scale, res)
		if !(at.s1 > 0 && at.s2 > 0) {
			*res = res.orElse(Infeasible)
			return
		}
		if res.Gap <= target {
			return
		}
		if tau < leastTau*scale || !p.newton(at, tau) {
			*res = res.orElse(LossOfPrecision)
			return
		}
		rise := wide.Dot(p.rise, p.step) // squared Newton decrement
		var noise float64                // of fun; it must not reject a step whose rise it hides
		if hidden := hiddenRise * (1 + math.Abs(at.fun)); rise < hidden {
			noise = hiddenLoss * hidden
		}
		moved := false
		for t := 1.0; t > leastStep && !moved; t *= 0.5 {
			for i, d := range p.step {
				p.next[i] = p.w[i] + float64(t*d)
			}
			moved = p.evaluate(p.next, tau).fun >= at.fun+float64(armijo*t*rise)-noise
		}
		if moved {
			copy(p.w, p.next)
		}
		if !moved || noise > 0 || rise < centred*tau {
			tau *= tauFall
		}
	}
	*res = res.orElse(IterationLimit)
}

// enclose tightens res by the value at w and by the bound from the tangent of ℓ there.
func (p *barrier) enclose(at barrierValues, origin, scale float64, res *Result) {
	if !(at.s1 >= 0 && at.s2 >= 0) {
		return
	}
	s, value := p.s, max(res.Value, origin+at.value)
	slope := math.Sqrt(wide.Dot(p.gradient, p.gradient))
	gw := wide.Dot(p.gradient, p.from) + wide.Dot(p.gradient, p.w)
	if !p.linear {
		res.enclose(value, min(res.Bound, origin+at.value+float64(s.b*slope)-gw), s.tol*scale, scale)
		res.LogKappa = fmath.Log(s.b / slope)
	} else {
		var along, across float64
		if slope > 0 {
			along = wide.Dot(p.a, p.gradient) / slope
		}
		for i, a := range p.a {
			if along != 0 {
				a -= along * p.gradient[i] / slope
			}
			across += float64(a * a)
		}
		least := (gw - at.s2 - s.noise) / slope
		s.gradient()
		s.setCut(slope, least)
		bound, mu, lambda := s.tangentBound(along, math.Sqrt(across), least, slope)
		if bound < res.Bound {
			res.LogKappa = fmath.Log(lambda) - fmath.Log(2*mu)
		}
		res.enclose(value, min(res.Bound, bound), float64(s.tol*scale)+s.noiseEffect(scale, lambda), scale)
	}
	if res.Status.OK() {
		res.Status = Recovered
	}
}

func (s *Solver) recoverMLE() (res Result) {
	m := &s.mle
	p := s.newBarrier(nil, 0)
	res = Result{Value: s.ll0, LogKappa: math.Inf(1)}
	m.curvature = math.Inf(1)
	if p.r == 0 { // every g is zero, so every f is an MLE
		clear(m.coef)
		clear(m.u)
		m.kappa, m.rest, m.slack, s.noise = math.Inf(1), 0, s.b*s.b, 0
		res.Bound, res.Status = s.ll0, Converged
		return res
	}
	p.setOrigin()
	p.run(s.ll0, max(1, -s.ll0), &res)
	m.slack = p.evaluate(p.w, 0).s1
	copy(m.u, s.u)
	m.kappa = fmath.Exp(res.LogKappa)
	var rest2 float64
	for i, w := range p.w {
		d := float64(m.kappa*p.gradient[i]) - w
		rest2 += float64(d * d)
	}
	m.rest = math.Sqrt(rest2)
	s.noise = llNoise * -res.Value
	s.frame.fromSpan(m.coef, p.span, p.w)
	return res
}

func (s *Solver) recoverMax(h []float64, rho float64) (res Result) {
	p := s.newBarrier(h, rho)
	s.frame.toSpan(p.from, p.span, s.mle.coef)
	p.setOrigin()
	// If the MLE in these coordinates differs from it by more than β allows, no start is inside.
	if math.Abs(p.beta-s.beta) < 2*s.noise {
		p.beta = s.beta
	}
	// Start on the ray from the MLE to zero, inside the level set and the ball.
	for t := 1.0; t > leastBack; t *= 0.5 {
		for i, w := range p.from {
			p.w[i] = -t * w
		}
		if p.evaluate(p.w, 0).gain > -backShare*p.beta {
			break
		}
	}
	// The MLE itself is feasible.
	res = Result{Value: s.mleValue, Bound: s.tighten(rho, math.Inf(1)), LogKappa: s.mle.LogKappa}
	res.Gap = res.Bound - res.Value
	p.run(wide.Dot(p.a, p.from), s.scale(rho), &res)
	for i, w := range p.from {
		p.w[i] += w
	}
	s.bestNu = s.frame.fromSpan(s.best.alpha, p.span, p.w)
	return res
}

// row returns the coordinates of g_i, or of h if i = n.
func (s *span) row(i int) []float64 {
	if i == s.n {
		return s.a
	}
	return s.c[i*s.r : (i+1)*s.r]
}

// expand sets coef and nu so that w is Σ coef_i g_i + nu h. It overwrites w.
func (s *span) expand(coef, w []float64) (nu float64) {
	clear(coef)
	for j := s.r - 1; j >= 0; j-- {
		row := s.row(s.pivot[j])
		v := w[j] / row[j]
		for k := range j {
			w[k] -= float64(v * row[k])
		}
		if s.pivot[j] == s.n {
			nu = v
		} else {
			coef[s.pivot[j]] = v
		}
	}
	return nu
}
