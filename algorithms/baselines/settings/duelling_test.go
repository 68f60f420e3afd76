package settings_test

import (
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/check"
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
	check.OK(t, least.Validate())
	kappa := settings.DefaultDuelling()
	kappa.NoiseVariance, kappa.Lambda, kappa.NormBound = settings.LambdaKappa, 3, 1
	s := 1 / (1 + math.Exp(2)) // κ = 1/σ'(2B)
	check.Near(t, check.Must(kappa.Noise())(t), 3/(s*(1-s)), 1e-12, "λκ")
}
