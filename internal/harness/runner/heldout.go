package runner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/internal/harness/suite"
	"popbench/internal/math/fmath"
	"popbench/record"
)

// score says how well the algorithm's estimate predicts the held-out duels now, and orders the held-out points; nil if
// there are none, or if the algorithm has no model of f.
func (a *attempt) score(ctx context.Context, trial *suite.Trial) (*record.HeldOut, error) {
	believer, ok := trial.Algorithm.(algorithms.Believer)
	if !ok || trial.Header.HeldOut == nil {
		return nil, nil
	}
	resume := a.wait(trial)
	held, err := trial.HeldOut(ctx)
	resume()
	if err != nil {
		return nil, err
	}
	estimate := make([]float64, len(held.Points))
	for i, x := range held.Points {
		at, err := believer.Belief(slices.Clone(x))
		if err != nil {
			return nil, fmt.Errorf("Belief: %w", err)
		}
		estimate[i] = at.Estimate
	}
	s := &record.HeldOut{Duels: len(held.Duels), Tau: kendall(estimate, held.Utility)}
	for _, d := range held.Duels {
		s.LogLoss += logLoss(estimate[d.Winner]-estimate[d.Loser]) / float64(s.Duels)
		s.TrueLogLoss -= d.LogLikelihood / float64(s.Duels)
	}
	return s, nil
}

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
