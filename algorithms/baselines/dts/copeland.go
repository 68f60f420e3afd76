package dts

import (
	"math/rand/v2"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// choices are the points from which duels are chosen, in unit coordinates, where the box is [0,1]^d.
type choices struct {
	d          int
	candidates []float64 // row-major; the choices for duels and the recommendation
	landmarks  []float64 // row-major; the points x' of averages over the box
	both       []float64 // row-major; the candidates, and from index at on the landmarks
	at         int
	exact      bool // the candidates are all arms: every arm is scored over all landmarks
}

// newChoices returns the settings' candidates and landmarks: a grid, or low-discrepancy points shifted by r, whose
// first points alone are well spread too. On a finite set both are all arms.
func newChoices(cfg Config, frame space.Frame, r *rand.Rand) choices {
	d := frame.Dim()
	if arms := frame.Arms(); arms != nil {
		return choices{d: d, candidates: arms, landmarks: arms, both: arms, exact: true}
	}
	box := space.Cube(d, 0, 1)
	a := choices{d: d, candidates: search.NewCandidates(box, cfg.Candidates, r).X}
	a.landmarks = a.candidates[:min(cfg.Candidates, cfg.Landmarks)*d]
	if cfg.Grid > 0 {
		a.candidates = box.Grid(cfg.Grid)
		if len(a.candidates) <= len(a.landmarks) {
			a.landmarks = a.candidates
		}
	}
	a.both = a.candidates // the landmarks are the first of them
	if &a.landmarks[0] != &a.candidates[0] {
		a.at = len(a.candidates) / d // with a grid they come behind it
		a.both = slices.Concat(a.candidates, a.landmarks)
	}
	return a
}

func (a choices) candidate(i int) []float64 { return a.candidates[i*a.d : (i+1)*a.d] }

// softCopeland sets dst[i] to the soft-Copeland score of x_i: the mean over landmarks x'_j of the probability
// that x_i beats x'_j, (1/|X|) ∫ p(f([x_i; x'])) dx' (González et al. 2017, Sec. 2.2), where p is the link.
// latent is f([x_i; x'_j]), row-major with a row for each of the len(dst) points; it is overwritten.
func softCopeland(dst, latent []float64, l link) {
	cols := len(latent) / len(dst)
	for i := range dst {
		dst[i] = l.sum(latent[i*cols:(i+1)*cols]) / float64(cols)
	}
}

// The winner of a draw over many points of a box is found in two rounds: all candidates are scored over the first
// drawFew landmarks, and the drawBest best over all landmarks.
const (
	drawFew  = 32
	drawBest = 128
)

// winner returns the candidate of the largest soft-Copeland score of a draw, and the score.
func (a choices) winner(s *sample, l link) (int, float64) {
	n, cols := len(a.candidates)/a.d, len(a.landmarks)/a.d
	f := s.features
	score := func(phi []float64, stride, rows, cols int) []float64 {
		scores, latent := make([]float64, rows), make([]float64, rows*cols)
		s.latent(latent, phi, stride, rows, a.at, cols)
		softCopeland(scores, latent, l)
		return scores
	}
	if a.exact || n <= drawBest || cols <= drawFew {
		scores := score(f.phi, f.n, n, cols)
		i := linalg.ArgMax(scores)
		return i, scores[i]
	}
	scores := score(f.phi, f.n, n, drawFew)
	best := atLeast(scores, largest(scores, drawBest))
	scores = score(f.of(nil, best), len(best), len(best), cols)
	i := linalg.ArgMax(scores)
	return best[i], scores[i]
}

// ExpectedCopeland sets dst[i] to the posterior mean of the soft-Copeland score of the point x_i of points,
// over the given landmarks (both row-major).
func (m *model) ExpectedCopeland(dst, points, landmarks []float64) {
	m.averages(dst, points, landmarks, link.means)
}

// roughCopeland is ExpectedCopeland with an error of at most link.roughError.
func (m *model) roughCopeland(dst, points, landmarks []float64) {
	if len(points) < len(landmarks) {
		m.averages(dst, points, landmarks, link.rough)
		return
	}
	// With more points than landmarks, the inner loop is over points.
	d := m.duels.d
	m.mean, m.variance = linalg.Resize(m.mean, together), linalg.Resize(m.variance, together)
	clear(dst)
	m.inParts(points, func(from, to int, part []float64) {
		p, v := m.mean[:to-from], m.variance[:to-from]
		for j := 0; j < len(landmarks); j += d {
			m.moments(p, v, landmarks[j:j+d], part, true)
			m.link.rough(p, v)
			wide.AddScaled(dst[from:to], 1, p)
		}
	})
	wide.Scale(dst, float64(d)/float64(len(landmarks)))
}

// averages is ExpectedCopeland with the given function for the means.
func (m *model) averages(dst, points, landmarks []float64, means func(l link, p, variance []float64)) {
	d := m.duels.d
	m.mean, m.variance = linalg.Resize(m.mean, together), linalg.Resize(m.variance, together)
	clear(dst)
	m.inParts(landmarks, func(from, to int, part []float64) {
		p, v := m.mean[:to-from], m.variance[:to-from]
		for i := range dst {
			m.moments(p, v, points[i*d:(i+1)*d], part, false)
			means(m.link, p, v)
			for _, v := range p {
				dst[i] += v
			}
		}
	})
	wide.Scale(dst, float64(d)/float64(len(landmarks)))
}

// The recommendation among many points of a box is found in two rounds: all candidates are scored over the first
// recommendFew landmarks, and the recommendBest best over all landmarks.
const (
	recommendFew  = 32
	recommendBest = 64
)

// condorcet returns the candidate with the largest expected score. It keeps the candidates that are best over the
// first few landmarks, and takes the first of the largest score over all landmarks. The link's rough mean excludes
// candidates, unless its error alone could exclude them, and the exact mean compares the rest.
func (m *model) condorcet(a choices) int {
	d := a.d
	n, cols := len(a.candidates)/d, len(a.landmarks)/d
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	if !a.exact && n > recommendBest && cols > recommendFew {
		left = m.best(a, left, a.landmarks[:recommendFew*d], recommendBest)
	}
	left = m.best(a, left, a.landmarks, 1)
	if len(left) == 1 {
		return left[0]
	}
	points, scores := a.gather(left), make([]float64, len(left))
	m.ExpectedCopeland(scores, points, a.landmarks)
	return left[linalg.ArgMax(scores)]
}

// best returns, in their order, the candidates that can be among the count best in the score over the
// landmarks.
func (m *model) best(a choices, of []int, landmarks []float64, count int) []int {
	scores := make([]float64, len(of))
	m.roughCopeland(scores, a.gather(of), landmarks)
	// Both of two compared scores have this error; the quadrature adds 1e-9.
	best := atLeast(scores, largest(scores, count)-float64(2*m.link.roughError())-1e-8)
	for i, at := range best {
		best[i] = of[at]
	}
	return best
}

// largest returns the k-th largest of the values, or the smallest if there are fewer than k.
func largest(values []float64, k int) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[max(len(sorted)-k, 0)]
}

// atLeast returns the indices of the values that are not less than least. NaN is not less, so some index is
// left even if the model has no scores.
func atLeast(values []float64, least float64) []int {
	var indices []int
	for i, v := range values {
		if !(v < least) {
			indices = append(indices, i)
		}
	}
	return indices
}

func (a choices) gather(indices []int) []float64 {
	points := make([]float64, 0, len(indices)*a.d)
	for _, i := range indices {
		points = append(points, a.candidate(i)...)
	}
	return points
}
