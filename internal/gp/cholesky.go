package gp

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// cholesky overwrites the lower triangle of the n×n matrix B, B >= I, with its
// factor L, each of the m rows x below it with L⁻¹x, and returns log|B|.
//
// Column by column, so that the work is matrix-vector products in which those
// rows take part at next to no cost: for n up to hundreds that beats LAPACK's
// routine and a solve after it.
func cholesky(b []float64, stride, n, m int) (logDet float64) {
	for j := range n {
		row := b[j*stride : j*stride+j+1]
		// B >= I: a pivot below 1 is rounding.
		d := math.Sqrt(max(row[j]-dot(row[:j], row[:j]), 1))
		row[j] = d
		logDet += 2 * math.Log(d)
		below := n + m - j - 1
		if below == 0 {
			break
		}
		first := (j + 1) * stride
		if j > 0 {
			bl.Dgemv(blas.NoTrans, below, j, -1, b[first:], stride, row, 1, 1, b[first+j:], stride)
		}
		d = 1 / d
		for i := first + j; i < (n+m)*stride; i += stride {
			b[i] *= d
		}
	}
	return logDet
}
