package sequential

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// However small α is, and however close looks are, the exits without drift have the probability that is spent, and none is
// lost to rounding. What was decided at a look does not depend on looks after it.
func TestBoundariesSpendTheirShare(t *testing.T) {
	doubling := []int{30, 60, 120, 240, 480}
	for _, c := range []struct {
		alpha float64
		looks []int
	}{
		{0.5, doubling}, {0.05, doubling}, {0.05 / 21, doubling}, {0.05 / 42, doubling}, {1e-8, doubling}, {1e-12, doubling},
		{0.05, []int{238, 239, 240, 479, 480}}, {0.05, []int{30, 47, 60, 61, 300, 480}},
	} {
		d := Design{c.alpha, 480}
		b := d.Boundary(c.looks)
		near(t, "first z", b.Z[0]/stats.NormalTailQuantile(b.Spent[0]/2), 1, 1e-12)
		w, before := newWalk(0, 0, 0), 0.0
		for k, spent := range b.Spent {
			n := float64(c.looks[k])
			up, down := w.exits(n, b.inside(k))
			near(t, "share of what is spent", (up+down)/(spent-before), 1, 1e-10)
			if k+1 < len(c.looks) {
				w.advance(n, float64(c.looks[k+1]), b.inside(k))
			}
			nearEach(t, "z", d.Boundary(c.looks[:k+1]).Z, b.Z[:k+1], 1e-12)
			before = spent
		}
		near(t, "spent in all", before, c.alpha, 1e-12*c.alpha)
	}
	check.That(t, math.IsInf(Design{0.05, 480}.Boundary([]int{480, 500}).Z[1], 1), "a look after the cap may stop")
}

func TestInvalidDesigns(t *testing.T) {
	for _, d := range []Design{{0, 480}, {math.NaN(), 480}, {1, 480}, {0.05, 0}} {
		check.Panics(t, fmt.Sprint(d), func() { d.Boundary([]int{30}) }, "a design needs an alpha between 0 and 1, and a cap")
	}
	for _, looks := range [][]int{{30, 30}, {0}} {
		check.Panics(t, "looks in no order", func() { Design{0.05, 480}.Boundary(looks) })
	}
}
