package runner

import (
	"cmp"
	"math"

	"popbench/internal/math/fmath"
)

// logLoss is -log σ(z), with the unit logistic function σ, without overflow.
func logLoss(z float64) float64 {
	if z < 0 {
		return fmath.Log1p(fmath.Exp(z)) - z
	}
	return fmath.Log1p(fmath.Exp(-z))
}

// kendall is Kendall's τ_b: (concordant - discordant) / √((pairs - ties in a) (pairs - ties in b)), over all pairs (Kendall,
// "The treatment of ties in ranking problems", Biometrika 33, 1945). It is nil if all of a or all of b are equal.
func kendall(a, b []float64) *float64 {
	sum, inA, inB := 0, 0, 0
	for i := range a {
		for j := range i {
			x, y := cmp.Compare(a[i], a[j]), cmp.Compare(b[i], b[j])
			sum += x * y
			inA += x * x
			inB += y * y
		}
	}
	if inA == 0 || inB == 0 {
		return nil
	}
	return new(float64(sum) / math.Sqrt(float64(inA)*float64(inB)))
}
