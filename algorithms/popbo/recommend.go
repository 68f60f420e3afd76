package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/search"
)

// Rules that choose the recommendation. RuleMaxMLE is the rule of App. "Empirical Method for
// Reporting a Solution".
const (
	RuleMaxMLE         = "max-mle"         // argmax of the minimum-norm MLE over the domain
	RuleMaxMLEVisited  = "max-mle-visited" // argmax of the MLE over the visited points, as in the authors' program
	RuleMinUncertainty = "min-uncertainty" // x_{t*} of Eq. best_sample_report
)

// Recommend returns the points of all three rules, first the selected rule's. Before the first
// comparison all are the start.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	if err := m.checkMLE(); err != nil {
		return nil, err
	}
	start := m.first[0]
	list := []algorithms.Recommendation{{Rule: RuleMaxMLE, X: start}, {Rule: RuleMaxMLEVisited, X: start}, {Rule: RuleMinUncertainty, X: start}}
	if m.t > 0 {
		if m.finite != nil {
			r := m.streams.Rand("recommend", m.t)
			list[0].X, list[1].X = m.finite.maxMLE(r), m.finite.maxMLEVisited()
		} else {
			visited := m.bestVisited()
			list[0].X = m.maxMLE(visited)
			list[1].X = m.model.Point(visited)
		}
		list[2].X = m.Point(m.uncertainty.best(m.radius))
	}
	selected := slices.IndexFunc(list, func(r algorithms.Recommendation) bool { return r.Rule == m.cfg.Recommendation })
	list[0], list[selected] = list[selected], list[0]
	return list, nil
}

// bestVisited returns the index of the point with the greatest MLE value, the newest of equals.
func (m *method) bestVisited() int {
	best, at := math.Inf(-1), 0
	for i, z := range m.model.PointValues() {
		if z >= best {
			best, at = z, i
		}
	}
	return at
}

// maxMLE maximises the MLE over the box, starting from its best candidates and its best visited
// point.
func (m *method) maxMLE(visited int) []float64 {
	f, cand := m.model.MLE(), m.opt.cand
	objective := func(x, grad []float64) float64 {
		if grad == nil {
			return f.Value(x)
		}
		return f.ValueGradient(grad, x)
	}
	value := make([]float64, cand.Len())
	cand.values(value, f.w)
	starts := append([][]float64{m.model.Point(visited)}, cand.best(value, mleStarts)...)
	best := m.opt.local.MultiStart(objective, starts)
	if best.Status == search.Undefined {
		panic(fmt.Sprintf("popbo: the MLE of %d comparisons is NaN at every start", m.t))
	}
	return best.X
}

const mleStarts = 4
