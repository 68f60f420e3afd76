package sgp

import (
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// A known kernel replaces the one that is set, and is not fitted.
func TestKnownKernel(t *testing.T) {
	setup := algorithms.Setup{Domain: space.Cube(1, 0, 10), Start: []float64{0}, Rand: rand.New(rand.NewPCG(1, 1))}
	k := kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{3}}
	for _, known := range []*kernel.Config{nil, &k} {
		setup.Known.Kernel = known
		a := check.Must(New(setup, Default()))(t)
		want := kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{3}} // 0.3 of the box
		if known != nil {
			want = k
		}
		if f := a.InForce(); f.Kernel.String() != want.String() || f.Refitted != (known == nil) {
			t.Errorf("known %v: in force %v, fitted again: %v", known, f.Kernel, f.Refitted)
		}
	}
}
