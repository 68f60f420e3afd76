package search

import (
	"math"
	"slices"

	"popbench/space"
)

// Parameters of a Global search.
const (
	refined  = 3    // rough maxima that a precise search refines, each time
	moved    = 4    // moves of the best point to a bound that start a search
	samePeak = 0.02 // maxima closer than this in every coordinate, in box widths, count as one
)

// Global searches for the global maximum of an objective with many local maxima, in dimensions too high for a
// grid. It is not safe for concurrent use.
type Global struct {
	// Mirror exchanges coordinates such that the objective has the same value, if it has such a symmetry; nil for none. It
	// is its own inverse.
	Mirror func(x []float64) []float64
	// GiveUp ends a precise search once it expects a maximum below the best, or one that is known. Then all searches are
	// precise. That is for smooth objectives: the slopes of others promise too little.
	GiveUp bool

	box            space.Box
	rough, precise *Local
	peaks          [][]float64 // starts and ends of precise searches of this Maximize, without GiveUp
}

// NewGlobal returns a search over the box. The settings are for its precise local searches. It panics if
// box or settings are invalid.
func NewGlobal(box space.Box, s Settings) *Global {
	rough := s.withDefaults()
	// With 8 iterations the order of the rough maxima is lost: 6 of 60 searches were then short, with 20 none.
	rough.MaxIter, rough.GradTol, rough.ValueTol, rough.StepTol = 20, 3e-2, 1e-4, 1e-3
	return &Global{box: box, rough: NewLocal(box, rough), precise: NewLocal(box, s)}
}

// Maximize searches from each of the starts, at least one: with GiveUp one after the other, so that the best should come
// first; otherwise roughly, and the best of the maxima are refined by precise searches, each peak once. Then it moves the
// best point along one coordinate to a bound of the box and searches from there, and repeats that while it gains: maxima
// are mostly at bounds, and a neighbouring one may be larger.
//
// It returns the largest maximum; if Settings.Tie counts several as equal, the one from the first start.
// Evaluations counts all searches. Unfinished is the number of precise searches that ended with
// MaxIterations. X and Grad belong to the caller. The status is Undefined only if the objective
// has no value at any of the starts.
func (g *Global) Maximize(f Objective, starts [][]float64) Result {
	if len(starts) == 0 {
		panic("search: a global search needs a start")
	}
	best := Result{X: starts[0], Status: Undefined}
	g.peaks = g.peaks[:0]
	improve := g.refine
	if g.GiveUp {
		improve = g.climb
	}
	found := improve(f, starts, &best)
	for i := 0; found && i < g.box.Dim(); i++ {
		found = improve(f, g.moves(f, &best), &best)
	}
	best.X, best.Grad, g.precise.peaks = slices.Clone(best.X), slices.Clone(best.Grad), nil
	return best
}

// Refine runs the precise local search from x alone; see Local.Maximize.
func (g *Global) Refine(f Objective, x []float64) Result { return g.precise.Maximize(f, x) }

// climb runs a precise search from each of the points, which ends early if it is on the way to less than the best or to a
// peak that is known. climb returns true if it replaces the best.
func (g *Global) climb(f Objective, points [][]float64, best *Result) (gained bool) {
	l := g.precise
	for _, x := range points {
		floor := math.Inf(-1)
		if best.Status != Undefined {
			floor = best.Value
		}
		r := l.maximize(f, x, nil, floor)
		if r.Status == Converged || r.Status != Undefined && r.Value > floor {
			l.peaks = append(l.peaks, l.peak(r.X, r.Grad, r.Value))
			if g.Mirror != nil {
				l.peaks = append(l.peaks, l.peak(g.Mirror(r.X), g.Mirror(r.Grad), r.Value))
			}
		}
		gained = g.count(r, best) || gained
	}
	return gained
}

// count adds the work of a precise search to the best result. If its result is larger it replaces the best, and count
// returns true.
func (g *Global) count(r Result, best *Result) (gained bool) {
	evaluations, unfinished := best.Evaluations+r.Evaluations, best.Unfinished
	if r.Status == MaxIterations {
		unfinished++
	}
	if r.Status != Undefined && (best.Status == Undefined || r.Value > best.Value && !g.equal(r.Value, best.Value)) {
		r.X, r.Grad = slices.Clone(r.X), slices.Clone(r.Grad)
		*best, gained = r, true
	}
	best.Evaluations, best.Unfinished = evaluations, unfinished
	return gained
}

// roughMaxima runs a rough search from each of the points and returns the maxima.
func (g *Global) roughMaxima(f Objective, points [][]float64, best *Result) []Result {
	var list []Result
	for _, x := range points {
		r := g.rough.Maximize(f, x)
		best.Evaluations += r.Evaluations
		if r.Status != Undefined {
			r.X, r.Curvature = slices.Clone(r.X), slices.Clone(r.Curvature)
			list = append(list, r)
		}
	}
	return list
}

// refine runs a rough search from each of the points, and precise searches from the largest of the maxima. It returns true
// if it replaces the best.
func (g *Global) refine(f Objective, points [][]float64, best *Result) (gained bool) {
	list := g.roughMaxima(f, points, best)
	values := make([]float64, len(list))
	for i, p := range list {
		values[i] = p.Value
	}
	order := Descending(values)
	if len(order) > 0 && g.equal(values[0], values[order[0]]) { // the first start
		order = append([]int{0}, slices.DeleteFunc(order, func(i int) bool { return i == 0 })...)
	}
	for _, i := range Distinct(order, refined, func(i, j int) bool { return g.same(list[i].X, list[j].X) }) {
		rough := list[i]
		if slices.ContainsFunc(g.peaks, func(x []float64) bool { return g.same(x, rough.X) }) {
			continue
		}
		r := g.precise.maximize(f, rough.X, rough.Curvature, math.Inf(-1))
		g.peaks = append(g.peaks, rough.X, slices.Clone(r.X))
		gained = g.count(r, best) || gained
	}
	return gained
}

// same reports whether x and y are on one peak, or x and the mirror image of y.
func (g *Global) same(x, y []float64) bool {
	return MaxDistance(g.box, x, y) < samePeak || g.Mirror != nil && MaxDistance(g.box, x, g.Mirror(y)) < samePeak
}

func (g *Global) equal(a, b float64) bool {
	return math.Abs(a-b) <= g.precise.settings.Tie*max(1, math.Abs(b))
}

// moves returns the best of the points that differ from the best point in one coordinate, which is moved to a
// bound.
func (g *Global) moves(f Objective, best *Result) [][]float64 {
	points := Candidates{Dim: g.box.Dim()}
	for j, v := range best.X {
		for _, bound := range []float64{g.box.Lo[j], g.box.Hi[j]} {
			if math.Abs(v-bound) >= samePeak*(g.box.Hi[j]-g.box.Lo[j]) {
				points.X = append(points.X, best.X...)
				points.X[len(points.X)-points.Dim+j] = bound
			}
		}
	}
	values := points.Values(f)
	best.Evaluations += len(values)
	return points.Best(values, moved, nil)
}
