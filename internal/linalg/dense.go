package linalg

import (
	"sync"

	"popbench/internal/fmath"
	"popbench/internal/wide"
)

// Cholesky overwrites the lower triangle of the n×n matrix a, whose rows are
// stride apart, with its factor L, and each of the m rows x below it with L⁻¹x.
// A squared pivot below floor, which must be rounding, is raised to floor. With
// floor = 0 Cholesky returns false at the first pivot that is not positive.
//
// It transposes, factors with wide.Cholesky, and transposes back.
func Cholesky(a []float64, stride, n, m int, floor float64) bool {
	memory := scratch.Get().(*[]float64)
	defer scratch.Put(memory)
	us := RowLength(n + m)
	*memory = Resize(*memory, n*us)
	u := *memory
	transpose(u, us, a, stride, n+m, n)
	if !wide.Cholesky(u, us, n, m, floor) {
		return false
	}
	const block = 8
	for i0 := 0; i0 < n+m; i0 += block { // the lower triangle alone
		for j0 := 0; j0 < min(i0+block, n); j0 += block {
			for i := i0; i < min(i0+block, n+m); i++ {
				for j := j0; j < min(j0+block, i+1, n); j++ {
					a[i*stride+j] = u[j*us+i]
				}
			}
		}
	}
	return true
}

// scratch has the memory of Cholesky.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

// RowLength is a good stride for rows of n elements: whole cache lines, and no
// multiple of many, which would keep the elements of a column in a few places of the
// cache.
func RowLength(n int) int {
	const line = 8
	lines := (n + line - 1) / line
	if lines%line == 0 {
		lines++
	}
	return lines * line
}

// transpose sets the columns of dst to the rows of a, m×n. Of the leading n rows of a
// only the lower triangle is read; what is missing becomes zero.
func transpose(dst []float64, dstStride int, a []float64, stride, m, n int) {
	const block = 8
	for i0 := 0; i0 < m; i0 += block {
		for j0 := 0; j0 < n; j0 += block {
			for j := j0; j < min(j0+block, n); j++ {
				row := dst[j*dstStride:]
				for i := i0; i < min(i0+block, m); i++ {
					row[i] = 0
					if j <= i {
						row[i] = a[i*stride+j]
					}
				}
			}
		}
	}
}

// SolveLower overwrites x with L⁻¹x, L being the lower triangle of a matrix whose rows
// are stride apart.
func SolveLower(l []float64, stride int, x []float64) {
	for i := range x {
		row := l[i*stride : i*stride+i+1]
		x[i] = (x[i] - wide.Dot(row[:i], x)) / row[i]
	}
}

// SolveLowerTransposed overwrites x with L⁻ᵀx.
func SolveLowerTransposed(l []float64, stride int, x []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		row := l[i*stride : i*stride+i+1]
		x[i] /= row[i]
		wide.AddScaled(x[:i], -x[i], row)
	}
}

// LogDet returns log|L Lᵀ| of a factor made by Cholesky.
func LogDet(l []float64, stride, n int) float64 {
	var sum float64
	for i := range n {
		sum += 2 * fmath.Log(l[i*stride+i])
	}
	return sum
}
