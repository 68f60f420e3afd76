package stats

import (
	"math"
	"slices"
)

// BootstrapDifference returns a confidence interval of the mean of b minus the mean of a, for
// independent samples, by BCa (see [BootstrapMean]). It resamples each sample separately; the
// values of both are the seed. The interval is NaN if a sample has fewer than two values.
func BootstrapDifference(a, b []float64, level float64, resamples int) Interval {
	checkBootstrap(level, resamples)
	if len(a) < 2 || len(b) < 2 {
		return Interval{math.NaN(), math.NaN()}
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	// The influence of each value on the difference. BCa's acceleration for several samples is its
	// skewness (Efron & Tibshirani 1993, sec. 14.3 and 22.4).
	meanA, meanB := Mean(a), Mean(b)
	difference := meanB - meanA
	influence := make([]float64, 0, len(a)+len(b))
	for _, v := range a {
		influence = append(influence, (meanA-v)/float64(len(a)))
	}
	for _, v := range b {
		influence = append(influence, (v-meanB)/float64(len(b)))
	}
	if a[0] == a[len(a)-1] && b[0] == b[len(b)-1] {
		return Interval{difference, difference}
	}
	r := seededBy(append(slices.Clone(a), b...))
	draw := func(s []float64) float64 {
		var t float64
		for range s {
			t += s[below(r, len(s))]
		}
		return t / float64(len(s))
	}
	values := make([]float64, resamples)
	for i := range values {
		values[i] = draw(b) - draw(a)
	}
	return bca(values, difference, acceleration(influence, 0), level)
}
