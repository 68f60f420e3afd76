package arms

import (
	"math"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Ball minimises the logistic loss over the ball ‖f‖ <= B of the RKHS, POP-BO's estimate, and finds the range of differences
// over the confidence set around it. Where the ball does not bind, f is the minimiser of least norm.
//
// # Method
//
// An interior-point method in the coordinates of the span of the compared differences, with one more coordinate for the part
// of another difference outside of the span. A step costs a few K³ operations at most, however many answers there are.
//
// # Certificates
//
// The loss is convex, so its tangents bound it from below. For the estimate, with the tangent at f and r = Dᵀ(σ(h) - y),
//
//	minimum >= loss - rᵀf - B √(rᵀGr)
//
// The confidence set lies in the halfspace where such a tangent is at most the level. The maximum of a difference over ball
// and halfspace has a closed form, and bounds the maximum over the set from above. A feasible f bounds it from below.
type Ball struct {
	duels *Duels
	norm  float64
	span  span
	in    interior
	Work  confset.Work // so far: the solves of Largest, two for WidthAt, and all Newton systems

	mle       []float64 // coordinates of the estimate
	f         []float64
	weights   []float64
	loss, gap float64 // of the estimate, …
	lambda    float64 // … and its multiplier

	// The confidence set: the loss is at most high. A function whose loss is at most low is in it, whatever the error of the
	// estimate. Solves begin at the start, strictly inside.
	high, low float64
	beta      float64 // as SetLevel counts it
	start     start

	cut   cut       // of the last solve
	along []float64 // workspace
}

const (
	// ballInside is the distance to the sphere, relative to its radius, from which on the ball does not bind.
	ballInside = 1e-6
	fitTol     = 1e-9    // largest gap of an estimate, relative to max(1, loss) …
	fitGoal    = 1e-15   // … and where it ends, if it can
	lossNoise  = 0x1p-48 // rounding error of a loss, relative to max(1, loss): about sixteen operations
	leastBeta  = 1e-10   // the least β that is not lost in it, in the same units
	widthTol   = 1e-9    // largest gap of an end, relative to max(1, B‖h‖) …
	widthGoal  = 1e-11   // … and where a solve ends
	inside     = 0.9     // the start is this multiple of the estimate, or …
	leastSpare = 0.4     // … a larger one that has between this share of β to spare …
	mostSpare  = 0.6     // … and this
	startTau   = 0.25    // relative to ‖h‖ reach

	tangentNoise = 0x1p-40 // rounding error of a loss that was updated with each answer, relative to max(1, loss)
	acrossNoise  = 0x1p-48 // rounding error of the squared part of a difference across a gradient, relative to ‖h‖²
)

// NewBall returns the estimator with the ball of radius norm > 0.
func NewBall(d *Duels, norm float64) *Ball {
	checkPositive("radius of the ball", norm)
	b := &Ball{duels: d, norm: norm, span: newSpan(d.arms), f: make([]float64, d.arms.k), weights: make([]float64, d.arms.k)}
	b.in = newInterior(d, &b.span)
	b.in.radius = norm
	b.start = newStart(d.arms.k)
	return b
}

// Fit implements [Estimator].
func (b *Ball) Fit() Estimate {
	b.span.extend(b.duels)
	in := &b.in
	in.resize(b.span.rank)
	clear(in.a)
	clear(in.now.z)
	in.own, in.level, in.reach, in.lambda, in.last, in.first = 1, math.Inf(1), b.norm, 0, 0, nil
	in.evaluate(&in.now)
	in.mu = norm(in.now.g) / b.norm
	self := float64(float64(b.duels.self) * math.Ln2)
	e := Estimate{F: b.f, Weights: b.weights, Gap: math.Inf(1), Error: math.Inf(1)}
	for more := true; more; {
		gap := max(0, float64(b.norm*norm(in.now.g))+wide.Dot(in.now.g, in.now.z))
		if gap < e.Gap {
			e.Gap, e.Objective, e.Lambda = gap, in.now.loss, in.mu
			b.mle = append(b.mle[:0], in.now.z...)
		}
		more = gap > fitGoal*max(1, in.now.loss-self) && e.Iterations < maxInterior
		if more {
			e.Iterations++
			more = in.advance()
		}
	}
	b.Work.Newton += e.Iterations
	e.Status = confset.LossOfPrecision
	if e.Gap <= fitTol*max(1, e.Objective) {
		e.Status = confset.Converged
	} else if e.Iterations == maxInterior {
		e.Status = confset.IterationLimit
	}
	linalg.Mul(b.f, 1, b.span.b.Data, b.span.b.Stride, b.mle)
	linalg.MulT(b.weights, 1, b.span.weights.Data, b.span.weights.Stride, b.mle)
	if e.Norm = norm(b.mle); e.Norm < (1-ballInside)*b.norm {
		e.Lambda = 0
	}
	b.loss, b.gap, b.lambda = e.Objective, e.Gap, e.Lambda
	return e
}

// SetNorm changes the radius of the ball, for the next Fit.
func (b *Ball) SetNorm(norm float64) {
	checkPositive("radius of the ball", norm)
	b.norm, b.in.radius = norm, norm
}

// SetLevel sets the confidence set {‖f‖ <= B, Σ loss <= Σ loss of the last Fit + beta} for Largest and WidthAt. A
// beta below 1e-10 of the loss counts as 1e-10 of the loss.
func (b *Ball) SetLevel(beta float64) {
	scale := max(1, b.loss)
	beta = max(beta, float64(leastBeta*scale)+b.gap)
	b.beta = beta
	b.high, b.low = b.loss+beta+float64(lossNoise*scale), b.loss+beta-b.gap
	in := &b.in
	in.resize(b.span.rank)
	in.level = b.low
	// φ falls along the ray from 0 to the estimate.
	share := inside
	// If the gap is most of β, no multiple has that much to spare, and the loop ends next to the estimate.
	for lo, hi := 0.0, 1.0; lo < share && share < hi; share = (lo + hi) / 2 {
		copy(in.now.z, b.mle)
		wide.Scale(in.now.z, share)
		in.evaluate(&in.now)
		if spare := in.now.slack / beta; spare < leastSpare {
			lo = share
		} else if spare > mostSpare && share > inside {
			hi = share
		} else {
			break
		}
	}
	b.start.set(&in.now)
	// φ + ½μ|z|² is strongly convex with modulus μ, and minimal at the estimate.
	in.reach = b.norm
	if b.lambda > 0 {
		in.reach = min(b.norm, math.Sqrt(2*beta/b.lambda))
	}
}

// Width says what a confidence set knows about a difference f_i - f_j: its largest value is in [MaxValue, MaxBound], its
// smallest in [MinBound, MinValue].
type Width struct {
	Status                                 confset.Status
	MaxValue, MaxBound, MinValue, MinBound float64
}

// Least and Most enclose ω = max - min.
func (w Width) Least() float64 { return w.MaxValue - w.MinValue }

// Most is the upper end; see Least.
func (w Width) Most() float64 { return w.MaxBound - w.MinBound }

// Function is Σ_i Weights_i k(x_i, ·) + Own h, for a difference h = k(x, ·) - k(y, ·) and the K arms x_i.
type Function struct {
	Weights []float64 // length K
	Own     float64
}

// WidthAt returns the range of f(x) - f(y) for any two points, over the set of SetLevel. h, of length K, has the covariances
// of the difference with the arms, and variance is the variance of the difference. top and bottom become the functions that
// attain MaxValue and MinValue.
func (b *Ball) WidthAt(h []float64, variance float64, top, bottom *Function) Width {
	up, down := b.endAt(h, variance, 1, top), b.endAt(h, variance, -1, bottom)
	status := up.Status
	if status == confset.Converged {
		status = down.Status
	}
	b.Work.Solves += 2
	if status != confset.Converged {
		b.Work.Failures++
	}
	return Width{status, up.Value, up.Bound, -down.Value, -down.Bound}
}

// endAt maximises sign h over the confidence set.
func (b *Ball) endAt(h []float64, variance, sign float64, at *Function) End {
	a := b.direction()
	linalg.Mul(a, sign, b.span.weights.Data, b.span.weights.Stride, h)
	outside := math.Sqrt(max(0, variance-wide.Dot(a, a)))
	var e Solve
	b.maximize(&e, outside, math.Inf(-1))
	// f = Σ w_r b_r + across (sign h - Σ a_r b_r) / outside, with the basis functions b_r.
	w := append(b.cut.w[:0:0], b.cut.w...)
	at.Own = 0
	if outside > 0 {
		share := b.cut.across / outside
		at.Own = share * sign
		wide.AddScaled(w, -share, b.direction())
	}
	at.Weights = linalg.Resize(at.Weights, len(h))
	linalg.MulT(at.Weights, 1, b.span.weights.Data, b.span.weights.Stride, w)
	return e.End
}

// End says that the largest value of a difference over the confidence set is in [Value, Bound].
type End struct {
	Status       confset.Status
	Value, Bound float64
}

// cut is the tangent of the loss where the solve for a difference ended. There f has the coordinates w in the span, and
// the coordinate across for the part of the difference outside of it.
type cut struct {
	w, g    []float64 // length rank; g is the gradient of the loss
	loss    float64
	across  float64
	outside float64 // norm of the part of the difference outside of the span
}

// Solve is a maximisation of a difference over the set of SetLevel that may go on.
type Solve struct {
	End

	z                       []float64
	lambda, mu, last, reach float64
	steps                   int // so far
}

// Largest maximises f_i - f_j over the set of SetLevel. It ends early once the bound is at most cutoff.
func (b *Ball) Largest(i, j int, cutoff float64) End {
	var s Solve
	b.Improve(&s, i, j, cutoff)
	return s.End
}

// Improve is Largest, and goes on where the solve that it is given ended, by a step at least. The zero value begins one. The
// first step of all solves has one Newton system, which no solve counts, so it takes K² operations. Improve reports whether
// the solve has ended: its bound cannot get lower.
func (b *Ball) Improve(s *Solve, i, j int, cutoff float64) bool {
	if s.steps == 0 {
		b.Work.Solves++
	}
	ended := b.maximize(s, b.span.direction(b.direction(), i, j), cutoff)
	if ended && s.Status != confset.Converged {
		b.Work.Failures++
	}
	return ended
}

// BallBound returns the largest f_i - f_j over the ball alone.
func (b *Ball) BallBound(i, j int) float64 {
	a, outside := b.difference(i, j)
	return b.norm * math.Sqrt(wide.Dot(a, a)+float64(outside*outside))
}

// TangentBound bounds f_i - f_j over the set of SetLevel from above, by the tangent where the last solve ended.
func (b *Ball) TangentBound(i, j int) float64 {
	a, outside := b.difference(i, j)
	return b.cut.bound(b, a, outside)
}

// difference returns the coordinates of f_i - f_j in the span, until the next call, and the norm of its part outside.
func (b *Ball) difference(i, j int) (a []float64, outside float64) {
	b.along = linalg.Resize(b.along, b.span.rank)
	return b.along, b.span.direction(b.along, i, j)
}

// direction returns room for the coordinates of a difference in the span.
func (b *Ball) direction() []float64 {
	b.in.resize(b.span.rank + 1)
	return b.in.a[:b.span.rank]
}

// maximize is Improve for the difference that direction has. outside is the norm of its part outside of the span.
func (b *Ball) maximize(s *Solve, outside, cutoff float64) (ended bool) {
	in, rank := &b.in, b.span.rank
	in.own, in.level = 0, b.low
	in.a[rank] = outside
	if outside == 0 {
		in.resize(rank)
	}
	scale := max(1, b.norm*norm(in.a))
	if s.steps > 0 {
		copy(in.now.z, s.z)
		in.evaluate(&in.now)
		in.lambda, in.mu, in.last, in.reach, in.first = s.lambda, s.mu, s.last, s.reach, nil
	} else if !b.begin(s) {
		b.keep()
		return true
	}
	s.Status, ended = confset.LossOfPrecision, true
	boundary := false // whether the bound is that of next
	for before := s.steps; ; {
		b.enclose(s, &in.now)
		if s.Bound-s.Value <= widthGoal*scale {
			break
		}
		if s.Bound <= cutoff && s.steps > before {
			ended = false
			break
		}
		if s.steps == maxInterior {
			s.Status = confset.IterationLimit
			break
		}
		s.steps++
		if in.first == nil {
			b.Work.Newton++
		}
		if !in.advance() {
			break
		}
		if s.steps == 1 && in.toBoundary(&b.start.point) {
			if b.enclose(s, &in.next); s.Bound <= cutoff {
				ended, boundary = false, true
				break
			}
			in.evaluate(&in.now)
		}
	}
	s.Bound = max(s.Bound, s.Value)
	if s.Bound-s.Value <= widthTol*scale {
		s.Status = confset.Converged
	}
	s.z = append(s.z[:0], in.now.z...)
	s.lambda, s.mu, s.last, s.reach = in.lambda, in.mu, in.last, in.reach
	if boundary {
		in.now, in.next = in.next, in.now
	}
	b.keep()
	return ended
}

// begin moves to the start of a solve. It returns false if the maximum over the ball alone is in the set.
func (b *Ball) begin(s *Solve) bool {
	in := &b.in
	size := norm(in.a)
	if size == 0 {
		copy(in.now.z, b.mle)
		in.evaluate(&in.now)
		s.End = End{Status: confset.Converged}
		return false
	}
	copy(in.now.z, in.a)
	wide.Scale(in.now.z, b.norm/size)
	in.evaluate(&in.now)
	s.End = End{confset.Converged, b.norm * size, b.norm * size}
	if in.now.slack >= 0 {
		return false
	}
	s.Value = math.Inf(-1)
	free := b.lambda == 0 // the ball says little about the size of the set
	if n := len(in.a); !b.start.factored {
		b.start.factor(in, b.beta, free)
		in.resize(n)
	}
	b.start.enter(in)
	if free {
		in.reach = b.start.extent(in, b.beta)
	}
	tau := startTau * size * in.reach
	in.lambda, in.mu, in.last = tau/in.now.slack, tau/in.now.inner, 0
	return true
}

// enclose narrows the enclosure of a maximum by a point.
func (b *Ball) enclose(s *Solve, p *interiorPoint) {
	a := b.in.a
	if p.slack >= 0 && p.inner >= 0 {
		s.Value = max(s.Value, wide.Dot(a, p.z))
	}
	s.Bound = min(s.Bound, tangentBound(a, p.g, wide.Dot(p.g, p.z)+b.high-p.loss, b.norm))
}

func (b *Ball) keep() {
	now, rank := &b.in.now, b.span.rank
	b.cut.w, b.cut.g = append(b.cut.w[:0], now.z[:rank]...), append(b.cut.g[:0], now.g[:rank]...)
	b.cut.loss, b.cut.across, b.cut.outside = now.loss, 0, 0
	if len(now.z) > rank {
		b.cut.across, b.cut.outside = now.z[rank], b.in.a[rank]
	}
}

// bound bounds a difference from above over the confidence set, in the ball and in the halfspace of the tangent. The
// difference has the coordinates a in the span, and a part of norm outside outside of it.
func (c *cut) bound(b *Ball, a []float64, outside float64) float64 {
	size2 := wide.Dot(a, a) + float64(outside*outside)
	slope := norm(c.g)
	if !(slope > 0) {
		return b.norm * math.Sqrt(size2)
	}
	along := wide.Dot(a, c.g) / slope
	most := (wide.Dot(c.g, c.w) + (b.high - c.loss + float64(tangentNoise*max(1, c.loss)))) / slope
	across2 := max(0, size2-float64(along*along)) + float64(acrossNoise*size2)
	return capBound(along, across2, most, b.norm)
}

// tangentBound returns the maximum of a·z over |z| <= radius and g·z <= most.
func tangentBound(a, g []float64, most, radius float64) float64 {
	slope := norm(g)
	if !(slope > 0) {
		return radius * norm(a)
	}
	along := wide.Dot(a, g) / slope
	var across2 float64
	for i, v := range a {
		v -= float64(along / slope * g[i])
		across2 += float64(v * v)
	}
	return capBound(along, across2, most/slope, radius)
}

// capBound is tangentBound for a with the components along g and across it, squared, and for g of length 1.
func capBound(along, across2, most, radius float64) float64 {
	if size := math.Sqrt(float64(along*along) + across2); radius*along <= most*size {
		return radius * size
	}
	return float64(most*along) + math.Sqrt(across2*max(0, (radius-most)*(radius+most)))
}
