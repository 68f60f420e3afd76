package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
	"popbench/record"
)

// line is a group's outcome by one of its recommendation rules; 0 is the selected one.
type line struct {
	*outcome.Row
	k int
}

type column = document.Column[line]

// rule is the outcome by the rule; of a group without a complete run its summary has no values.
func (v line) rule() *outcome.RuleSummary {
	if v.k < len(v.Rules) {
		return &v.Rules[v.k]
	}
	return &outcome.RuleSummary{True: stats.Summarize(nil)}
}

// known is a cell of something, missing where that is nil.
func known[T any](v *T, of func(*T) document.Cell) document.Cell {
	return of(cmp.Or(v, new(T))).If(v != nil)
}

// verdict is about the selected rule.
func (v line) verdict() outcome.Relations {
	if v.k > 0 {
		return outcome.Relations{}
	}
	return v.Against
}

// lines are the rows of the table; a line for each rule with all, otherwise only for the selected one.
func lines(t *outcome.Table, all bool) (lines []line) {
	for _, row := range t.Rows {
		lines = append(lines, line{row, 0})
		for k := 1; all && k < len(row.Rules); k++ {
			lines = append(lines, line{row, k})
		}
	}
	return lines
}

// Columns that sheets and the CSV file share.
var (
	ruleName = column{Title: "Rule", Key: "rule", Words: true, Of: func(v line) document.Cell { return document.Words(v.rule().Rule) }}

	suboptimality = column{Title: "Mean ± std", Key: "suboptimality_",
		Better: outcome.Find(outcome.Suboptimality).Better(), Of: func(v line) document.Cell { return document.MeanStd(&v.rule().True) }}
	suboptimalityInterval = column{Title: "95\u00a0% interval", Of: func(v line) document.Cell { return document.Interval(&v.rule().True) }}
	gridSuboptimality     = column{Title: "Against grid", Key: "grid_suboptimality_",
		About: "Against grid: $f(x^*)$ is the best value of the paper's grid, as in the paper.",
		Of:    func(v line) document.Cell { return document.MeanStd(v.rule().Grid) }}

	regret = column{Title: "$R_T$", Key: "cumulative_regret_",
		Better: outcome.Find(outcome.CumulativeRegret).Better(), Of: func(v line) document.Cell { return document.MeanStd(&v.Regret) }}
	regretInterval = column{Title: "95\u00a0% interval", Of: func(v line) document.Cell { return document.Interval(&v.Regret) }}
	gridRegret     = column{Key: "grid_cumulative_regret_", Of: func(v line) document.Cell { return document.MeanStd(v.GridRegret) }}
	exponent       = column{Title: "Exponent", Key: "regret_exponent", Better: "lower is better",
		Of:    func(v line) document.Cell { return document.Number(v.Exponent, 2) },
		About: "Exponent: $p$ of $R_t \\propto t^p$, by least squares in log-log."}

	randomPoint = column{Title: "Random point", Key: "random_", About: "Random point: one uniform point.", Of: func(v line) document.Cell {
		return known(v.Uniform, func(u *record.Uniform) document.Cell { return document.Pair(u.Mean, u.Std) })
	}}
	bestOf = column{Key: "best_of", Of: func(v line) document.Cell {
		return known(v.Uniform, func(u *record.Uniform) document.Cell { return document.Count(u.K) })
	}}
	bestPoint = column{Key: "best_of_", Of: func(v line) document.Cell {
		return known(v.Uniform, func(u *record.Uniform) document.Cell { return document.Pair(u.BestMean, u.BestStd) })
	}}

	solves  = column{Title: "Solves", Key: "solves", Of: func(v line) document.Cell { return document.Count(v.Health.Solves).If(v.Health.Known) }}
	retries = column{Title: "Retried", Key: "retries", Of: func(v line) document.Cell { return document.Count(v.Health.Retries).If(v.Health.Known) },
		About: "Retried: solves that converged by a second method only."}
	failures = column{Title: "Failed", Key: "failures", Of: func(v line) document.Cell { return document.Count(v.Health.Failures).If(v.Health.Known) },
		About: "Failed: solves that never converged; their results are not used."}
	largestGap = column{Title: "Largest gap", Key: "duality_gap",
		Of:    func(v line) document.Cell { return document.Scientific(v.Health.MaxGap).If(v.Health.Known) },
		About: "Largest gap: duality gap of any solve in use."}

	// Shares of no trials are missing: where the set, or the norm, is not known.
	likelySteps = column{Title: "Likely: steps", Key: "likely_steps",
		Of: func(v line) document.Cell { return document.Percent(v.Coverage.Likely.Steps.Value()) }}
	likelyRuns = column{Title: "Likely: runs", Key: "likely_runs",
		Of: func(v line) document.Cell { return document.PercentInterval(v.Coverage.Likely.Runs) }}
	normRuns = column{Title: `$\|f\| \le B$: runs`, Key: "norm_within_bound_runs",
		Of: func(v line) document.Cell { return document.Percent(v.Coverage.Ball.Value()) }}
	insideSteps = column{Title: "Inside: steps", Key: "in_set_steps", About: "Inside: it meets both.",
		Of: func(v line) document.Cell { return document.Percent(v.Coverage.Inside.Steps.Value()) }}
	insideRuns = column{Title: "Inside: runs", Key: "in_set_runs", About: "Inside: it meets both.",
		Of: func(v line) document.Cell { return document.PercentInterval(v.Coverage.Inside.Runs) }}

	timedRuns = column{Key: "timed_runs", Of: func(v line) document.Cell { return document.Count(v.Times.Runs).If(v.Times.Runs > 0) }}

	stepMedian, stepMean, runMean = secondsOf(func(v line) *outcome.Times { return &v.Times })
)

