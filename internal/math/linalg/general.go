package linalg

import (
	"math"

	"popbench/internal/math/wide"
)

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
