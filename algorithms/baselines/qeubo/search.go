package qeubo

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// searcher maximises the acquisition function and the posterior mean of a model over [0,1]^d. Its candidates
// are quasi-random points, corners and the points of the duels; for the acquisition function all pairs of them.
// It starts local searches from the best distinct ones. The acquisition function is also searched from as many
// pairs of the point of largest mean with a point that differs from it in one coordinate.
type searcher struct {
	m        *model
	unit     space.Box // [0,1]^d
	restarts int
	spread   []float64 // candidates except the points of the duels, row-major
	pairs    *search.Global
	points   *search.Global

	cand                  search.Candidates
	mean, white, variance []float64      // of the candidates: means, variances, whitened covariances with the duels
	top                   *search.Result // of MaxMean, nil until needed
}

// corners is the largest number of corners of the box among the candidates. In one and two dimensions the
// quasi-random points come close to the corners.
const corners = 128

// newSearcher returns a search of the model with the model's settings. spread has the candidates besides the
// points of the duels, in rows of length d.
func newSearcher(m *model, spread []float64) *searcher {
	d := m.Dim
	if unit := space.Cube(d, 0, 1); d > 2 {
		spread = slices.Concat(spread, search.Corners(unit, corners))
	}
	settings := search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-7, ValueTol: 1e-12, StepTol: 1e-7}
	return &searcher{
		m: m, unit: space.Cube(d, 0, 1), restarts: m.cfg.Restarts, spread: spread,
		pairs:  search.NewGlobal(space.Cube(2*d, 0, 1), settings),
		points: search.NewGlobal(space.Cube(d, 0, 1), settings),
		cand:   search.Candidates{Dim: d},
	}
}

// Update evaluates the candidates. Call it after the model has changed.
func (s *searcher) Update() {
	m, n := s.m, s.m.Len()
	s.top = nil
	s.cand.X = append(s.cand.X[:0], s.spread...)
	for i := range n {
		s.cand.X = append(append(s.cand.X, m.Winner(i)...), m.Loser(i)...)
	}
	count := s.cand.Len()
	s.mean, s.variance, s.white = linalg.Resize(s.mean, count), linalg.Resize(s.variance, count), linalg.Resize(s.white, count*n)
	for i := range count {
		row := s.white[i*n : (i+1)*n]
		m.Duels.Cov(row, m.k, s.cand.At(i))
		s.mean[i] = m.post.Mean(row)
	}
	m.post.WhitenRows(s.white)
	for i := range count {
		row := s.white[i*n : (i+1)*n]
		s.variance[i] = m.kernel.Variance - wide.Dot(row, row)
	}
}

// MaxMean returns the point of largest posterior mean.
func (s *searcher) MaxMean() search.Result {
	if s.top == nil {
		r := s.points.Maximize(s.m.Mean, s.cand.Best(s.mean, s.restarts, s.same))
		s.top = &r
	}
	r := *s.top
	r.X = slices.Clone(r.X)
	return r
}

// MaxEUBO returns the pair with the largest expected utility of the better point, as one vector of length 2d.
func (s *searcher) MaxEUBO() search.Result {
	var starts [][]float64
	for _, p := range s.topPairs() {
		starts = append(starts, slices.Concat(s.cand.At(p.i), s.cand.At(p.j)))
	}
	return s.pairs.Maximize(s.eubo, append(starts, s.besideTop()...))
}

// eubo is the acquisition function as a search.Objective of a pair.
func (s *searcher) eubo(z, grad []float64) float64 {
	d := s.m.Dim
	if grad == nil {
		return s.m.EUBO(z[:d], z[d:], nil, nil)
	}
	return s.m.EUBO(z[:d], z[d:], grad[:d], grad[d:])
}

// besideTop returns starts: pairs of the point of largest mean and points that differ from it in one
// coordinate. Above two dimensions the best pair is often of that kind, and no candidate is close enough to
// show it.
func (s *searcher) besideTop() [][]float64 {
	top := s.MaxMean().X
	beside := search.Candidates{Dim: len(top)}
	for j, u := range top {
		for _, v := range []float64{0, 1. / 3, 2. / 3, 1} {
			if math.Abs(u-v) > sameStart {
				beside.X = append(beside.X, top...)
				beside.X[len(beside.X)-len(top)+j] = v
			}
		}
	}
	values := beside.Values(func(y, _ []float64) float64 { return s.m.EUBO(top, y, nil, nil) })
	var pairs [][]float64
	for _, y := range beside.Best(values, s.restarts, nil) {
		pairs = append(pairs, slices.Concat(top, y))
	}
	return pairs
}

// pair is two candidates and their acquisition value.
type pair struct {
	i, j  int
	value float64
}

// topPairs returns the best distinct pairs of candidates, the best first. Every candidate enters only with its
// best partner. Otherwise a candidate that goes well with many would fill the list with variants of one pair.
func (s *searcher) topPairs() []pair {
	m, n, count := s.m, s.m.Len(), len(s.mean)
	d := m.Dim
	best, sd := make([]pair, count), make([]float64, count)
	for i := range best {
		best[i] = pair{i, i, s.mean[i]}
		sd[i] = math.Sqrt(max(s.variance[i], 0))
	}
	prior := make([]float64, count)
	for i := range count {
		k := prior[:i]
		m.k.Row(k, s.cand.At(i), s.cand.X[:i*d])
		white := s.white[i*n : (i+1)*n]
		for j := range i {
			// A bound with the largest possible deviation of the difference saves the covariance of most pairs.
			hope := min(best[i].value, best[j].value) - max(s.mean[i], s.mean[j])
			delta := s.mean[i] - s.mean[j]
			if hope > mostGain(delta, sd[i]+sd[j]) {
				continue
			}
			s2 := s.variance[i] + s.variance[j] - float64(2*(k[j]-wide.Dot(white, s.white[j*n:(j+1)*n])))
			if hope > mostGain(delta, math.Sqrt(max(s2, 0))) {
				continue
			}
			v := better(s.mean[i], s.mean[j], s2, m.kernel.Variance).value
			if v > best[i].value {
				best[i] = pair{i, j, v}
			}
			if v > best[j].value {
				best[j] = pair{j, i, v}
			}
		}
	}
	slices.SortStableFunc(best, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	same := func(i, j int) bool { return s.same(s.cand.At(i), s.cand.At(j)) }
	return search.Distinct(best, s.restarts, func(p, q pair) bool {
		return same(p.i, q.i) && same(p.j, q.j) || same(p.i, q.j) && same(p.j, q.i)
	})
}

// mostGain returns an upper bound, without exponentials, of what the other option adds to the larger mean: s
// (φ(u) - u Φ(-u)) for u = |δ|/s. Its second derivative in u is φ(u), at most φ(0), and it falls. The bound
// grows with s.
func mostGain(delta, s float64) float64 {
	gap := math.Abs(delta)
	if gap > 1.25*s {
		return 0.086 * s
	}
	return float64(0.399*s) - float64(0.5*gap) + float64(0.2*gap*gap/s)
}

// same reports whether x and y are the same start: local searches from them most likely end at the same point.
func (s *searcher) same(x, y []float64) bool { return search.MaxDistance(s.unit, x, y) <= sameStart }

const sameStart = 0.1 // in every coordinate, in box widths

// BestVisited returns the index of the point of the duels with the largest posterior mean: the winner of duel i
// has index 2i, the loser 2i+1.
func (s *searcher) BestVisited() int {
	return linalg.ArgMax(s.mean[len(s.spread)/s.m.Dim:])
}
