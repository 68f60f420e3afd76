package gpucb

import (
	"math/rand/v2"

	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/space"
)

// candidates are fixed points of the box from which starts are chosen: quasi-random points, and corners, where
// the bound is often largest because little is known there.
type candidates struct {
	search.Candidates
	*gp.Tracked
	box   space.Box
	arms  bool      // the points are all of the domain
	score []float64 // of the last best
	near  [][]int   // of each candidate: those that are the same start; nil above dense
}

const (
	quasiRandom = 1024 // at most
	perDim      = 256  // of them for each dimension
	corners     = 4096 // at most
	// dense is the largest dimension in which the candidates show all maxima, so that a candidate close to a
	// greater one is not a start.
	dense = 2
)

// minDistance returns the least distance of distinct starts in d dimensions: the root mean square over
// coordinates, in box widths.
func minDistance(d int) float64 {
	if d <= dense {
		return 0.05
	}
	return 0.1
}

// newCandidates returns candidates, their quasi-random points shifted by a draw from r; on a finite set, all arms.
func newCandidates(domain space.Domain, r *rand.Rand) *candidates {
	box := domain.Bounds()
	a, onArms := domain.(*space.Arms)
	points := search.Candidates{Dim: box.Dim(), X: a.Rows()}
	if !onArms {
		points = search.NewCandidates(box, min(quasiRandom, perDim*box.Dim()), r)
		points.X = append(points.X, search.Corners(box, corners)...)
	}
	n := points.Len()
	c := &candidates{points, gp.NewTracked(points.X, n), box, onArms, make([]float64, n), nil}
	if box.Dim() <= dense && !onArms {
		c.near = points.Near(c.same)
	}
	return c
}

// best returns at most count distinct candidates of the largest mean + factor times deviation, the best first.
func (c *candidates) best(factor float64, count int) [][]float64 {
	c.Bounds(c.score, factor)
	if c.near != nil {
		return c.Peaks(c.score, count, c.near)
	}
	return c.Best(c.score, count, c.same)
}

func (c *candidates) same(x, y []float64) bool {
	least := minDistance(c.Dim)
	return search.SquareDistance(c.box, x, y) < least*least*float64(c.Dim)
}
