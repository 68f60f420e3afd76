package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// FriedmanResult compares k treatments over n blocks by their ranks.
type FriedmanResult struct {
	Blocks     int
	Ranks      []float64 // average rank of each treatment, 1 for the lowest scores
	ChiSquare  float64   // corrected for ties; k−1 degrees of freedom
	P          float64
	Statistic  float64 // F of Iman & Davenport; ChiSquare is more conservative
	StatisticP float64
}

// Friedman tests whether k treatments have equal ranks over n blocks (Friedman, JASA 32, 1937). In
// scores[block][treatment] lower scores have lower ranks, and equal scores share their mean rank.
// The result includes Iman and Davenport's form of the test (Communications in Statistics A 9,
// 1980). Both tests are NaN with fewer than two blocks or treatments, and if all ranks are tied.
func Friedman(scores [][]float64) FriedmanResult {
	n, nan := len(scores), math.NaN()
	r := FriedmanResult{Blocks: n, ChiSquare: nan, P: nan, Statistic: nan, StatisticP: nan}
	if n == 0 {
		return r
	}
	k := len(scores[0])
	r.Ranks = make([]float64, k)
	var within float64 // Σ (rank − (k+1)/2)² over all, (k³−k)/12 per block without ties
	for _, block := range scores {
		if len(block) != k {
			panic("stats: Friedman of blocks of different sizes")
		}
		for j, rank := range midRanks(block) {
			r.Ranks[j] += float64(rank) // doubled, a whole number: equal averages stay equal
			d := float64(rank-k-1) / 2
			within += float64(d * d)
		}
	}
	for j := range r.Ranks {
		r.Ranks[j] /= float64(2 * n)
	}
	if n < 2 || k < 2 || within == 0 {
		return r
	}
	var between float64
	for _, mean := range r.Ranks {
		d := mean - float64(k+1)/2
		between += float64(d * d)
	}
	nf, kf := float64(n), float64(k)
	r.ChiSquare = nf * nf * between * (kf - 1) / within
	r.P = chiSquaredTail(r.ChiSquare, kf-1)
	rest := float64(nf*(kf-1)) - r.ChiSquare
	if rest <= 1e-12*nf*kf { // the same ranks in all blocks
		r.Statistic, r.StatisticP = math.Inf(1), 0
		return r
	}
	r.Statistic = (nf - 1) * r.ChiSquare / rest
	r.StatisticP = fTail(r.Statistic, kf-1, (kf-1)*(nf-1))
	return r
}

// CriticalDifference returns how much the average ranks of two of k treatments over n blocks must
// differ to be significant at level alpha in Nemenyi's test of all pairs: q_α/√2 √(k(k+1)/(6n)). q
// is the quantile of the studentised range of k means with infinitely many degrees of freedom
// (Demšar, JMLR 7, 2006).
func CriticalDifference(k, n int, alpha float64) float64 {
	if k < 2 || n < 1 {
		return math.NaN()
	}
	return studentizedRangeQuantile(1-alpha, k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// RankIntervals returns bootstrap intervals of the average ranks of treatments over blocks, [NaN, NaN] with fewer than two
// clusters. runs[cluster][block][treatment] are the scores of single runs; lower mean scores have lower ranks. Each resample
// draws clusters, with all their blocks, and runs within each block: the same for all treatments, whose run i has common
// random numbers (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, sec. 8.3). The ends are percentiles.
func RankIntervals(runs [][][][]float64, level float64, resamples int, r *rand.Rand) []Interval {
	if len(runs) == 0 {
		return nil
	}
	n, k := len(runs), len(runs[0][0])
	ranks := make([][]float64, k) // of each resample
	means, drawn := make([]float64, k), []float64(nil)
	for range resamples {
		sums, blocks := make([]int, k), 0
		for range n {
			for _, block := range runs[r.IntN(n)] {
				blocks++
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
		}
		for j, sum := range sums {
			ranks[j] = append(ranks[j], float64(sum)/2/float64(blocks))
		}
	}
	intervals := make([]Interval, k)
	for j, all := range ranks {
		slices.Sort(all)
		intervals[j] = Interval{Lo: sortedQuantile(all, (1-level)/2), Hi: sortedQuantile(all, (1+level)/2)}
		if n < 2 {
			intervals[j] = NoInterval()
		}
	}
	return intervals
}
