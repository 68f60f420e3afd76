// Package search maximises functions over a box: local searches with gradients, multi-start, low-discrepancy
// points to start from, and bounds by subdivision.
package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/wide"
	"popbench/space"
)

// Objective returns the value at x, to be maximised. If grad is not nil, it sets grad to the gradient at x.
// Both have length d. It must not change or keep x. A value or gradient that is NaN or infinite means that the
// objective is undefined at x: a search steps back from such a point.
type Objective func(x, grad []float64) float64

// Settings say how a local search ends. Zero stands for the default.
type Settings struct {
	// MaxIter limits the trial steps, one evaluation each; default 200.
	MaxIter int
	// Step is the length of the first step in box widths; default 0.5. A smaller one stays closer to the start.
	Step float64
	// GradTol: the search has converged if the projected gradient is below this times the largest gradient met
	// so far; default 1e-8.
	GradTol float64
	// ValueTol: improvements below this times the largest |value| met so far are noise; default 1e-15, which is
	// rounding. If the objective is itself computed by iteration, set this to its relative error.
	ValueTol float64
	// StepTol: the search stops with NoProgress if no step longer than this, in box widths, improves the value;
	// default 1e-9.
	StepTol float64
	// Curvature is a guess of the second derivatives of minus the objective near the starts, in coordinates in which the box
	// is [0,1]^d: d×d, positive definite; default nil, none.
	Curvature []float64
	// Tie: MultiStart and Global count values as equal that differ by at most this times the larger of 1 and
	// |value|; default 0.
	Tie float64
	// Strict: MultiStart prefers a search that converged to any that did not.
	Strict bool
	// Basin: MultiStart leaves out a start closer than this, in every coordinate and in box widths, to a maximum that it has
	// found; default 0.
	Basin float64
}

func (s Settings) withDefaults() Settings {
	s.MaxIter, s.Step = cmp.Or(s.MaxIter, 200), cmp.Or(s.Step, 0.5)
	s.GradTol, s.ValueTol, s.StepTol = cmp.Or(s.GradTol, 1e-8), cmp.Or(s.ValueTol, 1e-15), cmp.Or(s.StepTol, 1e-9)
	if !(min(s.Step, s.GradTol, s.ValueTol, s.StepTol) > 0) {
		panic(fmt.Sprintf("search: step and tolerances must be positive: %+v", s))
	}
	return s
}

// Status says why a search stopped.
type Status int

const (
	Converged     Status = iota // to GradTol, or the model sees no gain above ValueTol
	MaxIterations               // no convergence within MaxIter steps
	// No step above StepTol improves the value, though the gradient is not small: usual for a
	// maximum at a kink.
	NoProgress
	Undefined // the objective has no value or gradient at the start
)

func (s Status) String() string {
	return [...]string{"converged", "maximum of iterations", "no progress", "undefined at the start"}[s]
}

// Result is the result of a local search. X, Grad and Curvature belong to the Local, which overwrites them in its next
// search.
type Result struct {
	X     []float64 // length d, inside the box
	Value float64   // at X, the largest value met
	Grad  []float64 // length d, at X
	// Curvature is what the search knows of it at X, as in Settings; nil if it ended at its start without a guess.
	Curvature []float64

	Status      Status
	Evaluations int // of the objective: the start and a trial step each
	Unfinished  int // searches that ended with MaxIterations or Undefined: 0 or 1, of a MultiStart their number
}

// Local finds a local maximum by a trust-region quasi-Newton method. A quadratic model, whose Hessian is learnt
// from gradients (damped BFGS), is optimised over the steps that stay in the box and within a radius. The
// radius is in the maximum norm, so box and radius are both bounds. The search goes there if the objective
// agrees; else the radius shrinks (Nocedal and Wright, "Numerical Optimization", 2nd ed. 2006, Alg. 4.1 and
// Procedure 18.2). Rejected points update the model too, since evaluations are what costs.
//
// It works in coordinates in which the box is [0,1]^d, and all its tests are relative to the numbers met so
// far. So the scales of x and of the objective do not matter. It does not allocate. It is not safe for
// concurrent use.
type Local struct {
	box      space.Box
	settings Settings

	now, trial   point
	model        model
	step, change []float64 // from now to trial: change of u and of the slope
	peaks        []peak    // maxima at which no search needs to end again

	evaluations int
}

