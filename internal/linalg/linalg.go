// Package linalg has the dense linear algebra that models and searches share:
// Cholesky factors, triangular solves, and vectors that keep their memory.
//
// Matrices are row-major slices. Sums run in order and every product is rounded
// before it is added, so that results have the same bits on every platform; the
// exceptions, which use BLAS, say so.
package linalg

import "gonum.org/v1/gonum/blas/gonum"

// bl is called as a value of its own type: through blas64's interface its calls
// cost more than their work at these sizes.
var bl gonum.Implementation

// Dot returns Σ a_i b_i over the length of a, summed in order.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s float64
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}

// AddScaled adds c b to a, over the length of a.
func AddScaled(a []float64, c float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] += float64(c * b[i])
	}
}

// ArgMax returns the index of the largest element of v, the first of equals.
func ArgMax(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}

// Resize returns v with length n, in the same memory if that suffices. The
// contents are undefined.
func Resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n, n+n/2)
	}
	return v[:n]
}
