package convex

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// bl is called as a value of its own type: through blas64's interface its calls
// cost more than their work at these sizes.
var bl gonum.Implementation

// solveTriangular overwrites x, of length n, with (LLᵀ)⁻¹x, L being lower triangular.
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

// dot is BLAS's, which sums in another order than linalg.Dot and is faster.
func dot(a, b []float64) float64 {
	if len(a) == 0 {
		return 0
	}
	return bl.Ddot(len(a), a, 1, b, 1)
}
