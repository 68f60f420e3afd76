package challenger

import (
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
)

// method is a champion-challenger rule as an algorithms.Method.
type method struct {
	*utility.Base
	cfg     Config
	streams algorithms.Streams
	rule    rule // nil if the rule draws from the posterior
}

// exclude sets the value of x to -Inf.
func exclude(values []float64, c search.Candidates, x []float64) {
	for i := range values {
		if slices.Equal(c.At(i), x) {
			values[i] = math.Inf(-1)
		}
	}
}

// otherThan returns r, or the best of the other candidates if r is the point x, such as the same corner of the box.
// A single arm can only meet itself. values belong to the candidates; at x the value must be -Inf.
func (m *method) otherThan(x []float64, r search.Result, values []float64) search.Result {
	if slices.Equal(r.X, x) {
		i := linalg.ArgMax(values)
		r.X, r.Value = slices.Clone(m.Searcher.Candidates().At(i)), values[i]
		if math.IsInf(r.Value, -1) {
			r.Value = 0
		}
	}
	return r
}
