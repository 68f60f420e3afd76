package popbo

import (
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/search"
	"popbench/space"
)

// batch builds the q new points of a multiple-choice query one after the other (App.
// "Extension to the multiple-choice setting", Prob. reform_inner_prob_to_fin_batch):
// each maximises over x and f the advantage of f(x) over the greatest of f at the
// points ref and at the new points before it.
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

// The numbers of the search for one point of a batch.
const (
	batchCandidates = 24  // distinct candidates that may be climbed from
	batchClimbs     = 8   // local searches at most
	batchDrop       = 0.2 // none from where the advantage is lower than the best found by this part of it
)

// batchPoint returns the point with the greatest max–min advantage of the local
// maxima that it found.
func (o *optimizer) batchPoint(a *maxMin) optimum {
	var maxima, seen []point
	spacing := batchSpacing(o.cand.Dim)
	top := math.Inf(-1)
	for _, s := range o.batchStarts(a, o.spread(a.bound, spacing)) {
		if len(maxima) == batchClimbs || s.value < top-float64(batchDrop*math.Abs(top)) {
			break
		}
		if slices.ContainsFunc(seen, func(p point) bool { return distance(o.box, p.x, s.x) < 3*spacing }) {
			continue
		}
		res := o.local.Maximize(a.advantage, s.x)
		p := point{x: slices.Clone(res.X), value: res.Value}
		seen = append(seen, s, p)
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

// batchStarts returns those of the candidates, and of the grid's corners, to climb
// from, the best first. For most a bound is enough, by the weights that are optimal
// elsewhere.
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
		bounds = append(bounds, point{x: x, value: a.ceiling(x)})
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

// spread returns the distinct candidates with the greatest values, no two nearer than
// the spacing.
func (o *optimizer) spread(value []float64, spacing float64) []int {
	return search.Distinct(search.Descending(value), batchCandidates, func(i, j int) bool {
		return distance(o.box, o.cand.At(i), o.cand.At(j)) < spacing
	})
}

// batchSpacing is the least distance of the candidates, in box widths: some half of
// what spreads them over the whole box.
func batchSpacing(d int) float64 { return 0.6 * fmath.Pow(batchCandidates, -1/float64(d)) }

// distance is Euclidean, in box widths.
func distance(box space.Box, x, y []float64) float64 {
	return math.Sqrt(search.SquareDistance(box, x, y))
}
