package kernel

import (
	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// mulExpNeg multiplies dst[i] and, unless it is nil, other[i] by exp(-arg[i]), arg[i] >= 0. It overwrites arg.
func mulExpNeg(dst, other, arg []float64) {
	far := false
	for _, x := range arg {
		if !(x <= wide.ExpMax) {
			far = true
		}
	}
	if far {
		for i, x := range arg {
			dst[i] = mulExpFar(dst[i], -x)
			if other != nil {
				other[i] = mulExpFar(other[i], -x)
			}
		}
		return
	}
	wide.ExpNeg(arg, 1, arg)
	wide.Product(dst, 1, dst, arg)
	if other != nil {
		wide.Product(other, 1, other, arg)
	}
}

// scaledExpNeg sets dst[i] = v exp(-arg[i]), arg[i] >= 0.
func scaledExpNeg(dst []float64, v float64, arg []float64) {
	if !wide.ExpNeg(dst, v, arg) {
		for i, x := range arg {
			dst[i] = mulExpFar(v, -x)
		}
	}
}

// mulExpFar returns v exp(x), x <= 0 or NaN. Below -wide.ExpMax it multiplies in steps, so that a large v is not lost to the
// underflow of exp(x) alone.
func mulExpFar(v, x float64) float64 {
	if x < -4*wide.ExpMax {
		return 0
	}
	for ; x < -wide.ExpMax; x += wide.ExpMax {
		v *= fmath.Exp(-wide.ExpMax)
	}
	return v * fmath.Exp(x)
}
