package fmath

import "math"

// Erfc is the complementary error function 1 - erf(x); error below 3 ulp where the result is a
// normal number. Ranges and rational functions are from FDLIBM (s_erf.c). exp(-x²) uses x² as a
// product and its rounding error. FDLIBM instead splits x, which needs a second exponential.
func Erfc(x float64) float64 {
	const erx = 0x1.b0ac16p-1 // erf(1), rounded
	a := math.Abs(x)
	switch {
	case a < 0.84375:
		z := float64(x * x)
		r := poly4(z, -0x1.8ead6120016acp-16, -0x1.7a291236668e4p-8, -0x1.d2a51dbd7194fp-6, -0x1.4cd7d691cb913p-2, 0x1.06eba8214db68p-3)
		s := poly5(z, -0x1.09c4342a26120p-18, 0x1.15dc9221c1a10p-13, 0x1.4d022c4d36b0fp-8, 0x1.0a54c5536cebap-4, 0x1.97779cddadc09p-2, 1)
		t := float64(x * (r / s))
		if x < 0.25 {
			return 1 - (x + t)
		}
		return 0.5 - (t + (x - 0.5))
	case a < 1.25:
		z := a - 1
		p := poly6(z, -0x1.1bf380a96073fp-9, 0x1.22a36599795ebp-5, -0x1.c63983d3e28ecp-4, 0x1.45fca805120e4p-2, -0x1.7d240fbb8c3f1p-2, 0x1.a8d00ad92b34dp-2,
			-0x1.359b8bef77538p-9)
		q := poly6(z, 0x1.88b545735151dp-7, 0x1.bedc26b51dd1cp-7, 0x1.02660e763351fp-3, 0x1.2635cd99fe9a7p-4, 0x1.14af092eb6f33p-1, 0x1.b3e6618eee323p-4, 1)
		if x < 0 {
			return 1 + erx + p/q
		}
		return 1 - erx - p/q
	case a < 28:
		if x < -6 {
			return 2
		}
		y := erfcTail(a)
		if x < 0 {
			return 2 - y
		}
		return y
	case x > 0:
		return 0
	case x < 0:
		return 2
	}
	return math.NaN()
}

// erfcTail is erfc(x) = exp(-x² - 0.5625 + R(1/x²)/S(1/x²))/x for 1.25 <= x < 28.
func erfcTail(x float64) float64 {
	square := float64(x * x)
	z := 1 / square
	var r, s float64
	if x < 1/0.35 {
		r = poly6(z, -0x1.3a0efc69ac25cp+3, -0x1.4526557e4d2f2p+6, -0x1.7135cebccabb2p+7, -0x1.44cb184282266p+7, -0x1.f300ae4cba38dp+5, -0x1.51e0441b0e726p+3,
			-0x1.63416e4ba7360p-1)
		r = float64(r*z) - 0x1.43412600d6435p-7
		s = poly6(z, -0x1.eeff2ee749a62p-5, 0x1.a47ef8e484a93p+2, 0x1.b28a3ee48ae2cp+6, 0x1.ad02157700314p+8, 0x1.42b1921ec2868p+9, 0x1.b290dd58a1a71p+8,
			0x1.1350c526ae721p+7)
		s = float64(s*z) + 0x1.3a6b9bd707687p+4
	} else {
		r = poly6(z, -0x1.e384e9bdc383fp+8, -0x1.004616a2e5992p+10, -0x1.3ec881375f228p+9, -0x1.4145d43c5ed98p+7, -0x1.1c209555f995ap+4, -0x1.993ba70c285dep-1,
			-0x1.4341239e86f4ap-7)
		s = poly6(z, -0x1.670e242712d62p+4, 0x1.da874e79fe763p+8, 0x1.3f219cedf3be6p+11, 0x1.8ffb7688c246ap+11, 0x1.802eb189d5118p+10, 0x1.45cae221b9f0ap+8,
			0x1.e568b261d5190p+4)
	}
	s = float64(s*z) + 1
	// exp(-x² + e): the sum and its rounding error.
	e := r/s - 0.5625
	sum := e - square
	lost := (e - (sum + square)) - math.FMA(x, x, -square)
	return expSum(sum, lost) / x
}
