package outcome

import (
	"fmt"

	"popbench/internal/runlog"
)

// Conditional reports whether the runs share one draw of pilot comparisons on one
// function. What is fitted to it is then the same in all of them, and how much
// another draw would change is not in their intervals.
func (g *Group) Conditional() bool {
	return g.Pilot > 0 && g.PilotPer == runlog.PerProblem && !g.Random()
}

// ConditionalNote says so of a number of comparisons.
func ConditionalNote(comparisons int) string {
	return fmt.Sprintf("All runs share one draw of %d pilot comparisons. Numbers and intervals are conditional on it: they do not include how much another draw would change.", comparisons)
}

// fitted is what the runs of a group fitted to their pilot comparisons: the
// lengthscale of a coordinate, or the one of all.
type fitted struct {
	Lo, Hi float64   // ends of the range in which it was sought
	Values []float64 // one a run
}

// AtEnd is how close to an end of its range, relative to it, a lengthscale counts as
// being there.
const AtEnd = 0.01

// Ends counts the values at the lower and at the upper end.
func (f *fitted) Ends() (lower, upper int) {
	for _, v := range f.Values {
		if v <= f.Lo*(1+AtEnd) {
			lower++
		} else if v >= f.Hi*(1-AtEnd) {
			upper++
		}
	}
	return lower, upper
}
