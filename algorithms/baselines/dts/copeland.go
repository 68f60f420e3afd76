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
			a.landmarks, a.exact = a.candidates, true // the first are no sample of a grid
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
// latent is f([x_i; x'_j]), row-major with a row for each landmark.
func softCopeland(dst, latent []float64, l link) {
	n := len(dst)
	landmarks := float64(len(latent) / n)
	clear(dst)
	for row := range slices.Chunk(latent, n) {
		l.add(dst, row)
	}
	for i, sum := range dst {
		if l.ofLosses() {
			sum = landmarks - sum
		}
		dst[i] = sum / landmarks
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
		scores := make([]float64, rows)
		s.latent(phi, stride, rows, a.at, cols, func(from int, values []float64) {
			softCopeland(scores[from:from+len(values)/cols], values, l)
		})
		return scores
	}
	if a.exact || n <= drawBest || cols <= drawFew {
		scores := score(f.phi, f.n, n, cols)
		i := linalg.ArgMax(scores)
		return i, scores[i]
	}
	scores := score(f.phi, f.n, n, drawFew)
	best := atLeast(scores, largest(scores, drawBest))
	s.memory.best = f.of(s.memory.best, best)
	scores = score(s.memory.best, len(best), len(best), cols)
	i := linalg.ArgMax(scores)
	return best[i], scores[i]
}

// opponent returns the candidate x' other than x for which the probability that x beats x' has the largest variance, and the
// variance. It is computed exactly only where its error could decide.
func (m *model) opponent(a choices, x int) (int, float64) {
	n := len(a.candidates) / a.d
	mean, variance, rough := make([]float64, n), make([]float64, n), make([]float64, n)
	m.Moments(mean, variance, a.candidate(x), a.candidates)
	for i, v := range variance {
		rough[i] = m.link.variance(mean[i], v)
	}
	rough[x] = -1 // not against itself
	left := atLeast(rough, largest(rough, 1)-2*varianceError)
	exact := make([]float64, len(left))
	for j, i := range left {
		_, exact[j] = m.link.moments(mean[i], variance[i])
	}
	best := linalg.ArgMax(exact)
	return left[best], exact[best]
}

// ExpectedCopeland sets dst[i] to the posterior mean of the soft-Copeland score of the point x_i of points,
// over the given landmarks (both row-major).
func (m *model) ExpectedCopeland(dst, points, landmarks []float64) {
	clear(dst)
	m.addMeans(dst, points, landmarks, link.means)
	wide.Scale(dst, float64(m.duels.d)/float64(len(landmarks)))
}

// addRough adds to sums[i] the posterior mean of the probability that the point x_i of points beats x'_j, for each
// of the landmarks x'_j, with an error of at most link.roughError each.
func (m *model) addRough(sums, points, landmarks []float64) {
	if len(points) < len(landmarks) {
		m.addMeans(sums, points, landmarks, link.rough)
		return
	}
	// With more points than landmarks, the inner loop is over points.
	d := m.duels.d
	m.mean, m.variance = linalg.Resize(m.mean, together), linalg.Resize(m.variance, together)
	m.inParts(points, func(from, to int, part []float64) {
		p, v := m.mean[:to-from], m.variance[:to-from]
		for j := 0; j < len(landmarks); j += d {
			m.moments(p, v, landmarks[j:j+d], part, true)
			m.link.rough(p, v)
			wide.AddScaled(sums[from:to], 1, p)
		}
	})
}

// addMeans is addRough with the given function for the means.
func (m *model) addMeans(sums, points, landmarks []float64, means func(l link, p, variance []float64)) {
	d := m.duels.d
	m.mean, m.variance = linalg.Resize(m.mean, together), linalg.Resize(m.variance, together)
	m.inParts(landmarks, func(from, to int, part []float64) {
		p, v := m.mean[:to-from], m.variance[:to-from]
		for i := range sums {
			m.moments(p, v, points[i*d:(i+1)*d], part, false)
			means(m.link, p, v)
			for _, v := range p {
				sums[i] += v
			}
		}
	})
}

// The recommendation among many points of a box is found in rounds: each scores the candidates that are left over the
// first landmarks, and keeps the best. In 3,267 states of runs in one to six dimensions the best over all landmarks was
// never behind the first 238, 191, 100, 27 and 21 of all candidates.
var rounds = []struct{ landmarks, best int }{{8, 384}, {16, 256}, {32, 128}, {64, 48}, {128, 32}}

// condorcet returns the candidate with the largest expected score, the first of them if there are several. The link's
// rough mean excludes candidates, unless its error alone could exclude them, and the exact mean compares the rest.
func (m *model) condorcet(a choices) int {
	d := a.d
	left, sums := make([]int, len(a.candidates)/d), make([]float64, len(a.candidates)/d)
	for i := range left {
		left[i] = i
	}
	cols, seen := len(a.landmarks)/d, 0
	keep := func(landmarks, count int) {
		m.addRough(sums, a.gather(left), a.landmarks[seen*d:landmarks*d])
		seen = landmarks
		// Both of two compared means have this error; the quadrature adds 1e-9.
		margin := float64(2*m.link.roughError()) + 1e-8
		best := atLeast(sums, largest(sums, count)-float64(margin*float64(landmarks)))
		for i, at := range best {
			left[i], sums[i] = left[at], sums[at]
		}
		left, sums = left[:len(best)], sums[:len(best)]
	}
	for _, r := range rounds {
		if !a.exact && len(left) > r.best && cols > r.landmarks {
			keep(r.landmarks, r.best)
		}
	}
	keep(cols, 1)
	if len(left) == 1 {
		return left[0]
	}
	scores := make([]float64, len(left))
	m.ExpectedCopeland(scores, a.gather(left), a.landmarks)
	return left[linalg.ArgMax(scores)]
}

// largest returns the k-th largest of the values, or the smallest if there are fewer than k, by Hoare's selection.
func largest(values []float64, k int) float64 {
	v := slices.Clone(values)
	k = min(k, len(v)) - 1
	for lo, hi := 0, len(v)-1; lo < hi; {
		pivot, i, j := v[k], lo, hi
		for i <= j {
			for v[i] > pivot {
				i++
			}
			for v[j] < pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		if j < k {
			lo = i
		}
		if i > k {
			hi = j
		}
	}
	return v[k]
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

// gather returns the candidates of increasing indices.
func (a choices) gather(indices []int) []float64 {
	if len(indices)*a.d == len(a.candidates) {
		return a.candidates
	}
	points := make([]float64, 0, len(indices)*a.d)
	for _, i := range indices {
		points = append(points, a.candidate(i)...)
	}
	return points
}
