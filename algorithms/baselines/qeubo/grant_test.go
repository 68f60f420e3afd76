package qeubo_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/qeubo"
	"popbench/internal/gp"
	"popbench/kernel"
	"popbench/space"
)

// A granted kernel is the prior's, in the units of x, and stays as it is.
func TestGranted(t *testing.T) {
	box := space.Box{Lo: []float64{-1, 10}, Hi: []float64{3, 30}}
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1.5, 6}}
	cfg := qeubo.Default()
	cfg.Grant = "kernel"
	if granted := cfg.Granted(k, 7); granted.Grants() {
		t.Error("what was granted is still wanted")
	}
	setup := algorithms.Setup{Domain: box, Start: []float64{0, 20}, Rand: rand.New(rand.NewPCG(1, 2))}
	if _, err := qeubo.New(setup, cfg); err == nil || !strings.Contains(err.Error(), "nobody granted it") {
		t.Errorf("without a kernel: %v", err)
	}
	if _, err := qeubo.New(setup, cfg.Granted(kernel.Config{Family: "linear", Variance: 1}, 7)); err == nil || !strings.Contains(err.Error(), "linear") {
		t.Errorf("with a linear kernel: %v", err)
	}
	a, err := qeubo.New(setup, cfg.Granted(k, 7))
	if err != nil {
		t.Fatal(err)
	}

	same, err := k.New(2)
	if err != nil {
		t.Fatal(err)
	}
	duels := gp.Duels{Dim: 2}
	r := rand.New(rand.NewPCG(3, 4))
	point := func() []float64 { return box.Sample(make([]float64, 2), r) }
	for range 12 {
		x, y := point(), point()
		if err := a.Tell(algorithms.Query{Points: [][]float64{x, y}, New: 2}, 1); err != nil {
			t.Fatal(err)
		}
		duels.Add(y, x)
	}
	n := duels.Len()
	gram, cov := make([]float64, n*n), make([]float64, n)
	duels.Gram(gram, same)
	want := gp.Variational(gram, n, nil)
	for range 5 {
		x := point()
		duels.Cov(cov, same, x)
		got, err := a.Belief(x)
		if err != nil {
			t.Fatal(err)
		}
		if mean := want.Mean(cov); math.Abs(got.Estimate-mean) > 1e-7 {
			t.Errorf("mean at %v is %v, should be %v", x, got.Estimate, mean)
		}
	}
	if v := metric(t, a, "variance"); v != 9 {
		t.Errorf("the variance went from 9 to %v", v)
	}
	if cfg := qeubo.Default(); cfg.Granted(k, 7) != cfg {
		t.Error("granted to who does not want it")
	}
}
