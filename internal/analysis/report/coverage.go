package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
	"popbench/internal/analysis/words"
)

// coverage is the sheet of the coverage.
func (l *layout) coverage() document.Sheet {
	s := l.start("coverage", "Truth inside the confidence set",
		"The confidence set after step t is "+document.ConfidenceSet+". Likely: the truth meets the second condition; the share of steps after which it does, and that of runs in which it does after every step, with the 95\u00a0% Wilson interval.")
	const unknown = "The RKHS norm of the objective is not known, so only the likelihood part of the confidence set can be checked."
	some := slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return row.Coverage.NormKnown })
	likely := func(row *outcome.Row) []int {
		if row.Coverage.NormKnown || !some {
			return nil
		}
		return l.Ref(unknown)
	}
	part := func(title string, of func(*outcome.Row) *outcome.Containment, notes func(*outcome.Row) []int) {
		l.column(&s, title+": steps", func(row *outcome.Row) (c document.Cell) {
			if p := of(row); p != nil {
				c = document.Cell{Text: document.Percent(p.Steps), Notes: notes(row)}
			}
			return c
		})
		l.column(&s, title+": runs", func(row *outcome.Row) (c document.Cell) {
			if p := of(row); p != nil {
				c.Text = document.PercentInterval(p.Runs)
			}
			return c
		})
	}
	part("Likely", func(row *outcome.Row) *outcome.Containment {
		if !row.Coverage.Known {
			return nil
		}
		return &row.Coverage.Likely
	}, likely)
	n := len(s.Columns)
	l.column(&s, "‖f‖ ≤ B: runs", func(row *outcome.Row) (c document.Cell) {
		if row.Coverage.NormKnown {
			c.Text = document.Percent(row.Coverage.Ball)
		}
		return c
	})
	part("Inside", func(row *outcome.Row) *outcome.Containment {
		if !row.Coverage.NormKnown {
			return nil
		}
		return &row.Coverage.Inside
	}, func(*outcome.Row) []int { return nil })
	if len(s.Columns) > n {
		s.Caption += " Inside: it meets both."
	}
	if len(s.Columns) == l.heads() {
		return s
	}
	if !some {
		s.Notes = l.Ref(unknown)
	}
	s.Notes = append(s.Notes, l.Ref(l.authorsNorms()...)...)
	return s
}

// authorsNorms is what is known of the norms of the test functions in the set-up
// of the authors' program, in one sentence.
func (l *layout) authorsNorms() []string {
	var list []string
	for i := range l.Rows {
		row := &l.Rows[i]
		if n, ok := paper.NormOf(row.Problem.Name); ok && row.Coverage.Known {
			list = words.Include(list, fmt.Sprintf("%g (%s, B\u00a0=\u00a0%g)", n.AtLeast, row.Name(), n.Bound))
		}
	}
	if list == nil {
		return nil
	}
	return []string{"In the set-up of the authors' program (its kernel, its lengthscales, its B) these functions have an RKHS norm of at least " +
		strings.Join(list, ", ") + ", whatever constant is added to them: there the truth is outside the confidence set for every β."}
}
