package utility

import (
	"math"
	"slices"
	"sort"

	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// Searcher maximises the posterior mean of a model and acquisition functions of a point or a pair: over
// [0,1]^d by local searches, over finitely many arms by enumeration.
//
// On the box its candidates are quasi-random points, corners and the points of the duels, and for a pair all
// pairs of them. It starts local searches from the best distinct ones. A pair is also searched from as many
// pairs of the point of largest mean with a point that differs from it in one coordinate. On arms the
// candidates are the arms. It is not safe for concurrent use.
type Searcher struct {
	Model    *Model
	restarts int
	OnArms   bool      // over arms, else over the box
	spread   []float64 // candidates except the points of the duels, row-major
	pairs    *search.Global
	points   *search.Global
	means    *search.Global // points, for the mean, which is smooth

	cand                  search.Candidates
	mean, white, variance []float64      // of the candidates: means, variances, whitened covariances with the duels
	top                   *search.Result // of MaxMean, nil until needed
	row                   []float64      // workspace of CovDuel
	order                 ordered        // workspace of topPairs, and of Update
}

// corners is the largest number of corners of the box among the candidates. In one and two dimensions the
// quasi-random points come close to the corners.
const corners = 128

// NewSearcher returns a search of the model over [0,1]^d with the model's settings. spread has the candidates
// besides corners and the points of the duels, in rows of length d.
func NewSearcher(m *Model, spread []float64) *Searcher {
	d := m.Dim
	if unit := space.Cube(d, 0, 1); d > 2 {
		spread = slices.Concat(spread, search.Corners(unit, corners))
	}
	settings := search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-7, ValueTol: 1e-12, StepTol: 1e-7, Tie: 1e-10}
	s := &Searcher{
		Model: m, restarts: m.cfg.Restarts, spread: spread,
		pairs:  search.NewGlobal(space.Cube(2*d, 0, 1), settings),
		points: search.NewGlobal(space.Cube(d, 0, 1), settings),
		means:  search.NewGlobal(space.Cube(d, 0, 1), settings),
		cand:   search.Candidates{Dim: d},
	}
	s.pairs.GiveUp, s.means.GiveUp = true, true
	s.pairs.Mirror = func(z []float64) []float64 { return slices.Concat(z[d:], z[:d]) }
	return s
}

// Update evaluates the candidates. Call it after the model has changed.
func (s *Searcher) Update() {
	m, n := s.Model, s.Model.Len()
	s.top = nil
	s.cand.X = append(s.cand.X[:0], s.spread...)
	for i := range n {
		if !s.OnArms {
			s.cand.X = append(append(s.cand.X, m.Winner(i)...), m.Loser(i)...)
		}
	}
	count := s.cand.Len()
	s.mean, s.variance = linalg.Resize(s.mean, count), linalg.Resize(s.variance, count)
	s.white, s.order.white = linalg.Resize(s.white, count*n), linalg.Resize(s.order.white, count*n)
	rows, columns := wide.Matrix{Data: s.white, Stride: n}, wide.Matrix{Data: s.order.white, Stride: count}
	for i := range n {
		column := columns.Data[i*count : (i+1)*count]
		m.K.Row(column, m.Winner(i), s.cand.X)
		m.K.Row(s.variance, m.Loser(i), s.cand.X)
		wide.AddScaled(column, -1, s.variance)
	}
	wide.Transpose(rows, columns, n, count)
	linalg.Mul(s.mean, 1, s.white, n, m.Post.Alpha)
	m.Post.WhitenColumns(columns.Data)
	wide.Transpose(rows, columns, n, count)
	for i := range count {
		row := s.whitened(i)
		s.variance[i] = m.Kernel.Variance - wide.Dot(row, row)
	}
}

// whitened returns the whitened covariances of candidate i with the duels.
func (s *Searcher) whitened(i int) []float64 {
	n := s.Model.Len()
	return s.white[i*n : (i+1)*n]
}

// Candidates returns the candidates of the last Update: on arms all of them, in their order.
func (s *Searcher) Candidates() search.Candidates { return s.cand }

// Means returns the posterior means of f at the candidates. The caller must not change them.
func (s *Searcher) Means() []float64 { return s.mean }

// Variances returns the posterior variances of f at the candidates, which rounding may make negative. The
// caller must not change them.
func (s *Searcher) Variances() []float64 { return s.variance }

// CovRow sets dst to the posterior covariances of f at candidate i with f at the first len(dst) candidates.
func (s *Searcher) CovRow(dst []float64, i int) {
	s.Model.K.Row(dst, s.cand.At(i), s.cand.X[:len(dst)*s.cand.Dim])
	s.explain(dst, s.whitened(i))
}

