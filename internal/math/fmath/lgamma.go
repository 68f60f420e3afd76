package fmath

import "math"

// Lgamma is log Γ(x) for x > 0, NaN for x < 0; the error is below 8e-16 max(8, |log Γ(x)|). It is
// Stirling's series (NIST DLMF 5.11.1) at x + n >= 12, minus the logarithm of x (x+1) … (x+n-1).
func Lgamma(x float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x == 0 || math.IsInf(x, 1):
		return math.Inf(1)
	}
	product := 1.0
	for ; x < 12; x++ {
		product *= x
	}
	u := 1 / x
	series := poly6(float64(u*u), 1./156, -691./360360, 1./1188, -1./1680, 1./1260, -1./360, 1./12)
	const halfLog2Pi = 0.91893853320467274178
	return float64((x-0.5)*Log(x)) - x + (halfLog2Pi + float64(u*series)) - Log(product)
}
