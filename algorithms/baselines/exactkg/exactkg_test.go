package exactkg

import (
	"testing"

	"popbench/algorithms/algotest"
)

func TestConformance(t *testing.T) {
	cfg := Default()
	cfg.InitialDuels = 3 // so that the short plays get to the acquisition function
	algotest.Run(t, "default", algotest.With(New, cfg))
	algotest.RunKnownKernel(t, "default", algotest.With(New, cfg), 1)
	algotest.RunClimb(t, "default", algotest.With(New, cfg), 15)
	laplace(&cfg)
	algotest.Run(t, "laplace", algotest.With(New, cfg), "a square, start at a corner", "nine arms with three features")
}

func laplace(c *Config) { c.Inference, c.Link = "laplace", "probit" }

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"link = probit": func(c *Config) { c.Link = "probit" }, // package settings tests the others
	}, New)
}
