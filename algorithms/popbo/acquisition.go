package popbo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/convex"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/space"
)

// optimum is a maximiser of an acquisition function, with the certified maximum. x
// is nil if there is none because no solve converged.
type optimum struct {
	x   []float64
	adv Solution
	gap float64 // the most that a candidate may be better; 0 where that is not known
}

// maximize is line 4 of Alg. 1: the new points of greatest optimistic advantage over
// the points ref of the model, one or the q of a batch.
func (m *method) maximize(ref []int) ([]optimum, error) {
	m.model.s.Forget() // Ask does not depend on what was asked in between
	var found []optimum
	switch {
	case m.cfg.Batch > 1:
		found = m.opt.batch(ref, m.cfg.Batch)
	case m.cfg.Search == "grid":
		found = []optimum{m.opt.grid(ref[0], m.cfg.Grid)}
	case m.cfg.Search == "random":
		x := m.box.Sample(make([]float64, m.box.Dim()), m.streams.Rand("random", m.t))
		found = []optimum{{x: x, adv: m.model.Advantage(x, ref[0])}}
	default:
		found = []optimum{m.opt.joint(m.model.s.Surrogate(), ref[0])}
	}
	for _, o := range found {
		if o.x == nil || !o.adv.Status.OK() {
			return nil, fmt.Errorf("no solve of step %d converged; raise epsilon or lower norm_bound", m.t+1)
		}
	}
	return found, nil
}

// advantage is the acquisition function of a duel, max f(x) - f(x') over the
// confidence set for the model's point x'.
//
// The set does not depend on x, which only picks the direction h = k(x,·) - k(x',·)
// in which f is pushed. So the advantage is a smooth function of x, whose gradient
// is that of the maximising f (envelope theorem), and a solve may begin at the
// solution of one for a point near to x.
type advantage struct {
	m   *Model
	s   *convex.Solver // the model's, or its surrogate
	ref int            // x'

	warm convex.Start  // begins the next solve, and is replaced by its solution
	last convex.Result // of the last solve
	f    Function      // maximises at the last x whose gradient was asked for
	coef []float64     // of f

	bounds *bounds // every solve tightens them; may be nil
}

// value is a search.Objective; NaN where the solve failed.
func (a *advantage) value(x, grad []float64) float64 {
	m := a.m
	if grad == nil {
		m.k.Row(m.kx, x, m.x)
	} else {
		m.k.RowSlopes(m.kx, m.slopes, x, m.x)
	}
	c, rho := m.directionOfRow(x, a.ref)
	a.last = a.s.Maximize(c, rho, &a.warm)
	if a.bounds != nil {
		a.bounds.add(a.s.Cut())
	}
	if !a.last.Status.OK() && a.last.Status != convex.Bounded {
		return math.NaN()
	}
	a.s.Keep(&a.warm)
	if grad != nil {
		a.coef = linalg.Resize(a.coef, len(c))
		nu := a.s.Function(a.coef)
		m.combine(&a.f, nu, a.coef, x, a.ref)
		a.f.gradientOfSlopes(grad, x)
	}
	return a.last.Value
}

// predict has the next solve, for the direction (c, rho), begin at the maximiser of
// the relaxation r, or cold if r is nil.
func (a *advantage) predict(r *convex.Relaxation, c []float64, rho float64) {
	if r == nil {
		a.warm = convex.Start{}
		return
	}
	r.Predict(&a.warm, c, rho)
}

// optimizer maximises acquisition functions over the box. What it keeps from step to
// step depends on the points of the model alone, and not on what it was asked.
type optimizer struct {
	m     *Model
	box   space.Box
	cand  *candidates
	count int // nodes to climb from above two dimensions, see Config.Restarts

	local *search.Local // climbs to a maximum
	close *search.Local // the same, from a point near to it
	rough *search.Local // climbs bounds

	polisher *search.Local // climbs from a maximum of the surrogate, which is nearer still

	relaxation convex.Relaxation // predicts solutions
	bounds     bounds            // in one and two dimensions
	cuts       cutSearch         // its workspaces
	climbs     climbSearch       // above
}

// newOptimizer returns an optimizer for the model and the points that it will get; r
// shifts the candidates above two dimensions and may be nil.
func newOptimizer(m *Model, box space.Box, count int, r *rand.Rand) *optimizer {
	cand := newCandidates(m.k, box, r)
	step := cand.spacing()
	o := &optimizer{
		m: m, box: box, cand: cand, count: count,
		local:    search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: step}),
		close:    search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: 0.25 * step}),
		polisher: search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: 0.025 * step}),
		rough:    search.NewLocal(box, search.Settings{GradTol: 1e-2, ValueTol: 1e-4, Step: 0.3, StepTol: 1e-2, MaxIter: 40}),
	}
	o.bounds.cand = cand
	if cand.side == 0 {
		o.climbs.nodes = newNodes(m.k, box, r)
	}
	o.follow()
	return o
}

// follow takes in the points that the model has more.
func (o *optimizer) follow() {
	o.cand.follow(o.m)
	if o.climbs.nodes != nil {
		o.climbs.follow(o.m)
	}
}

// Explore maximises the advantage f(x) - f(point ref) over the box and the
// confidence set together; starts is as Config.Restarts. x is nil when no solve converged.
// It sets up candidates anew on every call.
func (m *Model) Explore(box space.Box, ref, starts int) (x []float64, adv Solution) {
	m.s.Forget()
	best := newOptimizer(m, box, starts, nil).joint(m.s.Surrogate(), ref)
	return best.x, best.adv
}

// grid cross-checks joint in one and two dimensions: the best point of a regular
// grid with side points a dimension.
func (o *optimizer) grid(ref, side int) optimum {
	points := search.Candidates{Dim: o.box.Dim(), X: o.box.Grid(side)}
	a := &advantage{m: o.m, s: o.m.s, ref: ref}
	best, x := math.Inf(-1), []float64(nil)
	for i := range points.Len() {
		if v := a.value(points.At(i), nil); v > best {
			best, x = v, points.At(i)
		}
	}
	return o.certified(x, ref, nil)
}

// certified returns x with its advantage by a solve of the model's own; from is as in
// convex.Solver.Maximize.
func (o *optimizer) certified(x []float64, ref int, from *convex.Start) optimum {
	if x == nil {
		return optimum{}
	}
	x = slices.Clone(x)
	c, rho := o.m.direction(x, ref)
	return optimum{x: x, adv: solution(o.m.s.Maximize(c, rho, from))}
}
