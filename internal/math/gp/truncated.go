package gp

import (
	"math/rand/v2"

	"popbench/internal/math/fmath"
	"popbench/internal/math/rng"
)

// TruncatedNormal draws exactly from the standard normal distribution truncated to values above lower, which
// must not be NaN or +Inf.
//
// If lower is below 0, plain rejection keeps at least every second draw. Otherwise candidates lower + Exp(α)/α
// with the best rate α = (lower + √(lower²+4))/2 are kept with probability exp(-(z-α)²/2), at least 0.76 of
// them (Robert, "Simulation of truncated normal variables", Statistics and Computing 5, 1995, Prop. 2.3).
// Neither needs a distribution function, so no tail is too far.
func TruncatedNormal(lower float64, r *rand.Rand) float64 {
	if lower < 0 {
		for {
			if z := rng.Normal(r); z > lower {
				return z
			}
		}
	}
	rate := (lower + fmath.Hypot(lower, 2)) / 2
	for {
		excess := rng.Exponential(r) / rate
		// z - α without cancellation of two large numbers: α - lower = 1/α.
		miss := excess - 1/rate
		if rng.Exponential(r) > float64(miss*miss)/2 {
			return lower + excess
		}
	}
}

// TruncatedNormalMoments returns the mean and variance of the distribution of TruncatedNormal, and log P(z >
// lower), to 9 digits for any finite lower.
func TruncatedNormalMoments(lower float64) (mean, variance, logP float64) {
	logP, hazard, q, c := probit(-lower)
	// 1 - hazard·q cancels in the tail; q² - c is the same number.
	return hazard, float64(q*q) - c, logP
}
