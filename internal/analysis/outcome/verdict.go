package outcome

import (
	"math"

	"popbench/internal/math/stats"
	"popbench/internal/runlog"
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

// Alpha is the level of the tests behind a Relation: two-sided, row by row,
// without a correction for the number of rows.
const Alpha = 1 - stats.Level

// Verdict compares the suboptimality by the selected rule; lower is better.
type Verdict struct {
	// Paper is against the printed mean, by Welch's test from the printed
	// standard deviation and number of runs, on the paper's metric.
	Paper     Relation
	PaperTest stats.WelchResult
	// Random and Best are against one uniform random point and the best of K,
	// by the bootstrap interval, against the certified optimum.
	Random, Best Relation
}

func (row *Row) judge(r *Results) {
	nan := math.NaN()
	v := &row.Verdict
	v.PaperTest = stats.WelchResult{T: nan, DF: nan, P: nan}
	few := len(row.Runs) < stats.MinRuns
	if row.Printed != nil && few {
		v.Paper = TooFew
	}
	if row.Uniform != nil && few {
		v.Random, v.Best = TooFew, TooFew
	}
	if few {
		return
	}
	ours := row.Rules[0]
	if row.Printed != nil {
		s := ours.Grid
		if s == nil {
			s = &ours.True
		}
		v.PaperTest = stats.Welch(
			stats.Moments{N: s.N, Mean: s.Mean, Std: s.Std},
			stats.Moments{N: r.Paper.Runs, Mean: row.Printed.Mean, Std: row.Printed.Std})
		v.Paper = fromTest(v.PaperTest)
	}
	if row.Uniform != nil {
		v.Random = row.against(&ours.True, row.Uniform.Mean, func(u *runlog.Uniform) float64 { return u.Mean })
		v.Best = row.against(&ours.True, row.Uniform.BestMean, func(u *runlog.Uniform) float64 { return u.BestMean })
	}
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

// against compares the selected rule with a number known without error. When
// that differs between the runs, each is compared with its own.
func (row *Row) against(ours *stats.Summary, common float64, of func(*runlog.Uniform) float64) Relation {
	ci := ours.CI
	different := false
	for i := range row.Runs {
		different = different || *row.Runs[i].Uniform != *row.Runs[0].Uniform
	}
	if different {
		d := row.values(func(run *Run) float64 { return run.FinalSuboptimality(0) - of(run.Uniform) })
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
