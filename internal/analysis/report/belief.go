package report

import (
	"io"
	"strconv"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
)

// WriteBeliefCSV writes the beliefs of all runs of the chart's group, a line for each point.
func WriteBeliefCSV(b *chart.BeliefChart, w io.Writer) error {
	g := b.Group
	type point struct {
		run *outcome.Run
		*outcome.Belief
		k int
	}
	var points []point
	for i := range g.Runs {
		for j := range g.Runs[i].Beliefs {
			belief := &g.Runs[i].Beliefs[j]
			for k := range belief.X {
				points = append(points, point{&g.Runs[i], belief, k})
			}
		}
	}
	return document.WriteCSV(w, points,
		document.WordsAt("problem", func(point) string { return g.Problem.Name }),
		document.WordsAt("label", func(point) string { return g.Algorithm.Label }),
		document.CountAt("repetition", func(p point) int { return p.run.Repetition }),
		document.CountAt("step", func(p point) int { return p.Step }),
		document.NumberAt("x", func(p point) float64 { return p.X[p.k] }),
		document.NumberAt("truth", func(p point) float64 { return p.Utility[p.k] }),
		document.NumberAt("estimate", func(p point) float64 { return p.Estimate[p.k] }),
		document.NumberAt("lower", func(p point) float64 { return p.Lower[p.k] }),
		document.NumberAt("upper", func(p point) float64 { return p.Upper[p.k] }),
		document.Column[point]{Key: "in_set", Of: func(p point) document.Cell {
			if p.run.InBall == nil {
				return document.Words("")
			}
			return document.Words(strconv.FormatBool(p.run.Inside()[p.Step-1]))
		}})
}

// beliefs is the sheet of the beliefs, a row for each group and step.
func (l *layout) beliefs() document.Sheet {
	type at struct {
		*outcome.Row
		b *outcome.BeliefSummary
	}
	var rows []at
	for i := range l.Rows {
		for k := range l.Rows[i].Beliefs {
			rows = append(rows, at{&l.Rows[i], &l.Rows[i].Beliefs[k]})
		}
	}
	return document.Tabulate(document.Sheet{ID: "beliefs", Title: "Confidence set of a function on an interval", Caption: "Mean ± standard deviation over the runs."}, rows,
		append(heads(l, func(r at) *outcome.Row { return r.Row }),
			document.Column[at]{Title: "Comparisons", Of: func(r at) document.Cell { return document.Count(r.b.Step) }},
			document.Column[at]{Title: "Runs", Of: func(r at) document.Cell { return document.Count(r.b.Width.N) }},
			document.Column[at]{Title: "Width", Of: func(r at) document.Cell { return document.MeanStd(&r.b.Width) },
				About: "Width: from the lower to the upper end of the confidence range, averaged over the box."},
			document.Column[at]{Title: "Error", Of: func(r at) document.Cell { return document.MeanStd(&r.b.Error) },
				About: "Error: of the estimate, root mean square over the box, up to the constant that preferences cannot see."},
			document.Column[at]{Title: "Covered", Of: func(r at) document.Cell { return document.MeanStd(&r.b.Covered) },
				About: "Covered: share of the box where the truth is in the range."})...)
}
