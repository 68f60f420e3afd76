package dts

import (
	"slices"

	"popbench/internal/linalg"
	"popbench/kernel"
)

// features are r functions φ_m of a point, here their values at N points, with
//
//	φ(x)·φ(u) = k(x, u) to within residual,
//
// so that φ(x)ᵀ Z φ(x') with Z of independent standard normal numbers is a draw of
// the prior with kernel k(x,u) k(x',u'). They are the rows of a pivoted Cholesky
// factor. The spectrum of a smooth kernel falls so fast that a hundred of them are
// exact where a thousand random Fourier features are three per cent off.
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
	p, row := linalg.NewPivoted(slices.Repeat([]float64{1}, n)), make([]float64, n)
	p.Rounded = true // the bits of a draw depend on it
	for len(p.Pivot) < n {
		at, missing := p.Largest()
		if missing <= residual {
			break
		}
		k.Row(row, points[at*d:(at+1)*d], points)
		p.Append(at, row)
	}
	return &features{n, len(p.Pivot), p.C}
}

// at sets dst (length r) to the features of point i.
func (f *features) at(dst []float64, i int) {
	for m := range dst {
		dst[m] = f.values[m*f.n+i]
	}
}
