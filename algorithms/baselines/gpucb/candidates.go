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

// minSquare returns the least squared distance of distinct starts in d dimensions, in box widths.
func minSquare(d int) float64 {
	least := 0.1 // root mean square over coordinates
	if d <= dense {
		least = 0.05
	}
	return least * least * float64(d)
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
		c.near = points.Near(box, minSquare(box.Dim()))
	}
	return c
}

// best returns at most count distinct candidates of the largest mean + factor times deviation, the best first.
func (c *candidates) best(factor float64, count int) [][]float64 {
	c.Bounds(c.score, factor)
	if c.near != nil {
		return c.Peaks(c.score, count, c.near)
	}
	least := minSquare(c.Dim)
	return c.Best(c.score, count, func(x, y []float64) bool { return search.SquareDistance(c.box, x, y) < least })
}
