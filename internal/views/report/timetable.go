package report

import (
	"io"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

type timeColumn = document.Column[*outcome.TimeRow]

// timeColumns returns the columns of the computation time. Those without a title are in the CSV file only.
func timeColumns(unit string) []timeColumn {
	median, step, run := secondsOf(func(r *outcome.TimeRow) *outcome.Times { return &r.Times })
	return []timeColumn{
		{Title: "Algorithm", Key: "label", Head: true, Of: func(r *outcome.TimeRow) document.Cell { return document.Words(r.Label) }},
		document.WordsAt("algorithm", func(r *outcome.TimeRow) string { return r.Algorithm }),
		document.CountAt("timed_runs", func(r *outcome.TimeRow) int { return r.Runs }),
		median, step, run,
		{Title: document.Textf("Relative to %s", unit), Key: "relative",
			Of:    func(r *outcome.TimeRow) document.Cell { return document.Estimate(r.Ratio.Value, r.Ratio.CI) },
			About: document.Textf("Relative to %s: the time of all runs divided by that of %[1]s for the same runs, with the 95\u00a0%% bootstrap interval.", unit)},
		document.WordsAt("relative_to", func(*outcome.TimeRow) string { return unit }),
		{Title: "Paper prints", Key: "paper", Of: func(r *outcome.TimeRow) document.Cell { return document.Short(r.Printed) }},
	}
}

// times is the sheet of the computation time.
func (l *layout) times(t *outcome.TimeTable) document.Sheet {
	s := document.Sheet{ID: "times", Title: "Computation time",
		Caption: document.Textf("Wall clock over all problems and runs, to propose a query, to learn from its answer and to recommend; a run uses one core. Measured on %s. The paper's numbers are those of its authors' programs: %s.",
			strings.Join(l.Machines(), "; "), t.Paper.Source)}
	if t.Apart != "" {
		s.Notes = []document.Text{document.Plain(t.Apart)}
	}
	columns := words.Only(timeColumns(t.Paper.Unit), func(c timeColumn) bool { return c.Title != "" })
	return document.Tabulate(s, t.Rows, columns...)
}

// timesCSV has the table at full precision.
func timesCSV(t *outcome.TimeTable) func(io.Writer) error {
	return csvOf(t.Rows, timeColumns(t.Paper.Unit)...)
}

func (l *layout) regret() document.Sheet {
	return l.sheet(document.Sheet{ID: "regret", Title: document.Textf("Cumulative regret after %s", words.Count(l.Steps, "step")),
		Caption: document.Textf("$R_T = \\sum f(x^*) - f(x_t)$ over the queried points, $T = %d$.", l.Steps)}, regret, regretInterval, exponent)
}

// solver is how the solver fared, and how long it took.
func (l *layout) solver() document.Sheet {
	s := document.Sheet{ID: "solver", Title: "Solver and time"}
	timed := slices.ContainsFunc(l.Rows, func(row *outcome.Row) bool { return row.Times.Runs > 0 })
	if !timed {
		for _, row := range l.Rows {
			if n := row.TimeNote; n != "" && row.Health.Known {
				s.Notes = append(s.Notes, document.Plain(n))
			}
		}
	}
	median := stepMedian
	median.About = document.Textf("Times are wall clock, to propose a query, to learn from its answer and to recommend; a run uses one core. They were measured on %s, and vary from run to run, unlike all other numbers.",
		strings.Join(l.Machines(), "; "))
	median.Of = func(v line) document.Cell {
		if v.TimeNote == "" {
			return stepMedian.Of(v)
		}
		return stepMedian.Of(v).With(document.Plain(v.TimeNote))
	}
	return l.sheet(s, solves, retries, failures, largestGap, median, stepMean, runMean)
}
