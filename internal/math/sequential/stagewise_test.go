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

// The adjusted estimate is above the mean in half of all cases, and the interval covers it, where clear samples stop early
// and where others go on to the cap. Whether a sample stops is decided by the roots of the sample, as in practice.
func TestAdjustedCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates")
	}
	looks := []int{30, 60, 120, 240, 480}
	b := Design{OBrienFleming, 0.05, 2, 480}.Boundary(looks)
	r := rand.New(rand.NewPCG(3, 4))
	for _, draw := range []struct {
		name string
		of   func() float64 // of mean 0 and standard deviation 1
	}{{"normal", r.NormFloat64}, {"exponential", func() float64 { return r.ExpFloat64() - 1 }}} {
		for _, mean := range []float64{-2, -0.5} {
			const trials = 60
			above, covered := 0, 0
			for range trials {
				x := make([]float64, 0, 480)
				for k, n := range looks {
					for len(x) < n {
						x = append(x, mean+draw.of())
					}
					s := Describe(x)
					if k < len(looks)-1 && Side(s, 0, b.Z[k]) == 0 {
						continue
					}
					a := b.Adjust(s, k, 0, 0.95)
					if a.Estimate > mean {
						above++
					}
					if a.Interval.Lo <= mean && mean <= a.Interval.Hi {
						covered++
					}
					break
				}
			}
			// Three and a half standard errors, and what few skewed values add.
			if share := float64(above) / trials; math.Abs(share-0.5) > 0.226+0.04 {
				t.Errorf("%s, mean %g: %.3f of the estimates are above", draw.name, mean, share)
			}
			if share := float64(covered) / trials; share < 0.95-0.098-0.02 {
				t.Errorf("%s, mean %g: %.3f of the intervals cover", draw.name, mean, share)
			}
		}
	}
}
