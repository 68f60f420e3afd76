package pfts

import (
	"cmp"

	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
)

// Config has the settings of PF-TS. Default and UsePreset set all of them.
type Config struct {
	Preset string `json:"preset" doc:"Settings to begin with; keys beside this one change single settings of it: default, our recommendation; paper; authors-code, the authors' program; pfts-popbo, what that program calls POP-BO, which is another algorithm." enum:"default,paper,authors-code,pfts-popbo"`
	Rule   string `json:"rule" doc:"How a duel is chosen: thompson, the maximisers of two draws; ucb, the last point against the one with the largest estimated advantage over it plus a deviation (pfts-popbo)." enum:"thompson,ucb"`
	settings.Duelling
	Scale     string `json:"scale" doc:"Factor of the covariance of a draw after t answers: program, sqrt(2 (t + 1 + log 40)); theory, the square of B + sqrt(kappa (gain + log 20) / (2 lambda)) with B = norm_bound; one." enum:"program,theory,one"`
	SelfDuels string `json:"self_duels" doc:"Whether a point may be compared with itself: allow; forbid, so that the second point is the best other one, where a person answers." enum:"allow,forbid"`
}

// Default returns our recommendation: the paper's estimate, and the scale of the authors' program.
func Default() Config {
	return Config{
		Preset:    "default",
		Rule:      "thompson",
		Duelling:  settings.DefaultDuelling(),
		Scale:     "program",
		SelfDuels: "allow",
	}
}

// UsePreset makes c the settings of a preset. It returns false, and changes nothing, if there is no such preset.
func (c *Config) UsePreset(name string) bool {
	p := Default()
	p.Preset = name
	program := p.Published()
	switch name {
	case "default":
	case "paper":
		p.Kernel, p.Lambda, p.Scale = program.Kernel, program.Lambda, "theory"
	case "authors-code":
		p.Duelling = program
	case "pfts-popbo":
		p.Duelling, p.Rule = program, "ucb"
	default:
		return false
	}
	*c = p
	return true
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error { return cmp.Or(c.Duelling.Validate(), limits.Check("", c)) }
