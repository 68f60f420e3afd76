package stats

import "math"

// RankSumResult is the Wilcoxon–Mann–Whitney test of two independent samples.
type RankSumResult struct {
	U     float64 // number of pairs in which the value of the second sample is larger; ties count half
	P     float64 // two-sided
	Exact bool    // from the exact distribution, not the normal approximation
	// Effect is the rank-biserial correlation, or Cliff's delta: the share of pairs in which the
	// value of the second sample is larger, minus the share in which it is smaller.
	Effect float64
}

// exactSamples is the largest total number of values for which P is exact. It then takes a million
// additions.
const exactSamples = 40

// RankSum tests whether two independent samples have the same distribution (Mann & Whitney, Annals
// of Mathematical Statistics 18, 1947). P is exact given all values, ties included: under the
// hypothesis any choice of len(b) of the values is as likely as b. Above 40 values P is the normal
// approximation, corrected for ties and continuity. The result is NaN if a sample is empty.
func RankSum(a, b []float64) RankSumResult {
	m, n := len(a), len(b)
	if m == 0 || n == 0 {
		return RankSumResult{U: math.NaN(), P: math.NaN(), Effect: math.NaN()}
	}
	ranks := midRanks(append(append(make([]float64, 0, m+n), a...), b...))
	sum := 0 // doubled ranks of b
	for _, rank := range ranks[m:] {
		sum += rank
	}
	var r RankSumResult
	r.U = float64(sum-n*(n+1)) / 2
	r.Effect = 2*r.U/float64(m*n) - 1
	if r.Exact = m+n <= exactSamples; r.Exact {
		r.P = rankSumP(ranks, n, sum)
		return r
	}
	total := float64(m + n)
	var spread float64 // Σ (rank − mean rank)²
	for _, rank := range ranks {
		d := (float64(rank) - (total + 1)) / 2
		spread += float64(d * d)
	}
	r.P = normalP(r.U, float64(m*n)/2, float64(m*n)/(total*(total-1))*spread)
	return r
}

// rankSumP counts choices of ranks: ways[k][s] is the number of choices of k ranks with sum s.
func rankSumP(ranks []int, n, sum int) float64 {
	total := 0
	for _, rank := range ranks {
		total += rank
	}
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	top := 0
	for i, rank := range ranks {
		top += rank
		for k := min(i+1, n); k > 0; k-- {
			for s := top; s >= rank; s-- {
				ways[k][s] += ways[k-1][s-rank]
			}
		}
	}
	var below, above, all float64
	for s, w := range ways[n] {
		all += w
		if s <= sum {
			below += w
		}
		if s >= sum {
			above += w
		}
	}
	return twoSided(below/all, above/all)
}
