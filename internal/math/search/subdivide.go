package search

import (
	"math"

	"popbench/space"
)

// maxSubdivided is the largest dimension of a Subdivision.
const maxSubdivided = 4

// Cell is a part of a box.
type Cell struct {
	lo, hi [maxSubdivided]float64
	bound  float64
	n      int
}

// Lo returns the lower corner of the cell. The caller must not change it.
func (c *Cell) Lo() []float64 { return c.lo[:c.n] }

// Hi returns the upper corner of the cell. The caller must not change it.
func (c *Cell) Hi() []float64 { return c.hi[:c.n] }

// Subdivision bounds a function over a box of up to four dimensions from above, by branch and bound: it halves
// the cell with the largest bound until no bound is above the goal. Cells that touch have identical coordinates
// for the corners that they share.
type Subdivision struct {
	// Bound returns an upper bound of the function over the cell, or -Inf for a cell that does not count. It is
	// called when a cell is made, and again, with again set, when no cell has a larger bound. If it then
	// returns less, the cell returns to the queue; else the cell is halved. The cell is valid during the call
	// only.
	Bound func(c *Cell, again bool) float64
	// Goal is the bound up to which a cell is not halved. It may rise, but not fall.
	Goal func() float64
	// Spent reports whether to give up.
	Spent func() bool
	// Scale has the units of the sides of a cell, one a coordinate. The side that is longest in them is halved.
	Scale []float64

	Cells int // number of cells made by Run

	now   Cell
	queue heap[Cell] // the largest bound first
	upper float64    // largest bound of the cells that will not be halved
}

// Run returns an upper bound of the function over the box. It is above the goal only if Spent ended the search.
// Run panics if the box has more than four dimensions.
func (s *Subdivision) Run(box space.Box) (upper float64) {
	s.queue = heap[Cell]{s.queue.items[:0], func(c, d *Cell) bool { return c.bound > d.bound }}
	s.Cells, s.upper = 0, math.Inf(-1)
	s.now = Cell{n: box.Dim(), bound: math.Inf(1)}
	copy(s.now.lo[:s.now.n], box.Lo)
	copy(s.now.hi[:s.now.n], box.Hi)
	s.add()
	for len(s.queue.items) > 0 && !s.Spent() {
		c := s.queue.pop()
		s.now = c
		if c.bound > s.Goal() {
			s.now.bound = s.Bound(&s.now, true)
		}
		if s.now.bound < c.bound || c.bound <= s.Goal() {
			s.keep()
			continue
		}
		j := s.longest(&c)
		mid := c.lo[j] + float64((c.hi[j]-c.lo[j])/2)
		s.now = c
		s.now.hi[j] = mid
		s.add()
		s.now = c
		s.now.lo[j] = mid
		s.add()
	}
	if len(s.queue.items) > 0 {
		return max(s.upper, s.queue.items[0].bound)
	}
	return s.upper
}

// add bounds the function over the new cell now, and keeps the cell. At first its bound is the bound of the cell
// that was halved.
func (s *Subdivision) add() {
	s.Cells++
	s.now.bound = min(s.now.bound, s.Bound(&s.now, false))
	s.keep()
}

// keep puts now in the queue if its bound is above the goal.
func (s *Subdivision) keep() {
	if s.now.bound <= s.Goal() {
		s.upper = max(s.upper, s.now.bound)
		return
	}
	s.queue.push(s.now)
}

func (s *Subdivision) longest(c *Cell) int {
	at, most := 0, -1.0
	for j := range c.n {
		if side := (c.hi[j] - c.lo[j]) / s.Scale[j]; side > most {
			at, most = j, side
		}
	}
	return at
}
