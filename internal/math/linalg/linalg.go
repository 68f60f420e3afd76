// Package linalg has the dense linear algebra that models and searches share: Cholesky factors, triangular solves,
// and vectors that reuse their memory.
//
// Matrices are row-major slices. Sums run in the order that package wide defines, so results have the same bits on
// every platform.
package linalg

import (
	"math"
	"sync"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

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

// Mul sets dst = c A x, with the shapes and the order of sums of wide.Gemv.
func Mul(dst []float64, c float64, a []float64, stride int, x []float64) {
	clear(dst)
	wide.Gemv(dst, c, a, stride, x)
}

// MulT sets dst = c Aᵀx, with the shapes and the order of sums of wide.GemvT.
func MulT(dst []float64, c float64, a []float64, stride int, x []float64) {
	clear(dst)
	wide.GemvT(dst, c, a, stride, x)
}

// Cholesky overwrites the lower triangle of the n×n matrix a, whose rows are stride apart, with its factor L. A
// squared pivot below floor, which must be rounding of an eigenvalue of floor or more, is raised to floor. With floor = 0
// Cholesky returns false at the first pivot that is not positive.
//
// It transposes, factors with wide.Cholesky, and transposes back.
func Cholesky(a []float64, stride, n int, floor float64) bool {
	memory := scratch.Get().(*[]float64)
	defer scratch.Put(memory)
	us := RowLength(n)
	*memory = Resize(*memory, n*us)
	u := *memory
	for j := range n {
		clear(u[j*us+j&^7 : j*us+j]) // contents of earlier calls could become denormal, which is slow
	}
	mirror(wide.Matrix{Data: u, Stride: us}, wide.Matrix{Data: a, Stride: stride}, n)
	if !wide.Cholesky(u, us, n, 0, floor) {
		return false
	}
	const block = 4 // rows of a tile
	for j := 0; j < n; j += block {
		end := min(j+block, n)
		if end < n {
			wide.Transpose(wide.Matrix{Data: a[end*stride+j:], Stride: stride}, wide.Matrix{Data: u[j*us+end:], Stride: us}, block, n-end)
		}
		for i := j; i < end; i++ {
			for k := j; k <= i; k++ {
				a[i*stride+k] = u[k*us+i]
			}
		}
	}
	return true
}

// Mirror copies the lower triangle of the n×n matrix a to the upper.
func Mirror(a wide.Matrix, n int) { mirror(a, a, n) }

// mirror copies the lower triangle of src, with the diagonal, to the upper triangle of dst.
func mirror(dst, src wide.Matrix, n int) {
	for i := 0; i < n; i += block {
		rows := min(block, n-i)
		wide.Transpose(wide.Matrix{Data: dst.Data[i:], Stride: dst.Stride}, wide.Matrix{Data: src.Data[i*src.Stride:], Stride: src.Stride}, rows, i)
		for j := i; j < i+rows; j++ {
			for k := i; k <= j; k++ {
				dst.Data[k*dst.Stride+j] = src.Data[j*src.Stride+k]
			}
		}
	}
}

// CholeskyOfSemidefinite overwrites the lower triangle of the n×n matrix a, whose rows are stride apart, with the factor
// of a + δI. δ is jitter or, if rounding has left an eigenvalue below -jitter, the least of 10 jitter, 100 jitter, …
// with which there is a factor. A floor of the pivots does not do: where pivots are rounding, rows then grow
// exponentially.
func CholeskyOfSemidefinite(a []float64, stride, n int, jitter float64) {
	const least = 0x1p-1000 // a may be 0
	for last, jitter := 0.0, max(jitter, least); !math.IsInf(jitter, 1); last, jitter = jitter, 10*jitter {
		for i := range n {
			a[i*stride+i] += jitter - last
		}
		if Cholesky(a, stride, n, 0) {
			return
		}
	}
}

// scratch is the memory of Cholesky.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

// RowLength returns a good stride for rows of n elements: whole cache lines, but not a multiple of many lines,
// which would map the elements of a column to few places in the cache.
func RowLength(n int) int {
	const line = 8
	lines := (n + line - 1) / line
	if lines%line == 0 {
		lines++
	}
	return lines * line
}

// SolveLower overwrites x with L⁻¹x, where L is the lower triangle of a matrix whose rows are stride apart.
func SolveLower(l []float64, stride int, x []float64) { wide.SolveLower(l, stride, x) }

// SolveLowerTransposed overwrites x with L⁻ᵀx.
func SolveLowerTransposed(l []float64, stride int, x []float64) { wide.SolveLowerT(l, stride, x) }

// InvertLower sets x to L⁻¹, n×n, with zeros above the diagonal. It pays where many products need all of L⁻¹.
func InvertLower(x, l wide.Matrix, n int) {
	for i := range n {
		row := x.Data[i*x.Stride : i*x.Stride+n]
		clear(row)
		row[i] = 1
	}
	for j := 0; j < n; j += block {
		wide.SolveL(l.Data[j*l.Stride+j:], l.Stride, n-j, wide.Matrix{Data: x.Data[j*x.Stride+j:], Stride: x.Stride}, min(block, n-j))
	}
}

// AddUpper adds AᵀB to c, or subtracts it, where A and B are k×n and the product is symmetric. The result is in the upper
// triangle, as wide.Cholesky needs it; elements near the diagonal below it are set too.
func AddUpper(c wide.Matrix, subtract bool, a, b wide.Matrix, n, k int) {
	const block = 4 // rows of a tile
	for i := 0; i < n; i += block {
		wide.GemmT(wide.Matrix{Data: c.Data[i*c.Stride+i:], Stride: c.Stride}, subtract,
			wide.Matrix{Data: a.Data[i:], Stride: a.Stride}, wide.Matrix{Data: b.Data[i:], Stride: b.Stride}, min(block, n-i), n-i, k)
	}
}

// AddSquare adds XᵀX to c, or subtracts it, where X is n×n and lower triangular. The result is in the lower
// triangle; above it c is scratch.
func AddSquare(c wide.Matrix, subtract bool, x wide.Matrix, n int) {
	for i := 0; i < n; i += block {
		rows := min(block, n-i)
		wide.GemmT(wide.Matrix{Data: c.Data[i*c.Stride:], Stride: c.Stride}, subtract,
			wide.Matrix{Data: x.Data[i*x.Stride+i:], Stride: x.Stride}, wide.Matrix{Data: x.Data[i*x.Stride:], Stride: x.Stride}, rows, i+rows, n-i)
	}
}

// block is the number of rows or columns handled at once, so that most of the other triangle is skipped.
const block = 8

// LogDet returns log|L Lᵀ| of a factor L from Cholesky.
func LogDet(l []float64, stride, n int) (sum float64) {
	for i := range n {
		sum += float64(2 * fmath.Log(l[i*(stride+1)]))
	}
	return sum
}

// SolveGeneral overwrites x with A⁻¹x for a square matrix A of len(x) rows, by Gaussian elimination with partial
// pivoting. It overwrites A too. It is meant for a few unknowns. It returns false if A is singular to working
// precision.
func SolveGeneral(a, x []float64) bool {
	n := len(x)
	var size float64
	for _, v := range a {
		size = max(size, math.Abs(v))
	}
	row := func(i int) []float64 { return a[i*n : (i+1)*n] }
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(row(i)[k]) > math.Abs(row(p)[k]) {
				p = i
			}
		}
		if !(math.Abs(row(p)[k]) > 0x1p-52*size) {
			return false
		}
		for j := range n {
			row(k)[j], row(p)[j] = row(p)[j], row(k)[j]
		}
		x[k], x[p] = x[p], x[k]
		for i := k + 1; i < n; i++ {
			c := row(i)[k] / row(k)[k]
			wide.AddScaled(row(i)[k:], -c, row(k)[k:])
			x[i] -= float64(c * x[k])
		}
	}
	for k := n - 1; k >= 0; k-- {
		x[k] = (x[k] - wide.Dot(row(k)[k+1:], x[k+1:])) / row(k)[k]
	}
	return true
}

// MulLower sets dst = X v, where X is n×n and lower triangular, with zeros above the diagonal. dst must not be v.
func MulLower(dst []float64, x wide.Matrix, v []float64) {
	clear(dst)
	for i := 0; i < len(v); i += strip {
		end := min(i+strip, len(v))
		wide.Gemv(dst[i:end], 1, x.Data[i*x.Stride:], x.Stride, v[:end])
	}
}

// MulLowerT sets dst = Xᵀv, as MulLower.
func MulLowerT(dst []float64, x wide.Matrix, v []float64) {
	clear(dst)
	for i := 0; i < len(v); i += strip {
		end := min(i+strip, len(v))
		wide.GemvT(dst[:end], 1, x.Data[i*x.Stride:], x.Stride, v[i:end])
	}
}

// strip is the number of rows that a product takes at once, as far as the diagonal of the last.
const strip = 16
