package pfts

import (
	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
)

// Config has the settings of PF-TS. Default and Preset return complete ones.
type Config struct {
	Preset string `json:"preset" doc:"Settings to begin with; keys beside this one change single settings of it: default, our recommendation; paper; authors-code, the authors' program; pfts-popbo, what that program calls POP-BO, which is another algorithm." enum:"default,paper,authors-code,pfts-popbo"`
	Rule   string `json:"rule" doc:"How a duel is chosen: thompson, the maximisers of two draws; ucb, the last point against the one with the largest estimated advantage over it plus beta deviations (pfts-popbo)." enum:"thompson,ucb"`
	settings.Duelling
	Scale     string  `json:"scale" doc:"Factor of the covariance of a draw after t answers: program, sqrt(2 (t + 1 + log(2/delta))); theory, the square of B + sqrt(kappa (gain + log 1/delta) / (2 lambda)) with B = norm_bound; one." enum:"program,theory,one"`
	Delta     float64 `json:"delta" min:"1e-12" max:"1" doc:"Probability in scale."`
	Beta      float64 `json:"beta" min:"0" max:"1e6" doc:"Deviations added by ucb."`
	SelfDuels string  `json:"self_duels" doc:"Whether a point may be compared with itself: allow; forbid, so that the second point is the best other one." enum:"allow,forbid"`
}

// Default returns our recommendation: the paper's estimate, and the scale of the authors' program.
func Default() Config {
	return Config{
		Preset:    "default",
		Rule:      "thompson",
		Duelling:  settings.DefaultDuelling(),
		Scale:     "program",
		Delta:     0.05,
		Beta:      1,
		SelfDuels: "allow",
	}
}

// Preset returns the settings of a preset, and whether there is one of that name.
func Preset(name string) (Config, bool) {
	c := Default()
	c.Preset = name
	if name == "default" {
		return c, true
	}
	program := c.Published()
	switch name {
	case "paper":
		c.Kernel, c.Lambda, c.Scale = program.Kernel, program.Lambda, "theory"
	case "authors-code", "pfts-popbo":
		c.Duelling, c.Scale = program, "program"
		if name == "pfts-popbo" {
			c.Rule = "ucb"
		}
	default:
		return Config{}, false
	}
	return c, true
}

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
