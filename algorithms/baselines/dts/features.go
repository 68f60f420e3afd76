package dts

import (
	"math"
	"slices"

	"popbench/internal/linalg"
	"popbench/internal/wide"
	"popbench/kernel"
)

// features are r functions φ_m of a point, by their values at n given points, with
//
//	φ(x)·φ(u) = k(x, u) to within residual,
//
// so that φ(x)ᵀ Z φ(x') with Z of independent standard normal numbers is a draw of
// the prior with kernel k(x,u) k(x',u').
type features struct {
	n, rank int
	phi     []float64 // rank×n, row-major: row m has the values of φ_m
}

// residual is what the features may lack of a variance of 1: a thousandth of a
// standard deviation.
const residual = 1e-6

// newFeatures returns the features of a kernel of variance 1 at the given points,
// row-major. They are the rows of a pivoted Cholesky factor (Harbrecht, Peters and
// Schneider, "On the low-rank approximation by the pivoted Cholesky decomposition",
// 2012). The spectrum of a smooth kernel falls so fast that a hundred of them are
// exact where a thousand random Fourier features are three per cent off.
//
// Pivots are taken several at a time, for the sake of the memory through which the
// factor has to pass: the points that lack most, among those whose kernel with one
// another is at most ½. One that lacks less than half of the first by the time that
// it has its turn is left for later.
func newFeatures(k kernel.Kernel, points []float64) *features {
	const atOnce = 16
	d := k.Dim()
	n := len(points) / d
	f := &features{n: n}
	rest, near := make([]float64, n), make([]float64, n)
	for i := range rest {
		rest[i] = 1
	}
	f.phi = make([]float64, 0, 64*n)
	var pivots []int
	var own []float64 // features of the pivots
	for f.rank < n {
		most := rest[linalg.ArgMax(rest)]
		if most <= residual {
			break
		}
		least := max(residual, 0.5*most)
		pivots = pivots[:0]
		clear(near)
		f.phi = slices.Grow(f.phi, atOnce*n)
		rows := f.phi[f.rank*n : (f.rank+atOnce)*n]
		for len(pivots) < atOnce {
			at := farthest(rest, near)
			if at < 0 || rest[at] <= least {
				break
			}
			row := rows[len(pivots)*n:][:n]
			k.Row(row, points[at*d:(at+1)*d], points)
			pivots = append(pivots, at)
			for j, v := range row {
				near[j] = max(near[j], v)
			}
		}
		if f.rank > 0 {
			own = f.of(own, pivots)
			wide.GemmT(wide.Matrix{Data: rows, Stride: n}, true, wide.Matrix{Data: own, Stride: len(pivots)}, wide.Matrix{Data: f.phi, Stride: n}, len(pivots), n, f.rank)
		}
		before := f.rank
		for i, at := range pivots {
			if rest[at] > least {
				copy(rows[(f.rank-before)*n:][:n], rows[i*n:][:n])
				f.append(at, before, rest)
			}
		}
	}
	return f
}

// farthest returns the point of which most is left among those whose kernel with the
// points chosen is at most ½; -1 if there is none.
func farthest(rest, near []float64) int {
	best := -1
	for i, v := range rest {
		if near[i] <= 0.5 && (best < 0 || v > rest[best]) {
			best = i
		}
	}
	return best
}

// append makes a feature by the pivot at of what lies behind the last one: what the
// features before the given one have left of the pivot's row of the kernel.
func (f *features) append(at, before int, rest []float64) {
	n := f.n
	row := f.phi[f.rank*n : (f.rank+1)*n]
	if f.rank > before {
		own := f.of(nil, []int{at})[before:]
		wide.GemvT(row, -1, f.phi[before*n:], n, own)
	}
	scale := 1 / math.Sqrt(rest[at])
	for j, v := range row {
		v *= scale
		row[j] = v
		rest[j] -= float64(v * v)
	}
	rest[at] = 0
	f.rank++
	f.phi = f.phi[:f.rank*n]
}

// of returns the features of some points, a column for each, in the memory of dst.
func (f *features) of(dst []float64, points []int) []float64 {
	cols := len(points)
	dst = linalg.Resize(dst, f.rank*cols)
	for m := range f.rank {
		for i, at := range points {
			dst[m*cols+i] = f.phi[m*f.n+at]
		}
	}
	return dst
}
