package algorithms

import "popbench/internal/limits"

// Prior is the prior of the lengthscales in the settings of a method that fits them.
type Prior struct {
	Family PriorFamily `json:"family,omitempty,omitzero" enum:"gamma,dim-scaled" doc:"gamma, a Gamma distribution with shape and rate; dim-scaled, log-normal with mean √2 + ½ log d and standard deviation √3 of the logarithm, for d coordinates (Hvarfner et al. 2024)."`
	Shape  float64     `json:"shape" min:"0" max:"1000" doc:"Of gamma: the shape, at least 1."`
	Rate   float64     `json:"rate" min:"0" max:"1e6" doc:"Of gamma: the rate, one over the scale; at least 1e-6, or 0 with shape 1 for a flat prior."`
}

// PriorFamily names the distribution of a Prior; "" stands for gamma.
type PriorFamily string

// IsZero reports whether f is gamma, which settings need not name.
func (f PriorFamily) IsZero() bool { return f == "" || f == "gamma" }

// minRate keeps the mode of a prior, where fits start, within a usable range.
const minRate = 1e-6

// Validate returns an error if a Gamma prior has no mode. name is the key of the prior. It does not check the
// limits of the fields.
func (p Prior) Validate(name string) error {
	switch {
	case !p.Family.IsZero():
		return nil
	case p.Shape < 1:
		return limits.Wrong(name+".shape", " = %g is below 1; give 1 or more", p.Shape)
	case p.Rate < minRate && (p.Rate > 0 || p.Shape > 1):
		return limits.Wrong(name+".rate", " = %g is too small; give %g or more, or 0 with shape 1 for a flat prior", p.Rate, minRate)
	}
	return nil
}

// Gamma is a Gamma distribution with density ∝ x^(Shape-1) e^(-Rate x), the prior of a variance in the settings of a method
// that fits it. Shape 1 and rate 0 stand for no prior.
type Gamma struct {
	Shape float64 `json:"shape" min:"1" max:"1000" doc:"Shape, at least 1."`
	Rate  float64 `json:"rate" min:"0" max:"1e6" doc:"Rate, one over the scale: at least 1e-6, or 0 with shape 1 for a flat prior."`
}

// Validate returns an error if the distribution has no mode. name is its key. It does not check the limits of the fields.
func (g Gamma) Validate(name string) error { return Prior{Shape: g.Shape, Rate: g.Rate}.Validate(name) }
