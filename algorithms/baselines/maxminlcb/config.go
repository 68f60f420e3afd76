package maxminlcb

import (
	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
	"popbench/internal/math/arms"
)

// Config has the settings of MaxMinLCB. Default and Preset return complete ones.
type Config struct {
	Preset string `json:"preset" doc:"Settings to begin with; keys beside this one change single settings of it: default, our recommendation; paper; authors-code, the authors' program; pfts, the program of PF-TS, which compares with MaxMinLCB." enum:"default,paper,authors-code,pfts"`
	settings.Duelling
	Width         string     `json:"width" doc:"Width of a confidence interval, times beta: sd, the posterior standard deviation (the paper); variance (the authors' program)." enum:"sd,variance"`
	Beta          BetaConfig `json:"beta" doc:"Factor of the width."`
	Candidates    string     `json:"candidates" doc:"Arms to choose leader and follower from: all; plausible, those that no arm beats for certain (the paper)." enum:"all,plausible"`
	SelfDuels     string     `json:"self_duels" doc:"Whether a point may be compared with itself: allow; last, only if it is the last candidate; forbid, never." enum:"allow,last,forbid"`
	InitialSpread string     `json:"initial_spread" doc:"Widths before the first answer: prior, those of the kernel; zero (the program of PF-TS), so that the first duel compares a point with itself." enum:"prior,zero"`
}

// BetaConfig says how beta is chosen.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"constant, factor; theory, B + sqrt(kappa (gain + log 1/delta) / (2 lambda)) with B = norm_bound and the information gain of the answers." enum:"constant,theory"`
	Factor   float64 `json:"factor" min:"0" max:"1e6" doc:"beta of constant."`
	Delta    float64 `json:"delta" min:"1e-12" max:"1" doc:"Probability that a confidence interval of theory fails."`
}

// Default returns our recommendation: the paper's estimate and widths, with the programs' beta and all arms as candidates.
func Default() Config {
	return Config{
		Preset:        "default",
		Duelling:      settings.DefaultDuelling(),
		Width:         "sd",
		Beta:          BetaConfig{Schedule: "constant", Factor: 1, Delta: 0.1},
		Candidates:    "all",
		SelfDuels:     "allow",
		InitialSpread: "prior",
	}
}

// Preset returns the settings of a preset, and whether there is one of that name.
func Preset(name string) (Config, bool) {
	c := Default()
	c.Preset = name
	switch name {
	case "default":
	case "paper":
		c.Lambda, c.NoiseVariance = authorsLambda, settings.LambdaKappa
		c.Beta.Schedule, c.Candidates = "theory", "plausible"
	case "authors-code":
		c.Kernel.Family = "se-half"
		c.Estimator, c.Lambda = "published-sum", 2*authorsPenalty
		c.NoiseVariance = authorsLambda * arms.Kappa(c.NormBound)
		c.Width = "variance"
	case "pfts":
		c.Duelling = c.Published()
		c.Candidates, c.InitialSpread = "plausible", "zero"
	default:
		return Config{}, false
	}
	return c, true
}

// Settings that all configurations of the authors' program share: λ of the noise λκ, and the ridge, which has no factor ½.
const authorsLambda, authorsPenalty = 0.25, 1

// UsePreset makes c the settings of a preset, and reports whether there is one of that name.
func (c *Config) UsePreset(name string) bool {
	p, ok := Preset(name)
	if ok {
		*c = p
	}
	return ok
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := c.Duelling.Validate(); err != nil {
		return err
	}
	return limits.Check("", c)
}
