package dts

import (
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// A known kernel is used unchanged. A difference of two values at distant points has twice the variance of one,
// and so has the latent value of a duel.
func TestKnownKernel(t *testing.T) {
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1}}
	setup := algorithms.Setup{Domain: space.Cube(1, 0, 10), Start: []float64{1}, Rand: rand.New(rand.NewPCG(1, 1))}
	for prior, variance := range map[string]float64{antisymmetric: 18, mirrored: 18, preference: 9} {
		cfg := Default()
		cfg.Prior = prior
		setup.Known.Kernel = &k
		a := check.Must(New(setup, cfg))(t)
		want := k
		want.Variance = variance
		if f := a.InForce(); f.Kernel.String() != want.String() || f.Refitted {
			t.Errorf("in force %v, fitted again: %v", f.Kernel, f.Refitted)
		}
		if l := a.m.model.kernel.Kernel.Lengthscale[0]; l != 0.1 {
			t.Errorf("lengthscale %g of the box", l)
		}
	}
	check.That(t, k.Variance == 9, "the setup's kernel was changed")
	setup.Known.Kernel = &kernel.Config{Family: "linear", Variance: 1}
	check.Error(t, "with a linear kernel", check.Err(New(setup, Default())), "dts: known.kernel: linear")
}

// A fitted kernel starts at the priors' modes, in the units of x.
func TestKernelInForce(t *testing.T) {
	f := learnt(t, Default(), 0).InForce()
	want := modalKernel(lengthscalePrior, 2) // the box is [0,1]²
	check.That(t, f.Kernel.String() == want.String() && f.Refitted,
		"in force %v, fitted again: %v; want %v", f.Kernel, f.Refitted, want)
}
