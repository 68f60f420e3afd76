package pfts

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
)

func TestConformance(t *testing.T) {
	algotest.Run(t, "default", func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, Default()) })
}

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"preset":             func(c *Config) { c.Preset = "mine" },
		"kernel.lengthscale": func(c *Config) { c.Kernel.Lengthscale = []float64{1, 2, 3} },
		"lambda":             func(c *Config) { c.Lambda = 0 }, // package settings tests the others that methods share
		"self_duels":         func(c *Config) { c.SelfDuels = "" },
	}, New)
}
