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
	if got := b.Adjust(Describe(make([]float64, 60)), 0, 0.1, 0.05, 0.05); !math.IsNaN(got.Estimate) || !math.IsNaN(got.Interval.Lo) {
		t.Errorf("a constant sample: %v", got)
	}
	if got := b.Trend(Describe(make([]float64, 60)), 0, 0.1, 0.9); !math.IsNaN(got.Below) {
		t.Errorf("power of a constant sample: %v", got)
	}
}

// The adjusted estimate is above the mean in half of all cases, and the interval covers it, where clear samples stop early
// and where others go on to the cap. Whether a sample stops is decided by the roots of the sample, as in practice.
func TestAdjustedCovers(t *testing.T) {
	check.OnlyLong(t)
	looks := []int{30, 60, 120, 240, 480}
	b := Design{0.05, 480}.Boundary(looks)
	r := rand.New(rand.NewPCG(3, 4))
	normal := r.NormFloat64
	exponential := func() float64 { return r.ExpFloat64() - 1 }
	for _, draw := range []struct {
		name   string
		of     func() float64 // of mean 0 and standard deviation 1
		beside func() float64 // the other half of a ratio, of mean 1; nil for a mean
		truth  []float64
		trials int
	}{
		{"normal", normal, nil, []float64{-2, -0.5}, 60},
		{"exponential", exponential, nil, []float64{-2, -0.5}, 60},
		// Borders that are far above the ratio and far below it. The interval must not depend on that.
		{"ratio", exponential, r.ExpFloat64, []float64{-2, 1.5}, 200},
	} {
		for _, truth := range draw.truth {
			above, covered := 0, 0
			for range draw.trials {
				var x, beside []float64
				for k, n := range looks {
					for len(x) < n {
						x = append(x, truth+draw.of())
						if draw.beside != nil {
							beside = append(beside, draw.beside())
						}
					}
					var e Evidence = Describe(x)
					if beside != nil {
						e = Ratio{x, beside}
					}
					if k < len(looks)-1 && side(e, 0, b.Z[k]) == 0 {
						continue
					}
					a := b.Adjust(e, k, 0, 0.025, 0.025)
					if a.Estimate > truth {
						above++
					}
					if a.Interval.Lo <= truth && truth <= a.Interval.Hi {
						covered++
					}
					break
				}
			}
			// Three and a half standard errors, and what few skewed values add.
			root := math.Sqrt(float64(draw.trials))
			if share := float64(above) / float64(draw.trials); math.Abs(share-0.5) > 1.75/root+0.04 {
				t.Errorf("%s, mean %g: %.3f of the estimates are above", draw.name, truth, share)
			}
			if share := float64(covered) / float64(draw.trials); share < 0.95-0.76/root-0.02 {
				t.Errorf("%s, mean %g: %.3f of the intervals cover", draw.name, truth, share)
			}
		}
	}
}
