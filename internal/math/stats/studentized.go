package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// studentizedRangeCDF returns the probability that the range of k independent standard normal
// values is at most q. That is the distribution of the studentised range with infinitely many
// degrees of freedom:
//
//	k ∫ φ(z) (Φ(z) − Φ(z−q))^(k−1) dz.
//
// The trapezoidal rule converges faster than any power of its step, because the integrand is
// analytic and vanishes at both ends. The error is below 1e-13.
func studentizedRangeCDF(q float64, k int) float64 {
	if k < 2 {
		panic("stats: a range needs two values or more")
	}
	if !(q > 0) {
		return 0
	}
	const reach, step = 9, 1.0 / 32
	phi := func(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
	var s float64
	for i := -reach / step; i <= reach/step; i++ {
		z := i * step
		s += float64(distuv.UnitNormal.Prob(z) * math.Pow(phi(z)-phi(z-q), float64(k-1)))
	}
	return min(1, float64(k)*s*step)
}

// studentizedRangeQuantile returns the q for which studentizedRangeCDF is p, 0 < p < 1.
func studentizedRangeQuantile(p float64, k int) float64 {
	if !(p > 0 && p < 1) {
		panic("stats: quantile level outside (0,1)")
	}
	lo, hi := 0.0, 1.0
	for studentizedRangeCDF(hi, k) < p {
		lo, hi = hi, 2*hi
	}
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return hi
		}
		if studentizedRangeCDF(mid, k) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
}
