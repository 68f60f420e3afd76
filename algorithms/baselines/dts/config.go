package dts

import (
	"cmp"
	"errors"
	"fmt"

	"popbench/algorithms"
	"popbench/internal/limits"
	"popbench/internal/math/gp"
	"popbench/kernel"
)

// Config has the settings of DTS.
type Config struct {
	Prior            string           `json:"prior" doc:"Gaussian process prior of f([x; x']), the latent value of x beating x': se-antisymmetric, squared exponential in both points and f([x; x']) = -f([x'; x]); se-mirrored, without that condition, each duel counted twice, the second time mirrored (the paper); preference, a difference of utilities." enum:"se-antisymmetric,se-mirrored,preference"`
	Inference        string           `json:"inference" doc:"Approximation of the posterior: laplace, with the logistic link; laplace-probit, with the probit link; ep, expectation propagation, with the probit link." enum:"laplace,laplace-probit,ep"`
	Fit              string           `json:"fit" doc:"Hyper-parameters: map, a squared exponential kernel with a lengthscale for each coordinate and a variance at the maximum of evidence times prior; none, those of kernel, where you know it." enum:"map,none"`
	LengthscalePrior algorithms.Prior `json:"lengthscale_prior,omitzero" doc:"Prior of each fitted lengthscale, in box widths, which are then fitted between 0.01 and 100. Left out: gamma with shape 3 and rate 6, between 0.02 and 5."`
	RefitEvery       int              `json:"refit_every" min:"1" max:"1000" doc:"Duels from one fit to the next; to fit nothing give fit: none."`
	Kernel           kernel.Config    `json:"kernel" doc:"Kernel of one point, used if none is fitted: stationary, with lengthscales in the units of x. Its variance is that of f, or with preference that of the utility."`
	InitialDuels     int              `json:"initial_duels" min:"-1" max:"1000" doc:"Duels of random points before the first query of the model: -1, 5 (the paper); 0, none. They count as steps."`
	Candidates       int              `json:"candidates" min:"2" max:"10000" doc:"Number of low-discrepancy points from which duels and recommendation are chosen, different in each run."`
	Grid             int              `json:"grid" min:"0" max:"101" doc:"Points per dimension of a regular grid to choose from instead, in one and two dimensions: 33 in the paper; 0 for no grid."`
	Landmarks        int              `json:"landmarks" min:"1" max:"10000" doc:"Number of low-discrepancy points x' in the average over the box that is the soft-Copeland score."`
}

// Default returns the paper's settings: as many candidates as its grid of 33 points a dimension has in 2-D,
// five random duels. See the package comment on what the paper leaves open.
func Default() Config {
	return Config{
		Prior:        antisymmetric,
		Inference:    laplace,
		Fit:          "map",
		RefitEvery:   1,
		Kernel:       kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{1}},
		InitialDuels: paperDuels,
		Candidates:   1089,
		Landmarks:    256,
	}
}

// paperDuels is the number of random duels with which the paper begins.
const paperDuels = 5

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := cmp.Or(c.Kernel.Validate(), limits.Check("", c)); err != nil {
		return err
	}
	if c.Kernel.Family == "linear" {
		return limits.Wrong("kernel.family", " = \"linear\": the kernel must be stationary; give another family")
	}
	if c.hasPrior() {
		if c.Fit == "none" {
			return limits.Wrong("lengthscale_prior", " is for fitted lengthscales; give fit: map, or leave the prior out").Or("fit")
		}
		if err := c.LengthscalePrior.Validate("lengthscale_prior"); err != nil {
			return err
		}
	}
	if c.Grid == 1 {
		return limits.Wrong("grid", " = 1 has one point; give at least 2, or 0 for none")
	}
	return nil
}

func (c Config) hasPrior() bool { return c.LengthscalePrior != algorithms.Prior{} }

// lengthscale returns the parameter that fits of lengthscales in d dimensions vary, in box widths.
func (c Config) lengthscale(d int) gp.Parameter {
	p := lengthscalePrior
	if l := c.LengthscalePrior; c.hasPrior() {
		p.Prior, p.Lo, p.Hi = gp.NewPrior(string(l.Family), l.Shape, l.Rate, d), 0.01, 100
	}
	return p
}

// inForce returns the settings in force for a box of the given widths, and the initial kernel, in box widths. A known
// kernel replaces the one that is set or fitted.
func (c Config) inForce(known *kernel.Config, widths []float64) (Config, kernel.Config, error) {
	d := len(widths)
	if c.Grid > 0 && d > 2 {
		return c, c.Kernel, fmt.Errorf("grid = %d is for one and two dimensions, the box has %d; give 0", c.Grid, d)
	}
	if known != nil {
		c.Kernel, c.Fit = *known, "none"
		if c.Kernel.Family == "linear" {
			return c, c.Kernel, errors.New("known.kernel: linear is not stationary, which this model needs")
		}
		if c.Prior != preference {
			c.Kernel.Variance *= 2 // the variance of a difference of f at two distant points
		}
	}
	if c.Fit == "map" {
		return c, modalKernel(c.lengthscale(d), d), nil
	}
	if _, err := c.Kernel.New(d); err != nil {
		return c, c.Kernel, err
	}
	return c, c.Kernel.ToUnit(widths), nil
}
