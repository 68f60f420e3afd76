package dts

import (
	"math/rand/v2"

	"popbench/internal/linalg"
	"popbench/internal/search"
	"popbench/space"
)

// choices is where duels are chosen, in coordinates in which the box is [0,1]^d.
type choices struct {
	d          int
	candidates []float64 // row-major; duels and the recommendation are chosen among them
	landmarks  []float64 // row-major; they stand for x' in averages over the box
}

// newChoices returns the settings' candidates and landmarks: low-discrepancy points,
// shifted by r, of which any first part is well spread as well; or a grid.
func newChoices(cfg Config, d int, r *rand.Rand) choices {
	box := space.Cube(d, 0, 1)
	a := choices{d: d, candidates: search.NewCandidates(box, cfg.Candidates, r).X}
	a.landmarks = a.candidates[:min(cfg.Candidates, cfg.Landmarks)*d]
	if cfg.Grid > 0 {
		a.candidates = box.Grid(cfg.Grid)
		if len(a.candidates) <= len(a.landmarks) {
			a.landmarks = a.candidates
		}
	}
	return a
}

func (a choices) candidate(i int) []float64 { return a.candidates[i*a.d : (i+1)*a.d] }

// softCopeland sets dst[i] to the soft-Copeland score of x_i, the mean over
// landmarks x'_j of the probability that x_i beats x'_j: (1/|X|) ∫ p(f([x_i; x'])) dx'
// (González et al. 2017, Sec. 2.2), p the link. latent is f([x_i; x'_j]),
// row-major with a row for each of the len(dst) points.
func softCopeland(dst, latent []float64, l link) {
	cols := len(latent) / len(dst)
	for i := range dst {
		var sum float64
		for _, f := range latent[i*cols : (i+1)*cols] {
			sum += l.prob(f)
		}
		dst[i] = sum / float64(cols)
	}
}

// ExpectedCopeland sets dst[i] to the posterior mean of the soft-Copeland score of
// the point x_i of points, over the given landmarks (both row-major).
func (m *model) ExpectedCopeland(dst, points, landmarks []float64) {
	d := m.duels.d
	cols := len(landmarks) / d
	mean, variance := make([]float64, cols), make([]float64, cols)
	m.ko = m.kernelColumns(m.ko, landmarks)
	for i := range dst {
		m.moments(mean, variance, points[i*d:(i+1)*d], landmarks, m.ko)
		var sum float64
		for j := range mean {
			p, _ := m.link.moments(mean[j], variance[j])
			sum += p
		}
		dst[i] = sum / float64(cols)
	}
}

// Candidates are many and the mean over all landmarks is costly: screening takes as
// many of the landmarks, and the best as many candidates go on to the mean proper.
const screening = 32

// condorcet returns the candidate that is expected to win most often.
func (m *model) condorcet(a choices) int {
	d := a.d
	n, cols := len(a.candidates)/d, len(a.landmarks)/d
	scores := make([]float64, n)
	few := min(cols, screening)
	if n <= 2*screening {
		few = cols
	}
	m.ExpectedCopeland(scores, a.candidates, a.landmarks[:few*d])
	if few == cols {
		return linalg.ArgMax(scores)
	}
	order := search.Descending(scores)[:min(n, screening)]
	points := make([]float64, 0, len(order)*d)
	for _, i := range order {
		points = append(points, a.candidate(i)...)
	}
	m.ExpectedCopeland(scores[:len(order)], points, a.landmarks)
	return order[linalg.ArgMax(scores[:len(order)])]
}