// CovDuel returns the posterior mean and variance of f(x) - f(y), and sets dst to its covariances with f at the
// candidates.
func (s *Searcher) CovDuel(dst, x, y []float64) (mean, variance float64) {
	m := s.Model
	m.Duels.Cov(m.row, m.K, x)
	m.Duels.Cov(m.diff, m.K, y)
	for i, c := range m.row {
		m.diff[i] = c - m.diff[i]
	}
	mean = m.Post.Mean(m.diff)
	m.Post.Whiten(m.diff, m.diff)
	s.row = linalg.Resize(s.row, len(dst))
	m.K.Row(dst, x, s.cand.X)
	m.K.Row(s.row, y, s.cand.X)
	wide.AddScaled(dst, -1, s.row)
	s.explain(dst, m.diff)
	return mean, max(float64(2*(m.Kernel.Variance-m.K.Eval(x, y)))-wide.Dot(m.diff, m.diff), 0)
}

// explain makes prior covariances of a value with the candidates posterior ones. white has the whitened covariances of the
// same value with the duels.
func (s *Searcher) explain(dst, white []float64) {
	if n := len(white); n > 0 {
		wide.Gemv(dst, -1, s.white[:len(dst)*n], n, white)
	}
}

// MaxPoint returns the point with the largest value of f, whose values at the candidates are given. On the box it
// also searches from the further starts.
func (s *Searcher) MaxPoint(f search.Objective, values []float64, further ...[]float64) search.Result {
	return s.maxPoint(s.points, f, values, further...)
}

func (s *Searcher) maxPoint(points *search.Global, f search.Objective, values []float64, further ...[]float64) search.Result {
	if s.OnArms {
		i := linalg.ArgMax(values)
		return search.Result{X: slices.Clone(s.cand.At(i)), Value: values[i], Evaluations: len(values), Status: search.Converged}
	}
	return points.Maximize(f, append(s.cand.Best(values, s.restarts, same), further...))
}

// RefinePair is a precise local search for the pair of largest f from the pair z.
func (s *Searcher) RefinePair(f search.Objective, z []float64) search.Result {
	return s.pairs.Refine(f, z)
}

// MaxMean returns the point of largest posterior mean.
func (s *Searcher) MaxMean() search.Result {
	if s.top == nil {
		r := s.maxPoint(s.means, s.Model.Mean, s.mean)
		s.top = &r
	}
	r := *s.top
	r.X = slices.Clone(r.X)
	return r
}

// MaxEUBO returns the pair with the largest expected utility of the better point, as one vector of length 2d. On the
// box, searches start from Pairs, as many as the settings have restarts, and from BesideTop.
func (s *Searcher) MaxEUBO() search.Result {
	if s.OnArms {
		return s.maxArmsEUBO()
	}
	return s.pairs.Maximize(s.EUBO, append(s.Pairs(s.restarts), s.BesideTop()...))
}

// maxArmsEUBO is MaxEUBO over all pairs of different arms; of equal ones it takes the first. A single arm makes a
// pair with itself.
func (s *Searcher) maxArmsEUBO() search.Result {
	count := s.cand.Len()
	best, row := pair{value: s.mean[0]}, make([]float64, count)
	for i := range count {
		s.CovRow(row[:i], i)
		for j, cov := range row[:i] {
			v := Better(s.mean[j], s.mean[i], s.variance[i]+s.variance[j]-float64(2*cov), s.Model.Kernel.Variance).Value
			if v > best.value || best.j == 0 {
				best = pair{j, i, v}
			}
		}
	}
	return search.Result{
		X: slices.Concat(s.cand.At(best.i), s.cand.At(best.j)), Value: best.value,
		Evaluations: count * (count - 1) / 2, Status: search.Converged,
	}
}

// EUBO is the expected utility of the better point as a search.Objective of a pair.
func (s *Searcher) EUBO(z, grad []float64) float64 {
	d := s.Model.Dim
	if grad == nil {
		return s.Model.EUBO(z[:d], z[d:], nil, nil)
	}
	return s.Model.EUBO(z[:d], z[d:], grad[:d], grad[d:])
}

// Pairs returns at most count distinct pairs of candidates with the largest expected utility of the better point,
// each as one vector of length 2d, the best first. Every candidate enters only with its best partner. Otherwise a
// candidate that goes well with many would fill the list with variants of one pair.
func (s *Searcher) Pairs(count int) [][]float64 {
	var pairs [][]float64
	for _, p := range s.topPairs(count) {
		pairs = append(pairs, slices.Concat(s.cand.At(p.i), s.cand.At(p.j)))
	}
	return pairs
}

