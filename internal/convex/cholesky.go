package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// bl is called as a value of its own type: through blas64's interface its calls
// cost more than their work at these sizes.
var bl gonum.Implementation

// cholesky overwrites the lower triangle of the n×n matrix a with its factor L,
// and each of the m rows x below it with L⁻¹x; false if a pivot is not positive.
//
// Column by column, so that the work is matrix-vector products in which those
// rows take part at next to no cost: for n up to hundreds this is faster than
// LAPACK's routine, which comes without them.
func cholesky(a []float64, stride, n, m int) bool {
	for j := range n {
		row := a[j*stride : j*stride+j+1]
		d := row[j]
		if j > 0 {
			d -= bl.Ddot(j, row, 1, row, 1)
		}
		if !(d > 0) {
			return false
		}
		d = math.Sqrt(d)
		row[j] = d
		below := n + m - j - 1
		if below == 0 {
			break
		}
		first := (j + 1) * stride
		if j > 0 {
			bl.Dgemv(blas.NoTrans, below, j, -1, a[first:], stride, row, 1, 1, a[first+j:], stride)
		}
		d = 1 / d
		for i := first + j; i < (n+m)*stride; i += stride {
			a[i] *= d
		}
	}
	return true
}

// solveTriangular overwrites x, of length n, with (LLᵀ)⁻¹x, L being cholesky's.
func solveTriangular(l []float64, stride int, x []float64) {
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, len(x), l, stride, x, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, len(x), l, stride, x, 1)
}

// backSubstitute overwrites x, y and z with L⁻ᵀx, L⁻ᵀy and L⁻ᵀz; all three at
// once, for the price of reading L.
func backSubstitute(l []float64, stride int, x, y, z []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		row := l[i*stride : i*stride+i]
		d := 1 / l[i*stride+i]
		xi, yi, zi := x[i]*d, y[i]*d, z[i]*d
		x[i], y[i], z[i] = xi, yi, zi
		px, py, pz := x[:len(row)], y[:len(row)], z[:len(row)]
		for k, v := range row {
			px[k] -= v * xi
			py[k] -= v * yi
			pz[k] -= v * zi
		}
	}
}

// resize returns v with length n and room for more; the contents may be lost.
func resize(v []float64, n int) []float64 {
	if cap(v) < n {
		v = make([]float64, n, max(16, 2*n))
	}
	return v[:n]
}

func dot(a, b []float64) float64 {
	if len(a) == 0 {
		return 0
	}
	return bl.Ddot(len(a), a, 1, b, 1)
}
