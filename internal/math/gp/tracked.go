package gp

import (
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Tracked is the posterior of a regression at fixed points. A new value costs one row of the growing factor for
// each point, not a new solve. It is not safe for concurrent use.
type Tracked struct {
	x  []float64 // n×d
	of *Regression
	m  int // number of its values included so far

	prior     []float64 // k(x,x), length n
	rows      []float64 // m×n: L⁻¹k
	explained []float64 // |L⁻¹k|²
	y, share  []float64 // (L⁻¹k)ᵀ L⁻¹y and (L⁻¹k)ᵀ L⁻¹1
	l         []float64 // workspace, L
}

// NewTracked returns the points x, n×d row-major, without a regression. It keeps x.
func NewTracked(x []float64, n int) *Tracked {
	c := &Tracked{x: x}
	for _, v := range []*[]float64{&c.prior, &c.explained, &c.y, &c.share} {
		*v = make([]float64, n)
	}
	return c
}

// Follow adds the new values of the regression, or all of them if it is not the same regression as before.
func (c *Tracked) Follow(g *Regression) {
	d := g.Kernel.Dim()
	if g != c.of {
		c.of, c.m = g, 0
		clear(c.explained)
		clear(c.y)
		clear(c.share)
		for i := range c.prior {
			x := c.x[i*d : (i+1)*d]
			c.prior[i] = g.Kernel.Eval(x, x)
		}
	}
	from, n, count := c.m, g.Len(), len(c.prior)
	c.rows = slices.Grow(c.rows[:from*count], (n-from)*count)[:n*count]
	for i := from; i < n; i++ {
		g.Kernel.Row(c.row(i), g.Point(i), c.x)
	}
	if from == 0 { // all rows at once; the bits are the same
		stride := linalg.RowLength(n)
		c.l = linalg.Resize(c.l, n*stride)
		g.factor.Unpack(c.l, stride)
		wide.SolveL(c.l, stride, n, wide.Matrix{Data: c.rows, Stride: count}, count)
	}
	for ; c.m < n; c.m++ {
		row := c.row(c.m)
		if from > 0 {
			l := g.factor.Row(c.m)
			for j, v := range l[:c.m] {
				wide.AddScaled(row, -v, c.row(j))
			}
			wide.Scale(row, 1/l[c.m])
		}
		y, one := g.whiteY[c.m], g.whiteOne[c.m]
		for i, v := range row {
			c.explained[i] += float64(v * v)
			c.y[i] += float64(v * y)
			c.share[i] += float64(v * one)
		}
	}
}

// row returns L⁻¹k of value i at all points.
func (c *Tracked) row(i int) []float64 {
	count := len(c.prior)
	return c.rows[i*count : (i+1)*count]
}

// Bounds sets dst, of length n, to mean + factor times deviation at the points.
func (c *Tracked) Bounds(dst []float64, factor float64) {
	g := c.of
	for i := range dst {
		mean := g.mean + c.y[i] - float64(g.mean*c.share[i])
		dst[i] = mean + float64(factor*math.Sqrt(g.variance(c.prior[i], c.explained[i], c.share[i])))
	}
}
