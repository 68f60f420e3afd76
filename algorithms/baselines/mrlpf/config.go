package mrlpf

import (
	"cmp"

	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
)

// Config has the settings of MR-LPF. Default and UsePreset set all of them.
type Config struct {
	Preset string `json:"preset" doc:"Settings to begin with; keys beside this one change single settings of it: default, our recommendation; paper; authors-code, the authors' program; pfts, the program of PF-TS, which compares with MR-LPF." enum:"default,paper,authors-code,pfts"`
	settings.Duelling
	Recommendation string     `json:"recommendation" doc:"Which arm to recommend: all-answers, the one that is left with the largest estimate from all answers; last-round, from those of the last complete round." enum:"all-answers,last-round"`
	Beta           BetaConfig `json:"beta" doc:"Factor of the spread when arms are struck out."`
	SelfDuels      string     `json:"self_duels" doc:"What the last arm duels: allow, itself; forbid, the arm whose difference from it is least certain, where a person answers." enum:"allow,forbid"`
	InitialSpread  string     `json:"initial_spread" doc:"Spread at the start of a round: prior, that of the kernel; zero (the programs), so that all pairs tie, also those of an arm with itself." enum:"prior,zero"`
}

// Recommendation rules: the remaining arm with the largest estimate, from all answers or from the answers of the last
// complete round.
const (
	RuleAllAnswers = "all-answers"
	RuleLastRound  = "last-round"
)

// BetaConfig says how beta is chosen.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"constant, factor; theory, (B + sqrt(kappa log(20 R K) / lambda)) / 4 for R rounds and K arms, with B = norm_bound, and kappa = 6 from the second round on." enum:"constant,theory"`
	Factor   float64 `json:"factor" min:"0" max:"1e6" doc:"beta of constant: lower it to strike out arms sooner."`
}

// Default returns our recommendation: the paper's estimate and spread with the programs' beta and noise. Presets recommend
// by the last round, as Copeland's winner in the programs does.
func Default() Config {
	return Config{
		Preset:         "default",
		Duelling:       settings.DefaultDuelling(),
		Recommendation: RuleAllAnswers,
		Beta:           BetaConfig{Schedule: "constant", Factor: 1},
		SelfDuels:      "allow",
		InitialSpread:  "prior",
	}
}

// UsePreset makes c the settings of a preset. It returns false, and changes nothing, if there is no such preset.
func (c *Config) UsePreset(name string) bool {
	p := Default()
	p.Preset = name
	switch name {
	case "default":
	case "paper":
		p.Lambda, p.NoiseVariance, p.Beta.Schedule = p.Published().Lambda, settings.LambdaKappa, "theory"
		p.Recommendation = RuleLastRound
	case "authors-code", "pfts":
		p.Duelling, p.InitialSpread, p.Recommendation = p.Published(), "zero", RuleLastRound
		if name == "authors-code" {
			p.Kernel.Family = "se-half"
		}
	default:
		return false
	}
	*c = p
	return true
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error { return cmp.Or(c.Duelling.Validate(), limits.Check("", c)) }
