package settings

import (
	"cmp"

	"popbench/algorithms/internal/arms"
	"popbench/internal/limits"
	"popbench/kernel"
)

// Duelling has the settings of methods of kernelised duelling bandits: a certified estimate of the utility f, and the
// posterior spread of its differences.
type Duelling struct {
	Kernel        kernel.Config `json:"kernel" doc:"Kernel of the utility f. A known one replaces it."`
	Fit           string        `json:"fit,omitempty" doc:"Hyper-parameters: map, a squared exponential kernel with a lengthscale for each coordinate and a variance, fitted to the answers after each of them as qEUBO's is, in place of kernel, unless that is known; none by default." enum:"none,map"`
	Estimator     string        `json:"estimator" doc:"Estimate of f, at the minimum with a duality gap except for published-gd: ridge, sum of logistic losses + lambda/2 times the squared norm of f (the papers); ball, the losses alone, with norm_bound as the largest norm of f; published-sum, losses + lambda/2 times the squared coefficients of the answers (the program of MaxMinLCB); published-mean, the same with the mean of the losses (the programs of MR-LPF and PF-TS); published-gd, that by the programs' own descent, which stops early." enum:"ridge,ball,published-sum,published-mean,published-gd"`
	Lambda        float64       `json:"lambda" min:"1e-6" max:"1e6" doc:"Weight of the ridge; ball has none. With 1, ridge is the mode of the posterior under a Gaussian process prior with this kernel."`
	NormBound     float64       `json:"norm_bound" min:"1e-3" max:"100" doc:"B, the bound on the RKHS norm of f, for estimator: ball, noise_variance: -1 and what is named theory. A known one replaces it."`
	NoiseVariance float64       `json:"noise_variance" min:"-1" max:"1e9" doc:"rho^2, the variance of the noise on a difference of f in the posterior that gives the spread; -1, lambda times kappa (the papers), with kappa the inverse slope of the logistic function at twice norm_bound."`
	Ties          string        `json:"ties" doc:"Which of equal choices: random; first-index, the arm that the domain has first." enum:"random,first-index"`
}

// FitMAP as the fit stands for a kernel that is fitted.
const FitMAP = "map"

// LambdaKappa as the variance of the noise stands for λκ, with κ = 1/σ'(2B).
const LambdaKappa = -1

// DefaultDuelling returns our recommendation: the papers' estimate, with the noise of the programs of MR-LPF and PF-TS.
func DefaultDuelling() Duelling {
	return Duelling{
		Kernel:        kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}},
		Estimator:     "ridge",
		Lambda:        1,
		NormBound:     1,
		NoiseVariance: 0.05,
		Ties:          "random",
	}
}

// Published returns the settings of the programs of MR-LPF and PF-TS for one coordinate.
func (c Duelling) Published() Duelling {
	c.Kernel = c.Kernel.WithLengthscale([]float64{0.1})
	c.Estimator, c.Lambda, c.Ties = "published-mean", 0.05, "first-index"
	return c
}

// Validate returns an error that names the first wrong setting.
func (c Duelling) Validate() error {
	if err := cmp.Or(c.Kernel.Validate(), limits.Check("", c)); err != nil {
		return err
	}
	_, err := c.Noise()
	return err
}

// Limits of the noise. Below the least, posterior variances of repeated duels lose their digits.
const leastNoise, mostNoise = 1e-9, 1e12

// Noise returns ρ².
func (c Duelling) Noise() (float64, error) {
	v := c.NoiseVariance
	switch {
	case v == LambdaKappa:
		v = c.Lambda * arms.Kappa(c.NormBound)
		if !(v >= leastNoise && v <= mostNoise) {
			return 0, limits.Wrong("noise_variance", " = -1: lambda times kappa is %.3g for norm_bound = %g; give a number", v, c.NormBound).
				Or("norm_bound", "lambda")
		}
	case !(v >= leastNoise):
		return 0, limits.Wrong("noise_variance", " = %g; give %g or more, or -1 for lambda times kappa", v, leastNoise)
	}
	return v, nil
}
