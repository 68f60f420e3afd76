package fmath

import "math"

// Pow is x^y; error below 2 ulp where the result is a normal number. It computes exp(y log x) with
// the logarithm as a sum of two numbers.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case y == 1:
		return x
	case x == 0 || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y) // 0, 1 or infinite: nothing is rounded
	case x < 0:
		n := math.Floor(y)
		if n != y {
			return math.NaN()
		}
		if r := Pow(-x, y); math.Mod(y, 2) == 0 {
			return r
		} else {
			return -r
		}
	}
	hi, lo := logTwo(x)
	p := float64(y * hi)
	if !(math.Abs(p) < 800) {
		return Exp(p)
	}
	return expSum(p, math.FMA(y, hi, -p)+float64(y*lo))
}

// expSum is exp(hi + lo) for |lo| of a few ulp of hi at most.
func expSum(hi, lo float64) float64 {
	r := Exp(hi)
	if r > math.MaxFloat64 {
		return r
	}
	return r + float64(r*lo)
}

// logTwo returns log x as a sum of two numbers, with a relative error below 2^-62,
// for a finite x > 0. With x = 2^k (1+f) and s = f/(2+f) it is
// k ln 2 + 2s + s³ (2/3 + 2/5 s² + …).
func logTwo(x float64) (hi, lo float64) {
	const (
		twoThirdsLo = 0x1.5555555555555p-55 // 2/3 less 0x1.5555555555555p-1
		log2Lo      = 0x1.abc9e3b39803fp-56 // ln 2 less math.Ln2
	)
	k, m := split(x)
	f := m - 1
	d := 2 + f
	s := f / d
	sLo := (math.FMA(-s, d, f) - float64(s*(f-(d-2)))) / d
	z := float64(s * s)
	zLo := math.FMA(s, s, -z) + float64(2*s*sLo)
	// 2/5 z² + 2/7 z³ + …, below 2^-12 of 2/3 z: rounding there does not matter.
	rest := 2. / 23
	for n := 21.0; n >= 5; n -= 2 {
		rest = float64(rest*z) + 2/n
	}
	// 2/3 z + z² rest, times s.
	t := float64(z * 0x1.5555555555555p-1)
	tLo := math.FMA(z, 0x1.5555555555555p-1, -t) + float64(z*twoThirdsLo) + float64(zLo*(2./3)) + float64(z*z*rest)
	u := float64(s * t)
	uLo := math.FMA(s, t, -u) + float64(s*tLo) + float64(sLo*t)

	a := float64(k * math.Ln2)
	aLo := math.FMA(k, math.Ln2, -a) + float64(k*log2Lo)
	b, bLo := fastSum(2*s, u)
	h, l := a, b
	if k == 0 {
		h, l = b, 0
	}
	sum, lost := fastSum(h, l)
	return fastSum(sum, lost+(aLo+(bLo+(uLo+2*sLo))))
}

// fastSum returns the rounded sum of a and b and its error, for |a| >= |b| or a = 0.
func fastSum(a, b float64) (sum, lost float64) {
	sum = a + b
	return sum, b - (sum - a)
}

// Hypot is √(x²+y²) without undue overflow or underflow; error below 2 ulp.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(x, 1) || math.IsInf(y, 1):
		return math.Inf(1)
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case x < y:
		x, y = y, x
	}
	if x == 0 {
		return 0
	}
	q := y / x
	return x * math.Sqrt(1+float64(q*q))
}
