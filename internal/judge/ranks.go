package judge

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/stats"
)

// RankAlpha is the level of the critical difference.
const RankAlpha = 1 - stats.Level

// Ranks are the average ranks of algorithms over problems, which are the blocks.
type Ranks struct {
	stats.FriedmanResult
	Critical float64 // critical difference of two average ranks at level RankAlpha; NaN with one algorithm
	Few      bool    // some algorithm has too few runs on a problem for any verdict
}

// NewRanks ranks algorithms by scores[problem][algorithm], the lower the better. Few says that there are too few runs to
// say that any ranks differ.
func NewRanks(scores [][]float64, few bool) Ranks {
	r := Ranks{stats.Friedman(scores), math.NaN(), few}
	if len(scores) > 0 {
		r.Critical = stats.CriticalDifference(len(scores[0]), len(scores), RankAlpha)
	}
	return r
}

// Differ reports whether the ranks of two algorithms differ: Friedman's test is significant,
// and their difference is at least the critical one. With too few runs on a problem they never
// differ.
func (r *Ranks) Differ(a, b int) bool {
	return !r.Few && r.P <= RankAlpha && math.Abs(r.Ranks[a]-r.Ranks[b]) >= r.Critical
}

// Order are the algorithms by their ranks, the best first.
func (r *Ranks) Order() []int {
	order := make([]int, len(r.Ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Ranks[a], r.Ranks[b]) })
	return order
}

// BetterThan names the algorithms than which a is clearly better. By rank these are all from one on.
func (r *Ranks) BetterThan(a int, algorithms []string) string {
	order := r.Order()
	for i := slices.Index(order, a) + 1; i < len(order); i++ {
		if r.Differ(a, order[i]) {
			if i == len(order)-1 {
				return algorithms[order[i]]
			}
			return algorithms[order[i]] + " and all below"
		}
	}
	return "none"
}