// BesideTop returns starts: pairs of the point of largest mean and points that differ from it in one
// coordinate. Above two dimensions the best pair is often of that kind, and no candidate is close enough to
// show it.
func (s *Searcher) BesideTop() [][]float64 {
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
	values := beside.Values(func(y, _ []float64) float64 { return s.Model.EUBO(top, y, nil, nil) })
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

// ordered has the candidates by decreasing mean.
type ordered struct {
	mean, variance, sd, x, white []float64
	widest                       []float64 // the largest deviation from a candidate on
	value                        []float64 // of the best pair of each so far
	partner                      []int     // in that pair
	cov                          []float64 // workspace
	best                         []pair    // of the candidates, in their order
}

func (o *ordered) set(s *Searcher, order []int) {
	count, n, d := len(order), s.Model.Len(), s.Model.Dim
	for _, v := range []*[]float64{&o.mean, &o.variance, &o.sd, &o.value, &o.cov} {
		*v = linalg.Resize(*v, count)
	}
	o.widest, o.partner = linalg.Resize(o.widest, count+1), linalg.Resize(o.partner, count)
	o.x, o.white = linalg.Resize(o.x, count*d), linalg.Resize(o.white, count*n)
	for a, i := range order {
		o.mean[a], o.value[a], o.partner[a] = s.mean[i], s.mean[i], a
		o.variance[a], o.sd[a] = s.variance[i], math.Sqrt(max(s.variance[i], 0))
		copy(o.x[a*d:], s.cand.At(i))
		copy(o.white[a*n:], s.whitened(i))
	}
	o.widest[count] = 0
	for a := count - 1; a >= 0; a-- {
		o.widest[a] = max(o.sd[a], o.widest[a+1])
	}
}

// topPairs is Pairs, with the indices of the candidates. Of partners that are equally good it takes the first.
func (s *Searcher) topPairs(most int) []pair {
	m, count, n, d := s.Model, len(s.mean), s.Model.Len(), s.Model.Dim
	order, o := search.Descending(s.mean), &s.order
	o.set(s, order)
	mean, value, partner := o.mean, o.value, o.partner
	pairUp := func(a, b int, v float64) {
		if v > value[a] || v == value[a] && order[b] < order[partner[a]] && partner[a] != a {
			value[a], partner[a] = v, b
		}
	}
	for a := range order {
		// From some partner on, no pair can be better than the candidate of largest mean, which is a partner for all.
		from := a + 1
		cov := o.cov[:sort.Search(count-from, func(k int) bool {
			return mean[0]-mean[a] > mostGain(mean[a]-mean[from+k], o.sd[a]+o.widest[from])
		})]
		m.K.Row(cov, o.x[a*d:from*d], o.x[from*d:(from+len(cov))*d])
		wide.Gemv(cov, -1, o.white[from*n:], n, o.white[a*n:from*n])
		for k, c := range cov {
			b := from + k
			delta, s2 := mean[a]-mean[b], o.variance[a]+o.variance[b]-float64(2*c)
			// Most pairs cannot be better than those found so far, as upper bounds say.
			need := min(value[a], value[b]) - mean[a]
			if need > 0 && need*(need+delta) > gainSquare*s2 || need > mostGain(delta, math.Sqrt(max(s2, 0))) {
				continue
			}
			v := Better(mean[a], mean[b], s2, m.Kernel.Variance).Value
			pairUp(a, b, v)
			pairUp(b, a, v)
		}
	}
	best, values := linalg.Resize(o.best, count), o.cov
	o.best = best
	for a, i := range order {
		best[i], values[i] = pair{i, order[partner[a]], value[a]}, value[a]
	}
	at := s.cand.At
	var top []pair
	for _, k := range search.Best(values, most, func(k, l int) bool {
		p, q := best[k], best[l]
		return same(at(p.i), at(q.i)) && same(at(p.j), at(q.j)) || same(at(p.i), at(q.j)) && same(at(p.j), at(q.i))
	}) {
		top = append(top, best[k])
	}
	return top
}

// gainSquare bounds the gain of the other option, see mostGain: gain (gain + |δ|) <= gainSquare s². With gain = s h(u) the
// left side falls from h(0)² s² = s²/2π on, since h' = -Φ(-u).
const gainSquare = 0.16

// mostGain returns an upper bound, without exponentials, of s (φ(u) - u Φ(-u)), u = |δ|/s: the gain of the other
// option over the larger mean. The gain is convex and falls in u, and its second derivative is s φ(u), at most s φ(0); from
// u = 1.25 on the bound is by chords. It grows with s, and does not grow with |δ|.
func mostGain(delta, s float64) float64 {
	gap := math.Abs(delta)
	switch {
	case gap <= 1.25*s:
		return float64(0.399*s) - float64(0.5*gap) + float64(0.2*gap*gap/s)
	case gap <= 2*s:
		return float64(0.1208*s) - float64(0.0561*gap)
	case gap <= 3*s:
		return float64(0.0248*s) - float64(0.0081*gap)
	}
	return 0.0004 * s
}

// same reports whether x and y are the same start: local searches from them most likely end at the same point.
func same(x, y []float64) bool {
	for j, v := range x {
		if !(math.Abs(v-y[j]) <= sameStart) {
			return false
		}
	}
	return true
}

const sameStart = 0.1 // in every coordinate, in box widths

// bestVisited returns the index of the point of the duels with the largest posterior mean: the winner of duel i
// has index 2i, the loser 2i+1.
func (s *Searcher) bestVisited() int {
	if !s.OnArms {
		return linalg.ArgMax(s.mean[len(s.spread)/s.Model.Dim:])
	}
	visited := make([]float64, 0, 2*s.Model.Len())
	for i := range s.Model.Len() {
		visited = append(visited, s.Model.Mean(s.Model.Winner(i), nil), s.Model.Mean(s.Model.Loser(i), nil))
	}
	return linalg.ArgMax(visited)
}
