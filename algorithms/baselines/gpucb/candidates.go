package gpucb

import (
	"math/rand/v2"

	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/space"
)

// candidates are fixed points of the box from which starts are chosen: quasi-random points, and corners, where
// the bound is often largest because little is known there. From three to seven dimensions the corners belong to a
// grid, which has points inside edges and faces too.
type candidates struct {
	search.Candidates
	*gp.Tracked
	box    space.Box
	arms   bool      // the points are all of the domain
	spread int       // number of quasi-random points, which come first
	score  []float64 // of the last best
	near   [][]int   // of each candidate: those that are the same start; nil above dense
}

const (
	quasiRandom = 256  // in two dimensions twice as many
	corners     = 4096 // at most
	// dense is the largest dimension in which the candidates show all maxima, so that a candidate close to a
	// greater one is not a start.
	dense = 2
)

// sides are the numbers of points of a side of the grid, by dimension.
var sides = [...]int{3: 9, 4: 5, 5: 3, 6: 3, 7: 3}

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
	d, spread := box.Dim(), quasiRandom
	if d == 2 {
		spread *= 2
	}
	points := search.Candidates{Dim: d, X: a.Rows()}
	if !onArms {
		points = search.NewCandidates(box, spread, r)
		if dense < d && d < len(sides) {
			points.X = append(points.X, box.Grid(sides[d])...)
		} else {
			points.X = append(points.X, search.Corners(box, corners)...)
		}
	}
	n := points.Len()
	c := &candidates{points, gp.NewTracked(points.X, n), box, onArms, spread, make([]float64, n), nil}
	if d <= dense && !onArms {
		c.near = points.Near(box, minSquare(d))
	}
	return c
}

// best returns at most count distinct candidates of the largest mean + factor times deviation. Above dense the first half
// are the best of the grid or the corners, the second the best of the quasi-random points. These have smaller values, but
// climbs from them gain more: without them maxima inside the box were missed. The mean, factor 0, needs half as many starts.
func (c *candidates) best(factor float64, count int) [][]float64 {
	c.Bounds(c.score, factor)
	if c.near != nil {
		return c.Peaks(c.score, count, c.near)
	}
	if factor == 0 {
		count = (count + 1) / 2
	}
	least := minSquare(c.Dim)
	same := func(x, y []float64) bool { return search.SquareDistance(c.box, x, y) < least }
	spread, outer := c.Candidates, c.Candidates
	spread.X, outer.X = c.X[:c.spread*c.Dim], c.X[c.spread*c.Dim:]
	starts := outer.Best(c.score[c.spread:], (count+1)/2, same)
	return append(starts, spread.Best(c.score[:c.spread], count-len(starts), same)...)
}
