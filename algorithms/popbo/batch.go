package popbo

import (
	"cmp"
	"math"
	"slices"

	"popbench/space"
)

// maximizeBatch builds the q new points of a multiple-choice query one after the
// other (App. "Extension to the multiple-choice setting", Prob.
// reform_inner_prob_to_fin_batch): each maximises over x and f the advantage of
// f(x) over the greatest of f at the last q points and at the new points before
// it.
func (m *method) maximizeBatch(ref []int) []optimum {
	a := newMaxMin(m)
	for _, i := range ref {
		a.add(m.model.Point(i), i)
	}
	var found []optimum
	for range m.cfg.Batch {
		x, adv := a.search()
		if x == nil {
			return nil
		}
		found = append(found, optimum{x, adv})
		a.add(x, -1)
	}
	return found
}

const (
	batchLooks  = 24  // candidates that are looked at to find where to climb
	batchClimbs = 8   // local searches at most
	batchDrop   = 0.2 // none from where the advantage is lower than the best found by this part of it
)

// search returns the point with the greatest max–min advantage of the local maxima
// that it found, and the certified advantage; nil if there is none.
func (a *maxMin) search() (x []float64, adv Solution) {
	e, box := a.p.exp, a.p.box
	looks := a.looks()
	var tops []peak
	var seen [][]float64
	near := 3 * lookSpacing(box.Dim())
	top := math.Inf(-1)
	for _, s := range looks {
		if len(tops) == batchClimbs || s.value < top-batchDrop*math.Abs(top) {
			break
		}
		if slices.ContainsFunc(seen, func(x []float64) bool { return distance(box, x, s.x) < near }) {
			continue
		}
		res := e.local.Maximize(a.advantage, s.x)
		seen = append(seen, s.x, slices.Clone(res.X))
		tops = append(tops, peak{slices.Clone(res.X), res.Value})
		top = max(top, res.Value)
	}
	sortPeaks(tops)
	for _, s := range tops {
		if adv := a.solve(s.x); adv.Status.OK() {
			return s.x, adv
		}
	}
	return nil, Solution{}
}

// looks returns candidates with their advantages, the greatest first. For most a
// bound is enough, by the weights that are optimal elsewhere.
func (a *maxMin) looks() []peak {
	cand := a.p.exp.cand
	var list []peak
	look := func(x []float64) {
		if v := a.approximate(x, nil, 1e-3); !math.IsNaN(v) {
			list = append(list, peak{x, v})
		}
	}
	spread := a.spread()
	look(cand.point(spread[0]))
	var bounds []peak
	for _, i := range append(spread[1:], cand.corners...) {
		bounds = append(bounds, peak{cand.point(i), a.ceiling(cand.point(i))})
	}
	sortPeaks(bounds)
	top := math.Inf(-1)
	for _, b := range bounds {
		if len(list) > 0 {
			top = max(top, list[len(list)-1].value)
		}
		if b.value < top-batchDrop*math.Abs(top) {
			break
		}
		look(b.x)
	}
	sortPeaks(list)
	return list
}

// peak is a point with its value.
type peak struct {
	x     []float64
	value float64
}

func sortPeaks(list []peak) {
	slices.SortStableFunc(list, func(s, t peak) int { return cmp.Compare(t.value, s.value) })
}

// spread returns the candidates with the greatest bounds, none close to another.
func (a *maxMin) spread() []int {
	cand := a.p.exp.cand
	order := make([]int, cand.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.bound[j], a.bound[i]) })
	var list []int
	near := lookSpacing(cand.d)
	for _, i := range order {
		if len(list) == batchLooks {
			break
		}
		if !slices.ContainsFunc(list, func(j int) bool { return distance(a.p.box, cand.point(i), cand.point(j)) < near }) {
			list = append(list, i)
		}
	}
	return list
}

// lookSpacing is the least distance of candidates looked at, in box widths: some
// half of what spreads them over the whole box.
func lookSpacing(d int) float64 { return 0.6 * math.Pow(batchLooks, -1/float64(d)) }

// distance is Euclidean, in box widths.
func distance(box space.Box, x, y []float64) float64 {
	var q float64
	for i := range x {
		v := (x[i] - y[i]) / (box.Hi[i] - box.Lo[i])
		q += v * v
	}
	return math.Sqrt(q)
}
