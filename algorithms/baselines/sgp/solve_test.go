package sgp

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// duelInput has a winner and a loser for each duel.
func duelInput(winners, losers, queries [][]float64) algorithms.SolveInput {
	in := algorithms.SolveInput{Points: slices.Concat(winners, losers)}
	for i := range winners {
		in.Comparisons = append(in.Comparisons, []int{i, len(winners) + i})
	}
	for _, x := range queries {
		in.Queries = append(in.Queries, [][]float64{x})
	}
	return in
}

func fixedConfig(noise float64, lengthscale ...float64) Config {
	cfg := Default()
	cfg.NoiseStd, cfg.Fit.RefitEvery = noise, 0
	cfg.Kernel = kernel.Config{Family: "se-half", Variance: 1, Lengthscale: lengthscale}
	return cfg
}

// closeAll fails unless all of got are within tol of want, relative if want is above 1, or within 4 standard
// errors.
func closeAll(t *testing.T, id int, what string, got, want []float64, tol float64, se ...float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("case %d: %s has %d numbers, want %d", id, what, len(got), len(want))
	}
	for i, w := range want {
		slack := tol * max(1, math.Abs(w))
		if len(se) > 0 {
			slack += 4 * se[i]
		}
		check.That(t, math.Abs(got[i]-w) <= slack, "case %d: %s[%d] is %.10g, want %.10g", id, what, i, got[i], w)
	}
}

// Solve agrees with the reference: sampled numbers to 4 of their standard errors, second moments to 0.02, about
// 4 of theirs. The published sampler does not.
func TestSolveReferences(t *testing.T) {
	laplace, _ := laplaceReferences(t)
	var bias float64
	for i, c := range references(t) {
		if laplace[i].ID != c.ID {
			t.Fatalf("laplace.json has case %d where posterior.json has %d", laplace[i].ID, c.ID)
		}
		in := duelInput(c.Winners, c.Losers, c.Tests)
		in.Differences, in.Points, in.Draws = c.Step.V, append(in.Points, c.Step.Incumbent), 50_000
		s := check.Must(Solve(in, fixedConfig(c.Noise, c.Lengthscale...)))(t)
		got := s.HMC
		closeAll(t, c.ID, "log probability", []float64{got.LogProb}, []float64{c.Exact.LogProb}, 0, got.LogErr)
		closeAll(t, c.ID, "v", got.V, c.Exact.V, 0, got.VErr...)
		closeAll(t, c.ID, "f", got.F, c.Exact.Mean, 0, got.FErr...)
		if widest := max(slices.Max(got.VErr), slices.Max(got.FErr)); !(widest < 0.03) {
			t.Errorf("case %d: a standard error is %g", c.ID, widest)
		}
		closeAll(t, c.ID, "variance of f", got.FVar, c.Exact.Var, 0.02)
		closeAll(t, c.ID, "covariance of v", slices.Concat(got.VCov...), slices.Concat(c.Exact.VCov...), 0.03)
		for j, want := range c.Exact.Mean {
			bias = max(bias, math.Abs(c.Public.Mean[j]-want)/s.HMC.FErr[j])
		}
		closeAll(t, c.ID, "Laplace evidence", []float64{-s.Laplace.LogEvidence}, []float64{laplace[i].MinusEvidence}, 1e-9)
		closeAll(t, c.ID, "Laplace mode", s.Laplace.Points[:2*len(c.Winners)], laplace[i].Mode, 1e-9)
		closeAll(t, c.ID, "Laplace mean", s.Laplace.Mean, laplace[i].Mean, 1e-9)
		closeAll(t, c.ID, "Laplace variance", s.Laplace.Var, laplace[i].Var, 1e-9)
		closeAll(t, c.ID, "EP evidence", []float64{s.EP.LogEvidence}, []float64{c.EP.LogZ}, 1e-6)
		closeAll(t, c.ID, "EP mean", s.EP.Mean, c.EP.Mean, 1e-6)
		closeAll(t, c.ID, "EP variance", s.EP.Var, c.EP.Var, 1e-6)
		closeAll(t, c.ID, "EP mean of v", s.EP.V, c.EP.Mu, 1e-6)
		closeAll(t, c.ID, "EP site means", s.EP.SiteMean, c.EP.SiteMean, 1e-6)
		closeAll(t, c.ID, "EP site variances", s.EP.SiteVar, c.EP.SiteVar, 1e-6)
		closeAll(t, c.ID, "mean at the incumbent", []float64{s.Step.ReferenceMean}, []float64{c.Step.IncumbentMean}, 1e-10)
		closeAll(t, c.ID, "believed mean", s.Step.Mean, c.Step.Mean, 1e-10)
		closeAll(t, c.ID, "believed variance", s.Step.Var, c.Step.Var, 1e-10)
		closeAll(t, c.ID, "expected improvement", s.Step.EI, c.Step.EI, 1e-10)
	}
	check.That(t, bias >= 10, "the published sampler's bias is %.1f standard errors here: this test would not see it", bias)
}

// With the default settings the lengthscales are those of a fit in the box, unless the kernel is known, and the
// hallucination believer draws the differences.
func TestSolveFits(t *testing.T) {
	c := references(t)[0]
	in := duelInput(c.Winners, c.Losers, c.Tests)
	box := space.Cube(1, 0, 1)
	in.Box, in.Draws = &box, 100
	cfg := Default()
	cfg.NoiseStd = c.Noise
	s := check.Must(Solve(in, cfg))(t)
	want := c.fitter(t, cfg).fit(cfg.startIn(box))
	closeAll(t, c.ID, "lengthscale", s.Kernel.Lengthscale, want.Lengthscale, 1e-12)
	check.That(t, slices.Max(s.Step.V) < 0, "the believer's differences are %v", s.Step.V)
	in.Known.Kernel = &kernel.Config{Family: "se-half", Variance: 4, Lengthscale: []float64{0.7}}
	check.Same(t, "the known kernel", check.Must(Solve(in, cfg))(t).Kernel, *in.Known.Kernel)
}
