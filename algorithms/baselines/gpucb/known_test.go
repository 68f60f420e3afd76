package gpucb

import (
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// A known kernel is used unchanged, with mean zero.
func TestKnownKernel(t *testing.T) {
	truth := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{2}}
	s := setup(space.Cube(1, 0, 1), 1)
	s.Known.Kernel = &truth
	p := mustNew(t, s, Default())
	play(t, p, 4, wave, 0.5, rand.New(rand.NewPCG(1, 1)))
	if f := p.InForce(); f.Kernel.String() != truth.String() || f.Refitted {
		t.Errorf("in force: %v, fitted again: %v", f.Kernel, f.Refitted)
	}
	check.That(t, !p.m.model.Constant, "the mean is an unknown constant")
	if n := p.m.work.FitEvaluations; n != 0 {
		t.Errorf("%d evaluations of a fit", n)
	}
}
