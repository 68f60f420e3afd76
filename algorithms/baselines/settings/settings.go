// Package settings has settings that several baselines share.
package settings

import (
	"cmp"

	"popbench/algorithms"
	"popbench/internal/limits"
)

// Utility has the settings of methods that learn a utility from duels by a Gaussian process with MAP
// hyper-parameters, as qEUBO's authors' program does.
type Utility struct {
	Inference        string           `json:"inference" doc:"How the posterior of f is approximated: variational, the Gaussian nearest in Kullback-Leibler divergence (the authors' program); laplace, a Gaussian around the mode (BoTorch's PairwiseGP)." enum:"variational,laplace"`
	Link             string           `json:"link" doc:"The probability that the oracle prefers the option whose utility is larger by δ: logit, σ(δ); probit, Φ(δ/√2), for laplace only." enum:"logit,probit"`
	LengthscalePrior algorithms.Prior `json:"lengthscale_prior" doc:"Prior of each lengthscale, in box widths."`
	VariancePrior    algorithms.Gamma `json:"variance_prior" doc:"Prior of the variance of f."`
	InitialDuels     int              `json:"initial_duels" min:"-1" max:"10000" doc:"Duels of random points before the first query of the model, the start being the first point: -1, 4 for each coordinate (the authors' program); 0, none. They count as steps."`
	Candidates       int              `json:"candidates" min:"2" max:"5000" doc:"Number of quasi-random points, besides corners and the points of the duels; local searches start from the best of all their pairs."`
	Restarts         int              `json:"restarts" min:"1" max:"1000" doc:"Local searches of each kind: of the acquisition function from the best pairs of candidates, and from pairs of the point of greatest mean and one near it; of the posterior mean from the best points."`
	Recommendation   string           `json:"recommendation" doc:"Which point to recommend: max-mean, where the posterior mean is largest (the paper); max-mean-visited, where it is largest among the points of the duels, where only what was tried may be recommended." enum:"max-mean,max-mean-visited"`
}

// Recommendation rules.
const (
	RuleMaxMean        = "max-mean"         // argmax of the estimate, such as the posterior mean, over the domain
	RuleMaxMeanVisited = "max-mean-visited" // the same over the points of the duels
)

// DefaultUtility returns the settings of qEUBO's authors' program.
func DefaultUtility() Utility {
	return Utility{
		Inference:        "variational",
		Link:             "logit",
		LengthscalePrior: algorithms.Prior{Shape: 3, Rate: 6},
		VariancePrior:    algorithms.Gamma{Shape: 2, Rate: 0.15},
		InitialDuels:     -1,
		Candidates:       96,
		Restarts:         8,
		Recommendation:   RuleMaxMean,
	}
}

// PairwiseGP returns the settings of the other public model, BoTorch's PairwiseGP with its defaults.
func PairwiseGP() Utility {
	c := DefaultUtility()
	c.Inference, c.Link = "laplace", "probit"
	c.LengthscalePrior = algorithms.Prior{Shape: 2.4, Rate: 2.7}
	c.VariancePrior = algorithms.Gamma{Shape: 1}
	return c
}

// Validate returns an error that names the first wrong setting.
func (c Utility) Validate() error {
	if err := limits.Check("", c); err != nil {
		return err
	}
	if c.Inference == "variational" && c.Link == "probit" {
		return limits.Wrong("link", " = probit is for inference: laplace; variational has logit").Or("inference")
	}
	return cmp.Or(c.LengthscalePrior.Validate("lengthscale_prior"), c.VariancePrior.Validate("variance_prior"))
}
