package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// coverage is the sheet of the coverage.
func (l *layout) coverage() document.Sheet {
	const unknown = "The RKHS norm of the objective is not known, so only the likelihood part of the confidence set can be checked."
	some := slices.ContainsFunc(l.Rows, func(row *outcome.Row) bool { return row.Coverage.NormKnown })
	steps := likelySteps
	steps.Of = func(v line) document.Cell {
		c := likelySteps.Of(v)
		if some && v.Coverage.Known && !v.Coverage.NormKnown {
			c.Notes = []document.Text{unknown}
		}
		return c
	}
	s := document.Sheet{ID: "coverage", Title: "Truth inside the confidence set",
		Caption: "The confidence set after step $t$ is " + document.ConfidenceSet +
			". Likely: the truth meets the second condition, as a share of the steps, and of the runs in which it does after every step, with the 95\u00a0% Wilson interval."}
	if !some {
		s.Notes = []document.Text{unknown}
	}
	s.Notes = append(s.Notes, l.authorsNorms()...)
	return l.sheet(s, steps, likelyRuns, normRuns, insideSteps, insideRuns)
}

// authorsNorms is what is known of the norms of the test functions in the set-up of the authors' program, in one sentence.
func (l *layout) authorsNorms() []document.Text {
	var list []string
	for _, row := range l.Rows {
		if n, ok := paper.NormOf(row.Problem.Name); ok && row.Coverage.Known {
			list = words.Include(list, fmt.Sprintf("%g (%s, B\u00a0=\u00a0%g)", n.AtLeast, row.Name(), n.Bound))
		}
	}
	if list == nil {
		return nil
	}
	return []document.Text{document.Textf("With the kernel, lengthscales and $B$ of the authors' program these functions have an RKHS norm of at least %s, "+
		`whatever constant is added to them: there the truth is outside the confidence set for every $\beta$.`, strings.Join(list, ", "))}
}

// beliefCSV has the beliefs of all runs of the chart's group, a line for each point.
func beliefCSV(b *figure.BeliefChart) func(io.Writer) error {
	g := b.Group
	type point struct {
		run *outcome.Run
		*outcome.Belief
		k int
	}
	var points []point
	for _, run := range g.Runs {
		for _, p := range indices(run.Beliefs, func(b *outcome.Belief) int { return len(b.X) }) {
			points = append(points, point{run, p.of, p.k})
		}
	}
	return csvOf(points,
		document.WordsAt("problem", func(point) string { return g.Problem.Name }),
		document.WordsAt("label", func(point) string { return g.Algorithm.Label }),
		document.CountAt("repetition", func(p point) int { return p.run.Repetition }),
		document.CountAt("step", func(p point) int { return p.Step }),
		document.NumberAt("x", func(p point) float64 { return p.X[p.k] }),
		document.NumberAt("truth", func(p point) float64 { return p.Utility[p.k] }),
		document.NumberAt("estimate", func(p point) float64 { return p.Estimate[p.k] }),
		document.NumberAt("lower", func(p point) float64 { return p.Lower[p.k] }),
		document.NumberAt("upper", func(p point) float64 { return p.Upper[p.k] }),
		document.WordsAt("in_set", func(p point) string {
			if p.run.InBall == nil {
				return ""
			}
			return strconv.FormatBool(p.run.Inside()[p.Step-1])
		}))
}

// beliefs is the sheet of the beliefs, a row for each group and step.
func (l *layout) beliefs() document.Sheet {
	type row = at[outcome.Row]
	column := func(title, about document.Text, of func(*outcome.BeliefSummary) document.Cell) document.Column[row] {
		return document.Column[row]{Title: title, About: about, Of: func(r row) document.Cell { return of(&r.of.Beliefs[r.k]) }}
	}
	return document.Tabulate(document.Sheet{ID: "beliefs", Title: "Confidence set of a function on an interval",
		Caption: "Mean ± standard deviation over the runs."},
		indices(l.Rows, func(r *outcome.Row) int { return len(r.Beliefs) }),
		append(heads(l, func(r row) *outcome.Row { return r.of }),
			column("Comparisons", "", func(b *outcome.BeliefSummary) document.Cell { return document.Count(b.Step) }),
			column("Runs", "", func(b *outcome.BeliefSummary) document.Cell { return document.Count(b.Width.N) }),
			column("Width", "Width: from the lower to the upper end of the confidence range, averaged over the box.",
				func(b *outcome.BeliefSummary) document.Cell { return document.MeanStd(&b.Width) }),
			column("Error", "Error: of the estimate, root mean square over the box, up to the constant that preferences cannot see.",
				func(b *outcome.BeliefSummary) document.Cell { return document.MeanStd(&b.Error) }),
			column("Covered", "Covered: share of the box where the truth is in the range.",
				func(b *outcome.BeliefSummary) document.Cell { return document.MeanStd(&b.Covered) }))...)
}

// maxBeliefs is how many runs of a group are drawn; all are in the table.
const maxBeliefs = 3

// BeliefCharts are the confidence-set figures: the first runs of each group whose records have beliefs.
func BeliefCharts(r *outcome.Results) (charts []*figure.BeliefChart) {
	names := FileNames(words.Each(r.Groups, func(g *outcome.Group) string { return g.Problem.Name + "-" + g.Algorithm.Label }))
	for i, g := range r.Groups {
		drawn := 0
		for _, run := range g.Runs {
			if len(run.Beliefs) == 0 || drawn == maxBeliefs {
				continue
			}
			drawn++
			c := &figure.BeliefChart{
				Name: fmt.Sprintf("%s-confidence-set-%03d", names[i], run.Repetition), File: names[i] + "-confidence-set",
				Title: g.Name(), Algorithm: g.Algorithm.Label, Repetition: run.Repetition,
				Lo: g.Problem.Lo[0], Hi: g.Problem.Hi[0], Panels: run.Beliefs, Again: drawn > 1, Group: g,
			}
			if run.InBall != nil {
				in := run.Inside()
				for _, b := range run.Beliefs {
					c.Inside = append(c.Inside, in[b.Step-1])
				}
			}
			charts = append(charts, c)
		}
	}
	return charts
}
