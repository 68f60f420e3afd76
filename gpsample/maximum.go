package gpsample

import (
	"math"
	"slices"

	"popbench/internal/math/search"
)

// Maximum is the largest known value of a function over its box.
type Maximum struct {
	X      []float64 // the maximiser, length d
	Value  float64   // f(X), so never above the true maximum
	Excess float64   // proved bound on how far f exceeds Value anywhere in the box; +Inf without a proof
	Climbs int       // local searches made
	Cells  int       // parts of the box that the proof bounded
}

const (
	spread  = 1024 // quasi-random points at which f is evaluated
	corners = 4096 // corners are evaluated if there are at most this many

	// Local searches start from the best of these points and of the knots. A proof starts more of
	// them where it finds a better point.
	climbs, provedClimbs = 64, 8

	// With a smooth kernel a proof bounds hundreds of parts of the box in 1-D, thousands in 2-D and
	// tens of thousands in 3-D. In 4-D it would take seconds, which is too slow.
	provedDim = 3
)

// Maximum searches for the maximum by gradient ascent from the best of the knots (maxima lie near
// knots of positive weight), the corners of the box and points spread over it. In up to three
// dimensions it then proves the result by branch and bound. It is deterministic and does not cache
// its result.
func (f *Function) Maximum() Maximum {
	if f.kernel == nil {
		return Maximum{}
	}
	c := newClimber(f)
	m := Maximum{Excess: math.Inf(1)}
	if f.box.Dim() > provedDim {
		c.climb(f.starts(climbs)...)
	} else {
		c.climb(f.starts(provedClimbs)...)
		m.Excess, m.Cells = newProof(f, c).run()
	}
	m.X, m.Value, m.Climbs = c.best, c.value, c.climbs
	return m
}

func (f *Function) starts(n int) [][]float64 {
	d := f.box.Dim()
	points := search.Candidates{Dim: d, X: slices.Clone(f.knots)}
	if d < 63 && 1<<d <= corners {
		points.X = append(points.X, f.box.Grid(2)...)
	}
	points.X = append(points.X, search.NewCandidates(f.box, spread, nil).X...)
	return points.Best(points.Values(f.objective), n, nil)
}
