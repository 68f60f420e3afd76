package settings_test

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
)

func TestDuelling(t *testing.T) {
	validate := func(_ algorithms.Setup, c settings.Duelling) (any, error) { return nil, c.Validate() }
	algotest.RunSettings(t, settings.DefaultDuelling(), map[string]func(*settings.Duelling){
		"kernel.family":       func(c *settings.Duelling) { c.Kernel.Family = "" },
		"estimator":           func(c *settings.Duelling) { c.Estimator = "mle" },
		"lambda":              func(c *settings.Duelling) { c.Lambda = 0 },
		"norm_bound":          func(c *settings.Duelling) { c.NormBound = -1 },
		"noise_variance":      func(c *settings.Duelling) { c.NoiseVariance = -0.5 },
		"noise_variance = 0":  func(c *settings.Duelling) { c.NoiseVariance = 0 },
		"noise_variance = -1": func(c *settings.Duelling) { c.NoiseVariance, c.NormBound = -1, 30 },
		"ties":                func(c *settings.Duelling) { c.Ties = "last" },
	}, validate)
	least := settings.DefaultDuelling()
	least.NoiseVariance = 1e-9 // "give 1e-09 or more"
	if err := least.Validate(); err != nil {
		t.Error(err)
	}
}