// secondsOf are the columns of times, missing where nothing was measured.
func secondsOf[R any](times func(R) *outcome.Times) (median, step, run document.Column[R]) {
	column := func(title document.Text, key string, of func(*outcome.Times) float64) document.Column[R] {
		return document.Column[R]{Title: title, Key: key, Of: func(r R) document.Cell { return document.Seconds(of(times(r))).If(times(r).Runs > 0) }}
	}
	return column("Step, median", "step_seconds_median", func(t *outcome.Times) float64 { return t.StepMedian }),
		column("Step, mean", "step_seconds_mean", func(t *outcome.Times) float64 { return t.Step }),
		column("Run, mean", "run_seconds_mean", func(t *outcome.Times) float64 { return t.Run })
}

// against is a verdict in words. In the CSV file it is the relation itself.
func against(title document.Text, key string, of func(*outcome.Relations) outcome.Relation) column {
	return column{Title: title, Key: key, Words: true, Of: func(v line) document.Cell {
		o := v.verdict()
		return document.Coded(document.Plain(relationWords[of(&o)]), string(of(&o)))
	}}
}

var (
	againstPaper  = against("Against the paper", "verdict_paper", func(v *outcome.Relations) outcome.Relation { return v.Paper })
	againstRandom = against("Against a random point", "verdict_random", func(v *outcome.Relations) outcome.Relation { return v.Random })
	againstBest   = against("", "verdict_best_of", func(v *outcome.Relations) outcome.Relation { return v.Best })
)

// relationWords are the relations in words, lower being better; without those of which nothing can be said.
var relationWords = map[outcome.Relation]string{outcome.Lower: "better", outcome.Higher: "worse", outcome.Equal: "no clear difference"}

// layout is what the sheets of a table have in common.
type layout struct {
	*outcome.Table
	lines      []line   // of groups with runs, by the selected rule
	algorithms []string // labels
	selected   []string // rules that the settings select; one, as a rule
}

func newLayout(t *outcome.Table) *layout {
	l := &layout{Table: t}
	for _, v := range lines(t, false) {
		l.algorithms = words.Include(l.algorithms, v.Algorithm.Label)
		if len(v.Runs) > 0 {
			l.lines = append(l.lines, v)
		}
		if len(v.Rules) > 0 {
			l.selected = words.Include(l.selected, v.Rules[0].Rule)
		}
	}
	return l
}

