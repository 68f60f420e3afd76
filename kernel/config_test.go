package kernel

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Below each kernel, which is a family, ν, variance, dimension and lengthscales, stand the refusals of New and of Validate,
// which has narrower limits. They include both ends.
func TestRefusals(t *testing.T) {
	check.GoldenLines(t, "refusals.golden", func(line string) string {
		words := strings.Fields(line)
		var v []float64
		for _, word := range words[1:] {
			v = append(v, check.Must(strconv.ParseFloat(word, 64))(t))
		}
		c, d := Config{strings.Trim(words[0], `"`), v[0], v[1], v[3:]}, int(v[2])
		k, err := c.New(d)
		check.That(t, err != nil || k.Dim() == d, "%s: a kernel of another dimension", line)
		return fmt.Sprintf("New: %v\nValidate: %v", err, c.Validate())
	})
	check.Says(t, "many lengthscales", Config{"se-half", 0, 1, make([]float64, 1001)}.Validate(),
		"kernel.lengthscale has 1001 entries; give 1000 at most\nkernel.lengthscale[0] = 0 is out of range; give 1e-18 to 1e18")
}

func TestWithLengthscaleCopies(t *testing.T) {
	old := Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}}
	l := []float64{2}
	c := old.WithLengthscale(l)
	l[0] = 99
	check.Same(t, "lengthscale", c.Lengthscale, []float64{2})
	check.Same(t, "lengthscale of the original", old.Lengthscale, []float64{1})
}

// The enum tag becomes the schema, so it must list what New accepts.
func TestEnumTagIsFamilies(t *testing.T) {
	f, _ := reflect.TypeFor[Config]().FieldByName("Family")
	check.Equal(t, "enum tag, families", f.Tag.Get("enum"), strings.Join(families, ","))
}

func TestStringNamesTheParametrisation(t *testing.T) {
	c := Config{Family: "matern", Nu: 0.7, Variance: 2, Lengthscale: []float64{0.5, 1}}
	check.Equal(t, "kernel", c.String(), "matern: v 2^(1-ν)/Γ(ν) (√(2ν) r)^ν K_ν(√(2ν) r), ν = 0.7, v = 2, lengthscale [0.5 1]")
	for family, want := range map[string]string{"se-paper": "exp(-r²)", "se-half": "exp(-r²/2)", "matern12": "exp(-r)",
		"matern32": "(1 + √3 r) exp(-√3 r)", "matern52": "(1 + √5 r + 5r²/3) exp(-√5 r)", "linear": "x·x'"} {
		c.Family = family
		check.Contains(t, "kernel", c.String(), family+": v "+want+", v = 2")
	}
}

func TestUnitsOfABox(t *testing.T) {
	c := Config{Family: "matern32", Variance: 2, Lengthscale: []float64{3}}
	widths := []float64{10, 2}
	unit := c.ToUnit(widths)
	back := unit.FromUnit(widths)
	check.Same(t, "kernel in units of the box widths", unit, c.WithLengthscale([]float64{0.3, 1.5}))
	check.Same(t, "back in units of x", back, c.WithLengthscale([]float64{3, 3}))
}
