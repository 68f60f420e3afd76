package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
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
			r.Ranks[j] += float64(rank) / 2 / float64(n)
			d := float64(rank-k-1) / 2
			within += float64(d * d)
		}
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
	r.P = distuv.ChiSquared{K: kf - 1}.Survival(r.ChiSquare)
	rest := float64(nf*(kf-1)) - r.ChiSquare
	if rest <= 1e-12*nf*kf { // the same ranks in all blocks
		r.Statistic, r.StatisticP = math.Inf(1), 0
		return r
	}
	r.Statistic = (nf - 1) * r.ChiSquare / rest
	r.StatisticP = distuv.F{D1: kf - 1, D2: (kf - 1) * (nf - 1)}.Survival(r.Statistic)
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
