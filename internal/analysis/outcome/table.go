package outcome

import (
	"math"

	"popbench/internal/analysis/paper"
	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Table is the outcome after the last step, a row for each group of runs.
type Table struct {
	*Results
	Rows   []Row
	Growth *Growth    // next to the paper's; nil if it prints no curve
	Times  *TimeTable // next to the paper's; nil unless all of its methods were measured
}

// Row is the outcome of one algorithm on one problem. Its summaries have N = 0
// and NaN when there is no complete run.
type Row struct {
	*Group
	Rules      []RuleSummary  // as Group.Rules, first the selected one
	Regret     stats.Summary  // cumulative regret R_T
	GridRegret *stats.Summary // the same against the grid's best value; nil if unknown
	Exponent   float64        // p of R_t ∝ t^p, least squares over the mean regret
	Uniform    *runlog.Uniform
	Coverage   Coverage
	Times      Times
	Beliefs    []BeliefSummary // by step
	Printed    *paper.Value    // what the paper prints for this algorithm; nil if nothing
	Verdict    Verdict
	Standing   Standing
}

// RuleSummary is the suboptimality of the point that a rule reports.
type RuleSummary struct {
	Rule string
	True stats.Summary  // against the certified optimum
	Grid *stats.Summary // against the grid's best value, the paper's metric; nil if unknown
}

// Outcome is how our mean compares with another number.
type Relation string

const (
	Unknown Relation = ""             // nothing to compare with
	TooFew  Relation = "too few runs" // below stats.MinRuns
	Lower   Relation = "lower"        // by more than the sampling error
	Equal   Relation = "equal"        // up to the sampling error
	Higher  Relation = "higher"       // by more than the sampling error
)

// Alpha is the level of the tests behind an Outcome: two-sided, row by row,
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

// NewTable sums up the results.
func NewTable(r *Results) *Table {
	t := &Table{Results: r, Growth: NewGrowth(r), Times: NewTimeTable(r)}
	for i := range r.Groups {
		t.Rows = append(t.Rows, r.row(&r.Groups[i]))
	}
	t.stand()
	return t
}

func (r *Results) row(g *Group) Row {
	last := r.Steps - 1
	row := Row{Group: g, Uniform: g.Uniform(), Exponent: g.exponent(r.Steps), Coverage: g.coverage(), Times: g.times(), Beliefs: g.beliefSummaries()}
	row.Regret, row.GridRegret = g.summary(func(run *Run) float64 { return run.cumulative(last) }, float64(r.Steps))
	for k, rule := range g.Rules {
		rs := RuleSummary{Rule: rule}
		rs.True, rs.Grid = g.summary(func(run *Run) float64 { return run.Suboptimality[k][last] }, 1)
		row.Rules = append(row.Rules, rs)
	}
	if r.Paper != nil {
		if method, ok := r.Paper.Method(g.Algorithm.Name); ok {
			if v, ok := r.Paper.Value(g.Problem.Name, method); ok {
				row.Printed = &v
			}
		}
	}
	row.judge(r)
	return row
}

// summary is what summaries are, of a single number of each run.
func (g *Group) summary(of func(*Run) float64, weight float64) (known stats.Summary, grid *stats.Summary) {
	at, onGrid := g.summaries(1, func(run *Run, _ int) float64 { return of(run) }, func(int) float64 { return weight })
	if onGrid != nil {
		grid = &onGrid[0]
	}
	return at[0], grid
}

func (g *Group) exponent(steps int) float64 {
	if len(g.Runs) == 0 {
		return math.NaN()
	}
	t := make([]float64, steps)
	mean := make([]float64, steps)
	for i := range steps {
		t[i] = float64(i + 1)
		mean[i] = stats.Mean(g.values(func(run *Run) float64 { return run.cumulative(i) }))
	}
	return stats.LogLogSlope(t, mean)
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
	last := len(row.Runs[0].Regret) - 1
	different := false
	for i := range row.Runs {
		different = different || *row.Runs[i].Uniform != *row.Runs[0].Uniform
	}
	if different {
		d := row.values(func(run *Run) float64 { return run.Suboptimality[0][last] - of(run.Uniform) })
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

// MeanShift is the grid's best value minus the optimum, 0 if that is not known.
func (g *Group) MeanShift() float64 {
	var d []float64
	for i := range g.Runs {
		if g.Runs[i].GridShift == nil {
			return 0
		}
		d = append(d, *g.Runs[i].GridShift)
	}
	if d == nil {
		return 0
	}
	return stats.Mean(d)
}
