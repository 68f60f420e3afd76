package popbo

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/convex"
	"popbench/internal/math/search"
)

const (
	// Maxima of the surrogate that are solved at exactly: it cannot rank maxima of
	// similar height.
	maxExact = 6

	nearby = 0.01 // points nearer than this in every coordinate, in box widths, are not distinct; on a grid 1.5 cells
)

// point is a point of a search with what is known there.
type point struct {
	x     []float64
	value float64
	grad  []float64    // where it was asked for
	warm  convex.Start // the solution there
}

// sortPoints sorts by decreasing value.
func sortPoints(list []point) {
	slices.SortStableFunc(list, func(p, q point) int { return cmp.Compare(q.value, p.value) })
}

// near reports whether x and y are too close to each other to be distinct maxima.
func (o *optimizer) near(x, y []float64) bool {
	most := nearby
	if o.cand.side > 0 {
		most = 1.5 * o.cand.spacing()
	}
	return search.MaxDistance(o.box, x, y) <= most
}

// distinct returns at most count points, none near to one before it.
func (o *optimizer) distinct(list []point, count int) []point {
	return search.Distinct(list, count, func(p, q point) bool { return o.near(p.x, q.x) })
}

// joint maximises max_f f(x) - f(x') over x and f together (Prob.
// reform_merge_prob_to_fin) for the reference point ref. The solver s is the model's
// or its surrogate, whose best maxima are then polished by the model's own.
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
	best := point{x: maxima[0].x} // to be certified by a cold solve
	if s != o.m.s {
		best = o.polish(maxima, ref)
	}
	top := o.certified(best.x, ref, &best.warm)
	if o.cand.side > 0 {
		top.gap = o.bounds.gap(top.adv.Value)
	}
	return top
}

// polish returns the maximum next to the best of a surrogate's distinct maxima, by
// the model's own solver; its x is nil if no solve converged. On a grid, bounds are then those
// of the model's own cuts.
func (o *optimizer) polish(maxima []point, ref int) point {
	a := &advantage{m: o.m, s: o.m.s, ref: ref}
	if o.cand.side > 0 {
		o.bounds.begin(o.m, a.s, ref)
		a.bounds = &o.bounds
	}
	var best point
	for _, p := range o.distinct(maxima, maxExact) {
		a.warm = p.warm
		if best.x != nil {
			a.s.SetEnough(best.value)
		}
		if v := a.value(p.x, nil); best.x == nil && !math.IsNaN(v) || v > best.value {
			best = point{x: p.x, value: v, warm: a.warm}
		}
	}
	a.s.SetEnough(math.Inf(-1))
	if best.x == nil {
		return best
	}
	a.warm = best.warm
	a.s.SetTol(climbTol)
	best.x = o.polisher.Maximize(a.value, best.x).X
	a.s.SetTol(convex.Tol)
	best.warm = a.warm
	return best
}
