// Package linalg has the dense linear algebra that models and searches share: Cholesky factors, triangular solves,
// and vectors that reuse their memory.
//
// Matrices are row-major slices. Sums run in the order that package wide defines, so results have the same bits on
// every platform.
package linalg

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

// Resize returns v with length n, in the same memory if that is large enough. The contents are undefined.
func Resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n, n+n/2)
	}
	return v[:n]
}
