package sequential

import (
	"math"
	"popbench/internal/check"
	"testing"
)

// With a margin that is said to be reachable, a parameter on its border is found there as often as that says.
func TestReachableMargin(t *testing.T) {
	b := Design{0.05, 480}.Boundary([]int{30, 60, 120, 240, 480})
	root := math.Sqrt(480)
	near(t, "least margin", b.ReachableMargin(0)*root, 1.9794, 1e-4)
	near(t, "margin for 0.8", b.ReachableMargin(0.8)*root, 3.2609, 1e-4)
	last := Boundary{Design: b.Design, Looks: []int{1, 480}, Z: []float64{40, b.Z[4]}}
	for _, p := range []float64{0.3, 0.8} {
		near(t, "power on the border", last.ConditionalPower(0, 0, 0, b.ReachableMargin(p)).AtBorder, p, 2e-3)
	}
	m := b.ReachableMargin(0.96)
	check.That(t, math.IsInf(m, 1), "0.96 is reached with %v", m)
}
