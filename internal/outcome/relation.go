package outcome

import (
	"cmp"
	"math"

	"popbench/internal/math/stats"
	"popbench/internal/paper"
	"popbench/record"
)

// Relation is how our mean compares with another number.
type Relation string

const (
	Unknown Relation = ""             // nothing to compare with
	TooFew  Relation = "too few runs" // below stats.MinRuns
	Lower   Relation = "lower"        // by more than the sampling error
	Equal   Relation = "equal"        // up to the sampling error
	Higher  Relation = "higher"       // by more than the sampling error
)

// Alpha is the level of the tests behind a Relation: two-sided, row by row, not corrected for the number of rows.
const Alpha = 1 - stats.Level

// Relations compare the suboptimality by the selected rule; lower is better.
type Relations struct {
	// Paper is against the printed mean, on the paper's metric, by Welch's test with the printed deviation and runs.
	Paper     Relation
	PaperTest stats.WelchResult
	// Random and Best are against one uniform random point and the best of K, by the bootstrap interval.
	Random, Best Relation
}

// relations compares what the selected rule recommends after the last step; printed or uniform is nil if it is not known.
func (g *Group) relations(printed *paper.Value, printedRuns int, uniform *record.Uniform, rules []RuleSummary) (v Relations) {
	nan := math.NaN()
	v.PaperTest = stats.WelchResult{T: nan, DF: nan, P: nan}
	few := len(g.Runs) < stats.MinRuns
	switch {
	case printed == nil:
	case few:
		v.Paper = TooFew
	default:
		ours := cmp.Or(rules[0].Grid, &rules[0].True)
		v.PaperTest = stats.Welch(
			stats.Moments{N: ours.N, Mean: ours.Mean, Std: ours.Std},
			stats.Moments{N: printedRuns, Mean: printed.Mean, Std: printed.Std})
		v.Paper = fromTest(v.PaperTest)
	}
	switch {
	case uniform == nil:
	case few:
		v.Random, v.Best = TooFew, TooFew
	default:
		v.Random = g.against(rules[0].True.CI, uniform.Mean, func(u *record.Uniform) float64 { return u.Mean })
		v.Best = g.against(rules[0].True.CI, uniform.BestMean, func(u *record.Uniform) float64 { return u.BestMean })
	}
	return v
}

func fromTest(w stats.WelchResult) Relation {
	switch {
	case math.IsNaN(w.P):
		return Unknown
	case w.P >= Alpha:
		return Equal
	case w.T < 0:
		return Lower
	}
	return Higher
}

// against compares the interval of the selected rule's mean with a number known without error. When that number differs
// between the runs, each run is compared with its own.
func (g *Group) against(ci stats.Interval, common float64, of func(*record.Uniform) float64) Relation {
	if !g.sameUniform() {
		d := g.values(func(run *Run) float64 { return run.FinalSuboptimality(0) - of(run.Uniform) })
		ci, common = stats.BootstrapMean(d, stats.Level), 0
	}
	switch {
	case ci.Hi < common:
		return Lower
	case ci.Lo > common:
		return Higher
	}
	return Equal
}
