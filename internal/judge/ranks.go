package judge

import (
	"cmp"
	"math"
	"slices"
	"strings"

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

// Better reports whether a is clearly better than b: their ranks differ, and its rank is lower.
func (r *Ranks) Better(a, b int) bool { return r.Differ(a, b) && r.Ranks[a] < r.Ranks[b] }

// BetterThan names the algorithms than which a is clearly better, by rank: "DTS and all ranked after it" for all from DTS
// on. better says whether one is clearly better than another.
func (r *Ranks) BetterThan(a int, algorithms []string, better func(a, b int) bool) string {
	order := r.Order()
	var names []string
	tail := len(order) // a is better than all from here on
	for i := len(order) - 1; i >= 0 && better(a, order[i]); i-- {
		tail = i
	}
	for _, b := range order[:tail] {
		if better(a, b) {
			names = append(names, algorithms[b])
		}
	}
	switch {
	case tail < len(order)-1:
		names = append(names, algorithms[order[tail]]+" and all ranked after it")
	case tail < len(order):
		names = append(names, algorithms[order[tail]])
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
