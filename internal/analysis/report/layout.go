package report

import (
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/words"
)

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
		if len(v.Runs) > 0 {
			l.lines = append(l.lines, v)
		}
	}
	for i := range t.Rows {
		row := &t.Rows[i]
		l.algorithms = words.Include(l.algorithms, row.Algorithm.Label)
		if len(row.Rules) > 0 {
			l.selected = words.Include(l.selected, row.Rules[0].Rule)
		}
	}
	return l
}

// heads are the columns that name a row of a group; the group's notes are at the last.
func heads[R any](l *layout, of func(R) *outcome.Row) []document.Column[R] {
	heads := []document.Column[R]{
		{Title: "Problem", Head: true, Of: func(r R) document.Cell { return document.Words(of(r).Name()) }},
		{Title: "Algorithm", Head: true, Of: func(r R) document.Cell { return document.Words(of(r).Algorithm.Label) }},
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
func (l *layout) aboutBestFound() document.Text {
	if text := outcome.AboutBestFound(l.Problems()); text != "" {
		return " " + document.Plain(text)
	}
	return ""
}

// sheet is a table with a row for each group that has runs.
func (l *layout) sheet(s document.Sheet, columns ...column) document.Sheet {
	return l.sheetOf(s, l.lines, columns...)
}

func (l *layout) sheetOf(s document.Sheet, lines []line, columns ...column) document.Sheet {
	return document.Tabulate(s, lines, append(heads(l, func(v line) *outcome.Row { return v.Row }), columns...)...)
}

// row is that of an algorithm on a problem; nil if there is none.
func (l *layout) row(problem, label string) *outcome.Row {
	for i := range l.Rows {
		if row := &l.Rows[i]; row.Problem.Name == problem && row.Algorithm.Label == label {
			return row
		}
	}
	return nil
}
