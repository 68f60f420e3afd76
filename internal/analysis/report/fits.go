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

// fits is the sheet of the lengthscales that were fitted to pilot comparisons, a row for each group and coordinate. It has
// no rows if nothing was fitted.
func (l *layout) fits() document.Sheet {
	type fit struct {
		*outcome.Row
		coordinate string
		lo, hi     float64   // of the range
		values     []float64 // one a pilot
		ends       [2]int    // pilots at the lower and at the upper end
	}
	var rows []fit
	each := slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return len(row.Prior.Fits) > 1 })
	for i := range l.Rows {
		row := &l.Rows[i]
		for j := range row.Prior.Fits {
			f := row.Prior.Fits[j]
			if row.Conditional() { // the runs have the same value
				f.Values = slices.Compact(slices.Clone(f.Values))
			}
			lower, upper := f.Ends()
			r := fit{row, "", f.Lo, f.Hi, f.Values, [2]int{lower, upper}}
			switch {
			case each && len(row.Prior.Fits) > 1:
				r.coordinate = fmt.Sprintf("x%d", j+1)
			case each:
				r.coordinate = "all"
			}
			rows = append(rows, r)
		}
	}
	words := func(title document.Text, of func(fit) string) document.Column[fit] {
		return document.Column[fit]{Title: title, Of: func(f fit) document.Cell { return document.Words(of(f)) }}
	}
	between := func(lo, hi float64) string {
		return document.Significant(lo, 4).String() + " to " + document.Significant(hi, 4).String()
	}
	q := func(f fit, p float64) float64 { return stats.Quantile(f.values, p) }
	end := func(title document.Text, k int) document.Column[fit] {
		return document.Column[fit]{Title: title, Of: func(f fit) document.Cell {
			return document.Prose(document.Textf("%d (%s)", f.ends[k], document.Percent(float64(f.ends[k])/float64(len(f.values)))))
		}, About: document.Textf("At an end: within %g\u00a0%% of an end of the range in which it was sought; such a pilot does not say how long the lengthscale is.", 100*outcome.AtEnd)}
	}
	return document.Tabulate(document.Sheet{ID: "fits", Title: "Lengthscales fitted to pilot comparisons",
		Caption: "How the fitted lengthscale varies over the pilots, in units of $x$."}, rows,
		append(heads(l, func(f fit) *outcome.Row { return f.Row }),
			words("Coordinate", func(f fit) string { return f.coordinate }),
			words("Pilots", func(f fit) string { return fmt.Sprint(len(f.values)) }),
			words("Median", func(f fit) string { return document.Significant(q(f, 0.5), 4).String() }),
			words("Quartiles", func(f fit) string { return between(q(f, 0.25), q(f, 0.75)) }),
			words("Smallest to largest", func(f fit) string { return between(q(f, 0), q(f, 1)) }),
			words("Sought in", func(f fit) string { return between(f.lo, f.hi) }),
			end("At the lower end", 0), end("At the upper end", 1))...)
}
