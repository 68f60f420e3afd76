package report

import (
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/words"
)

func (l *layout) regret() document.Sheet {
	return l.sheet(document.Sheet{ID: "regret", Title: document.Textf("Cumulative regret after %s", words.Count(l.Steps, "step")),
		Caption: document.Textf("$R_T = \\sum f(x^*) - f(x_t)$ over the queried points, $T = %d$.", l.Steps)}, regret, regretInterval, exponent)
}

// solver is how the solver fared, and how long it took.
func (l *layout) solver() document.Sheet {
	s := document.Sheet{ID: "solver", Title: "Solver and time"}
	timed := slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return row.Times.Runs > 0 })
	if !timed {
		for i := range l.Rows {
			if n := l.Rows[i].TimeNote; n != "" && l.Rows[i].Health.Known {
				s.Notes = append(s.Notes, document.Plain(n))
			}
		}
		return l.sheet(s, solves, retries, failures, largestGap)
	}
	median := stepMedian
	median.About = document.Textf("Times are wall clock, to propose a query, to learn from its answer and to recommend; a run uses one core. They were measured on %s, and vary from run to run, unlike all other numbers.", strings.Join(l.Machines(), "; "))
	seconds := median.Of
	median.Of = func(v line) document.Cell {
		if v.TimeNote == "" {
			return seconds(v)
		}
		return seconds(v).With(document.Plain(v.TimeNote))
	}
	return l.sheet(s, solves, retries, failures, largestGap, median, stepMean, runMean)
}
