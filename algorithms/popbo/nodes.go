package popbo

import (
	"math/rand/v2"

	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// nodes are fixed points of the box above two dimensions: corners and low-discrepancy interior
// points. Their kernel values with the model's points are stored node by node, unlike those of
// candidates, because a search visits most nodes once or twice.
type nodes struct {
	search.Candidates
	k        kernel.Kernel
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
	c := &nodes{Candidates: search.Candidates{Dim: d, X: search.Corners(box, maxCorners)}, k: k}
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

// sync adds the points that the model has gained.
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
		c.k.Row(c.column, m.Point(c.m), c.X)
		for i, v := range c.column {
			c.kx[i*c.stride+c.m] = v
		}
	}
}
