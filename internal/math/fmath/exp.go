package fmath

import "math"

// toInteger rounds a number below 2^51 to an integer, when added and subtracted.
const toInteger = 0x1.8p52

// Exp is e^x; error below 1 ulp.
func Exp(x float64) float64 {
	const (
		overflow  = 0x1.62e42fefa39efp+9
		underflow = -0x1.74910d52d3052p+9
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	// x = k ln 2 + r, |r| <= ln 2/2; the first product is exact.
	shifted := math.FMA(x, math.Log2E, toInteger)
	k := shifted - toInteger
	r := math.FMA(k, -ln2Lo, math.FMA(k, -ln2Hi, x))
	// (exp(r) - 1 - r)/r² by its Taylor series to r^11, even and odd powers in parallel. The
	// remainder is below 2^-54 of r².
	z := float64(r * r)
	even := math.FMA(1./479001600, z, 1./3628800)
	even = math.FMA(even, z, 1./40320)
	even = math.FMA(even, z, 1./720)
	even = math.FMA(even, z, 1./24)
	even = math.FMA(even, z, 0.5)
	odd := math.FMA(1./6227020800, z, 1./39916800)
	odd = math.FMA(odd, z, 1./362880)
	odd = math.FMA(odd, z, 1./5040)
	odd = math.FMA(odd, z, 1./120)
	odd = math.FMA(odd, z, 1./6)
	y := 1 + math.FMA(z, math.FMA(odd, r, even), r)
	return scale(y, int(k))
}

// scale is y 2^k for 1/2 < y < 2.
func scale(y float64, k int) float64 {
	if k >= -1021 && k <= 1022 {
		return y * power2(k)
	}
	return math.Ldexp(y, k)
}

// power2 is 2^k for -1022 <= k <= 1023.
func power2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
