// Package duellingtest has the shared tests of methods that learn from duels of arms: of their conformance, and of estimates
// from reference data.
package duellingtest

import (
	"maps"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/arms/armstest"
	"popbench/internal/check"
)

// Run runs the suite of package algotest, with a method's default settings and with a fitted kernel. It also checks that New
// refuses bad values of the settings that methods share, to which shared points, and each of the other changes.
func Run[C any, A algorithms.Algorithm](
	t *testing.T, build func(algorithms.Setup, C) (A, error), cfg C, shared func(*C) *settings.Duelling, others map[string]func(*C),
) {
	// Three boxes have candidates that cost a second each; the suite has one of them, and scripts/long all.
	scenarios := []string{"a line", "five dimensions", "twelve arms on a line", "nine arms with three features"}
	if check.Long() {
		scenarios = nil
	}
	algotest.Run(t, "default", algotest.With(build, cfg), scenarios...)
	fitted := cfg
	shared(&fitted).Fit = settings.FitMAP
	algotest.Run(t, "fitted", algotest.With(build, fitted), "a line", "nine arms with three features")
	changes := map[string]func(*C){ // package settings tests all shared settings
		"fit":                func(c *C) { shared(c).Fit = "mle" },
		"kernel.lengthscale": func(c *C) { shared(c).Kernel.Lengthscale = []float64{1, 2, 3} },
		"lambda":             func(c *C) { shared(c).Lambda = 0 },
	}
	maps.Copy(changes, others)
	algotest.RunSettings(t, cfg, changes, build)
}

// Duels returns all answers of a data set.
func Duels(t testing.TB, s armstest.Dataset) *arms.Duels {
	t.Helper()
	d := arms.NewDuels(check.Must(arms.New(s.NewKernel(t), s.Features()))(t))
	s.Tell(d)
	return d
}

// Posterior returns the posterior given all answers.
func Posterior(d *arms.Duels, noise float64) *arms.Posterior {
	p := arms.NewPosterior(d, noise)
	p.Update()
	return p
}

// Estimate fits the estimator of a name in the reference data.
func Estimate(t testing.TB, name string, d *arms.Duels, lambda float64) arms.Estimate {
	t.Helper()
	switch name {
	case "ridge":
		return arms.NewRidge(d, lambda).Fit()
	case "published_mean":
		return arms.NewPublished(d, lambda, arms.Mean).Fit()
	case "published_sum":
		return arms.NewPublished(d, lambda, arms.Sum).Fit()
	}
	t.Fatalf("unknown estimator %q", name)
	return arms.Estimate{}
}
