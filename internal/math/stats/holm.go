package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts P values for multiple tests. Whichever hypotheses are true, the probability that any
// of them has an adjusted value below a level is at most that level (Holm, Scandinavian Journal of
// Statistics 6, 1979). NaN stays NaN and does not count as a hypothesis.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(p[i], p[j]), cmp.Compare(i, j)) })
	largest := 0.0
	for k, i := range order {
		largest = max(largest, min(1, float64(len(order)-k)*p[i]))
		adjusted[i] = largest
	}
	return adjusted
}
