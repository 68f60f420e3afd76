package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/math/stats"
)

// With one look nothing has to be adjusted.
func TestAdjustAfterOneLook(t *testing.T) {
	b := Design{OBrienFleming, 0.05, 2, 480}.Boundary([]int{60})
	x := samples(rand.New(rand.NewPCG(9, 9)), 60)[1]
	s := Describe(x)
	for _, c := range []float64{-1, 0.2, 5} {
		got := b.Adjust(s, 0, c, 0.9)
		half := stats.NormalTailQuantile(0.05) * s.SD / math.Sqrt(60)
		near(t, "estimate", got.Estimate, s.Mean, 1e-9)
		nearInterval(t, "interval", got.Interval, [2]float64{s.Mean - half, s.Mean + half}, 1e-9)
	}
	y := times(x, 1)
	slices.Reverse(y)
	ratio := Ratio{x, y}
	near(t, "ratio", b.Adjust(ratio, 0, 0.7, 0.9).Estimate, 1, 1e-9)
	if got := b.Adjust(Describe(make([]float64, 60)), 0, 0.1, 0.9); !math.IsNaN(got.Estimate) || !math.IsNaN(got.Interval.Lo) {
		t.Errorf("a constant sample: %v", got)
	}
	if got := b.Trend(Describe(make([]float64, 60)), 0, 0.1, 0.9); !math.IsNaN(got.Below) {
		t.Errorf("power of a constant sample: %v", got)
	}
}
