package qeubo_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/qeubo"
	"popbench/internal/check"
	"popbench/internal/math/gp"
	"popbench/kernel"
	"popbench/space"
)

// A known kernel, in the units of x, is that of the prior and does not change.
func TestKnownKernel(t *testing.T) {
	box := space.Box{Lo: []float64{-1, 10}, Hi: []float64{3, 30}}
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1.5, 6}}
	setup := func(k kernel.Config) algorithms.Setup {
		return algorithms.Setup{
			Domain: box, Start: []float64{0, 20}, Rand: rand.New(rand.NewPCG(1, 2)),
			Known: algorithms.Known{Kernel: &k, NormBound: 7},
		}
	}
	if _, err := qeubo.New(setup(kernel.Config{Family: "linear", Variance: 1}), qeubo.Default()); err == nil || !strings.Contains(err.Error(), "qeubo: known.kernel: linear") {
		t.Errorf("with a linear kernel: %v", err)
	}
	a := check.Must(qeubo.New(setup(k), qeubo.Default()))(t)

	same := check.Must(k.New(2))(t)
	duels := gp.Duels{Dim: 2}
	r := rand.New(rand.NewPCG(3, 4))
	point := func() []float64 { return box.Sample(make([]float64, 2), r) }
	for range 12 {
		x, y := point(), point()
		check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{x, y}, New: 2}, 1))
		duels.Add(y, x)
	}
	n := duels.Len()
	gram, cov := make([]float64, n*n), make([]float64, n)
	duels.Gram(gram, same)
	want := new(gp.Solver).Variational(gram, n, nil, 0)
	for range 5 {
		x := point()
		duels.Cov(cov, same, x)
		got := check.Must(a.Belief(x))(t)
		if mean := want.Mean(cov); math.Abs(got.Estimate-mean) > 1e-7 {
			t.Errorf("mean at %v is %v, should be %v", x, got.Estimate, mean)
		}
	}
	if v := metric(t, a, "variance"); v != 9 {
		t.Errorf("the variance went from 9 to %v", v)
	}
	a.InForce().Kernel.Lengthscale[0] = 99 // a copy
	if f := a.InForce(); f.Kernel.String() != k.String() || f.Refitted {
		t.Errorf("in force: %v, fitted again: %v", f.Kernel, f.Refitted)
	}
}

// A fitted kernel is in force in the units of x.
func TestKernelInForce(t *testing.T) {
	box := space.Box{Lo: []float64{-1, 10}, Hi: []float64{3, 30}}
	a := check.Must(qeubo.New(algorithms.Setup{Domain: box, Start: []float64{0, 20}, Rand: rand.New(rand.NewPCG(1, 2))}, qeubo.Default()))(t)
	l1, l2 := metric(t, a, "lengthscale_1"), metric(t, a, "lengthscale_2")
	f := a.InForce()
	check.That(t, f.Kernel.Family == "se-half" && f.Refitted, "in force: %v, fitted again: %v", f.Kernel, f.Refitted)
	if l := f.Kernel.Lengthscale; l[0] != 4*l1 || l[1] != 20*l2 {
		t.Errorf("lengthscales %g, in box widths %g and %g", l, l1, l2)
	}
}
