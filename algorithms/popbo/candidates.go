package popbo

import (
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// candidates are fixed points of the box where functions are evaluated before a search starts:
// a regular grid in one and two dimensions; corners and low-discrepancy points above. Their
// kernel values with the model's points are kept, so that evaluating a function of the RKHS
// costs one dot product per candidate.
type candidates struct {
	search.Candidates
	box      space.Box
	side     int       // points per dimension of the grid; 0 if there is no grid
	m        int       // number of model points
	kx       []float64 // m×n, k(x_j, candidate i)
	diag     []float64 // k(x, x)
	corners  []int     // of the grid
	adjacent [][2]int  // n×d, of the grid: the neighbours in each coordinate; at an end, the one neighbour twice

	features []float64 // workspace of relaxedMaxima
}

const (
	candidates1 = 129  // grid points in 1-D
	candidates2 = 25   // grid points per dimension in 2-D
	candidatesN = 1024 // points above two dimensions

	initialPoints = 32 // number of model points that memory is first allocated for
)

func newCandidates(k kernel.Kernel, box space.Box, r *rand.Rand) *candidates {
	c := &candidates{Candidates: search.Candidates{Dim: box.Dim()}, box: box}
	switch c.Dim {
	case 1:
		c.side = candidates1
		c.X = box.Grid(candidates1)
		c.corners = []int{0, candidates1 - 1}
	case 2:
		c.side = candidates2
		c.X = box.Grid(candidates2)
		const n = candidates2
		c.corners = []int{0, n - 1, n*n - n, n*n - 1}
	default:
		c.X = make([]float64, 0, candidatesN*c.Dim)
		if c.Dim <= 6 { // at most 64 corners, where optimistic maxima often lie
			c.X = append(c.X, box.Grid(2)...)
		}
		at := len(c.X)
		c.X = c.X[:candidatesN*c.Dim]
		search.QuasiRandom(c.X[at:], box, r)
	}
	for i := range c.Len() {
		for stride := 1; c.side > 0 && stride < c.Len(); stride *= c.side {
			at := [2]int{i - stride, i + stride}
			switch i / stride % c.side {
			case 0:
				at[0] = at[1]
			case c.side - 1:
				at[1] = at[0]
			}
			c.adjacent = append(c.adjacent, at)
		}
	}
	c.diag = make([]float64, c.Len())
	for i := range c.diag {
		c.diag[i] = k.Eval(c.At(i), c.At(i))
	}
	return c
}

// spacing is the distance between neighbours, in box widths.
func (c *candidates) spacing() float64 {
	if c.side > 0 {
		return 1 / float64(c.side-1)
	}
	return 0.1
}

// cell is the distance between neighbours in coordinate j.
func (c *candidates) cell(j int) float64 { return c.spacing() * (c.box.Hi[j] - c.box.Lo[j]) }

// row returns k(x_j, ·) at the candidates, for the model's point x_j.
func (c *candidates) row(j int) []float64 { n := c.Len(); return c.kx[j*n : (j+1)*n] }

func (c *candidates) sync(m *Model) {
	for ; c.m < m.Len(); c.m++ {
		c.kx = slices.Grow(c.kx, c.Len()*max(1, initialPoints-c.m))[:len(c.kx)+c.Len()]
		m.k.Row(c.row(c.m), m.Point(c.m), c.X)
	}
}

// values sets dst[i] = Σ_j w_j k(x_j, candidate i).
func (c *candidates) values(dst, w []float64) {
	linalg.MulT(dst, 1, c.kx, len(dst), w)
}

// relaxedMaxima sets dst[j] to the relaxation's maximum of ⟨f, k(candidate j, ·) - k(y,·)⟩,
// given cy_i = ⟨g_i, k(y,·)⟩ and the squared norm rho_j of that direction.
func (c *candidates) relaxedMaxima(dst []float64, r *confset.Relaxation, m *Model, cy, rho []float64) {
	n := c.Len()
	c.features = linalg.Resize(c.features, len(cy)*n)
	for i, shift := range cy {
		win, los, row := c.row(m.win[i]), c.row(m.los[i]), c.features[i*n:(i+1)*n]
		for j := range row {
			row[j] = win[j] - los[j] - shift
		}
	}
	r.Estimate(dst, c.features, rho)
}

// best returns at most count candidates to start a search from, highest value first: local
// maxima of the grid or, above two dimensions, distinct points.
func (c *candidates) best(value []float64, count int) [][]float64 {
	if c.side == 0 {
		return c.Best(value, count, func(x, y []float64) bool {
			return search.SquareDistance(c.box, x, y) < 0.02*float64(c.Dim)
		})
	}
	peaks, values := search.Candidates{Dim: c.Dim}, []float64(nil)
	for i, v := range value {
		if !math.IsNaN(v) && c.isLocalMax(value, i) {
			peaks.X, values = append(peaks.X, c.At(i)...), append(values, v)
		}
	}
	return peaks.Best(values, count, nil)
}

// isLocalMax reports whether no neighbour of grid point i is higher. Of a plateau only the first
// point counts.
func (c *candidates) isLocalMax(value []float64, i int) bool {
	rows, a, b := c.Len()/c.side, i/c.side, i%c.side // one row in one dimension
	for p := max(a-1, 0); p <= min(a+1, rows-1); p++ {
		for q := max(b-1, 0); q <= min(b+1, c.side-1); q++ {
			if j := p*c.side + q; value[j] > value[i] || value[j] == value[i] && j < i {
				return false
			}
		}
	}
	return true
}

// nodes are fixed points of the box above two dimensions: corners and low-discrepancy interior
// points. Their kernel values with the model's points are stored node by node (candidates store
// them point by point), because a search visits most nodes once or twice.
type nodes struct {
	search.Candidates
	corners  int       // number of corners, which come before the interior points
	variance []float64 // k(x, x)
	m        int       // number of model points
	stride   int
	kx       []float64 // one row of k(x, x_j) per node, with m of stride elements in use
	column   []float64 // workspace: the values with one model point
}

const (
	maxCorners  = 4096
	minInterior = 256
	maxInterior = 1024
	nodeProduct = 1 << 16 // number of corners times number of interior points
)

// newNodes returns the nodes of the box. r shifts the interior points and may be nil.
func newNodes(k kernel.Kernel, box space.Box, r *rand.Rand) *nodes {
	d := box.Dim()
	c := &nodes{Candidates: search.Candidates{Dim: d, X: search.Corners(box, maxCorners)}}
	c.corners = c.Len()
	interior := min(maxInterior, max(minInterior, nodeProduct/c.corners))
	c.X = append(c.X, search.NewCandidates(box, interior, r).X...)
	c.variance, c.column = make([]float64, c.Len()), make([]float64, c.Len())
	for i := range c.variance {
		c.variance[i] = k.Eval(c.At(i), c.At(i))
	}
	return c
}

// kernelValues returns the kernel values of node i with the model's points.
func (c *nodes) kernelValues(i int) []float64 { return c.kx[i*c.stride:][:c.m] }

func (c *nodes) sync(m *Model) {
	if m.Len() > c.stride {
		old, stride := c.kx, c.stride
		c.stride = 2 * m.Len()
		c.kx = make([]float64, c.Len()*c.stride)
		for i := range c.Len() {
			copy(c.kx[i*c.stride:], old[i*stride:][:c.m])
		}
	}
	for ; c.m < m.Len(); c.m++ {
		m.k.Row(c.column, m.Point(c.m), c.X)
		for i, v := range c.column {
			c.kx[i*c.stride+c.m] = v
		}
	}
}
