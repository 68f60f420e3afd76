package popbo

import (
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// A known kernel and norm bound replace those of the settings and those that would be fitted.
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
		p := check.Must(New(algorithms.Setup{Domain: box, Start: []float64{0}, Rand: stream(1), Known: c.known}, cfg))(t)
		got := p.InForce()
		check.Equal(t, name+": kernel in force", got.Kernel.Family, c.family)
		check.Equal(t, name+": kernel of the settings", p.Config().Kernel.Family, c.family)
		check.Equal(t, name+": norm bound in force", got.NormBound, c.bound)
		check.Equal(t, name+": norm bound of the settings", p.Config().NormBound, c.bound)
		check.That(t, got.Range == nil, "%s: nothing was fitted, but the range is %v", name, got.Range)
		check.Equal(t, name+": variance of the model", p.Model().k.Eval([]float64{0}, []float64{0}), got.Kernel.Variance)
	}
}

// The range of a fit is in the units of x. A fit to comparisons that say nothing of the
// lengthscale ends inside it.
func TestRangeOfFit(t *testing.T) {
	box := space.Box{Lo: []float64{0, 10}, Hi: []float64{1, 13}}
	pilot := pilotOf(func(x []float64) float64 { return x[1] }, box, 10, stream(1))
	for how, want := range map[string]algorithms.Range{
		"isotropic": {Lo: []float64{0.02}, Hi: []float64{6}},
		"ard":       {Lo: []float64{0.01, 0.03}, Hi: []float64{3, 9}},
	} {
		t.Run(how, func(t *testing.T) {
			cfg := Default()
			cfg.FitLengthscale = how
			p := check.Must(New(pilotSetup(box, algorithms.NewPilot(pilot)), cfg))(t)
			in := p.InForce()
			if in.Range == nil || !slices.Equal(in.Range.Lo, want.Lo) || !slices.Equal(in.Range.Hi, want.Hi) {
				t.Errorf("the range is %v, want %v", in.Range, want)
				return
			}
			for i, l := range in.Kernel.Lengthscale {
				if slack := 1e-12 * l; !(l >= want.Lo[i]-slack && l <= want.Hi[i]+slack) {
					t.Errorf("lengthscale %g is not in [%g, %g]", l, want.Lo[i], want.Hi[i])
				}
			}
			in.Range.Lo[0] = 99
			check.That(t, p.InForce().Range.Lo[0] == want.Lo[0], "the range is not a copy")
		})
	}
}
