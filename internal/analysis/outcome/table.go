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
	row := Row{Group: g, Uniform: g.Uniform(), Exponent: g.exponent(r.Steps), Coverage: g.coverage(), Times: g.times(), Beliefs: g.beliefSummaries()}
	row.Regret, row.GridRegret = g.summary(func(run *Run) float64 { return run.CumulativeRegret(r.Steps) }, float64(r.Steps))
	for k, rule := range g.Rules {
		rs := RuleSummary{Rule: rule}
		rs.True, rs.Grid = g.summary(func(run *Run) float64 { return run.FinalSuboptimality(k) }, 1)
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

func (g *Group) exponent(steps int) float64 {
	if len(g.Runs) == 0 {
		return math.NaN()
	}
	t := make([]float64, steps)
	mean := make([]float64, steps)
	for i := range steps {
		t[i] = float64(i + 1)
		mean[i] = stats.Mean(g.values(func(run *Run) float64 { return run.CumulativeRegret(i + 1) }))
	}
	return stats.LogLogSlope(t, mean)
}
