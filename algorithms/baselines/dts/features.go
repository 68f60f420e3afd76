package dts

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"popbench/kernel"
)

// bl is called as a value of its own type, without blas64's interface in between.
var bl gonum.Implementation

// features are r functions φ_m of a point, here their values at N points, with
//
//	φ(x)·φ(u) = k(x, u) to within residual,
//
// so that φ(x)ᵀ Z φ(x') with Z of independent standard normal numbers is a draw of
// the prior with kernel k(x,u) k(x',u'). They are the rows of a Cholesky factor
// whose pivots are chosen where the most is missing (Harbrecht, Peters and
// Schneider, Appl. Numer. Math. 62, 2012). The spectrum of a smooth kernel falls so
// fast that a hundred of them are exact where a thousand random Fourier features
// are three per cent off.
type features struct {
	n, r   int
	values []float64 // r rows of length n
}

// residual is what the features may lack of a variance of 1: a thousandth of a
// standard deviation.
const residual = 1e-6

// newFeatures returns the features of a kernel of variance 1 at the given points,
// row-major.
func newFeatures(k kernel.Kernel, points []float64) *features {
	d := k.Dim()
	n := len(points) / d
	f := &features{n: n}
	missing := make([]float64, n)
	for i := range missing {
		missing[i] = 1
	}
	pivot := make([]float64, n)
	for f.r < n {
		at := argmax(missing)
		if missing[at] <= residual {
			break
		}
		for m := range f.r {
			pivot[m] = f.values[m*n+at]
		}
		f.values = append(f.values, make([]float64, n)...)
		row := f.values[f.r*n:]
		k.Row(row, points[at*d:(at+1)*d], points)
		if f.r > 0 {
			bl.Dgemv(blas.Trans, f.r, n, -1, f.values, n, pivot, 1, 1, row, 1)
		}
		scale := 1 / math.Sqrt(missing[at])
		for i := range row {
			row[i] *= scale
			missing[i] -= float64(row[i] * row[i])
		}
		missing[at] = 0
		f.r++
	}
	return f
}

// at sets dst (length r) to the features of point i.
func (f *features) at(dst []float64, i int) {
	for m := range dst {
		dst[m] = f.values[m*f.n+i]
	}
}

// argmax returns the index of the largest value, the first of equals.
func argmax(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}
