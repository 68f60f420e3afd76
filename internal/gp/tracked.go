package gp

import (
	"math"

	"popbench/internal/linalg"
)

// Tracked is the posterior of a regression at fixed points. A new value takes one
// row of the growing factor for each of them, not a new solve. Not for concurrent
// use.
type Tracked struct {
	x  []float64 // n×d
	of *Regression
	m  int // values of it so far

	prior     []float64   // k(x,x), length n
	rows      [][]float64 // m rows of length n: L⁻¹k
	explained []float64   // |L⁻¹k|²
	y, share  []float64   // (L⁻¹k)ᵀ L⁻¹y and (L⁻¹k)ᵀ L⁻¹1
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
	for ; c.m < g.Len(); c.m++ {
		if len(c.rows) == c.m {
			c.rows = append(c.rows, make([]float64, len(c.prior)))
		}
		row, l := c.rows[c.m], g.factor.Row(c.m)
		g.Kernel.Row(row, g.Point(c.m), c.x)
		for j, v := range l[:c.m] {
			linalg.AddScaled(row, -v, c.rows[j])
		}
		pivot, y, one := l[c.m], g.whiteY[c.m], g.whiteOne[c.m]
		for i, v := range row {
			v /= pivot
			row[i] = v
			c.explained[i] += float64(v * v)
			c.y[i] += float64(v * y)
			c.share[i] += float64(v * one)
		}
	}
}

// Bounds sets dst, of length n, to mean + factor times deviation at the points.
func (c *Tracked) Bounds(dst []float64, factor float64) {
	g := c.of
	for i := range dst {
		mean := g.mean + c.y[i] - float64(g.mean*c.share[i])
		dst[i] = mean + float64(factor*math.Sqrt(g.variance(c.prior[i], c.explained[i], c.share[i])))
	}
}
