package maxminlcb

import (
	"cmp"

	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms"
	"popbench/internal/limits"
)

// Config has the settings of MaxMinLCB. Default and UsePreset set all of them.
type Config struct {
	Preset string `json:"preset" doc:"Settings to begin with; keys beside this one change single settings of it: default, our recommendation; paper; authors-code, the authors' program; pfts, the program of PF-TS, which compares with MaxMinLCB." enum:"default,paper,authors-code,pfts"`
	settings.Duelling
	Width         string     `json:"width" doc:"Width of a confidence interval, times beta: sd, the posterior standard deviation (the paper); variance (the authors' program)." enum:"sd,variance"`
	Beta          BetaConfig `json:"beta" doc:"Factor of the width."`
	Candidates    string     `json:"candidates" doc:"Arms to choose leader and follower from: all; plausible, those that no arm beats for certain (the paper)." enum:"all,plausible"`
	SelfDuels     string     `json:"self_duels" doc:"Whether a point may be compared with itself: allow; last, only if it is the last candidate; forbid, never, where a person answers." enum:"allow,last,forbid"`
	InitialSpread string     `json:"initial_spread" doc:"Widths before the first answer: prior, those of the kernel; zero (the program of PF-TS), so that the first duel compares a point with itself." enum:"prior,zero"`
}

// BetaConfig says how beta is chosen.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"constant, factor; theory, B + sqrt(kappa (gain + log 10) / (2 lambda)) with B = norm_bound and the information gain of the answers." enum:"constant,theory"`
	Factor   float64 `json:"factor" min:"0" max:"1e6" doc:"beta of constant: raise it to explore more."`
}

// Default returns our recommendation: the paper's estimate and widths, with the programs' beta and all arms as candidates.
func Default() Config {
	return Config{
		Preset:        "default",
		Duelling:      settings.DefaultDuelling(),
		Width:         "sd",
		Beta:          BetaConfig{Schedule: "constant", Factor: 1},
		Candidates:    "all",
		SelfDuels:     "allow",
		InitialSpread: "prior",
	}
}

// UsePreset makes c the settings of a preset. It returns false, and changes nothing, if there is no such preset.
func (c *Config) UsePreset(name string) bool {
	p := Default()
	p.Preset = name
	switch name {
	case "default":
	case "paper":
		p.Lambda, p.NoiseVariance = authorsLambda, settings.LambdaKappa
		p.Beta.Schedule, p.Candidates = "theory", "plausible"
	case "authors-code":
		p.Kernel.Family = "se-half"
		p.Estimator, p.Lambda = "published-sum", 2*authorsPenalty
		p.NoiseVariance = authorsLambda * arms.Kappa(p.NormBound)
		p.Width = "variance"
	case "pfts":
		p.Duelling = p.Published()
		p.Candidates, p.InitialSpread = "plausible", "zero"
	default:
		return false
	}
	*c = p
	return true
}

// Settings that all configurations of the authors' program share: λ of the noise λκ, and the ridge, which has no factor ½.
const authorsLambda, authorsPenalty = 0.25, 1

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error { return cmp.Or(c.Duelling.Validate(), limits.Check("", c)) }
