package fmath

import "math"

// Log is the natural logarithm; error below 1 ulp.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	case !(x <= math.MaxFloat64): // NaN and +Inf
		return x
	}
	k, m := split(x)
	return logarithm(k, m-1, 0)
}

// Log1p is log(1+x); error below 1 ulp.
func Log1p(x float64) float64 {
	switch {
	case x == -1:
		return math.Inf(-1)
	case x < -1:
		return math.NaN()
	case !(x <= math.MaxFloat64), math.Abs(x) < 0x1p-54:
		return x
	case math.Sqrt2/2-1 < x && x < math.Sqrt2-1:
		return logarithm(0, x, 0)
	}
	u := 1 + x
	var lost float64 // 1 + x - u
	if u < 2 {
		lost = x - (u - 1)
	} else {
		lost = 1 - (u - x)
	}
	k, m := split(u)
	return logarithm(k, m-1, lost/u)
}

// split returns k and m with x = 2^k m and √½ <= m < √2, for a finite x > 0.
func split(x float64) (k, m float64) {
	const (
		one   = 0x3ff0000000000000 // the bits of 1
		least = 0x3fe6a09e667f3bcd // the bits of √½
	)
	var below float64
	if x < 0x1p-1022 {
		x, below = x*0x1p54, 54
	}
	b := math.Float64bits(x) + (one - least)
	return float64(int64(b>>52)-1023) - below, math.Float64frombits(b&(1<<52-1) + least)
}

// logarithm is k ln 2 + log(1+f) + c for √½ <= 1+f < √2 and small c (FDLIBM,
// e_log.c and s_log1p.c). With s = f/(2+f), log(1+f) = 2s + s R(s²), and
// 2s = f - s f exactly.
func logarithm(k, f, c float64) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	even := float64(w*0x1.39a09d078c69fp-3) + 0x1.c71c51d8e78afp-3
	even = float64(w*even) + 0x1.999999997fa04p-2
	odd := float64(w*0x1.2f112df3e5244p-3) + 0x1.7466496cb03dep-3
	odd = float64(w*odd) + 0x1.2492494229359p-2
	odd = float64(w*odd) + 0x1.5555555555593p-1
	r := float64(w*even) + float64(z*odd)
	half := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + (float64(k*ln2Lo) + c))) - f)
}

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
