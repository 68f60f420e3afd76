package popbo

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/convex"
	"popbench/internal/math/search"
)

const (
	// Number of surrogate maxima re-solved exactly. The surrogate cannot rank maxima of similar
	// height.
	maxExact = 6

	distinctTol = 0.01 // points this close in every coordinate, in box widths, are not distinct; on a grid it is 1.5 cells
)

// point is a point of a search, with its value.
type point struct {
	x     []float64
	value float64
	grad  []float64        // set if the search needs it
	warm  convex.WarmStart // the solution there
}

// sortPoints sorts by decreasing value; equals keep their order.
func sortPoints(list []point) {
	slices.SortStableFunc(list, func(p, q point) int { return cmp.Compare(q.value, p.value) })
}

// sameMaximum reports whether x and y are too close to be distinct maxima.
func (o *optimizer) sameMaximum(x, y []float64) bool {
	most := distinctTol
	if o.cand.side > 0 {
		most = 1.5 * o.cand.spacing()
	}
	return search.MaxDistance(o.box, x, y) <= most
}

// distinct returns the first points of the list, at most count, that are distinct from those
// before them.
func (o *optimizer) distinct(list []point, count int) []point {
	return search.Distinct(list, count, func(p, q point) bool { return o.sameMaximum(p.x, q.x) })
}

// joint maximises f(x) - f(x') over x and f together (Prob. reform_merge_prob_to_fin) for the
// reference point ref. s is the model's solver or its surrogate. The model's own solver then
// polishes the best maxima of a surrogate.
func (o *optimizer) joint(s *convex.Solver, ref int) optimum {
	a := &advantage{m: o.m, s: s, ref: ref}
	var maxima []point
	if o.cand.side > 0 {
		maxima = o.byCuts(a)
	} else {
		maxima = o.byClimbs(a)
	}
	if len(maxima) == 0 {
		return optimum{}
	}
	best := point{x: maxima[0].x} // without a warm start: certify solves cold
	if s != o.m.s {
		best = o.polish(maxima, ref)
	}
	top := o.certify(best.x, ref, &best.warm)
	if o.cand.side > 0 {
		top.gap = o.bounds.gap(top.adv.Value)
	}
	return top
}

// polish returns the exact maximum next to the best of a surrogate's distinct maxima, found with
// the model's own solver. Its x is nil if no solve converged. On a grid it also replaces the
// bounds by those from the model's own cuts.
func (o *optimizer) polish(maxima []point, ref int) point {
	a := &advantage{m: o.m, s: o.m.s, ref: ref}
	if o.cand.side > 0 {
		o.bounds.reset(o.m, a.s, ref)
		a.bounds = &o.bounds
	}
	var best point
	for _, p := range o.distinct(maxima, maxExact) {
		a.warm = p.warm
		if best.x != nil {
			a.s.SetCutoff(best.value)
		}
		if v := a.value(p.x, nil); best.x == nil && !math.IsNaN(v) || v > best.value {
			best = point{x: p.x, value: v, warm: a.warm}
		}
	}
	a.s.SetCutoff(math.Inf(-1))
	if best.x == nil {
		return best
	}
	a.warm = best.warm
	a.s.SetTol(climbTol)
	best.x = o.polishLocal.Maximize(a.value, best.x).X
	a.s.SetTol(convex.Tol)
	best.warm = a.warm
	return best
}
