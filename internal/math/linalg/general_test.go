package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

func TestSolveGeneral(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 12 {
		a, want := vector(n*n, r), vector(n, r)
		if n > 1 {
			a[0] = 0 // the first pivot needs a row exchange
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = wide.Dot(a[i*n:(i+1)*n], want)
		}
		if !SolveGeneral(slices.Clone(a), x) {
			t.Fatalf("%d rows: singular", n)
		}
		for i, v := range want {
			check.Near(t, x[i], v, 1e-10, "%d rows: x[%d]", n, i)
		}
	}
	for name, a := range map[string][]float64{"zero": {0, 0, 0, 0}, "a row twice": {1, 0.1, 3, 0.3}, "NaN": {math.NaN(), 1, 1, 2}} {
		t.Run(name, func(t *testing.T) {
			check.That(t, !SolveGeneral(a, []float64{1, 2}), "a singular matrix has a solution")
		})
	}
}
