package dts

import (
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// features are r functions φ_m of a point, given by their values at n points, with
//
//	φ(x)·φ(u) = k(x, u) to within residual,
//
// so that φ(x)ᵀ Z φ(x') with Z of independent standard normal numbers is a draw of the prior with kernel k(x,u)
// k(x',u').
type features struct {
	n, rank int
	phi     []float64 // rank×n, row-major: row m has the values of φ_m
}

// residual is the part of a variance of 1 that the features may miss: a thousandth of a standard deviation.
const residual = 1e-6

// newFeatures returns the features of a kernel of variance 1 at the given points, row-major. They are the rows
// of a pivoted Cholesky factor (Harbrecht, Peters and Schneider, "On the low-rank approximation by the pivoted
// Cholesky decomposition", 2012). The spectrum of a smooth kernel falls so fast that a hundred of them are
// exact, while a thousand random Fourier features have an error of three per cent.
//
// Several pivots are computed at once, since each pass over the factor costs memory traffic: the points with
// the largest remaining variance among those whose kernel with one another is at most ½. A pivot is left for later
// if by its turn its remaining variance has fallen to at most half of the first pivot's. The values overwrite
// memory, which may be nil.
func newFeatures(k kernel.Kernel, points, memory []float64) *features {
	n := len(points) / k.Dim()
	f := &factor{
		features: features{n: n, phi: slices.Grow(memory[:0], 64*n)}, k: k, points: slices.Clone(points),
		order: make([]int, n), rest: make([]float64, n), left: make([]int, 0, n),
	}
	for i := range n {
		f.order[i], f.rest[i] = i, 1
	}
	for f.extend() {
	}
	return f.inOrder()
}

// factor is the factorisation in progress: features with the points in another order, the pivots first. A
// feature is zero at the pivots before its own, so only the part behind them remains to be computed.
type factor struct {
	features
	k      kernel.Kernel
	points []float64 // row-major, in the order of the factor
	order  []int     // their indices in the given order
	rest   []float64 // remaining variance at each point: 1 minus the variance of the features

	pivots []int // of extend
	left   []int // of extend: the points that may be pivots and are not too near to one
	own    []float64
}

// extend adds the features of some pivots. It returns false if there is nothing to add.
func (f *factor) extend() bool {
	const atOnce = 32
	n, d, before := f.n, f.k.Dim(), f.rank
	if before == n {
		return false
	}
	at := before + linalg.ArgMax(f.rest[before:])
	if f.rest[at] <= residual {
		return false
	}
	least := max(residual, 0.5*f.rest[at])
	f.phi = slices.Grow(f.phi, max(atOnce*n, len(f.phi))) // at least twice as much, so that few are copied
	rows := f.phi[before*n : (before+atOnce)*n]
	row := func(i int) []float64 { return rows[i*n : (i+1)*n] }
	f.pivots, f.left = f.pivots[:0], f.left[:0]
	for i, v := range f.rest[before:] {
		if v > least {
			f.left = append(f.left, before+i)
		}
	}
	for at >= 0 && len(f.pivots) < atOnce {
		next := row(len(f.pivots))
		clear(next[:before])
		f.k.Row(next[before:], f.points[at*d:(at+1)*d], f.points[before*d:])
		f.pivots = append(f.pivots, at)
		at = f.farthest(next)
	}
	f.subtract(rows, f.pivots)
	for i := range f.pivots {
		at := f.pivots[i]
		if f.rest[at] <= least {
			continue
		}
		copy(row(f.rank-before), row(i))
		f.exchange(rows, i, at)
		f.append(before)
	}
	return true
}

// farthest returns the point with the largest remaining variance among those of left whose kernel with the chosen
// points is at most ½, the first of equal ones; -1 if there is none. row is the kernel with the last chosen point.
func (f *factor) farthest(row []float64) int {
	best, most, left := -1, 0., f.left[:0]
	for _, i := range f.left {
		if row[i] > 0.5 {
			continue
		}
		left = append(left, i)
		if f.rest[i] > most {
			best, most = i, f.rest[i]
		}
	}
	f.left = left
	return best
}

// subtract subtracts the part explained by the features from the pivots' rows of the kernel.
func (f *factor) subtract(rows []float64, pivots []int) {
	f.own = f.of(f.own, pivots)
	const width = 128 // columns of the features that fit in the cache for all pivots
	for j := f.rank; j < f.n; j += width {
		wide.GemmT(wide.Matrix{Data: rows[j:], Stride: f.n}, true, wide.Matrix{Data: f.own, Stride: len(pivots)},
			wide.Matrix{Data: f.phi[min(j, len(f.phi)):], Stride: f.n}, len(pivots), min(width, f.n-j), f.rank)
	}
}

// exchange swaps pivot i, the point at, with the point behind the last pivot. rows are the rows of the pivots;
// those from i on are not features yet.
func (f *factor) exchange(rows []float64, i, at int) {
	to, d, n := f.rank, f.k.Dim(), f.n
	if at == to {
		return
	}
	swap := func(v []float64) { v[at], v[to] = v[to], v[at] }
	swap(f.rest)
	f.order[at], f.order[to] = f.order[to], f.order[at]
	for j := range d {
		f.points[at*d+j], f.points[to*d+j] = f.points[to*d+j], f.points[at*d+j]
	}
	all := f.phi[:(to+1)*n] // with the row of this pivot
	for j := 0; j < len(all); j += n {
		all[j+at], all[j+to] = all[j+to], all[j+at]
	}
	for later := i + 1; later < len(f.pivots); later++ {
		swap(rows[later*n : (later+1)*n])
		if f.pivots[later] == to {
			f.pivots[later] = at
		}
	}
}

// append turns the row behind the last feature into a feature, for the pivot behind the last one. The row is
// the pivot's row of the kernel minus the part explained by the features before the given one.
func (f *factor) append(before int) {
	n, at := f.n, f.rank
	row := f.phi[at*n : (at+1)*n]
	f.own = linalg.Resize(f.own, at-before)
	for m := range f.own {
		f.own[m] = f.phi[(before+m)*n+at]
	}
	wide.GemvT(row[at:], -1, f.phi[min(before*n+at, len(f.phi)):], n, f.own)
	clear(row[before:at])
	wide.Scale(row[at:], 1/math.Sqrt(f.rest[at]))
	wide.AddProduct(f.rest[at:], -1, row[at:], row[at:])
	f.rest[at] = 0
	f.rank++
	f.phi = f.phi[:f.rank*n]
}

// inOrder returns the features in the given order of the points. Only pivots have moved, and what they changed places with.
func (f *factor) inOrder() *features {
	var moved []int
	for i, at := range f.order {
		if i != at {
			moved = append(moved, i)
		}
	}
	was := make([]float64, len(moved))
	for m := range f.rank {
		values := f.phi[m*f.n : (m+1)*f.n]
		for j, i := range moved {
			was[j] = values[i]
		}
		for j, i := range moved {
			values[f.order[i]] = was[j]
		}
	}
	return &f.features
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