// point is a point at which the objective has been evaluated.
type point struct {
	u     []float64 // unit coordinates
	x     []float64
	value float64
	grad  []float64 // of the objective, in x
	slope []float64 // of minus the objective, in u
}

func newPoint(d int) point {
	return point{u: make([]float64, d), x: make([]float64, d), grad: make([]float64, d), slope: make([]float64, d)}
}

// NewLocal returns a search over the box. It panics if box or settings are invalid.
func NewLocal(box space.Box, s Settings) *Local {
	if err := box.Validate(); err != nil {
		panic(err)
	}
	d := box.Dim()
	return &Local{
		box: box, settings: s.withDefaults(),
		now: newPoint(d), trial: newPoint(d),
		model: newModel(d),
		step:  make([]float64, d), change: make([]float64, d),
	}
}

// Maximize searches from x0, clipped to the box.
func (l *Local) Maximize(f Objective, x0 []float64) Result {
	return l.maximize(f, x0, l.settings.Curvature, math.Inf(-1))
}

// maximize is Maximize with another guess of the curvature. It gives up, with NoProgress, when it expects a maximum below
// the floor, or a known peak.
func (l *Local) maximize(f Objective, x0, curvature []float64, floor float64) Result {
	if len(x0) != l.box.Dim() {
		panic(fmt.Sprintf("search: the start has %d coordinates; the box has %d", len(x0), l.box.Dim()))
	}
	l.evaluations = 0
	l.box.Clip(l.now.x, x0)
	l.box.ToUnit(l.now.u, l.now.x)
	status, known := Undefined, false
	if l.evaluate(f, &l.now) {
		status, known = l.run(f, curvature, floor)
	}
	r := Result{X: l.now.x, Value: l.now.value, Grad: l.now.grad, Status: status, Evaluations: l.evaluations}
	if known {
		r.Curvature = l.model.b
	}
	if status == MaxIterations || status == Undefined {
		r.Unfinished = 1
	}
	return r
}

// evaluate fills in p, whose u and x are set, and reports whether the objective is defined there.
func (l *Local) evaluate(f Objective, p *point) bool {
	l.evaluations++
	p.value = f(p.x, p.grad)
	ok := finite(p.value)
	for i, g := range p.grad {
		p.slope[i] = -g * (l.box.Hi[i] - l.box.Lo[i])
		ok = ok && finite(p.slope[i])
	}
	return ok
}

// run searches from now. It reports whether the model has a curvature that was given or learnt.
func (l *Local) run(f Objective, curvature []float64, floor float64) (status Status, known bool) {
	now, trial, m := &l.now, &l.trial, &l.model
	radius := l.settings.Step
	steepest, largest := maxAbs(now.slope), math.Abs(now.value)
	// Until a second gradient is known, the curvature of the model is such that the step downhill has length
	// radius.
	m.setIdentity(steepest / radius)
	if curvature != nil {
		copy(m.b, curvature)
		known = true
	}
	for now.projectedSlope() > l.settings.GradTol*steepest {
		noise := l.settings.ValueTol * largest
		gain := m.minimise(now.u, now.slope, radius)
		switch {
		case gain <= noise && now.projectedSlope()*l.settings.StepTol <= noise:
			return Converged, known
		case radius < l.settings.StepTol:
			return NoProgress, known
		case l.evaluations > l.settings.MaxIter:
			return MaxIterations, known
		case known && now.value+float64(hope(l.evaluations)*gain) < floor && maxAbs(m.p) < radius:
			return NoProgress, known
		case known && slices.ContainsFunc(l.peaks, l.climbs):
			return NoProgress, known
		case gain <= noise: // the curvature contradicts the gradient: start afresh
			m.setIdentity(maxAbs(now.slope) / radius)
			gain = m.minimise(now.u, now.slope, radius)
		}
		for i, p := range m.p {
			trial.u[i] = min(max(now.u[i]+p, 0), 1)
			l.step[i] = trial.u[i] - now.u[i]
		}
		l.box.FromUnit(trial.x, trial.u)
		length := maxAbs(m.p)
		if !l.evaluate(f, trial) {
			radius = length / 4
			continue
		}

		rise := trial.value - now.value
		slope0, slope1 := wide.Dot(now.slope, l.step), wide.Dot(trial.slope, l.step)
		for i := range l.change {
			l.change[i] = trial.slope[i] - now.slope[i]
		}
		if !known {
			m.setIdentity(math.Sqrt(wide.Dot(l.change, l.change) / wide.Dot(l.step, l.step)))
			known = true
		}
		m.update(l.step, l.change)

		switch {
		case rise < 0.1*gain:
			radius = length * shrinkage(-rise, slope0, slope1)
		case rise > 0.5*gain && length > 0.7*radius:
			radius = min(2*length, 1)
		}
		if rise > 0 {
			*now, *trial = *trial, *now
			steepest, largest = max(steepest, maxAbs(now.slope)), max(largest, math.Abs(now.value))
		}
	}
	return Converged, known
}

