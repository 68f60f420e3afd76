package popbo

import (
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// duelUncertainties has the duel-wise uncertainties σ_τ^{ff'} (Eq. ff_sigma_def) for Eq.
// best_sample_report: the uncertainty of every duel ω_τ = (x_τ, x'_τ) at the time of its query, in
// the augmented kernel k^{ff'}(ω, ω̄) = k(x, x̄) + k(x', x̄').
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

// best returns the index of x_{t*}, the new point of the first duel with the least radius(t) σ_t, of one
// duel or more. If the radius overflows (the theoretical β grows like e^{6B}), σ_t alone decides.
func (w *duelUncertainties) best(radius func(t int) float64) int {
	at, least := 0, math.Inf(1)
	for i, s := range w.sigma {
		score := radius(w.step[i]) * s
		if s == 0 { // not ∞·0
			score = 0
		}
		if score < least || score == least && s < w.sigma[at] {
			at, least = i, score
		}
	}
	return w.omega[at][0]
}
