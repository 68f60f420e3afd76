package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
)

// Rules that choose the recommendation. RuleMaxMLE is that of App. "Empirical Method for Reporting a
// Solution".
const (
	RuleMaxMLE         = "max-mle"         // argmax of the minimum-norm MLE over the domain
	RuleMaxMLEVisited  = "max-mle-visited" // argmax of the MLE over the visited points, as in the authors' program
	RuleMinUncertainty = "min-uncertainty" // x_{t*} of Eq. best_sample_report
)

// duelUncertainties has the duel-wise uncertainties σ_τ^{ff'} (Eq. ff_sigma_def) for Eq.
// best_sample_report: that of every duel ω_τ = (x_τ, x'_τ) at the time of its query, in the
// augmented kernel k^{ff'}(ω, ω̄) = k(x, x̄) + k(x', x̄').
//
// The matrix K^{ff'}_τ + λI gains a row per duel. The new pivot of its Cholesky factor is
// sqrt(σ_τ² + λ).
type duelUncertainties struct {
	m      inference
	lambda float64
	omega  [][2]int
	step   []int          // τ; a batch has several duels in one step
	factor linalg.Growing // of K^{ff'}_τ + λI
	row    []float64      // workspace: the next row of the factor
	sigma  []float64      // σ_τ
}

func newDuelUncertainties(m inference, lambda float64) duelUncertainties {
	return duelUncertainties{m: m, lambda: lambda}
}

// add adds the duels of the query of step t. Each of the last batch points of the query is paired
// with the point that lies batch positions before it.
func (w *duelUncertainties) add(t int, index []int, batch int) {
	for i := max(len(index)-batch, 1); i < len(index); i++ {
		w.addDuel(t, [2]int{index[i], index[max(0, i-batch)]})
	}
}

func (w *duelUncertainties) addDuel(t int, omega [2]int) {
	w.row = w.row[:0]
	for _, earlier := range w.omega {
		w.row = append(w.row, w.k(omega, earlier))
	}
	prior := w.k(omega, omega)
	w.factor.Append(w.row, prior+w.lambda, w.lambda)
	w.omega = append(w.omega, omega)
	w.step = append(w.step, t)
	w.sigma = append(w.sigma, math.Sqrt(max(prior-wide.Dot(w.row, w.row), 0)))
}

// k is k^{ff'}. Where points coincide it includes ε_K, which is negligible beside λ.
func (w *duelUncertainties) k(a, b [2]int) float64 {
	return w.m.kernelAt(a[0], b[0]) + w.m.kernelAt(a[1], b[1])
}

// best returns the point x_{t*}, that of the first duel with the least radius(t) σ_t, or -1 without
// duels. If the radius overflows (the theoretical β grows like e^{6B}), σ_t alone decides.
func (w *duelUncertainties) best(radius func(t int) float64) int {
	at, least := -1, 0.0
	for i, s := range w.sigma {
		score := radius(w.step[i]) * s
		if s == 0 { // not ∞·0
			score = 0
		}
		if at < 0 || score < least || score == least && s < w.sigma[at] {
			at, least = i, score
		}
	}
	if at < 0 {
		return -1
	}
	return w.omega[at][0]
}

// Recommend returns the points of all three rules, that of the settings first. Before the first
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

// bestVisited returns the point with the greatest MLE value, the newest of equals.
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
	starts := [][]float64{m.model.Point(visited)}
	for _, i := range cand.best(value, mleStarts) {
		starts = append(starts, cand.At(i))
	}
	best := m.opt.local.MultiStart(objective, starts)
	if best.Status == search.Undefined {
		panic(fmt.Sprintf("popbo: the MLE of %d comparisons is NaN at every start", m.t))
	}
	return best.X
}

const mleStarts = 4
