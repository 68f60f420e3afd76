package fmath

import "math"

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