// heads are the columns that name a row of a group; the group's notes are at the last.
func heads[R any](l *layout, of func(R) *outcome.Row) []document.Column[R] {
	heads := []document.Column[R]{
		document.Names("Problem", func(r R) string { return of(r).Name() }),
		document.Names("Algorithm", func(r R) string { return of(r).Algorithm.Label }),
	}
	if len(l.algorithms) == 1 {
		heads = heads[:1]
	}
	last := &heads[len(heads)-1]
	name := last.Of
	last.Of = func(r R) document.Cell { return name(r).With(document.PlainAll(of(r).Group.Notes)...) }
	return heads
}

// aboutBestFound says which optima are unknown, and what the regret is against there, with a space before it; "" if all are
// known. Sheets with a row for each group have it as a footnote.
func aboutBestFound(t *outcome.Table) document.Text {
	return document.Plain(outcome.AboutBestFound(t.Problems(), (*outcome.Group).Best))
}

// problems are the first row with runs of each problem.
func (l *layout) problems() (first []*outcome.Row) {
	for _, v := range l.lines {
		if !slices.ContainsFunc(first, func(p *outcome.Row) bool { return p.Problem.Name == v.Problem.Name }) {
			first = append(first, v.Row)
		}
	}
	return first
}

// sheet is a table with a row for each group that has runs.
func (l *layout) sheet(s document.Sheet, columns ...column) document.Sheet {
	return l.sheetOf(s, l.lines, columns...)
}

func (l *layout) sheetOf(s document.Sheet, lines []line, columns ...column) document.Sheet {
	return document.Tabulate(s, lines, append(heads(l, func(v line) *outcome.Row { return v.Row }), columns...)...)
}

// metricColumn is the column of a metric of the runs.
func metricColumn(m *outcome.Measure) column {
	return column{Title: metricTitle(m), Better: m.Better(), Of: func(v line) document.Cell {
		s := v.Metric(m)
		if m.Name == outcome.ToTarget {
			return document.RunningTime(s.Mean, s.CI, s.Reached)
		}
		return document.MeanInterval(&s.Summary).If(s.N > 0)
	}}
}

func metricTitle(m *outcome.Measure) document.Text { return document.Plain(words.Capital(m.Title)) }

// metrics is the sheet of all metrics.
func (l *layout) metrics() document.Sheet {
	s := document.Sheet{ID: "metrics", Title: document.Textf("All metrics after %s", words.Count(l.Steps, "step")),
		Caption: document.Textf("Mean over %s, and its 95\u00a0%% bootstrap interval. Lower is better. docs/metrics.md defines them.", l.OverRuns())}
	var columns []column
	for _, m := range outcome.Measures {
		c := metricColumn(m)
		if m.Higher {
			c.About = document.Textf("Of %s, higher is better.", m.Title)
		}
		columns = append(columns, c)
	}
	return l.sheet(s, columns...)
}

// measured are the metrics that the sheet of metrics has.
func (l *layout) measured() []outcome.Metric {
	shown := words.Only(outcome.Measures, func(m *outcome.Measure) bool {
		return slices.ContainsFunc(l.lines, func(v line) bool { return v.Metric(m).N > 0 })
	})
	return words.Each(shown, func(m *outcome.Measure) outcome.Metric { return m.Name })
}

// metricsCSV are the columns of the metrics that the CSV file does not have anyway.
func metricsCSV() (columns []column) {
	for _, m := range outcome.Measures {
		if m.Name == outcome.Suboptimality || m.Name == outcome.CumulativeRegret {
			continue
		}
		columns = append(columns, column{Key: strings.ReplaceAll(string(m.Name), "-", "_") + "_", Of: func(v line) document.Cell {
			return document.MeanStd(&v.Metric(m).Summary).If(!m.Rule || v.k == 0)
		}})
	}
	return columns
}

// csvOf returns what writes a CSV file of the columns, with a line for each row after the head. So do the functions whose
// names end in CSV; [Files.Add] takes it.
func csvOf[R any](rows []R, columns ...document.Column[R]) func(io.Writer) error {
	return func(w io.Writer) error { return document.WriteCSV(w, rows, columns...) }
}

func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// at is an index of a list that a T has: a line of a table of such lists.
type at[T any] struct {
	of *T
	k  int
}

// indices lists the indices of such lists, whose lengths are n.
func indices[T any](all []*T, n func(*T) int) (list []at[T]) {
	for _, of := range all {
		for k := range n(of) {
			list = append(list, at[T]{of, k})
		}
	}
	return list
}
