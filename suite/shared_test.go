package suite

import (
	"reflect"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

// Suites that share fits may give other arms the same label: each fits to its own pilot.
func TestFitsOfArmsWithTheSameLabel(t *testing.T) {
	var fits Fits
	for _, grid := range []string{"[5]", "[17]"} {
		s := check.Must(Parse("p.yaml", []byte(`{name: p, steps: 5, repetitions: 1,
 problems: [{name: gp1, label: few, scale: raw, arms: {grid: `+grid+`}}],
 algorithms: [{name: popbo, pilot: 30, settings: {fit_lengthscale: isotropic}}]}`), Catalogue{}))(t)
		inForce := func(f *Fits) algorithms.InForce {
			c := check.Must(s.Expand(f, nil))(t)[0]
			return check.Must(c.Start(t.Context()))(t).Algorithm.(algorithms.Informed).InForce()
		}
		got, want := inForce(&fits), inForce(nil)
		check.That(t, reflect.DeepEqual(got, want), "arms %s: fitted %+v, alone %+v", grid, got.Kernel, want.Kernel)
	}
}
