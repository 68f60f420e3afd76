package dts

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
)

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":    func(*Config) {},
		"mirrored":   func(c *Config) { c.Prior = Mirrored },
		"preference": func(c *Config) { c.Prior = Preference },
		"ep":         func(c *Config) { c.Inference = EP; c.Refit = 3 },
		"given":      func(c *Config) { c.Fit = "none"; c.Initial = 0 },
	} {
		cfg := Default()
		cfg.Candidates, cfg.Landmarks, cfg.Grid = 100, 50, 13
		change(&cfg)
		algotest.Run(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) })
	}
}
