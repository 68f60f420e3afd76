package judge

import (
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// Test compares two sides, by their differences run by run, or as independent samples.
type Test struct {
	Paired      bool
	Runs        [2]int         // of each side
	Value       float64        // difference of the means, second − first; or their ratio
	Null        float64        // the value if nothing differs: 0 of a difference, 1 of a ratio
	CI          stats.Interval // of the value, at stats.Level; NaN if there are too few runs, or it was not computed
	Effect      float64        // rank-biserial correlation: 1 if the second side is higher in every run
	P, Adjusted float64        // of the rank test, and adjusted for its family; NaN if no run differs
	Verdict     Verdict
}

// Paired tests differences, second side − first, by the signed-rank test. The value is their mean, without an interval.
func Paired(d []float64) Test {
	r := stats.SignedRank(d)
	t := Test{Paired: true, Runs: [2]int{len(d), len(d)}, Value: stats.Mean(d), CI: stats.NoInterval(), Effect: r.Effect, P: r.P, Adjusted: math.NaN()}
	if r.Zeros == r.N {
		t.P = math.NaN()
	}
	return t
}

// Untested is what there is to say of so many pairs without a test: the value alone.
func Untested(pairs int, value float64) Test {
	return Test{Paired: true, Runs: [2]int{pairs, pairs}, Value: value, CI: stats.NoInterval(), P: math.NaN(), Adjusted: math.NaN()}
}

// Unpaired tests two independent samples by the rank-sum test. The value is the difference of their means, without an
// interval.
func Unpaired(a, b []float64) Test {
	r := stats.RankSum(a, b)
	t := Test{Runs: [2]int{len(a), len(b)}, Value: stats.Mean(b) - stats.Mean(a), CI: stats.NoInterval(), Effect: r.Effect, P: r.P, Adjusted: math.NaN()}
	if all := slices.Concat(a, b); slices.Min(all) == slices.Max(all) {
		t.P = math.NaN()
	}
	return t
}

// Estimate sets the value to a statistic of means over runs, as [stats.Resample] has it, and its interval.
func (t *Test) Estimate(strata []stats.Stratum, of func(means [][]float64) float64) {
	r := stats.Resample(strata, of, stats.Resamples)
	t.Value, t.CI = r.Value, r.Interval(stats.Level)
}

// Identical reports whether no run differs, so that there is nothing to test.
func (t *Test) Identical() bool { return math.IsNaN(t.P) }

func (t *Test) fewest() int { return min(t.Runs[0], t.Runs[1]) }

// within reports whether the interval lies within a distance of Null, the value if nothing differs.
func (t *Test) within(distance float64) bool {
	return t.Null-distance <= t.CI.Lo && t.CI.Hi <= t.Null+distance
}

// Relevant is the verdict on the second side, of which lower values are better. Better and worse require a significant
// test, at least the minimum that matters, and values and ranks that agree on the direction: one of two skewed samples may
// have both the smaller ranks and the larger mean.
func (t *Test) Relevant(alpha, minimum float64) Verdict {
	switch {
	case t.Identical():
		return Same
	case t.fewest() < stats.MinRuns:
		return Undecided
	case t.Adjusted <= alpha && t.Effect > 0 && t.Value >= t.Null+minimum && t.Value > t.Null:
		return Worse
	case t.Adjusted <= alpha && t.Effect < 0 && t.Value <= t.Null-minimum && t.Value < t.Null:
		return Better
	case t.within(minimum):
		return Same
	}
	return Undecided
}

// Clear is the same verdict by a margin of what counts as the same: better and worse require a significant test whose ranks
// agree with the interval, which leaves out zero and reaches beyond the margin. higher says that higher values are better.
func (t *Test) Clear(alpha, margin float64, higher bool) Verdict {
	above, below := Worse, Better
	if higher {
		above, below = Better, Worse
	}
	switch {
	case t.within(margin):
		return Same
	case t.Adjusted <= alpha && t.CI.Hi < t.Null && t.Effect < 0:
		return below
	case t.Adjusted <= alpha && t.CI.Lo > t.Null && t.Effect > 0:
		return above
	}
	return Undecided
}

// least is the smallest P that any data of so many runs have.
func (t *Test) least() float64 {
	if t.Paired {
		return math.Ldexp(1, 1-t.Runs[0])
	}
	a, b := float64(t.Runs[0]), float64(t.Runs[1])
	lab, _ := math.Lgamma(a + b + 1)
	la, _ := math.Lgamma(a + 1)
	lb, _ := math.Lgamma(b + 1)
	return 2 * math.Exp(la+lb-lab)
}

// Family is tests of which no more than a share alpha may be wrong together. Tests in which no run differs do not count.
type Family []*Test

// Adjust adjusts the P values by Holm's method.
func (f Family) Adjust() {
	for i, adjusted := range stats.Holm(words.Each(f, func(t *Test) float64 { return t.P })) {
		f[i].Adjusted = adjusted
	}
}

// Size is the number of tests that count.
func (f Family) Size() int { return stats.Count(f, func(t *Test) bool { return !t.Identical() }) }

// Blind are the tests with too few runs to be significant for any data: Holm's method tells so from the least P value of
// each.
func (f Family) Blind(alpha float64) (blind Family) {
	least := stats.Holm(words.Each(f, func(t *Test) float64 {
		if t.Identical() {
			return math.NaN()
		}
		return t.least()
	}))
	for i, t := range f {
		if !t.Identical() && (t.fewest() < stats.MinRuns || least[i] > alpha) {
			blind = append(blind, t)
		}
	}
	return blind
}

// Needed is the number of pairs that blind tests need to be significant: the smallest P value of n pairs is 2^(1−n), and
// Holm multiplies the least of these tests, which come last, by their number.
func (f Family) Needed(alpha float64) int {
	return max(stats.MinRuns, 1+int(math.Ceil(math.Log2(float64(f.Size())/alpha))))
}
