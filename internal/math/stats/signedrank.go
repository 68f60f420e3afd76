package stats

import "math"

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
