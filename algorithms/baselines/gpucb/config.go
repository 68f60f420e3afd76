package gpucb

import (
	"cmp"
	"math"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/kernel"
)

// Config has the settings of GP-UCB.
type Config struct {
	Kernel           kernel.Config    `json:"kernel" doc:"The covariance of f; fitted hyper-parameters replace those set here."`
	Fit              string           `json:"fit" doc:"Hyper-parameters fitted by marginal likelihood and priors: none; isotropic, variance and one lengthscale; ard, variance and one lengthscale for each coordinate; none keeps a kernel that you know." enum:"none,isotropic,ard"`
	LengthscalePrior algorithms.Prior `json:"lengthscale_prior,omitzero" doc:"Prior of each fitted lengthscale, in box widths, which are then fitted between 0.01 and 100. Left out: gamma with shape 3 and rate 6, between 0.01 and 10."`
	RefitEvery       int              `json:"refit_every" min:"1" max:"100000" doc:"Steps from one fit to the next; to fit nothing give fit: none."`
	NoiseVariance    float64          `json:"noise_variance" min:"1e-12" max:"1e12" doc:"Variance of the noise of a value observation: pi^2/6, that of the oracle, times the square of the oracle's scale if you set one."`
	Beta             BetaConfig       `json:"beta" doc:"beta_t; the next point maximises mean + sqrt(beta_t) times the standard deviation."`
	Recommendation   string           `json:"recommendation" doc:"Which point to recommend: max-mean, the maximiser of the posterior mean over the box; max-mean-visited, over the visited points, where only what was tried may be recommended. Both are recorded." enum:"max-mean,max-mean-visited"`
	Restarts         int              `json:"restarts" min:"1" max:"1000" doc:"Local searches, from the best candidates, in each maximisation over the box: raise it if f has many peaks; steps take longer."`
}

// Default returns the settings for functions of which nothing is known.
func Default() Config {
	return Config{
		Kernel:         kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}},
		Fit:            "ard",
		RefitEvery:     1,
		NoiseVariance:  math.Pi * math.Pi / 6,
		Beta:           BetaConfig{Schedule: "constant", Factor: 9},
		Recommendation: settings.RuleMaxMean,
		Restarts:       32,
	}
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := cmp.Or(c.Kernel.Validate(), limits.Check("", c)); err != nil {
		return err
	}
	if c.Fit != "none" && c.Kernel.Family == "linear" {
		return limits.Wrong("fit", " = %q: the linear kernel has no lengthscale; give none", c.Fit).Or("kernel.family")
	}
	if c.hasPrior() {
		if c.Fit == "none" {
			return limits.Wrong("lengthscale_prior", " is for fitted lengthscales; give fit: isotropic or ard, or leave the prior out").Or("fit")
		}
		if err := c.LengthscalePrior.Validate("lengthscale_prior"); err != nil {
			return err
		}
	}
	return nil
}

func (c Config) hasPrior() bool { return c.LengthscalePrior != algorithms.Prior{} }

// lengthscale returns the parameter that fits of lengthscales in d dimensions vary.
func (c Config) lengthscale(d int) gp.Parameter {
	p := lengthscalePrior
	if l := c.LengthscalePrior; c.hasPrior() {
		p.Prior, p.Hi = gp.NewPrior(string(l.Family), l.Shape, l.Rate, d), 100
	}
	return p
}

var lengthscalePrior = gp.Parameter{Prior: gp.Gamma{Shape: 3, Rate: 6}, Lo: 0.01, Hi: 10}

// BetaConfig is the schedule of β_t, which chooses the t-th point from t-1 values (Srinivas et al. 2010, whose
// experiments divide the theorems' β_t by 5). Theorem 1 is for finitely many points. Theorem 3, for functions of bounded
// RKHS norm, is left out: its β_t contains the largest information gain of any t points, of which only the order is known.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"constant: 1; theorem2: 2 log(2t²π²/3δ) + 2d log(t² d sqrt(log(4d/δ))) with δ = 0.1, for a box, in units in which it is [0,1]^d." enum:"constant,theorem2"`
	Factor   float64 `json:"factor" min:"0" max:"1e9" doc:"Factor of the schedule: raise it to explore more; 0.2 with theorem2 in the experiments of the theorem's authors."`
}

// delta is the failure probability of theorem 2, as in its authors' experiments. The theorem's a and b, by which a
// partial derivative of f exceeds L with probability at most a exp(-L²/b²), are 1: nobody knows them.
const delta float64 = 0.1

// at returns β_t in d dimensions, t >= 1.
func (c BetaConfig) at(t, d int) float64 {
	if c.Schedule == "constant" {
		return c.Factor
	}
	tt, dd := float64(t*t), float64(d)
	lipschitz := math.Sqrt(fmath.Log(4 * dd / delta))
	return c.Factor * (float64(2*fmath.Log(2*tt*math.Pi*math.Pi/(3*delta))) + float64(2*dd*fmath.Log(tt*dd*lipschitz)))
}
