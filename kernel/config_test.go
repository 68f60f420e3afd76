package kernel

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"popbench/internal/check"
)

func TestRefusals(t *testing.T) {
	l := func(v ...float64) []float64 { return v }
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		config Config
		d      int
		want   string // empty: accepted
	}{
		{Config{"matern52", 0, 1, l(1)}, 3, ""},
		{Config{"matern52", 0, 1, l(1, 2, 3)}, 3, ""},
		{Config{"linear", 0, 1, nil}, 3, ""},
		{Config{"matern", 0.001, 1, l(1)}, 1, ""},
		{Config{"matern", 50, 1, l(1)}, 1, ""},
		{Config{"", 0, 1, l(1)}, 1, `kernel.family is empty; give one of se-paper, se-half, matern12, matern32, matern52, matern, linear`},
		{Config{"matern5/2", 0, 1, l(1)}, 1, `kernel.family = "matern5/2" is unknown; did you mean matern52?`},
		{Config{"Linear", 0, 1, nil}, 1, `kernel.family = "Linear" is unknown; did you mean linear?`},
		{Config{"se-half", 0, 0, l(1)}, 1, `kernel.variance = 0 must be positive and finite`},
		{Config{"linear", 0, nan, nil}, 1, `kernel.variance = NaN must be positive and finite`},
		{Config{"matern32", 0, inf, l(1)}, 1, `kernel.variance = +Inf must be positive and finite`},
		{Config{"matern", 0, 1, l(1)}, 1, `kernel.nu = 0 must be in [0.001, 50]; above that use se-half, the limit`},
		{Config{"matern", 51, 1, l(1)}, 1, `kernel.nu = 51 must be in [0.001, 50]; above that use se-half, the limit`},
		{Config{"matern", nan, 1, l(1)}, 1, `kernel.nu = NaN must be in [0.001, 50]; above that use se-half, the limit`},
		{Config{"matern12", 0, 1, nil}, 1, `kernel.lengthscale is empty; give one for all coordinates, or one for each`},
		{Config{"se-paper", 0, 1, l(1, -2)}, 2, `kernel.lengthscale[1] = -2 must be positive and finite`},
		{Config{"se-paper", 0, 1, l(0)}, 2, `kernel.lengthscale[0] = 0 must be positive and finite`},
		{Config{"se-paper", 0, 1, l(inf)}, 2, `kernel.lengthscale[0] = +Inf must be positive and finite`},
		{Config{"se-paper", 0, 1, l(nan)}, 2, `kernel.lengthscale[0] = NaN must be positive and finite`},
		{Config{"se-paper", 0, 1, l(1e-200)}, 2, `kernel.lengthscale[0] = 1e-200 must be in [1e-100, 1e+100]; change the units of x`},
		{Config{"se-paper", 0, 1, l(1, 2)}, 3, `kernel.lengthscale has 2 values for 3 coordinates; give one for all, or one for each`},
		{Config{"se-paper", 0, 1, l(1)}, 0, `kernel: dimension 0 must be at least 1`},
		{Config{"matern52", 0, -1, l(nan)}, 2, "kernel.variance = -1 must be positive and finite\nkernel.lengthscale[0] = NaN must be positive and finite"},
	} {
		k, err := c.config.New(c.d)
		check.Says(t, "error", err, c.want)
		check.That(t, err != nil || k.Dim() == c.d, "%v: a kernel of another dimension", c.config)
	}
}

// Validate has narrower limits than New. They include both ends.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string // empty: accepted
	}{
		{Config{"matern", 1e-3, 1e-12, []float64{1e-18, 1e18}}, ""},
		{Config{"matern", 50, 1e12, []float64{1}}, ""},
		{Config{"se-half", 0, 1e308, []float64{1}}, "kernel.variance = 1e+308 is out of range; give 1e-12 to 1e12"},
		{Config{"se-half", 51, 1, []float64{1}}, "kernel.nu = 51 is out of range; give 0 to 50"},
		{Config{"matern", 0, 1, []float64{1}}, "kernel.nu = 0 must be in [0.001, 50]; above that use se-half, the limit"},
		{Config{"linear", 0, math.NaN(), []float64{1e19}}, "kernel.variance = NaN is out of range; give 1e-12 to 1e12\nkernel.lengthscale[0] = 1e+19 is out of range; give 1e-18 to 1e18"},
		{Config{"se-half", 0, 1, make([]float64, 1001)}, "kernel.lengthscale has 1001 entries; give 1000 at most\nkernel.lengthscale[0] = 0 is out of range; give 1e-18 to 1e18"},
		{Config{"se", 0, 1, []float64{1}}, `kernel.family = "se" is unknown; give one of se-paper, se-half, matern12, matern32, matern52, matern, linear`},
	} {
		check.Says(t, "error", c.config.Validate(), c.want)
	}
}

func TestWithLengthscaleCopies(t *testing.T) {
	old := Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}}
	l := []float64{2, 3}
	c := old.WithLengthscale(l)
	l[0] = 99
	check.Same(t, "lengthscale", c.Lengthscale, []float64{2, 3})
	check.Same(t, "lengthscale of the original", old.Lengthscale, []float64{1})
}

// The enum tag becomes the schema, so it must list what New accepts.
func TestEnumTagIsFamilies(t *testing.T) {
	f, _ := reflect.TypeFor[Config]().FieldByName("Family")
	check.Equal(t, "enum tag, families", f.Tag.Get("enum"), strings.Join(families, ","))
}

func TestStringNamesTheParametrisation(t *testing.T) {
	for _, c := range all() {
		check.Contains(t, "kernel", c.String(), c.Family+": ", "v = 1.7")
	}
	check.Equal(t, "kernel", Config{Family: "se-paper", Variance: 2, Lengthscale: []float64{0.5, 1}}.String(), "se-paper: v exp(-r²), v = 2, lengthscale [0.5 1]")
}

func TestUnitsOfABox(t *testing.T) {
	c := Config{Family: "matern32", Variance: 2, Lengthscale: []float64{3}}
	widths := []float64{10, 2}
	unit := c.ToUnit(widths)
	back := unit.FromUnit(widths)
	check.Same(t, "kernel in units of the box widths", unit, c.WithLengthscale([]float64{0.3, 1.5}))
	check.Same(t, "back in units of x", back, c.WithLengthscale([]float64{3, 3}))
}
