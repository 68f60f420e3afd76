package exactkg

import (
	"testing"

	"popbench/algorithms/algotest"
)

func TestConformance(t *testing.T) {
	cfg := Default()
	cfg.InitialDuels = 3 // so that the short plays get to the acquisition function
	algotest.RunVariants(t, New, cfg, map[string]func(*Config){"laplace": laplace}, "a square, start at a corner", "nine arms with three features")
	algotest.RunKnownKernel(t, "default", algotest.With(New, cfg), 1)
	algotest.RunClimb(t, "default", algotest.With(New, cfg), 20)
}

func laplace(c *Config) { c.Inference, c.Link = "laplace", "probit" }

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"link = probit": func(c *Config) { c.Link = "probit" }, // package settings tests the others
	}, New)
}
