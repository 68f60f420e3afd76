package fmath

import "math"

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
