package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// midRanks returns twice the ranks of x, which start at 1; equal values share their mean rank.
// Doubled ranks are whole numbers, so their sums can be counted exactly.
func midRanks(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	ranks := make([]int, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + 1 + to
		}
		from = to
	}
	return ranks
}

// twoSided returns the two-sided P value of a statistic. Under the null hypothesis it is at most
// the observed value with probability below, and at least that with probability above.
func twoSided(below, above float64) float64 { return min(1, 2*min(below, above)) }

// normalP returns the two-sided P value of a sum of ranks w by the normal approximation, with a
// continuity correction of half a rank.
func normalP(w, mean, variance float64) float64 {
	if variance == 0 {
		return 1
	}
	z := max(0, math.Abs(w-mean)-0.5) / math.Sqrt(variance)
	return min(1, 2*distuv.UnitNormal.CDF(-z))
}
