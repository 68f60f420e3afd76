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
	own     []float64 // scratch: those of some points
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
	const atOnce = 32
	d := k.Dim()
	n := len(points) / d
	f := &features{n: n, phi: make([]float64, 0, 64*n)}
	rest, near := make([]float64, n), make([]float64, n)
	for i := range rest {
		rest[i] = 1
	}
	var pivots []int
	for f.rank < n {
		at := linalg.ArgMax(rest)
		least := max(residual, 0.5*rest[at])
		if rest[at] <= residual {
			break
		}
		pivots = pivots[:0]
		clear(near)
		f.phi = slices.Grow(f.phi, atOnce*n)
		rows := f.phi[f.rank*n : (f.rank+atOnce)*n]
		for at >= 0 && rest[at] > least && len(pivots) < atOnce {
			row := rows[len(pivots)*n:][:n]
			k.Row(row, points[at*d:(at+1)*d], points)
			pivots = append(pivots, at)
			at = farthest(rest, near, row)
		}
		f.subtract(rows, pivots)
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
// points chosen is at most ½; -1 if there is none. row is the kernel with the last
// chosen one, near becomes the largest kernel with any.
func farthest(rest, near, row []float64) int {
	best, most := -1, 0.
	for i, v := range row {
		if v > near[i] {
			near[i] = v
		}
		if near[i] <= 0.5 && rest[i] > most {
			best, most = i, rest[i]
		}
	}
	return best
}

// subtract takes from the pivots' rows of the kernel what the features have of them.
func (f *features) subtract(rows []float64, pivots []int) {
	f.own = f.of(f.own, pivots)
	const width = 128 // columns of the features that the cache keeps for all pivots
	for j := 0; j < f.n; j += width {
		wide.GemmT(wide.Matrix{Data: rows[j:], Stride: f.n}, true, wide.Matrix{Data: f.own, Stride: len(pivots)},
			wide.Matrix{Data: f.phi[min(j, len(f.phi)):], Stride: f.n}, len(pivots), min(width, f.n-j), f.rank)
	}
}

// append makes a feature by the pivot at of what lies behind the last one: what the
// features before the given one have left of the pivot's row of the kernel.
func (f *features) append(at, before int, rest []float64) {
	n := f.n
	row := f.phi[f.rank*n : (f.rank+1)*n]
	f.own = linalg.Resize(f.own, f.rank-before)
	for m := range f.own {
		f.own[m] = f.phi[(before+m)*n+at]
	}
	wide.GemvT(row, -1, f.phi[before*n:], n, f.own)
	wide.Scale(row, 1/math.Sqrt(rest[at]))
	wide.AddProduct(rest, -1, row, row)
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
