package popbo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// advantage is the acquisition function of a duel: max f(x) - f(x') over the confidence set,
// for the model's point x'.
//
// The set does not depend on x. x only sets the direction h = k(x,·) - k(x',·) in which f is
// maximised. So the advantage is a smooth function of x, and its gradient equals the gradient of
// the maximising f (envelope theorem). A solve can start from the solution for a nearby x.
type advantage struct {
	m   *Model
	s   *confset.Solver // the model's or its surrogate
	ref int             // x'

	warm confset.WarmStart // where the next solve starts; replaced by its solution
	last confset.Result    // the last solve
	f    Function          // the maximiser at the last x with a gradient
	coef []float64         // of f

	addCut func(*confset.Cut) // called with the cut of every solve; may be nil

	relaxation *confset.Relaxation // predicts solutions, …
	relaxed    bool                // … if relax has set it up
}

// value is a search.Objective. It is NaN if the solve failed.
func (a *advantage) value(x, grad []float64) float64 {
	m := a.m
	if grad == nil {
		m.k.Row(m.kx, x, m.x)
	} else {
		m.k.RowSlopes(m.kx, m.slopes, x, m.x)
	}
	c, rho := m.directionOfRow(x, a.ref)
	a.last = a.s.Maximize(c, rho, &a.warm)
	if a.addCut != nil {
		a.addCut(a.s.Cut())
	}
	if !a.last.Status.OK() && a.last.Status != confset.Bounded {
		return math.NaN()
	}
	a.s.SaveStart(&a.warm)
	if grad != nil {
		a.coef = linalg.Resize(a.coef, len(c))
		nu := a.s.Function(a.coef) // f = nu (k(x,·) - k(x',·)) + Σ coef_i g_i
		a.f = Function{m: m, w: m.pointWeights(a.f.w, a.coef), z: append(a.f.z[:0], x...), v: nu}
		a.f.w[a.ref] -= nu
		a.f.gradientOfSlopes(grad, x)
	}
	return a.last.Value
}

// predict makes the next solve, for the direction (c, rho), start from the relaxation's solution, or cold without one.
func (a *advantage) predict(c []float64, rho float64) {
	a.warm = confset.WarmStart{}
	if a.relaxed {
		a.relaxation.Predict(&a.warm, c, rho)
	}
}

// relax makes later solves start from a prediction: the last one has shown which multiplier solutions have.
func (a *advantage) relax() {
	if !a.relaxed && !math.IsInf(a.last.LogKappa, 0) {
		a.relaxed = a.s.Relax(a.relaxation, a.last.LogKappa-a.s.ColdLogKappa())
	}
}

// pointCuts are cuts whose normals are combinations of k(x_j, ·) at some points x_j. Together they bound the advantage
// anywhere.
type pointCuts struct {
	confset.Cuts
	normals []float64 // one row per cut: the weight of each point …
	shift   []float64 // … and ⟨n, k(x',·)⟩, rounded down
	along   []float64 // workspace
}

// reset removes all cuts: only the ball remains.
func (s *pointCuts) reset(ball float64) {
	s.Reset(ball)
	s.normals, s.shift = s.normals[:0], s.shift[:0]
}

// add adds a cut with its normal and shift, which may be wrong by slack. It returns false if the cut has no normal.
func (s *pointCuts) add(k *confset.Cut, normal []float64, shift, slack float64) bool {
	if !s.Add(k, slack) {
		return false
	}
	s.normals, s.shift = append(s.normals, normal...), append(s.shift, shift-slack)
	return true
}

// bound is the bound by all cuts together where the kernel values with the points are kx. It may stop early, with a larger
// bound, once the bound is no greater than the cutoff.
func (s *pointCuts) bound(kx []float64, norm, cutoff float64) float64 {
	s.along = linalg.Resize(s.along, len(s.shift))
	for k, v := range s.shift {
		s.along[k] = -v
	}
	wide.Gemv(s.along, 1, s.normals, len(kx), kx)
	return s.Bound(s.along, norm, cutoff)
}

// terrain is what searches for acquisition functions have in common. What it keeps between steps depends only on the
// model's points, not on the queries made.
type terrain struct {
	m        *Model
	box      space.Box
	cand     *candidates
	restarts int // Config.Restarts

	local       *search.Local // climbs from any point
	nodeLocal   *search.Local // climbs from a node close to a maximum
	polishLocal *search.Local // climbs from a maximum of the surrogate, which is closer still
	boundLocal  *search.Local // climbs upper bounds

	relaxation confset.Relaxation // of the present search
}

// newTerrain returns the terrain of the model's points, present and future. r shifts the candidates above two dimensions
// and may be nil.
func newTerrain(m *Model, box space.Box, restarts int, r *rand.Rand) terrain {
	cand := newCandidates(m.k, box, r)
	step := cand.spacing()
	return terrain{
		m: m, box: box, cand: cand, restarts: restarts,
		local:       search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: step}),
		nodeLocal:   search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: 0.25 * step}),
		polishLocal: search.NewLocal(box, search.Settings{GradTol: 1e-5, ValueTol: 1e-9, Step: 0.025 * step}),
		boundLocal:  search.NewLocal(box, search.Settings{GradTol: 1e-2, ValueTol: 1e-4, Step: 0.3, StepTol: 1e-2, MaxIter: 40}),
	}
}

// grid returns the best point of a regular grid with side points per dimension. It cross-checks
// joint in one and two dimensions.
func (o *terrain) grid(ref, side int) optimum {
	points := search.Candidates{Dim: o.box.Dim(), X: o.box.Grid(side)}
	a := &advantage{m: o.m, s: o.m.s, ref: ref}
	return o.certify(points.Maximize(a.value).X, ref, nil)
}

// certify solves for the advantage at x with the model's own solver. from is as in
// confset.Solver.Maximize.
func (o *terrain) certify(x []float64, ref int, from *confset.WarmStart) optimum {
	if x == nil {
		return optimum{}
	}
	x = slices.Clone(x)
	c, rho := o.m.direction(x, ref)
	return optimum{x: x, adv: solution(o.m.s.Maximize(c, rho, from))}
}

// point is a point of a search, with its value.
type point struct {
	x     []float64
	value float64
	grad  []float64         // set if the search needs it
	warm  confset.WarmStart // the solution there
}

// sortPoints sorts by decreasing value; equals keep their order.
func sortPoints(list []point) {
	slices.SortStableFunc(list, func(p, q point) int { return cmp.Compare(q.value, p.value) })
}

// distinct returns the first points of the list, at most count, that are too far from those
// before them to be the same maximum.
func (o *terrain) distinct(list []point, count int) []point {
	most := distinctTol
	if o.cand.side > 0 {
		most = 1.5 * o.cand.spacing()
	}
	return search.Distinct(list, count, func(p, q point) bool { return search.MaxDistance(o.box, p.x, q.x) <= most })
}

const cutTol = 1e-2 // tolerance of solves that only have to give a cut and a slope

const climbTol = 1e-7 // tolerance of solves on the way to a maximum

const distinctTol = 0.01 // points this close in every coordinate, in box widths, are not distinct; on a grid it is 1.5 cells
