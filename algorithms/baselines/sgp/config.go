package sgp

import (
	"cmp"
	"fmt"
	"math"

	"popbench/algorithms"
	"popbench/internal/limits"
	"popbench/internal/math/gp"
	"popbench/kernel"
)

// Config has the settings of SGP.
type Config struct {
	Kernel                  kernel.Config    `json:"kernel" doc:"Prior covariance of f. Its lengthscale is used only if none is fitted."`
	Fit                     FitConfig        `json:"fit" doc:"Lengthscales, one for each coordinate, by maximum marginal likelihood of the duels so far (Laplace's approximation)."`
	LengthscalePrior        algorithms.Prior `json:"lengthscale_prior,omitzero" doc:"Prior of each fitted lengthscale, in box widths: fits maximise likelihood times prior, and start at its mode too. Left out: flat."`
	VariancePrior           algorithms.Gamma `json:"variance_prior,omitzero" doc:"Prior of the variance of f, which is then fitted with the lengthscales. Left out: the variance is that of kernel."`
	NoiseStd                float64          `json:"noise_std" min:"-1" max:"1e6" doc:"Standard deviation of the noise on the value of each option of a duel, at least 0.001: raise it if duels contradict each other, which makes draws faster too. -1: 2/√π = 1.128, with which the probability of an answer has the slope of a logistic oracle's where options are equal."`
	InitialDuels            int              `json:"initial_duels" min:"-1" max:"1000" doc:"Duels of random points before the first query of the model, the start being the first point: -1, 3 for each coordinate (the published program); 0, none but the first duel, which the model needs. They count as steps."`
	Acquisition             string           `json:"acquisition" doc:"What the second point maximises, given one draw of the duels' differences: ei, expected improvement on the first point's mean; ucb, mean + 2 standard deviations." enum:"ei,ucb"`
	Sampler                 string           `json:"sampler" doc:"How the differences are drawn: hmc, by exact Hamiltonian Monte Carlo; gibbs, coordinate by coordinate (the published program, but without its bias), which mixes slowly if duels repeat." enum:"hmc,gibbs"`
	BurnIn                  int              `json:"burn_in" min:"1" max:"100000" doc:"Moves of hmc, or sweeps of gibbs, before the draw; as many again are averaged for the posterior mean. The published program takes 1000 sweeps, to repeat its runs; more moves give smoother means."`
	Recommendation          string           `json:"recommendation" doc:"Which point to recommend: first-of-duel, the first point of the last duel; last-winner, its winner; max-mean-visited, the compared point of largest posterior mean, to be robust to single answers. All are recorded." enum:"first-of-duel,last-winner,max-mean-visited"`
	CandidatesPerCoordinate int              `json:"candidates_per_coordinate" min:"1" max:"1000" doc:"Number of quasi-random points for each coordinate, besides corners of the box; local searches start from the best of them: raise it if f has many peaks; steps take longer."`
	Restarts                int              `json:"restarts" min:"0" max:"1000" doc:"Local searches of the acquisition function from candidates, besides the one from the first point of the duel; 0 for that one alone; raise it if f has many peaks."`
}

// FitConfig says when lengthscales are fitted, and within which limits, as fractions of the box's widths.
type FitConfig struct {
	RefitEvery int     `json:"refit_every" min:"0" max:"100000" doc:"Duels from one fit to the next, the first before the model's first query; 0 to fit nothing."`
	Lo         float64 `json:"lo" min:"0" max:"1000" doc:"Shortest lengthscale, in box widths, at least 0.001."`
	Hi         float64 `json:"hi" min:"0" max:"1000" doc:"Longest lengthscale, in box widths."`
}

