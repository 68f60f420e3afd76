package sequential

import (
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// The pseudo-values of a mean are the values, and those of a difference of two samples the differences.
func TestJackknifeOfLinearStatistics(t *testing.T) {
	x := samples(rand.New(rand.NewPCG(11, 1)), 20)
	mean := func(m [][]float64) float64 { return m[0][0] }
	nearEach(t, "mean", Jackknife([]stats.Stratum{{x[0]}}, mean), x[0], 1e-13)
	var differences []float64
	for i := range x[0] {
		differences = append(differences, x[1][i]-2*x[2][i])
	}
	got := Jackknife([]stats.Stratum{{x[0], x[1]}, {x[2]}}, func(m [][]float64) float64 { return m[0][1] - 2*m[1][0] })
	nearEach(t, "difference", got, differences, 1e-13)
	check.Equal(t, "pseudo-values of one run", len(Jackknife([]stats.Stratum{{x[0][:1]}}, mean)), 0)
	check.Panics(t, "strata of different lengths", func() { Jackknife([]stats.Stratum{{x[0]}, {x[1][:3]}}, mean) })
}