// peak is a maximum: its unit coordinates, the slope there of minus the objective, and its value.
type peak struct {
	u, slope []float64
	value    float64
}

// peak returns the peak at x, where the objective has the gradient grad and the value.
func (l *Local) peak(x, grad []float64, value float64) peak {
	p := peak{l.box.ToUnit(make([]float64, len(x)), x), make([]float64, len(x)), value}
	for i, g := range grad {
		p.slope[i] = -g * (l.box.Hi[i] - l.box.Lo[i])
	}
	return p
}

// climbs reports whether the search is on the hill of the peak: its next step leads there, and the cubic along the way
// that has both values and slopes is concave.
func (l *Local) climbs(to peak) bool {
	var here, there, along, way, step float64
	for i, u := range l.now.u {
		w, p := to.u[i]-u, l.model.p[i]
		here -= float64(l.now.slope[i] * w)
		there -= float64(to.slope[i] * w)
		along += float64(p * w)
		way += float64(w * w)
		step += float64(p * p)
	}
	rise := to.value - l.now.value
	return 3*rise <= float64(2*here)+there && 3*rise >= here+float64(2*there) && along >= leads*math.Sqrt(way*step)
}

// leads is the cosine of the largest angle at which a step leads to a point. In 1,416 states of runs of qEUBO the largest
// maximum was lost in 2 with this angle, and in 13 with any.
const leads = 0.6

// hope returns how many times the gain that its model expects a search may still gain after so many evaluations, if the
// radius does not hold it. The model is worse before it has seen some steps.
func hope(evaluations int) float64 {
	if evaluations > 8 {
		return 10
	}
	return 100
}

// shrinkage returns the fraction of a rejected step at which the cubic through both its ends has a minimum
// (Nocedal and Wright, Eq. 3.59), within [0.1, 0.5]. fall is the change of the function over the step; slope0
// and slope1 are its derivatives along the step at the start and at the end.
func shrinkage(fall, slope0, slope1 float64) float64 {
	d1 := slope0 + slope1 - float64(3*fall)
	d2 := math.Sqrt(float64(d1*d1) - float64(slope0*slope1))
	t := 1 - (slope1+d2-d1)/(slope1-slope0+float64(2*d2))
	if !(t >= 0.1) { // also if there is no minimum: NaN
		return 0.1
	}
	return min(t, 0.5)
}

// projectedSlope returns the largest component of the slope that does not descend out of the box.
func (p *point) projectedSlope() float64 {
	var largest float64
	for i, g := range p.slope {
		if (p.u[i] == 0 && g > 0) || (p.u[i] == 1 && g < 0) {
			continue
		}
		largest = max(largest, math.Abs(g))
	}
	return largest
}

func maxAbs(v []float64) float64 {
	var m float64
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
