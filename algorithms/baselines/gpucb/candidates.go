package gpucb

import (
	"math/rand/v2"

	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/space"
)

// candidates are fixed points of the box from which starts are chosen: quasi-random
// ones, and corners, where the bound is often greatest because little is known there.
type candidates struct {
	search.Candidates
	*gp.Tracked
	box   space.Box
	score []float64 // of the last best
}

const (
	quasiRandom = 1024
	corners     = 4096 // at most
	// minDistance is the least distance of two starts: the root mean square over
	// coordinates, in box widths.
	minDistance = 0.1
)

// newCandidates shifts the points by a draw from r.
func newCandidates(box space.Box, r *rand.Rand) *candidates {
	points := search.NewCandidates(box, quasiRandom, r)
	points.X = append(points.X, search.Corners(box, corners)...)
	n := points.Len()
	return &candidates{points, gp.NewTracked(points.X, n), box, make([]float64, n)}
}

// best returns at most count distinct candidates of the greatest mean + factor times
// deviation, the best first.
func (c *candidates) best(factor float64, count int) [][]float64 {
	c.Bounds(c.score, factor)
	return c.Best(c.score, count, c.near)
}

func (c *candidates) near(x, y []float64) bool {
	return search.SquareDistance(c.box, x, y) < minDistance*minDistance*float64(len(x))
}
