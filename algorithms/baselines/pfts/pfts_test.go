package pfts

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
)

func TestConformance(t *testing.T) {
	// The suite has one of two squares: on a square every query takes time for a grid of candidates.
	scenarios := []string{"a line", "a square, start at a corner", "five dimensions", "twelve arms on a line", "nine arms with three features"}
	if check.Long() {
		scenarios = nil
	}
	algotest.Run(t, "default", func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, Default()) }, scenarios...)
}

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"preset":             func(c *Config) { c.Preset = "mine" },
		"kernel.lengthscale": func(c *Config) { c.Kernel.Lengthscale = []float64{1, 2, 3} },
		"lambda":             func(c *Config) { c.Lambda = 0 }, // package settings tests the others that methods share
		"self_duels":         func(c *Config) { c.SelfDuels = "" },
	}, New)
}
