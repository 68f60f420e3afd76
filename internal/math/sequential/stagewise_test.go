package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// With one look nothing has to be adjusted.
func TestAdjustAfterOneLook(t *testing.T) {
	b := Design{0.05, 480}.Boundary([]int{60})
	x := samples(rand.New(rand.NewPCG(9, 9)), 60)[1]
	s := Describe(x)
	for _, c := range []float64{-1, 0.2, 5} {
		got := b.Adjust(s, 0, c, 0.01, 0.05)
		unit := s.SD / math.Sqrt(60)
		near(t, "estimate", got.Estimate, s.Mean, 1e-9)
		nearInterval(t, "interval", got.Interval, [2]float64{s.Mean - stats.NormalTailQuantile(0.01)*unit, s.Mean + stats.NormalTailQuantile(0.05)*unit}, 1e-9)
	}
	y := times(x, 1)
	slices.Reverse(y)
	ratio := Ratio{times(x, 3), y}
	for _, c := range []float64{0.1, 2.9, 50} {
		got := b.Adjust(ratio, 0, c, 0.05, 0.05)
		half := stats.NormalTailQuantile(0.05) * ratio.form(1, 3).SD / (s.Mean * math.Sqrt(60))
		near(t, "estimate of a ratio", got.Estimate, 3, 1e-9)
		nearInterval(t, "interval of a ratio", got.Interval, [2]float64{3 - half, 3 + half}, 1e-9)
	}
	// By a constant, a ratio is a mean in other units, at any look.
	later := Design{0.05, 480}.Boundary([]int{30, 60, 120, 240, 480})
	two := slices.Repeat([]float64{2}, 60)
	for _, c := range []float64{-1, 1, 5} {
		want, got := later.Adjust(s, 1, c, 0.025, 0.025), later.Adjust(Ratio{x, two}, 1, c/2, 0.025, 0.025)
		near(t, "estimate by a constant", 2*got.Estimate, want.Estimate, 1e-9)
		nearInterval(t, "interval by a constant", got.Interval, [2]float64{want.Interval.Lo / 2, want.Interval.Hi / 2}, 1e-9)
	}
	// A sample without skewness stops almost where a normal one does.
	even := Describe(append(times(x, 1), times(x, -1)...))
	form, unit := even.At(0.2)
	want, got := later.adjust(form, unit, 2, 0.2, 0.025, 0.025, later.inside), later.Adjust(even, 2, 0.2, 0.025, 0.025)
	near(t, "estimate without skewness", got.Estimate, want.Estimate, 0.01*even.SD)
	nearInterval(t, "interval without skewness", got.Interval, [2]float64{want.Interval.Lo, want.Interval.Hi}, 0.01*even.SD)
	constant := Describe(make([]float64, 60))
	got, power := b.Adjust(constant, 0, 0.1, 0.05, 0.05), b.Trend(constant, 0, 0.1, 0.9)
	check.That(t, math.IsNaN(got.Estimate) && math.IsNaN(got.Interval.Lo) && math.IsNaN(power.Below), "a constant sample: %v, %v", got, power)
}
