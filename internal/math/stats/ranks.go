package stats

import (
	"cmp"
	"math"
	"slices"
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

// normalP returns the two-sided P value of a sum of ranks w by the normal approximation, with a
// continuity correction of half a rank.
func normalP(w, mean, variance float64) float64 {
	if variance == 0 {
		return 1
	}
	z := max(0, math.Abs(w-mean)-0.5) / math.Sqrt(variance)
	return min(1, 2*NormalTail(z))
}

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
	return min(1, 2*min(below/all, above/all))
}

// SignedRankResult is Wilcoxon's signed-rank test of paired differences.
type SignedRankResult struct {
	N, Zeros    int
	Plus, Minus float64 // sums of the ranks of the positive and of the negative differences
	P           float64 // two-sided; 1 if all differences are zero
	Exact       bool    // from the exact distribution of Plus, not the normal approximation
	// Effect is the matched-pairs rank-biserial correlation, (Plus − Minus) / (Plus + Minus): 1 if
	// all differences are positive, −1 if all are negative (Kerby, Comprehensive Psychology 3,
	// 2014). It is 0 if all are zero.
	Effect float64
}

// exactPairs is the largest sample for which P is exact. It then takes at most half a million
// additions.
const exactPairs = 100

// SignedRank tests whether paired differences are symmetric about zero (Wilcoxon, Biometrics
// Bulletin 1, 1945). Zeros are ranked with the others and then omitted (Pratt, JASA 54, 1959): runs
// with common random numbers often end alike, and these pairs are evidence that the others differ
// little. Differences of equal size share their mean rank.
//
// P is exact given the sizes of the differences, ties and zeros included: under the hypothesis each
// sign is a fair coin, and all sums of ranks are counted. Above 100 differences P is the normal
// approximation with the moments of that distribution. P is NaN without differences.
func SignedRank(d []float64) SignedRankResult {
	r := SignedRankResult{N: len(d)}
	if len(d) == 0 {
		r.P, r.Effect = math.NaN(), math.NaN()
		return r
	}
	size := make([]float64, len(d))
	for i, v := range d {
		size[i] = math.Abs(v)
	}
	var signed []int // doubled ranks of the differences that are not zero
	plus, minus := 0, 0
	for i, rank := range midRanks(size) {
		switch {
		case d[i] > 0:
			plus += rank
		case d[i] < 0:
			minus += rank
		default:
			r.Zeros++
			continue
		}
		signed = append(signed, rank)
	}
	r.Plus, r.Minus = float64(plus)/2, float64(minus)/2
	if len(signed) == 0 {
		r.P, r.Exact = 1, true
		return r
	}
	r.Effect = float64(plus-minus) / float64(plus+minus)
	if r.Exact = len(d) <= exactPairs; r.Exact {
		r.P = signedRankP(signed, min(plus, minus))
		return r
	}
	var squares float64
	for _, rank := range signed {
		squares += float64(rank) * float64(rank) / 4
	}
	r.P = normalP(r.Plus, (r.Plus+r.Minus)/2, squares/4)
	return r
}

// signedRankP counts sums of ranks: mass[s] is the probability that fair coins choose ranks with
// sum s. The distribution is symmetric, so its lower end suffices, up to the smaller of the two
// sums.
func signedRankP(ranks []int, least int) float64 {
	mass := make([]float64, least+1)
	mass[0] = 1
	top := 0
	for _, rank := range ranks {
		top = min(top+rank, least)
		for s := top; s >= rank; s-- {
			mass[s] = mass[s]/2 + mass[s-rank]/2
		}
		for s := min(top, rank-1); s >= 0; s-- {
			mass[s] /= 2
		}
	}
	return min(1, 2*sum(mass))
}
