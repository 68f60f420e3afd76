package gp

import (
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Tracked is the posterior of a regression at fixed points. A new value costs one row of the growing factor for
// each point, not a new solve. It is not safe for concurrent use.
type Tracked struct {
	x      []float64 // n×d
	of     *Regression
	kernel kernel.Kernel // of the regression
	m      int           // number of its values included so far

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

// Follow adds the new values of the regression, or all of them if it is not the same regression as before, or another kernel
// has replaced its own.
func (c *Tracked) Follow(g *Regression) {
	if g != c.of || g.Kernel != c.kernel {
		c.of, c.kernel, c.m = g, g.Kernel, 0
		clear(c.explained)
		clear(c.y)
		clear(c.share)
		c.setPrior()
	}
	from, n, count := c.m, g.Len(), len(c.prior)
	if from == n {
		return
	}
	if c.rows = c.rows[:from*count]; cap(c.rows) < n*count {
		c.rows = slices.Grow(c.rows, (2*n-from)*count) // for as many again, so that few are copied
	}
	c.rows, c.m = c.rows[:n*count], n
	stride := linalg.RowLength(n)
	if from == 0 {
		c.l = linalg.Resize(c.l, n*stride)
		g.factor.Unpack(c.l, stride)
	}
	for at := 0; at < count; at += points {
		end := min(at+points, count)
		for i := from; i < n; i++ {
			g.Kernel.Row(c.row(i)[at:end], g.Point(i), c.x[at*g.Kernel.Dim():end*g.Kernel.Dim()])
		}
		if from == 0 { // all rows at once; the bits are the same
			wide.SolveL(c.l, stride, n, wide.Matrix{Data: c.rows[at:], Stride: count}, end-at)
		}
		for i := from; i < n; i++ {
			row := c.row(i)[at:end]
			if from > 0 {
				l := g.factor.Row(i)
				wide.GemvT(row, -1, c.rows[at:], count, l[:i])
				wide.Scale(row, 1/l[i])
			}
			wide.AddProduct(c.explained[at:end], 1, row, row)
			wide.AddScaled(c.y[at:end], g.whiteY[i], row)
			wide.AddScaled(c.share[at:end], g.whiteOne[i], row)
		}
	}
}

// points is the number of points that are followed at once, so that their rows stay in the cache.
const points = 128

func (c *Tracked) setPrior() {
	k := c.of.Kernel
	d := k.Dim()
	_, same := k.(kernel.Stationary)
	for i := range c.prior {
		if x := c.x[i*d : (i+1)*d]; i == 0 || !same {
			c.prior[i] = k.Eval(x, x)
		} else {
			c.prior[i] = c.prior[0]
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
