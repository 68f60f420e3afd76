package ginop

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
)

func TestConforms(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":       func(*Config) {},
		"no self-duels": func(c *Config) { c.SelfDuels, c.Epsilon = "forbid", 0 },
		"laplace":       func(c *Config) { c.Width, c.Beta.Schedule = "laplace", "constant" },
	} {
		cfg := Default()
		change(&cfg)
		algotest.Run(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) })
	}
}
