package dts

import (
	"fmt"
	"math"
)

// Config is DTS's settings. Default has the paper's where it says; Validate names
// the first that is wrong.
type Config struct {
	Prior       string    `json:"prior" doc:"Gaussian process prior of f([x; x']), the latent value of x beating x': se-antisymmetric, squared exponential in both points and f([x; x']) = -f([x'; x]); se-mirrored, without that condition, each duel told twice, the second time mirrored (the paper); preference, a difference of utilities." enum:"se-antisymmetric,se-mirrored,preference"`
	Inference   string    `json:"inference" doc:"Approximation of the posterior: laplace, with the logistic link; laplace-probit, with the probit link; ep, expectation propagation, with the probit link." enum:"laplace,laplace-probit,ep"`
	Fit         string    `json:"fit" doc:"Lengthscales and variance: map, at the maximum of evidence times prior; none, as they are set here." enum:"map,none"`
	Refit       int       `json:"refit" doc:"Fit them anew after every so many answers."`
	Lengthscale []float64 `json:"lengthscale" doc:"One lengthscale for all coordinates, or one for each, as a fraction of the box; map starts here."`
	Variance    float64   `json:"variance" doc:"Prior variance of f, or with preference of the utility; map starts here."`
	Initial     int       `json:"initial" doc:"Random duels to begin with; they count as steps."`
	Grid        int       `json:"grid" doc:"Points per dimension of the grid that duels and the report are chosen from, in one and two dimensions."`
	Candidates  int       `json:"candidates" doc:"How many low-discrepancy points take the grid's place above two dimensions."`
	Landmarks   int       `json:"landmarks" doc:"How many low-discrepancy points stand for x' in the average over the box that is the soft-Copeland score; where the candidates are no more than that, they do."`
}

// Default returns the paper's settings: 33 points a dimension, five random duels.
// On what it leaves open see the package comment.
func Default() Config {
	return Config{
		Prior:       Antisymmetric,
		Inference:   Laplace,
		Fit:         "map",
		Refit:       1,
		Lengthscale: []float64{1. / 3},
		Variance:    6,
		Initial:     5,
		Grid:        33,
		Candidates:  1024,
		Landmarks:   256,
	}
}

// Validate says, for the first setting that is wrong, what is wrong with it.
func (c Config) Validate() error {
	if err := oneOf("prior", c.Prior, Antisymmetric, Mirrored, Preference); err != nil {
		return err
	}
	if err := oneOf("inference", c.Inference, Laplace, LaplaceProbit, EP); err != nil {
		return err
	}
	if err := oneOf("fit", c.Fit, "map", "none"); err != nil {
		return err
	}
	if len(c.Lengthscale) == 0 {
		return fmt.Errorf("lengthscale is empty; give one for all coordinates, or one for each")
	}
	for i, l := range c.Lengthscale {
		if !(l >= minLengthscale && l <= maxLengthscale) {
			return fmt.Errorf("lengthscale[%d] = %g must be between %g and %g of the box", i, l, minLengthscale, float64(maxLengthscale))
		}
	}
	if !(c.Variance >= minVariance && c.Variance <= maxVariance) || math.IsNaN(c.Variance) {
		return fmt.Errorf("variance = %g must be between %g and %g", c.Variance, minVariance, float64(maxVariance))
	}
	for _, n := range []struct {
		name     string
		value    int
		low, top int
	}{
		{"refit", c.Refit, 1, 1000},
		{"initial", c.Initial, 0, 1000},
		{"grid", c.Grid, 2, 101},
		{"candidates", c.Candidates, 2, 10000},
		{"landmarks", c.Landmarks, 1, 10000},
	} {
		if n.value < n.low || n.value > n.top {
			return fmt.Errorf("%s = %d must be between %d and %d", n.name, n.value, n.low, n.top)
		}
	}
	return nil
}
