package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/math/stats"
)

// With one look nothing has to be adjusted.
func TestAdjustAfterOneLook(t *testing.T) {
	b := Design{0.05, 480}.Boundary([]int{60})
	x := samples(rand.New(rand.NewPCG(9, 9)), 60)[1]
	s := Describe(x)
	for _, c := range []float64{-1, 0.2, 5} {
		got := b.Adjust([]Evidence{s}, c, 0.01, 0.05)
		unit := s.SD / math.Sqrt(60)
		near(t, "estimate", got.Estimate, s.Mean, 1e-9)
		nearInterval(t, "interval", got.Interval, [2]float64{s.Mean - stats.NormalTailQuantile(0.01)*unit, s.Mean + stats.NormalTailQuantile(0.05)*unit}, 1e-9)
	}
	y := times(x, 1)
	slices.Reverse(y)
	ratio := Ratio{times(x, 3), y}
	for _, c := range []float64{0.1, 2.9, 50} {
		got := b.Adjust([]Evidence{ratio}, c, 0.05, 0.05)
		half := stats.NormalTailQuantile(0.05) * ratio.form(1, 3).SD / (s.Mean * math.Sqrt(60))
		near(t, "estimate of a ratio", got.Estimate, 3, 1e-9)
		nearInterval(t, "interval of a ratio", got.Interval, [2]float64{3 - half, 3 + half}, 1e-9)
	}
	// By a constant, a ratio is a mean in other units, at any look.
	later := Design{0.05, 480}.Boundary([]int{30, 60, 120, 240, 480})
	two := slices.Repeat([]float64{2}, 60)
	for _, c := range []float64{-1, 1, 5} {
		want := later.Adjust([]Evidence{Describe(x[:30]), s}, c, 0.025, 0.025)
		got := later.Adjust([]Evidence{Ratio{x[:30], two[:30]}, Ratio{x, two}}, c/2, 0.025, 0.025)
		near(t, "estimate by a constant", 2*got.Estimate, want.Estimate, 1e-9)
		nearInterval(t, "interval by a constant", got.Interval, [2]float64{want.Interval.Lo / 2, want.Interval.Hi / 2}, 1e-9)
	}
	// A sample without skewness stops almost where a normal one does.
	even := Describe(append(times(x, 1), times(x, -1)...))
	form, unit := even.At(0.2)
	first, second := even, even
	first.N, second.N = 30, 60
	want, got := later.adjust(form, unit, 2, 0.2, 0.025, 0.025, later.inside), later.Adjust([]Evidence{first, second, even}, 0.2, 0.025, 0.025)
	near(t, "estimate without skewness", got.Estimate, want.Estimate, 0.01*even.SD)
	nearInterval(t, "interval without skewness", got.Interval, [2]float64{want.Interval.Lo, want.Interval.Hi}, 0.01*even.SD)
	constant := Describe(make([]float64, 60))
	got, power := b.Adjust([]Evidence{constant}, 0.1, 0.05, 0.05), b.Trend(constant, 0, 0.1, 0.9)
	check.That(t, math.IsNaN(got.Estimate) && math.IsNaN(got.Interval.Lo) && math.IsNaN(power.Below), "a constant sample: %v, %v", got, power)
}

// A run far away keeps a clear sample from stopping. That was chance, so the estimate after more runs is near their mean.
func TestAdjustAfterAFarRun(t *testing.T) {
	const border = 0.6
	x := make([]float64, 240)
	for i := range x {
		x[i] = 0.3 + 0.15*float64(i%2*2-1)
	}
	x[20], x[130] = 3, -2.4
	var looks []Evidence
	for k, n := range plan.Looks[:4] {
		looks = append(looks, Describe(x[:n]))
		ci := looks[k].Interval(plan.Z[k])
		check.Equal(t, "stopped", ci.Hi < border, k == 3)
	}
	mean, ci := stats.Mean(x), looks[3].Interval(plan.Z[3])
	got := plan.Adjust(looks, border, 0.025, 0.025)
	check.That(t, got.Estimate > ci.Lo && got.Estimate < ci.Hi, "%v is outside its repeated interval, %v", got.Estimate, ci)
	check.That(t, got.Interval.Lo < mean && mean < got.Interval.Hi, "%v leaves out the mean, %v", got.Interval, mean)
}

// A ratio may go on although a − c b is clear, because borders on both sides of c are not rejected.
func TestAdjustOfARatioThatGoesOn(t *testing.T) {
	const c = 0.5
	r := rand.New(rand.NewPCG(8, 1))
	var a, b []float64
	for range 120 {
		a, b = append(a, 0.9-0.18*rng.Exponential(r)), append(b, 0.9-0.18*rng.Exponential(r))
	}
	var looks []Evidence
	for k, n := range plan.Looks[:3] {
		looks = append(looks, Ratio{a[:n], b[:n]})
		check.Equal(t, "stopped", looks[k].Interval(plan.Z[k]).Lo > c, k == 2)
	}
	form, _ := looks[1].At(c)
	check.That(t, form.Interval(plan.Z[1]).Lo > 0, "a − c b is not clear at the second look")
	ci, got := looks[2].Interval(plan.Z[2]), plan.Adjust(looks, c, 0.025, 0.025)
	check.That(t, got.Estimate > ci.Lo && got.Estimate < ci.Hi, "%v is outside its repeated interval, %v", got.Estimate, ci)
	near(t, "estimate", got.Estimate, stats.Mean(a)/stats.Mean(b), 0.01)
}
