package mrlpf

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/internal/contract"
)

func TestConformance(t *testing.T) {
	// Three boxes have candidates that cost a second each; the suite has one of them, and scripts/long all.
	scenarios := []string{"a line", "five dimensions", "twelve arms on a line", "nine arms with three features"}
	if check.Long() {
		scenarios = nil
	}
	algotest.Run(t, "default", func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, Default()) }, scenarios...)
	fitted := Default()
	fitted.Fit = "map"
	algotest.Run(t, "fitted", func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, fitted) }, "a line", "nine arms with three features")
}

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"preset":             func(c *Config) { c.Preset = "mine" },
		"fit":                func(c *Config) { c.Fit = "mle" },
		"kernel.lengthscale": func(c *Config) { c.Kernel.Lengthscale = []float64{1, 2, 3} },
		"lambda":             func(c *Config) { c.Lambda = 0 }, // package settings tests the others that methods share
		"self_duels":         func(c *Config) { c.SelfDuels = "" },
	}, New)
	setup := contract.Scenarios[1].Setup()
	setup.Steps = 0
	check.Error(t, "an unknown number of steps", check.Err(New(setup, Default())), "steps = 0")
}
