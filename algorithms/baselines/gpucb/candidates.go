package gpucb

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/search"
	"popbench/space"
)

// candidates are fixed points of the box at which a search looks first. A new
// value costs each of them one row of the growing factor, not a new solve.
type candidates struct {
	n, d int
	x    []float64 // n×d
	m    int       // values taken in

	prior     []float64   // k(x,x)
	rows      [][]float64 // m rows of length n: L⁻¹k
	explained []float64   // |L⁻¹k|²
	y, share  []float64   // (L⁻¹k)ᵀ L⁻¹y and (L⁻¹k)ᵀ L⁻¹1
	score     []float64   // scratch
	order     []int       // scratch
}

const (
	candidateCount = 1024
	// apart is how far apart starts are at least, in box widths a coordinate.
	apart = 0.03
)

// newCandidates shifts the points by a draw from r.
func newCandidates(box space.Box, r *rand.Rand) *candidates {
	c := &candidates{n: candidateCount, d: box.Dim()}
	c.x = make([]float64, c.n*c.d)
	search.QuasiRandom(c.x, box, r)
	for _, v := range []*[]float64{&c.prior, &c.explained, &c.y, &c.share, &c.score} {
		*v = make([]float64, c.n)
	}
	c.order = make([]int, c.n)
	return c
}

func (c *candidates) point(i int) []float64 { return c.x[i*c.d : (i+1)*c.d] }

// restart forgets all values and takes in those of g.
func (c *candidates) restart(g *regression) {
	c.m = 0
	clear(c.explained)
	clear(c.y)
	clear(c.share)
	for i := range c.prior {
		c.prior[i] = g.k.Eval(c.point(i), c.point(i))
	}
	c.follow(g)
}

// follow takes in the values that g has more.
func (c *candidates) follow(g *regression) {
	for ; c.m < g.n; c.m++ {
		if len(c.rows) == c.m {
			c.rows = append(c.rows, make([]float64, c.n))
		}
		row, at := c.rows[c.m], c.m*(c.m+1)/2
		g.k.Row(row, g.x[c.m*c.d:(c.m+1)*c.d], c.x)
		for j, l := range g.chol[at : at+c.m] {
			addScaled(row, -l, c.rows[j])
		}
		pivot, y, one := g.chol[at+c.m], g.whiteY[c.m], g.whiteOne[c.m]
		for i, v := range row {
			v /= pivot
			row[i] = v
			c.explained[i] += float64(v * v)
			c.y[i] += float64(v * y)
			c.share[i] += float64(v * one)
		}
	}
}

// best returns at most count candidates of the greatest mean + factor times
// deviation, the best first, no two of them close.
func (c *candidates) best(g *regression, factor float64, count int, box space.Box) [][]float64 {
	for i := range c.score {
		c.order[i] = i
		mean := g.mean + c.y[i] - float64(g.mean*c.share[i])
		c.score[i] = mean + float64(factor*math.Sqrt(g.variance(c.prior[i], c.explained[i], c.share[i])))
	}
	slices.SortFunc(c.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(c.score[j], c.score[i]), cmp.Compare(i, j))
	})
	var chosen [][]float64
	for _, i := range c.order {
		if len(chosen) == count {
			break
		}
		x := c.point(i)
		if !slices.ContainsFunc(chosen, func(y []float64) bool { return tooClose(x, y, box) }) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// tooClose reports whether x and y are closer than apart, in the mean square over
// coordinates.
func tooClose(x, y []float64, box space.Box) bool {
	var q float64
	for j := range x {
		w := (x[j] - y[j]) / (box.Hi[j] - box.Lo[j])
		q += w * w
	}
	return q < apart*apart*float64(len(x))
}
