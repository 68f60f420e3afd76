package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// RankIntervals returns bootstrap intervals of the average ranks of treatments over blocks, [NaN, NaN] with fewer than two
// blocks. runs[block][treatment] are the scores of single runs; lower mean scores have lower ranks. Each resample draws
// blocks, and runs within each of them: the same runs for all treatments, whose run i has common random numbers (Efron and
// Tibshirani, "An Introduction to the Bootstrap", 1993, sec. 8.3). The ends are percentiles.
func RankIntervals(runs [][][]float64, level float64, resamples int, r *rand.Rand) []Interval {
	if len(runs) == 0 {
		return nil
	}
	n, k := len(runs), len(runs[0])
	ranks := make([][]float64, k) // of each resample
	means, drawn := make([]float64, k), []float64(nil)
	for range resamples {
		sums := make([]int, k)
		for range n {
			block := runs[r.IntN(n)]
			most := 0
			for _, scores := range block {
				most = max(most, len(scores))
			}
			drawn = drawn[:0]
			for range most {
				drawn = append(drawn, r.Float64())
			}
			for j, scores := range block {
				means[j] = 0
				for _, u := range drawn[:len(scores)] {
					means[j] += scores[int(u*float64(len(scores)))]
				}
				means[j] /= float64(len(scores))
			}
			for j, doubled := range midRanks(means) {
				sums[j] += doubled
			}
		}
		for j, sum := range sums {
			ranks[j] = append(ranks[j], float64(sum)/2/float64(n))
		}
	}
	intervals := make([]Interval, k)
	for j, all := range ranks {
		slices.Sort(all)
		intervals[j] = Interval{Lo: sortedQuantile(all, (1-level)/2), Hi: sortedQuantile(all, (1+level)/2)}
		if n < 2 {
			intervals[j] = Interval{math.NaN(), math.NaN()}
		}
	}
	return intervals
}
