package report

import (
	"fmt"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Conditional reports whether the runs share one draw of pilot comparisons on one
// function. What is fitted to it is then the same in all of them, and how much
// another draw would change is not in their intervals.
func (g *Group) Conditional() bool {
	return g.Pilot > 0 && g.PilotPer == runlog.PerProblem && !g.random()
}

// ConditionalNote says so of a number of comparisons.
func ConditionalNote(comparisons int) string {
	return fmt.Sprintf("All runs share one draw of %d pilot comparisons. Numbers and intervals are conditional on it: they do not include how much another draw would change.", comparisons)
}

// pilots says how many comparisons there are, and whose.
func (g *Group) pilots() string {
	switch {
	case g.Pilot == 0:
		return "none"
	case g.Conditional():
		return fmt.Sprintf("%d, one draw for all runs", g.Pilot)
	}
	return fmt.Sprintf("%d, a draw for each repetition", g.Pilot)
}

// fitted is what the runs of a group fitted to their pilot comparisons: the
// lengthscale of a coordinate, or the one of all.
type fitted struct {
	lo, hi float64   // ends of the range in which it was sought
	values []float64 // one a run
}

// atEnd is how close to an end of its range, relative to it, a lengthscale counts as
// being there.
const atEnd = 0.01

// ends counts the values at the lower and at the upper end.
func (f *fitted) ends() (lower, upper int) {
	for _, v := range f.values {
		if v <= f.lo*(1+atEnd) {
			lower++
		} else if v >= f.hi*(1-atEnd) {
			upper++
		}
	}
	return lower, upper
}

// fits is the sheet of the lengthscales that were fitted to pilot comparisons, a row
// for each group and coordinate. It has no rows if nothing was fitted.
func (l *layout) fits() Sheet {
	s := Sheet{ID: "fits", Title: "Lengthscales fitted to pilot comparisons",
		Caption: fmt.Sprintf("How the fitted lengthscale varies over the pilots, in units of x. At an end: within %g\u00a0%% of an end of the range in which it was sought; such a pilot does not say how long the lengthscale is.", 100*atEnd),
		Columns: []Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}[:l.heads()]}
	each := slices.ContainsFunc(l.Rows, func(row Row) bool { return len(row.prior.fits) > 1 })
	if each {
		s.Columns = append(s.Columns, Column{Title: "Coordinate"})
	}
	for _, title := range []string{"Pilots", "Median", "Quartiles", "Smallest to largest", "Sought in", "At the lower end", "At the upper end"} {
		s.Columns = append(s.Columns, Column{Title: title})
	}
	for i := range l.Rows {
		row := &l.Rows[i]
		for j := range row.prior.fits {
			f := row.prior.fits[j]
			if row.Conditional() { // the runs have the same value
				f.values = slices.Compact(slices.Clone(f.values))
			}
			cells := []Cell{{Text: row.Name()}, {Text: row.Algorithm.Label}}[:l.heads()]
			cells[l.heads()-1].Notes = l.ref(row.Group.Notes...)
			switch {
			case each && len(row.prior.fits) > 1:
				cells = append(cells, Cell{Text: fmt.Sprintf("x%d", j+1)})
			case each:
				cells = append(cells, Cell{Text: "all"})
			}
			n := len(f.values)
			share := func(count int) string { return fmt.Sprintf("%d (%.0f\u00a0%%)", count, 100*float64(count)/float64(n)) }
			between := func(lo, hi float64) string { return fmt.Sprintf("%.4g to %.4g", lo, hi) }
			q := func(p float64) float64 { return stats.Quantile(f.values, p) }
			lower, upper := f.ends()
			for _, text := range []string{
				fmt.Sprint(n), fmt.Sprintf("%.4g", q(0.5)), between(q(0.25), q(0.75)), between(q(0), q(1)),
				between(f.lo, f.hi), share(lower), share(upper),
			} {
				cells = append(cells, Cell{Text: text})
			}
			s.Rows = append(s.Rows, cells)
		}
	}
	return s
}
