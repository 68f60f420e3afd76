package popbo

import (
	"testing"

	"popbench/algorithms"
	"popbench/kernel"
	"popbench/space"
)

// What the experiment discloses takes the place of what is set, and of what would be
// fitted.
func TestKnown(t *testing.T) {
	box := space.Cube(1, 0, 1)
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{2}}
	for name, c := range map[string]struct {
		known  algorithms.Known
		family string
		bound  float64
	}{
		"nothing":         {algorithms.Known{}, "matern52", 6},
		"kernel":          {algorithms.Known{Kernel: &k}, "se-paper", 6},
		"kernel and norm": {algorithms.Known{Kernel: &k, NormBound: 3.3}, "se-paper", 3.3},
	} {
		cfg := Default()
		if c.known.Kernel != nil {
			cfg.FitLengthscale = "ard" // there is no pilot: a fit would fail
		}
		p, err := New(algorithms.Setup{Domain: box, Start: []float64{0}, Rand: stream(1), Known: c.known}, cfg)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := p.InForce()
		if got.Kernel.Family != c.family || got.NormBound != c.bound || p.Config().Kernel.Family != c.family || p.Config().NormBound != c.bound {
			t.Errorf("%s: %+v is in force, settings %+v", name, got, p.Config())
		}
		if v := p.Model().k.Eval([]float64{0}, []float64{0}); v != got.Kernel.Variance {
			t.Errorf("%s: the model has variance %g, in force is %g", name, v, got.Kernel.Variance)
		}
	}
}
