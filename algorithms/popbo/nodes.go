package popbo

import (
	"math/rand/v2"

	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// nodes are fixed points of the box above two dimensions: corners, and low-discrepancy
// points between. Unlike those of candidates, their kernel values with the model's points
// are kept by node, because a search looks at most nodes once or twice.
type nodes struct {
	search.Candidates
	k        kernel.Kernel
	corners  int       // nodes before the points between
	variance []float64 // k(x, x)
	m        int       // model points
	stride   int
	kx       []float64 // a row of k(x, x_j) each, m of stride elements in use
	column   []float64 // workspace, the values with one point
}

const (
	cornerNodes  = 4096 // at most
	leastBetween = 256
	mostBetween  = 1024
	boxNodes     = 1 << 16 // the more corners, the fewer points between: so many corners times points
)

// newNodes returns the nodes of the box; r shifts the points between and may be nil.
func newNodes(k kernel.Kernel, box space.Box, r *rand.Rand) *nodes {
	d := box.Dim()
	c := &nodes{Candidates: search.Candidates{Dim: d, X: search.Corners(box, cornerNodes)}, k: k}
	c.corners = c.Len()
	between := min(mostBetween, max(leastBetween, boxNodes/c.corners))
	c.X = append(c.X, search.NewCandidates(box, between, r).X...)
	c.variance, c.column = make([]float64, c.Len()), make([]float64, c.Len())
	for i := range c.variance {
		c.variance[i] = k.Eval(c.At(i), c.At(i))
	}
	return c
}

// kernelValues returns those of node i with the model's points.
func (c *nodes) kernelValues(i int) []float64 { return c.kx[i*c.stride:][:c.m] }

// follow takes in the points that the model has more.
func (c *nodes) follow(m *Model) {
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
