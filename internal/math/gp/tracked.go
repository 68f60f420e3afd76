package gp

import (
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Tracked is the posterior of a regression at fixed points. A new value takes one
// row of the growing factor for each of them, not a new solve. Not for concurrent
// use.
type Tracked struct {
	x  []float64 // n×d
	of *Regression
	m  int // values of it so far

	prior     []float64 // k(x,x), length n
	rows      []float64 // m×n: L⁻¹k
	explained []float64 // |L⁻¹k|²
	y, share  []float64 // (L⁻¹k)ᵀ L⁻¹y and (L⁻¹k)ᵀ L⁻¹1
	l         []float64 // scratch, L
}

// NewTracked returns the points x, n×d row-major, without a regression yet. It
// keeps x.
func NewTracked(x []float64, n int) *Tracked {
	c := &Tracked{x: x}
	for _, v := range []*[]float64{&c.prior, &c.explained, &c.y, &c.share} {
		*v = make([]float64, n)
	}
	return c
}

// Follow adds the values that the regression has more; all of them if it is another
// one than before.
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
	if from == 0 { // all at once, to the same bits
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