// Default returns the settings of the published program, except its sampler.
func Default() Config {
	return Config{
		Kernel:                  kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{1}},
		Fit:                     FitConfig{RefitEvery: 10, Lo: 0.1, Hi: 0.5},
		NoiseStd:                0.01,
		Acquisition:             "ei",
		Sampler:                 "hmc",
		BurnIn:                  50,
		InitialDuels:            -1,
		Recommendation:          "first-of-duel",
		CandidatesPerCoordinate: 20,
		Restarts:                10,
	}
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := cmp.Or(c.Kernel.Validate(), limits.Check("", c)); err != nil {
		return err
	}
	if c.hasPrior() {
		if c.Fit.RefitEvery == 0 {
			return limits.Wrong("lengthscale_prior", " is for fitted lengthscales; give fit.refit_every above 0, or leave the prior out").Or("fit.refit_every")
		}
		if err := c.LengthscalePrior.Validate("lengthscale_prior"); err != nil {
			return err
		}
	}
	if c.NoiseStd != LogisticNoise && c.NoiseStd < leastNoise {
		return limits.Wrong("noise_std", " = %g; give %g or more, or -1 for the noise of a logistic oracle", c.NoiseStd, leastNoise)
	}
	if c.fitsVariance() {
		if c.Fit.RefitEvery == 0 {
			return limits.Wrong("variance_prior", " is for a fitted variance; give fit.refit_every above 0, or leave the prior out").Or("fit.refit_every")
		}
		if err := c.VariancePrior.Validate("variance_prior"); err != nil {
			return err
		}
	}
	return c.Fit.validate(c.Kernel.Family)
}

// LogisticNoise as the standard deviation stands for 2/√π. With it the link Φ(δ/(√2 σ)) has the slope of the logistic
// function at 0, 1/4.
const LogisticNoise = -1

// leastNoise is the least standard deviation.
const leastNoise = 1e-3

func (c Config) noise() float64 {
	if c.NoiseStd == LogisticNoise {
		return 2 / math.Sqrt(math.Pi)
	}
	return c.NoiseStd
}

func (c Config) fitsVariance() bool { return c.VariancePrior != algorithms.Gamma{} }

func (c Config) hasPrior() bool { return c.LengthscalePrior != algorithms.Prior{} }

// fitted returns the parameter that fits of d lengthscales vary, in box widths, or an error if its range excludes
// the prior's mode.
func (c Config) fitted(d int) (gp.Parameter, error) {
	p := gp.Parameter{Prior: gp.Gamma{Shape: 1}, Lo: c.Fit.Lo, Hi: c.Fit.Hi}
	if !c.hasPrior() {
		return p, nil
	}
	prior := c.LengthscalePrior
	p.Prior = gp.NewPrior(string(prior.Family), prior.Shape, prior.Rate, d)
	p.LogNorm = p.Prior.LogNorm()
	if mode := p.Prior.Mode(); !(mode >= p.Lo && mode <= p.Hi) {
		return p, fmt.Errorf("fit.lo = %g and fit.hi = %g exclude the mode of lengthscale_prior, which is %.3g in %d dimensions; give, e.g., lo: 0.01 and hi: 100",
			p.Lo, p.Hi, mode, d)
	}
	return p, nil
}

// minFit is the shortest lengthscale that can be fitted, in box widths. The limits of the fields also allow 0,
// for refit_every = 0.
const minFit = 1e-3

func (f FitConfig) validate(family string) error {
	if f.RefitEvery == 0 {
		return nil
	}
	if family == "linear" {
		return limits.Wrong("fit.refit_every", " = %d: the linear kernel has no lengthscale; give 0", f.RefitEvery).Or("kernel.family")
	}
	if !(f.Lo >= minFit && f.Lo < f.Hi) {
		return limits.Wrong("fit.lo", " = %g and fit.hi = %g: give %g <= lo < hi", f.Lo, f.Hi, minFit).Or("fit.hi")
	}
	return nil
}

// start is the lengthscale that the fits start from, in box widths: the published program's, or the nearest that the
// settings allow.
func (f FitConfig) start() float64 { return min(max(0.3, f.Lo), f.Hi) }
