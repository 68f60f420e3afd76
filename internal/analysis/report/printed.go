package report

import (
	"slices"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
)

// printed is the paper's table, of the problems that were run; below each row what came out here, if several of its methods
// were run.
func (l *layout) printed() document.Sheet {
	s := document.Sheet{ID: "paper", Title: "What the paper prints",
		Caption: document.Textf("%s: mean ± standard deviation over %d runs after %d steps.", l.Paper.Source, l.Paper.Runs, l.Paper.Steps)}
	type row struct {
		*outcome.Row
		here bool
	}
	var labels []string // by method
	runs := 0
	for _, m := range l.Paper.Methods {
		label, ok := l.Labelled(m, l.Paper.Method)
		labels = append(labels, label)
		if ok {
			runs++
		}
	}
	both := runs > 1
	columns := []document.Column[row]{{Title: "Problem", Head: true, Of: func(r row) document.Cell { return document.Words(r.Name()) }}}
	if both {
		s.Title += ", and what came out here"
		s.Caption += " Here: the same against the best value of its grid; the marks are those of all algorithms that were run here."
		columns = append(columns, document.Column[row]{Title: "From", Head: true, Of: func(r row) document.Cell {
			if r.here {
				return document.Words("here")
			}
			return document.Words("paper")
		}})
	}
	for j, m := range l.Paper.Methods {
		columns = append(columns, document.Column[row]{Title: document.Plain(m), Of: func(r row) document.Cell {
			if !r.here {
				v, _ := l.Paper.Value(r.Problem.Name, m)
				return document.Printed(v.Mean, v.Std).With(remarks(l.Results, r.Group, m)...)
			}
			own := l.row(r.Problem.Name, labels[j])
			if own == nil || len(own.Rules) == 0 {
				return document.MeanStd(nil)
			}
			if l.Headline.Name != outcome.Suboptimality { // the marks are about that
				return document.MeanStd(own.Rules[0].Grid)
			}
			return l.mark(own, document.MeanStd(own.Rules[0].Grid))
		}})
	}
	var rows []row
	var done []string
	for i := range l.Rows {
		r := &l.Rows[i]
		if l.Paper.Rank(r.Problem.Name) == len(l.Paper.Rows) || r.BestFound != nil || slices.Contains(done, r.Problem.Name) {
			continue
		}
		done = append(done, r.Problem.Name)
		rows = append(rows, row{r, false})
		if both {
			rows = append(rows, row{r, true})
		}
	}
	return document.Tabulate(s, rows, columns...)
}
