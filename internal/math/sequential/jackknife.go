package sequential

import (
	"slices"

	"popbench/internal/math/stats"
)

// Jackknife returns the pseudo-values of a function of means, n f(all) − (n−1) f(all but j), one for each of the n runs j
// that every stratum has. of gets the mean of quantity i of stratum s as means[s][i] and must not keep the slices. Run j is
// left out of all strata at once. For large n the pseudo-values are much like independent values with the mean f, so that
// tests of a mean apply (Tukey, Annals of Mathematical Statistics 29, 1958). Jackknife panics if strata or quantities differ
// in length. It needs two runs.
func Jackknife(strata []stats.Stratum, of func(means [][]float64) float64) []float64 {
	n, whole, means := len(strata[0][0]), stats.Means(strata), stats.Means(strata)
	if slices.ContainsFunc(strata, func(s stats.Stratum) bool { return len(s[0]) != n }) {
		panic("sequential: Jackknife needs the same number of runs for all strata")
	}
	if n < 2 {
		return nil
	}
	all := of(means)
	values := make([]float64, n)
	for j := range values {
		for s, columns := range strata {
			for i, column := range columns {
				// The mean of the others, without the cancellation of a difference of sums.
				means[s][i] = whole[s][i] + (whole[s][i]-column[j])/float64(n-1)
			}
		}
		values[j] = float64(n)*all - float64(n-1)*of(means)
	}
	return values
}
