package dts

import (
	"slices"

	"popbench/internal/linalg"
	"popbench/kernel"
)

// newFeatures returns r features, functions φ_m of a point, by their values at the N
// given points, row-major, with
//
//	φ(x)·φ(u) = k(x, u) to within residual,
//
// so that φ(x)ᵀ Z φ(x') with Z of independent standard normal numbers is a draw of
// the prior with kernel k(x,u) k(x',u'). k has variance 1. The features are the rows
// of a pivoted Cholesky factor. The spectrum of a smooth kernel falls so fast that a hundred of them are
// exact where a thousand random Fourier features are three per cent off.
func newFeatures(k kernel.Kernel, points []float64) *linalg.Pivoted {
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
	return p
}

// residual is what the features may lack of a variance of 1: a thousandth of a
// standard deviation.
const residual = 1e-6
