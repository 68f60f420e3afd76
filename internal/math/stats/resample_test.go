package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

func difference(m [][]float64) float64 { return m[0][0] - m[0][1] }

// Pairs stay together: a difference that is equal in all runs has no spread, whatever the spread of
// its parts. Strata do not stay together.
func TestResampleKeepsPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b := make([]float64, 12), make([]float64, 12)
	for i := range a {
		a[i] = 10 * r.Float64()
		b[i] = a[i] - 0.5
	}
	ci := Resample([]Stratum{{a, b}}, difference, 1000).Interval(0.95)
	check.That(t, math.Abs(ci.Lo-0.5) <= 1e-12 && math.Abs(ci.Hi-0.5) <= 1e-12, "paired: %v", ci)
	ci = Resample([]Stratum{{a}, {b}}, func(m [][]float64) float64 { return m[0][0] - m[1][0] }, 1000).Interval(0.95)
	check.That(t, ci.Hi-ci.Lo >= 3, "not paired: %v", ci)
}

// A 95 % interval misses on either side in 2.5 % of the cases. Of ten and of
// thirty runs up to 5 % are allowed for differences and ratios of like
// quantities, 10 % for the mean of a skewed one, which any bootstrap of so few
// misses. 1,000 samples each: a share of 4 % is known to 0.6 %.
func TestResampleCoverage(t *testing.T) {
	check.OnlyLong(t)
	ratio := func(m [][]float64) float64 { return m[0][0] / m[0][1] }
	normal := func(r *rand.Rand) float64 { return 5 + r.NormFloat64() }
	skewed := func(r *rand.Rand) float64 { return r.ExpFloat64() }
	for _, c := range []struct {
		name  string
		draw  func(*rand.Rand) float64
		of    func([][]float64) float64
		truth float64
		most  float64
	}{
		{"difference of normal", normal, difference, 0, 0.05},
		{"ratio of normal", normal, ratio, 1, 0.05},
		{"difference of exponential", skewed, difference, 0, 0.05},
		{"ratio of exponential", skewed, ratio, 1, 0.05},
		{"mean of exponential", skewed, func(m [][]float64) float64 { return m[0][0] }, 1, 0.10},
	} {
		for _, n := range []int{10, 30} {
			const trials = 1000
			below, above := 0, 0
			a, b := make([]float64, n), make([]float64, n)
			for k := range trials {
				r := rand.New(rand.NewPCG(uint64(k), uint64(n)))
				for i := range a {
					a[i], b[i] = c.draw(r), c.draw(r)
				}
				switch ci := Resample([]Stratum{{a, b}}, c.of, 500).Interval(0.95); {
				case c.truth < ci.Lo:
					below++
				case c.truth > ci.Hi:
					above++
				}
			}
			t.Logf("%s, %d runs: %d below and %d above of %d", c.name, n, below, above, trials)
			check.That(t, float64(max(below, above))/trials <= c.most && below+above >= trials/50,
				"%s, %d runs: %d below and %d above of %d, at most %g of them wanted", c.name, n, below, above, trials, c.most)
		}
	}
}
