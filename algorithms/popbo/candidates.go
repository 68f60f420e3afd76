package popbo

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// candidates are fixed points of the box at which functions are looked at
// before a search starts: a regular grid in one and two dimensions, corners and
// low-discrepancy points above. Their kernel values with the model's points are
// kept, so that a function of the RKHS costs one dot product a candidate.
type candidates struct {
	k       kernel.Kernel
	d       int
	n       int
	side    int       // points per dimension of the grid; 0 if it is none
	x       []float64 // n×d
	m       int       // model points
	kx      []float64 // m×n, k(x_j, candidate i)
	diag    []float64 // k(x, x)
	corners []int     // of a grid
	coarse  []int     // in 1-D, a coarser grid
}

const (
	candidates1 = 129  // grid in 1-D
	stride1     = 4    // of the coarser grid there
	candidates2 = 25   // grid per dimension in 2-D
	candidatesN = 1024 // points above
)

func newCandidates(k kernel.Kernel, box space.Box, r *rand.Rand) *candidates {
	c := &candidates{k: k, d: box.Dim()}
	switch c.d {
	case 1:
		c.side = candidates1
		c.x = box.Grid(candidates1)
		c.corners = []int{0, candidates1 - 1}
		for i := 0; i < candidates1; i += stride1 {
			c.coarse = append(c.coarse, i)
		}
	case 2:
		c.side = candidates2
		c.x = box.Grid(candidates2)
		const n = candidates2
		c.corners = []int{0, n - 1, n*n - n, n*n - 1}
	default:
		c.x = make([]float64, 0, candidatesN*c.d)
		if c.d <= 6 { // 64 corners at most: optimism likes them
			c.x = append(c.x, box.Grid(2)...)
		}
		at := len(c.x)
		c.x = c.x[:candidatesN*c.d]
		search.QuasiRandom(c.x[at:], box, r)
	}
	c.n = len(c.x) / c.d
	c.diag = make([]float64, c.n)
	for i := range c.diag {
		c.diag[i] = k.Eval(c.point(i), c.point(i))
	}
	return c
}

// spacing is the distance of neighbours, in box widths.
func (c *candidates) spacing() float64 {
	if c.side > 0 {
		return 1 / float64(c.side-1)
	}
	return 0.1
}

func (c *candidates) point(i int) []float64 { return c.x[i*c.d : (i+1)*c.d] }

// row returns k(x_j, ·) at the candidates, for the model's point j.
func (c *candidates) row(j int) []float64 { return c.kx[j*c.n : (j+1)*c.n] }

// follow takes in the points that the model has more.
func (c *candidates) follow(m *Model) {
	for c.m < m.Len() {
		c.add(m.Point(c.m))
	}
}

func (c *candidates) add(x []float64) {
	c.kx = append(c.kx, make([]float64, c.n)...)
	c.m++
	c.k.Row(c.row(c.m-1), x, c.x)
}

// values sets dst[i] = Σ_j w_j k(x_j, candidate i).
func (c *candidates) values(dst, w []float64) {
	clear(dst)
	for j, v := range w {
		blas64.Implementation().Daxpy(c.n, v, c.row(j), 1, dst, 1)
	}
}

// best returns at most count candidates to start a search from, best value
// first: local maxima of the grid, or above two dimensions points that no
// better one within reach outshines.
func (c *candidates) best(value []float64, count int, box space.Box) []int {
	var list []int
	for i, v := range value {
		if !math.IsNaN(v) && (c.side == 0 || c.peak(value, i)) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		switch {
		case value[a] > value[b]:
			return -1
		case value[a] < value[b]:
			return 1
		}
		return 0
	})
	if c.side != 0 || len(list) <= count {
		return list[:min(count, len(list))]
	}
	// Spread out: skip points close to one already chosen.
	var chosen []int
	for _, i := range list {
		if len(chosen) == count {
			break
		}
		close := false
		for _, j := range chosen {
			var q float64
			for a := range c.d {
				w := (c.x[i*c.d+a] - c.x[j*c.d+a]) / (box.Hi[a] - box.Lo[a])
				q += w * w
			}
			close = close || q < 0.02*float64(c.d)
		}
		if !close {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// peak reports whether no neighbour of grid point i is higher, and of a plateau
// that i is its first point.
func (c *candidates) peak(value []float64, i int) bool {
	higher := func(j int) bool { return value[j] > value[i] || value[j] == value[i] && j < i }
	if c.d == 1 {
		return (i == 0 || !higher(i-1)) && (i == c.n-1 || !higher(i+1))
	}
	a, b := i/c.side, i%c.side
	for da := -1; da <= 1; da++ {
		for db := -1; db <= 1; db++ {
			p, q := a+da, b+db
			if (da != 0 || db != 0) && p >= 0 && p < c.side && q >= 0 && q < c.side && higher(p*c.side+q) {
				return false
			}
		}
	}
	return true
}
