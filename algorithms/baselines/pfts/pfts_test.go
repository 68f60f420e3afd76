package pfts

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
)

// presets returns the settings of all presets.
func presets(t testing.TB) map[string]Config {
	all := map[string]Config{}
	for _, name := range []string{"default", "paper", "authors-code", "pfts-popbo"} {
		c, ok := Preset(name)
		if !ok || c.Preset != name {
			t.Fatalf("preset %q: %+v, %t", name, c, ok)
		}
		all[name] = c
	}
	return all
}

func TestConformance(t *testing.T) {
	all := presets(t)
	forbid := Default()
	forbid.SelfDuels = "forbid"
	all["forbid"] = forbid
	for name, cfg := range all {
		factory := func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }
		if name == "default" {
			algotest.Run(t, name, factory)
		}
	}
}

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"preset":              func(c *Config) { c.Preset = "mine" },
		"kernel.family":       func(c *Config) { c.Kernel.Family = "" },
		"kernel.lengthscale":  func(c *Config) { c.Kernel.Lengthscale = []float64{1, 2, 3} },
		"estimator":           func(c *Config) { c.Estimator = "mle" },
		"lambda":              func(c *Config) { c.Lambda = 0 },
		"norm_bound":          func(c *Config) { c.NormBound = -1 },
		"noise_variance":      func(c *Config) { c.NoiseVariance = -0.5 },
		"noise_variance = 0":  func(c *Config) { c.NoiseVariance = 0 },
		"noise_variance = -1": func(c *Config) { c.NoiseVariance, c.NormBound = -1, 30 },
		"self_duels":          func(c *Config) { c.SelfDuels = "" },
		"ties":                func(c *Config) { c.Ties = "last" },
	}, New)
}
