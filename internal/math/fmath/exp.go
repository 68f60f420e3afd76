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

// Expm1 is exp(x) - 1; error below 1 ulp (FDLIBM, s_expm1.c).
func Expm1(x float64) float64 {
	const saturated = 56 * math.Ln2 // exp(-56 ln 2) is below a quarter of an ulp of 1
	switch {
	case x >= saturated:
		return Exp(x)
	case x <= -saturated:
		return -1
	case !(math.Abs(x) >= 0x1p-54): // NaN as well
		return x
	}

	// x = k ln 2 + r, c the rounding error of r.
	var k int
	var c float64
	if math.Abs(x) > 0.5*math.Ln2 {
		n := (float64(x*math.Log2E) + toInteger) - toInteger
		k = int(n)
		hi, lo := x-float64(n*ln2Hi), float64(n*ln2Lo)
		x = hi - lo
		c = (hi - x) - lo
	}

	// x - (x e - x²/2) is expm1 of the reduced x.
	half := float64(0.5 * x)
	z := float64(x * half)
	r1 := poly5(z, -0x1.afdb76e09c32dp-23, 0x1.0cfca86e65239p-18, -0x1.4ce199eaadbb7p-14, 0x1.a01a019fe5585p-10, -0x1.11111111110f4p-5, 1)
	t := 3 - float64(r1*half)
	e := float64(z * ((r1 - t) / (6 - float64(x*t))))
	if k == 0 {
		return x - (float64(x*e) - z)
	}
	e = (float64(x*(e-c)) - c) - z
	scale, inverse := power2(k), power2(-k)
	switch {
	case k == -1:
		return float64(0.5*(x-e)) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k <= -2 || k > 56:
		return float64(scale*(1-(e-x))) - 1
	case k < 20:
		return scale * ((1 - inverse) - (e - x))
	}
	return scale * ((x - (e + inverse)) + 1)
}
