package kernel

import (
	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

const expMax = 708 // exp(-708) is still a normal number

// mulExpNeg multiplies dst[i] and, unless it is nil, other[i] by exp(-arg[i]), arg[i] >= 0. It overwrites arg.
func mulExpNeg(dst, other, arg []float64) {
	arg = arg[:len(dst)]
	far := false
	for i, x := range arg {
		if !(x <= expMax) {
			far = true
		}
		arg[i] = -x
	}
	if far {
		for i, x := range arg {
			dst[i] = mulExpFar(dst[i], x)
			if other != nil {
				other[i] = mulExpFar(other[i], x)
			}
		}
		return
	}
	wide.Exp(arg, arg)
	for i, e := range arg {
		dst[i] *= e
	}
	if other != nil {
		other = other[:len(arg)]
		for i, e := range arg {
			other[i] *= e
		}
	}
}

// mulExpFar returns v exp(x), x <= 0 or NaN. Below -expMax it multiplies in steps, so that a large v is not lost to the
// underflow of exp(x) alone.
func mulExpFar(v, x float64) float64 {
	if x < -4*expMax {
		return 0
	}
	for ; x < -expMax; x += expMax {
		v *= fmath.Exp(-expMax)
	}
	return v * fmath.Exp(x)
}
