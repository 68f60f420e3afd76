package report

import (
	"io"
	"strconv"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/document"
)

// WriteCSV writes the beliefs of all runs of the chart's group, a line for each
// point.
func WriteBeliefCSV(b *chart.BeliefChart, w io.Writer) error {
	g := b.Group
	c := document.NewCSV(w)
	c.Write([]string{"problem", "label", "repetition", "step", "x", "truth", "estimate", "lower", "upper", "in_set"})
	for i := range g.Runs {
		run := &g.Runs[i]
		for _, b := range run.Beliefs {
			in := ""
			if run.InBall != nil {
				in = strconv.FormatBool(run.Inside()[b.Step-1])
			}
			for k := range b.X {
				c.Write([]string{g.Problem.Name, g.Algorithm.Label, strconv.Itoa(run.Repetition), strconv.Itoa(b.Step),
					document.Field(b.X[k]), document.Field(b.Utility[k]), document.Field(b.Estimate[k]), document.Field(b.Lower[k]), document.Field(b.Upper[k]), in})
			}
		}
	}
	c.Flush()
	return c.Error()
}

// beliefs is the sheet of the beliefs, a row for each group and step.
func (l *layout) beliefs() document.Sheet {
	s := document.Sheet{ID: "beliefs", Title: "Confidence set of a function on an interval",
		Caption: "Mean ± standard deviation over the runs. Width: from the lower to the upper end of the confidence range, averaged over the box. Error: of the estimate, root mean square over the box, up to the constant that preferences cannot see. Covered: share of the box where the truth is in the range."}
	s.Columns = append([]document.Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}[:l.heads()],
		document.Column{Title: "Comparisons"}, document.Column{Title: "Runs"}, document.Column{Title: "Width"}, document.Column{Title: "Error"}, document.Column{Title: "Covered"})
	for i := range l.Rows {
		row := &l.Rows[i]
		for k := range row.Beliefs {
			b := &row.Beliefs[k]
			cells := []document.Cell{{Text: row.Name()}, {Text: row.Algorithm.Label}}[:l.heads()]
			s.Rows = append(s.Rows, append(cells, document.Cell{Text: strconv.Itoa(b.Step)}, document.Cell{Text: strconv.Itoa(b.Width.N)},
				document.Cell{Text: document.MeanStd(&b.Width)}, document.Cell{Text: document.MeanStd(&b.Error)}, document.Cell{Text: document.MeanStd(&b.Covered)}))
		}
	}
	return s
}
