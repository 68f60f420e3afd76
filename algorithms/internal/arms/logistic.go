package arms

import (
	"math"

	"popbench/internal/math/fmath"
)

// plausibleSlack is the rounding in UCB that does not strike out an arm. It keeps arms with the same features from striking
// each other out.
const plausibleSlack = 1e-12

// Beaten reports whether an arm loses to another for certain: σ(h) + margin < ½, with h the difference of their estimates.
func Beaten(h, margin float64) bool { return !(Logistic(h)+margin >= 0.5-plausibleSlack) }

// Logistic returns σ(h), with full relative accuracy.
func Logistic(h float64) float64 {
	e := fmath.Exp(-math.Abs(h))
	if h < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Lipschitz is L, the largest slope of σ.
const Lipschitz = 0.25

// Kappa returns κ = 1/σ'(2B), for utilities of norm B. A norm above 250 counts as 250, for which κ is about 1e217, so that
// widths stay finite.
func Kappa(norm float64) float64 { return 2 + float64(2*fmath.Cosh(2*min(norm, 250))) }
