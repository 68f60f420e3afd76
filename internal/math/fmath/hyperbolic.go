package fmath

import "math"

// large is an x for which 1 ± exp(-2x) rounds to 1.
const large = 22

// Sinh is the hyperbolic sine; error below 2 ulp.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	var y float64
	switch {
	case a < 0x1p-28:
		return x
	case a < large:
		t := Expm1(a)
		y = float64(0.5 * (t + t/(t+1)))
	default:
		y = halfExp(a)
	}
	return math.Copysign(y, x)
}

// Cosh is the hyperbolic cosine; error below 2 ulp.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if a < large {
		t := Exp(a)
		return float64(0.5*t) + 0.5/t
	}
	return halfExp(a)
}

// Tanh is the hyperbolic tangent; error below 2 ulp.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	var y float64
	switch {
	case a < 0x1p-28:
		return x
	case a < 1:
		t := Expm1(-2 * a)
		y = -t / (t + 2)
	case a < large:
		y = 1 - 2/(Expm1(2*a)+2)
	default:
		y = a / a // 1, or NaN
		if math.IsInf(a, 0) {
			y = 1
		}
	}
	return math.Copysign(y, x)
}

// halfExp is exp(x)/2, also where only exp(x) overflows.
func halfExp(x float64) float64 {
	if x < 709 {
		return 0.5 * Exp(x)
	}
	h := Exp(0.5 * x)
	return float64(0.5*h) * h
}
