package report

import (
	"fmt"
	"slices"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
)

// pilots says how many comparisons there are, and whose.
func pilots(g *outcome.Group) string {
	switch {
	case g.Pilot == 0:
		return "none"
	case g.Conditional():
		return fmt.Sprintf("%d, one draw for all runs", g.Pilot)
	}
	return fmt.Sprintf("%d, a draw for each repetition", g.Pilot)
}

// fits is the sheet of the lengthscales that were fitted to pilot comparisons, a row
// for each group and coordinate. It has no rows if nothing was fitted.
func (l *layout) fits() document.Sheet {
	s := document.Sheet{ID: "fits", Title: "Lengthscales fitted to pilot comparisons",
		Caption: fmt.Sprintf("How the fitted lengthscale varies over the pilots, in units of x. At an end: within %g\u00a0%% of an end of the range in which it was sought; such a pilot does not say how long the lengthscale is.", 100*outcome.AtEnd),
		Columns: []document.Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}[:l.heads()]}
	each := slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return len(row.Prior.Fits) > 1 })
	if each {
		s.Columns = append(s.Columns, document.Column{Title: "Coordinate"})
	}
	for _, title := range []string{"Pilots", "Median", "Quartiles", "Smallest to largest", "Sought in", "At the lower end", "At the upper end"} {
		s.Columns = append(s.Columns, document.Column{Title: title})
	}
	for i := range l.Rows {
		row := &l.Rows[i]
		for j := range row.Prior.Fits {
			f := row.Prior.Fits[j]
			if row.Conditional() { // the runs have the same value
				f.Values = slices.Compact(slices.Clone(f.Values))
			}
			cells := []document.Cell{{Text: row.Name()}, {Text: row.Algorithm.Label}}[:l.heads()]
			cells[l.heads()-1].Notes = l.Ref(row.Group.Notes...)
			switch {
			case each && len(row.Prior.Fits) > 1:
				cells = append(cells, document.Cell{Text: fmt.Sprintf("x%d", j+1)})
			case each:
				cells = append(cells, document.Cell{Text: "all"})
			}
			n := len(f.Values)
			share := func(count int) string { return fmt.Sprintf("%d (%.0f\u00a0%%)", count, 100*float64(count)/float64(n)) }
			between := func(lo, hi float64) string { return fmt.Sprintf("%.4g to %.4g", lo, hi) }
			q := func(p float64) float64 { return stats.Quantile(f.Values, p) }
			lower, upper := f.Ends()
			for _, text := range []string{
				fmt.Sprint(n), fmt.Sprintf("%.4g", q(0.5)), between(q(0.25), q(0.75)), between(q(0), q(1)),
				between(f.Lo, f.Hi), share(lower), share(upper),
			} {
				cells = append(cells, document.Cell{Text: text})
			}
			s.Rows = append(s.Rows, cells)
		}
	}
	return s
}
