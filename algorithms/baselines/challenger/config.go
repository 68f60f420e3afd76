package challenger

import (
	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
)

// Rules.
const (
	MUC          = "muc"
	DuelingUCB   = "dueling-ucb"
	EIIG         = "eiig"
	Thompson     = "thompson"
	BivariateEI  = "bivariate-ei"
	BrochuEI     = "brochu-ei"
	SelfSparring = "self-sparring"
)

// Config has the settings of champion-challenger rules.
type Config struct {
	Preset      string  `json:"preset" doc:"Settings to begin with; keys beside this one change single settings of it: default, our recommendation; fauvel-chalk, to repeat runs of the program of Fauvel and Chalk as nearly as these settings can." enum:"default,fauvel-chalk"`
	Rule        string  `json:"rule" doc:"How the challenger is chosen: muc, where the probability that the champion wins varies most under the posterior; dueling-ucb, upper bound of its utility minus the champion's, at 1.96 standard deviations; eiig, weight times the log probability that it wins plus information; thompson, the best point of a draw of the posterior; bivariate-ei, expected improvement over the champion; brochu-ei, the same with the variance of f(x) - f(x_0), where x_0 is the lower corner; self-sparring, both points are the best ones of two draws." enum:"muc,dueling-ucb,eiig,thompson,bivariate-ei,brochu-ei,self-sparring"`
	Champion    string  `json:"champion" doc:"Which mean the champion maximises: max-mean, that of the posterior; conditioned, that given f = 0 at the lower corner (the authors' program). bivariate-ei and brochu-ei take the best point of the duels, the others the best of the domain, and self-sparring has no champion." enum:"max-mean,conditioned"`
	Weight      float64 `json:"weight" min:"0" max:"1e6" doc:"For eiig, of the log probability of winning: 0.1 in its authors' program, 0.5 in that of Fauvel and Chalk; raise it for challengers that are likelier to win."`
	Information string  `json:"information" doc:"For eiig, the expected entropy of the answer: exact, by quadrature; published, the authors' approximation, to repeat their runs, for link: probit." enum:"exact,published"`
	settings.Utility
}

// Default returns MUC with the model of qEUBO and its first random duels.
func Default() Config {
	c := Config{Preset: "default", Rule: MUC, Champion: "max-mean", Weight: 0.1, Information: "exact", Utility: settings.DefaultUtility()}
	c.Candidates = 256
	return c
}

// UsePreset makes c the settings of a preset. It returns false, and changes nothing, if there is no such preset.
func (c *Config) UsePreset(name string) bool {
	p := Default()
	p.Preset = name
	switch name {
	case "default":
	case "fauvel-chalk":
		p.Champion, p.Weight, p.Information = "conditioned", 0.5, "published"
		p.Inference, p.Link = "laplace", "probit"
	default:
		return false
	}
	*c = p
	return true
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := limits.Check("", c); err != nil {
		return err
	}
	if c.Rule == EIIG && c.Information == "published" && c.Link != "probit" {
		return limits.Wrong("information", " = published is for link: probit; give exact").Or("link", "rule")
	}
	return c.Utility.Validate()
}
