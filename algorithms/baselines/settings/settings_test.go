package settings_test

import (
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/check"
)

func TestUtility(t *testing.T) {
	validate := func(_ algorithms.Setup, c settings.Utility) (any, error) { return nil, c.Validate() }
	algotest.RunSettings(t, settings.DefaultUtility(), map[string]func(*settings.Utility){
		`inference = "vi"`:              func(c *settings.Utility) { c.Inference = "vi" },
		`link = ""`:                     func(c *settings.Utility) { c.Link = "" },
		"link = probit":                 func(c *settings.Utility) { c.Link = "probit" },
		"lengthscale_prior.shape = 0.5": func(c *settings.Utility) { c.LengthscalePrior.Shape = 0.5 },
		"lengthscale_prior.rate = 0":    func(c *settings.Utility) { c.LengthscalePrior.Rate = 0 },
		"variance_prior.rate = NaN":     func(c *settings.Utility) { c.VariancePrior.Rate = math.NaN() },
		"variance_prior.shape = +Inf":   func(c *settings.Utility) { c.VariancePrior.Shape = math.Inf(1) },
		"initial_duels = -2":            func(c *settings.Utility) { c.InitialDuels = -2 },
		"candidates = 1":                func(c *settings.Utility) { c.Candidates = 1 },
		"restarts = 0":                  func(c *settings.Utility) { c.Restarts = 0 },
		`recommendation = "max"`:        func(c *settings.Utility) { c.Recommendation = "max" },
	}, validate)
	check.OK(t, settings.PairwiseGP().Validate())
}

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
