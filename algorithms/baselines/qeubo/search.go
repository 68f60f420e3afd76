package qeubo

import (
	"cmp"
	"slices"

	"popbench/internal/search"
	"popbench/space"
)

// Searcher maximises the acquisition function and the posterior mean of a model
// over [0,1]^d: it looks at points spread over the box and at those of the duels,
// for pairs at all pairs of them, and climbs from the best that are not close to
// each other.
type Searcher struct {
	m      *Model
	unit   space.Box // [0,1]^d
	climbs int
	spread []float64 // quasi-random candidates, row-major
	pairs  *search.Local
	points *search.Local

	at, mean, white, variance []float64 // of candidates: points, means, whitened covariances with the duels, variances
}

// NewSearcher returns a search of the model with the model's settings and the
// given points to look at beside those of the duels, whole rows of length d.
func NewSearcher(m *Model, spread []float64) *Searcher {
	d := m.duels.Dim
	settings := search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-7, ValueTol: 1e-12, StepTol: 1e-7}
	return &Searcher{
		m: m, unit: space.Cube(d, 0, 1), climbs: m.cfg.Climbs, spread: spread,
		pairs:  search.NewLocal(space.Cube(2*d, 0, 1), settings),
		points: search.NewLocal(space.Cube(d, 0, 1), settings),
	}
}

// Look evaluates the candidates: to be called after the model has changed.
func (s *Searcher) Look() {
	m, d, n := s.m, s.m.duels.Dim, s.m.Len()
	s.at = append(s.at[:0], s.spread...)
	for i := range n {
		s.at = append(append(s.at, m.duels.Winner(i)...), m.duels.Loser(i)...)
	}
	count := len(s.at) / d
	s.mean, s.variance, s.white = resize(s.mean, count), resize(s.variance, count), resize(s.white, count*n)
	for i := range count {
		row := s.white[i*n : (i+1)*n]
		m.duels.Cov(row, m.k, s.point(i))
		s.mean[i] = m.post.Mean(row)
	}
	m.post.WhitenRows(s.white)
	for i := range count {
		row := s.white[i*n : (i+1)*n]
		s.variance[i] = m.hyper.Variance - dot(row, row)
	}
}

func (s *Searcher) point(i int) []float64 {
	d := s.m.duels.Dim
	return s.at[i*d : (i+1)*d]
}

// MaxMean returns the point where the posterior mean is largest, and the mean.
func (s *Searcher) MaxMean() (x []float64, mean float64) {
	order := make([]int, len(s.mean))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.mean[b], s.mean[a]) })
	objective := func(x, grad []float64) float64 { return s.m.Mean(x, grad) }
	x, mean = slices.Clone(s.point(order[0])), s.mean[order[0]]
	for _, start := range apart(order, s.climbs, s.point) {
		res := s.points.Maximize(objective, start)
		s.m.work.Evaluations += res.Evaluations
		if res.Status != search.Undefined && res.Value > mean {
			x, mean = slices.Clone(res.X), res.Value
		}
	}
	return x, mean
}

// MaxEUBO returns the pair whose expected better utility is largest, and that.
func (s *Searcher) MaxEUBO() (x, y []float64, value float64) {
	d := s.m.duels.Dim
	tops := s.topPairs()
	pair := make([]float64, 2*d)
	objective := func(z, grad []float64) float64 { return s.m.EUBO(z[:d], z[d:], grad[:d], grad[d:]) }
	for i, p := range tops {
		copy(pair, s.point(p.i))
		copy(pair[d:], s.point(p.j))
		res := s.pairs.Maximize(objective, pair)
		s.m.work.Evaluations += res.Evaluations
		if i == 0 || res.Status != search.Undefined && res.Value > value {
			x, y, value = slices.Clone(res.X[:d]), slices.Clone(res.X[d:]), res.Value
		}
	}
	return x, y, value
}

// pair is two candidates and their acquisition value.
type pair struct {
	i, j  int
	value float64
}

// topPairs returns the pairs to climb from, the best first. Every candidate
// enters with its best partner, so that one that goes well with many does not
// fill the list with neighbours of one pair.
func (s *Searcher) topPairs() []pair {
	m, n, count := s.m, s.m.Len(), len(s.mean)
	d := m.duels.Dim
	best := make([]pair, count)
	for i := range best {
		best[i] = pair{i, i, s.mean[i]}
	}
	prior := make([]float64, count)
	for i := range count {
		k := prior[:i]
		m.k.Row(k, s.point(i), s.at[:i*d])
		white := s.white[i*n : (i+1)*n]
		for j := range i {
			s2 := s.variance[i] + s.variance[j] - 2*(k[j]-dot(white, s.white[j*n:(j+1)*n]))
			// E max <= larger mean + s φ(0), which is a bound without exponentials.
			if lack := min(best[i].value, best[j].value) - max(s.mean[i], s.mean[j]); lack > 0 && lack*lack > 0.16*s2 {
				continue
			}
			v := better(s.mean[i], s.mean[j], s2, m.hyper.Variance).value
			if v > best[i].value {
				best[i] = pair{i, j, v}
			}
			if v > best[j].value {
				best[j] = pair{j, i, v}
			}
		}
	}
	slices.SortStableFunc(best, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	var top []pair
	for _, p := range best {
		if len(top) == s.climbs {
			break
		}
		known := slices.ContainsFunc(top, func(q pair) bool {
			return s.near(p.i, q.i) && s.near(p.j, q.j) || s.near(p.i, q.j) && s.near(p.j, q.i)
		})
		if !known {
			top = append(top, p)
		}
	}
	return top
}

func (s *Searcher) near(i, j int) bool { return near(s.point(i), s.point(j)) }

// near reports whether a climb from x would end where one from y does, most
// likely: they differ by less than a tenth of the box in every coordinate.
func near(x, y []float64) bool {
	for a, v := range x {
		if v-y[a] > 0.1 || y[a]-v > 0.1 {
			return false
		}
	}
	return true
}

// apart returns the first count of the points in the given order that are not
// near to an earlier one.
func apart(order []int, count int, point func(int) []float64) [][]float64 {
	var chosen [][]float64
	for _, i := range order {
		if len(chosen) == count {
			break
		}
		x := point(i)
		if !slices.ContainsFunc(chosen, func(y []float64) bool { return near(x, y) }) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// BestVisited says which point of the duels has the largest posterior mean: the
// winner of duel i is 2i, the loser 2i+1.
func (s *Searcher) BestVisited() int {
	visited := s.mean[len(s.spread)/s.m.duels.Dim:]
	best := 0
	for i, v := range visited {
		if v > visited[best] {
			best = i
		}
	}
	return best
}
