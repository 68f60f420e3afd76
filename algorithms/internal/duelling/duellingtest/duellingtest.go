// Package duellingtest has estimates of reference data, for tests of the methods that learn from duels of arms.
package duellingtest

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/internal/math/arms/armstest"
)

// Duels returns all answers of a data set.
func Duels(t testing.TB, s armstest.Dataset) *arms.Duels {
	t.Helper()
	d := arms.NewDuels(check.Must(arms.New(s.NewKernel(t), s.Features()))(t))
	s.Tell(d)
	return d
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
