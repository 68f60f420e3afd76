package outcome

import (
	"slices"

	"popbench/internal/analysis/words"
	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Standing is how a row's mean suboptimality by the selected rule compares with the lowest on its problem.
type Standing struct {
	// Best is the row with the lowest mean on the problem, of those of algorithms that learn from comparisons; nil of a
	// row that is not ranked: it has no complete run, or its algorithm observes values.
	Best   *Row
	Lowest bool // the row is Best itself
	// Versus is Higher if the row is clearly worse than Best, Equal if it is not or is Best itself, TooFew if there are
	// too few runs to tell, Unknown of a row that is not ranked. The difference is that between runs of the same
	// repetition, which share instance, start and luck; clearly is where its interval leaves out zero.
	Versus Relation
}

// stand fills in the rows' standings.
func (t *Table) stand() {
	var problems []string
	for i := range t.Rows {
		problems = words.Include(problems, t.Rows[i].Problem.Name)
	}
	for _, p := range problems {
		var best *Row
		for i := range t.Rows {
			row := &t.Rows[i]
			if row.Problem.Name == p && row.ranked() && (best == nil || row.Rules[0].True.Mean < best.Rules[0].True.Mean) {
				best = row
			}
		}
		for i := range t.Rows {
			if row := &t.Rows[i]; row.Problem.Name == p && row.ranked() {
				row.Standing = Standing{Best: best, Lowest: row == best, Versus: row.versus(best)}
			}
		}
	}
}

// ranked reports whether the row takes part in rankings.
func (row *Row) ranked() bool {
	return len(row.Runs) > 0 && row.Algorithm.Feedback != runlog.Values
}

// versus compares the row with the lowest of its problem.
func (row *Row) versus(best *Row) Relation {
	var d []float64
	for i := range row.Runs {
		k := slices.IndexFunc(best.Runs, func(run Run) bool { return run.Repetition == row.Runs[i].Repetition })
		if k >= 0 {
			d = append(d, row.Runs[i].FinalSuboptimality(0)-best.Runs[k].FinalSuboptimality(0))
		}
	}
	switch {
	case len(d) < stats.MinRuns:
		return TooFew
	case stats.BootstrapMean(d, stats.Level).Lo > 0:
		return Higher
	}
	return Equal
}
