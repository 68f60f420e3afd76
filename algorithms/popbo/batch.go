package popbo

import (
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/search"
	"popbench/space"
)

// batch builds the q new points of a multiple-choice query one after another (App. "Extension
// to the multiple-choice setting", Prob. reform_inner_prob_to_fin_batch). Each maximises, over
// x and f, the advantage of f(x) over the greatest f at the points ref and at the new points
// before it.
func (o *optimizer) batch(ref []int, q int) []optimum {
	a := newMaxMin(o)
	for _, i := range ref {
		a.add(o.m.Point(i), i)
	}
	found := make([]optimum, q)
	for i := range found {
		found[i] = o.batchPoint(a)
		if found[i].x == nil {
			break
		}
		a.add(found[i].x, -1)
	}
	return found
}

// Limits of the search for one point of a batch.
const (
	batchCandidates = 24  // distinct candidates to climb from, at most
	batchClimbs     = 8   // local searches at most
	batchDrop       = 0.2 // no search starts where the advantage is lower than the best by this fraction
)

// batchPoint returns the best of the local maxima of the max–min advantage that it found.
func (o *optimizer) batchPoint(a *maxMin) optimum {
	var maxima, tried []point
	spacing := batchSpacing(o.cand.Dim)
	top := math.Inf(-1)
	for _, s := range o.batchStarts(a, o.distinctCandidates(a.bound, spacing)) {
		if len(maxima) == batchClimbs || s.value < top-float64(batchDrop*math.Abs(top)) {
			break
		}
		if slices.ContainsFunc(tried, func(p point) bool { return distance(o.box, p.x, s.x) < 3*spacing }) {
			continue
		}
		res := o.local.Maximize(a.advantage, s.x)
		p := point{x: slices.Clone(res.X), value: res.Value}
		tried = append(tried, s, p)
		maxima = append(maxima, p)
		top = max(top, p.value)
	}
	sortPoints(maxima)
	for _, p := range maxima {
		if adv := a.solve(p.x); adv.Status.OK() {
			return optimum{x: p.x, adv: adv}
		}
	}
	return optimum{}
}

// batchStarts returns the points to climb from, best first: some of the candidates at, and of
// the grid's corners. Most are ruled out by a bound alone, with the weights that are optimal at
// another point.
func (o *optimizer) batchStarts(a *maxMin, at []int) []point {
	var list []point
	add := func(x []float64) {
		if v := a.approximate(x, nil, 1e-3); !math.IsNaN(v) {
			list = append(list, point{x: x, value: v})
		}
	}
	add(o.cand.At(at[0]))
	var bounds []point
	for _, i := range append(at[1:], o.cand.corners...) {
		x := o.cand.At(i)
		bounds = append(bounds, point{x: x, value: a.upperBound(x)})
	}
	sortPoints(bounds)
	top := math.Inf(-1)
	for _, b := range bounds {
		if len(list) > 0 {
			top = max(top, list[len(list)-1].value)
		}
		if b.value < top-float64(batchDrop*math.Abs(top)) {
			break
		}
		add(b.x)
	}
	sortPoints(list)
	return list
}

// distinctCandidates returns the candidates with the greatest values, no two closer than the
// spacing.
func (o *optimizer) distinctCandidates(value []float64, spacing float64) []int {
	return search.Distinct(search.Descending(value), batchCandidates, func(i, j int) bool {
		return distance(o.box, o.cand.At(i), o.cand.At(j)) < spacing
	})
}

// batchSpacing is the least distance between candidates, in box widths: about half the spacing
// at which they would fill the whole box.
func batchSpacing(d int) float64 { return 0.6 * fmath.Pow(batchCandidates, -1/float64(d)) }

// distance is the Euclidean distance in box widths.
func distance(box space.Box, x, y []float64) float64 {
	return math.Sqrt(search.SquareDistance(box, x, y))
}
