package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/limits"
	"popbench/internal/words"
)

// Config is a kernel's family and parameters, as in a settings file.
type Config struct {
	Family      string    `json:"family" doc:"se-paper: v exp(-r²), the paper's text; se-half: v exp(-r²/2), the authors' code; matern12, matern32, matern52; matern with any nu; linear: v x·x'. r is the distance after dividing each coordinate by its lengthscale." enum:"se-paper,se-half,matern12,matern32,matern52,matern,linear"`
	Nu          float64   `json:"nu,omitempty" min:"0" max:"50" doc:"Smoothness of the matern family, at least 1e-3; above 50 use se-half, the limit. Other families ignore it."`
	Variance    float64   `json:"variance" min:"1e-12" max:"1e12" doc:"Variance v, the value of a stationary kernel at distance 0."`
	Lengthscale []float64 `json:"lengthscale" max:"1000" itemMin:"1e-18" itemMax:"1e18" doc:"One lengthscale for all coordinates or one for each, in the units of x. The linear family ignores it."`
}

// families are the values of Config.Family, in the order of its doc tag.
var families = []string{"se-paper", "se-half", "matern12", "matern32", "matern52", "matern", "linear"}

// Limits within which kernels are computed to full accuracy. The limits in the fields' tags are narrower, for settings:
// so an algorithm may scale a lengthscale of the settings to the width of a box, or a variance to the variance of a
// difference.
const (
	minNu, maxNu                   = 1e-3, 50
	minLengthscale, maxLengthscale = 1e-100, 1e100 // its square does not overflow
)

// Validate checks settings. The error names each wrong argument and says what is wrong with it.
func (c Config) Validate() error {
	if !slices.Contains(families, c.Family) {
		return c.check() // suggests the nearest family
	}
	if err := limits.Check("kernel", c); err != nil {
		return err
	}
	return c.check()
}

// check is Validate with the wider limits of New.
func (c Config) check() error {
	var errs []error
	refuse := func(key, format string, args ...any) { errs = append(errs, limits.Wrong(key, format, args...)) }
	known := slices.Contains(families, c.Family)
	switch {
	case c.Family == "":
		refuse("kernel.family", " is empty; give one of %s", strings.Join(families, ", "))
	case !known:
		refuse("kernel.family", " = %q is unknown; %s", c.Family, words.Hint(c.Family, families, "give one of "+strings.Join(families, ", ")))
	}
	if !positive(c.Variance) {
		refuse("kernel.variance", " = %g must be positive and finite", c.Variance)
	}
	if c.Family == "matern" && !(c.Nu >= minNu && c.Nu <= maxNu) {
		refuse("kernel.nu", " = %g must be in [%g, %g]; above that use se-half, the limit", c.Nu, minNu, float64(maxNu))
	}
	if known && c.Family != "linear" {
		if len(c.Lengthscale) == 0 {
			refuse("kernel.lengthscale", " is empty; give one for all coordinates, or one for each")
		}
		for i, l := range c.Lengthscale {
			switch {
			case !positive(l):
				refuse(fmt.Sprintf("kernel.lengthscale[%d]", i), " = %g must be positive and finite", l)
			case l < minLengthscale || l > maxLengthscale:
				refuse(fmt.Sprintf("kernel.lengthscale[%d]", i), " = %g must be in [%g, %g]; change the units of x", l, minLengthscale, maxLengthscale)
			}
		}
	}
	return errors.Join(errs...)
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// New returns the kernel on points of length d. The error names each wrong argument and says what is wrong with it.
// New accepts wider ranges than Validate.
func (c Config) New(d int) (Kernel, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if d < 1 {
		return nil, fmt.Errorf("kernel: dimension %d must be at least 1", d)
	}
	if n := len(c.Lengthscale); n > 1 && n != d && c.Family != "linear" {
		return nil, fmt.Errorf("kernel.lengthscale has %d values for %d coordinates; give one for all, or one for each", n, d)
	}
	switch c.Family {
	case "se-paper":
		return newStationary(gaussian, 1, c.Variance, c.Lengthscale, d), nil
	case "se-half":
		return newStationary(gaussian, math.Sqrt2/2, c.Variance, c.Lengthscale, d), nil
	case "linear":
		return linear{variance: c.Variance, dim: d}, nil
	}
	return newMatern(c.smoothness(), c.Variance, c.Lengthscale, d), nil // check accepts no other family
}

// smoothness returns ν of a Matérn kernel.
func (c Config) smoothness() float64 {
	switch c.Family {
	case "matern12":
		return 0.5
	case "matern32":
		return 1.5
	case "matern52":
		return 2.5
	}
	return c.Nu
}

// WithLengthscale returns the settings with a copy of the given lengthscales, one for all coordinates or one for
// each.
func (c Config) WithLengthscale(l []float64) Config {
	c.Lengthscale = slices.Clone(l)
	return c
}

// ToUnit returns the settings of a kernel with lengthscales, for coordinates in which a box of the given widths is
// [0,1]^d. The result has one lengthscale per coordinate. Settings without lengthscales stay as they are.
func (c Config) ToUnit(widths []float64) Config {
	if len(c.Lengthscale) == 0 {
		return c
	}
	l := make([]float64, len(widths))
	for j, w := range widths {
		l[j] = c.Lengthscale[min(j, len(c.Lengthscale)-1)] / w
	}
	c.Lengthscale = l
	return c
}

// FromUnit is the inverse of ToUnit, up to rounding.
func (c Config) FromUnit(widths []float64) Config {
	c = c.WithLengthscale(c.Lengthscale)
	for j := range c.Lengthscale {
		c.Lengthscale[j] *= widths[j]
	}
	return c
}

// String returns the formula and its parameters on one line.
func (c Config) String() string {
	var formula, nu string
	switch c.Family {
	case "se-paper":
		formula = "v exp(-r²)"
	case "se-half":
		formula = "v exp(-r²/2)"
	case "matern12":
		formula = "v exp(-r)"
	case "matern32":
		formula = "v (1 + √3 r) exp(-√3 r)"
	case "matern52":
		formula = "v (1 + √5 r + 5r²/3) exp(-√5 r)"
	case "matern":
		formula, nu = "v 2^(1-ν)/Γ(ν) (√(2ν) r)^ν K_ν(√(2ν) r)", fmt.Sprintf(", ν = %g", c.Nu)
	case "linear":
		return fmt.Sprintf("linear: v x·x', v = %g", c.Variance)
	default:
		formula = "unknown"
	}
	return fmt.Sprintf("%s: %s%s, v = %g, lengthscale %g", c.Family, formula, nu, c.Variance, c.Lengthscale)
}
