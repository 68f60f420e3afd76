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
	Rule        string `json:"rule" doc:"How the challenger is chosen: muc, where the probability that the champion wins varies most under the posterior; dueling-ucb, upper bound of its utility minus the champion's, at 1.96 standard deviations; eiig, log probability that it wins plus information; thompson, the best point of a draw of the posterior; bivariate-ei, expected improvement over the champion; brochu-ei, the same with the variance of f(x) - f(x_0), where x_0 is the lower corner; self-sparring, both points are the best ones of two draws." enum:"muc,dueling-ucb,eiig,thompson,bivariate-ei,brochu-ei,self-sparring"`
	Champion    string `json:"champion" doc:"Which mean the champion maximises: max-mean, that of the posterior; conditioned, that given f = 0 at the lower corner (the authors' program). bivariate-ei and brochu-ei take the best point of the duels, the others the best of the domain, and self-sparring has no champion." enum:"max-mean,conditioned"`
	Information string `json:"information" doc:"For eiig, the expected entropy of the answer: exact, by quadrature; published, the authors' approximation, to repeat their runs, for link: probit." enum:"exact,published"`
	settings.Utility
}

// Default returns MUC with the model of qEUBO and its first random duels.
func Default() Config {
	c := Config{Rule: MUC, Champion: "max-mean", Information: "exact", Utility: settings.DefaultUtility()}
	c.Candidates = 256
	return c
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
