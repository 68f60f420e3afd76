package utility

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// The search finds what the best of 60 searches from random pairs finds, and so is no worse than the authors' program with
// its 2d searches. With half as many restarts as the settings have it misses some of these, by up to 9 %.
func TestMaxEUBOAgainstRestarts(t *testing.T) {
	for _, c := range []struct{ d, n int }{{1, 8}, {2, 10}, {2, 30}, {6, 30}} {
		r := rand.New(rand.NewPCG(uint64(c.d), uint64(c.n)))
		pairs := space.Cube(2*c.d, 0, 1)
		local := search.NewLocal(pairs, search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-7})
		for set := range 12 {
			m := compared(t, c.n, c.d, "variational", r)
			spread := make([]float64, m.cfg.Candidates*c.d)
			search.QuasiRandom(spread, space.Cube(c.d, 0, 1), r)
			s := NewSearcher(m, spread)
			s.Update()
			value, best := s.MaxEUBO().Value, 0.0
			for range 60 {
				best = max(best, local.Maximize(s.EUBO, pairs.Sample(make([]float64, 2*c.d), r)).Value)
			}
			check.That(t, value >= best*(1-1e-6), "%d-D, %d duels, set %d: the search finds %.9g, a local search %.9g", c.d, c.n, set, value, best)
		}
	}
}

// searcher returns a search after some duels, with candidates. reach multiplies the lengthscales.
func searcher(t *testing.T, duels int, reach float64) *Searcher {
	t.Helper()
	m := compared(t, duels, 2, "variational", rand.New(rand.NewPCG(5, 2)))
	for j := range m.Kernel.Lengthscale {
		m.Kernel.Lengthscale[j] *= reach
	}
	check.OK(t, m.Condition(m.Kernel))
	s := NewSearcher(m, search.NewCandidates(space.Cube(2, 0, 1), 40, nil).X)
	s.Update()
	return s
}

// A candidate enters the starts of pairs with its best partner only, and pairs of different points come first. Beside the
// point of largest mean are points that differ from it in one coordinate, and clearly.
func TestStartsOfPairs(t *testing.T) {
	for at := range 12 {
		n := []int{1, 12, 40}[at%3]
		s := searcher(t, n, []float64{1, 0.5, 0.25, 0.15}[at/3]) // if shorter, points far from the duels tie up to rounding
		m, all := s.Model, []pair{}
		for i := range s.cand.Len() {
			best := pair{i, i, s.mean[i]}
			for j := range s.cand.Len() {
				if v := m.EUBO(s.cand.At(i), s.cand.At(j), nil, nil); v > best.value {
					best = pair{i, j, v}
				}
			}
			all = append(all, best)
		}
		slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
		same := func(i, j int) bool {
			return search.MaxDistance(space.Cube(2, 0, 1), s.cand.At(i), s.cand.At(j)) <= sameStart
		}
		want := search.Distinct(all, 20, func(p, q pair) bool { return same(p.i, q.i) && same(p.j, q.j) || same(p.i, q.j) && same(p.j, q.i) })
		got := s.topPairs(20)
		check.Equal(t, fmt.Sprint("number of pairs after ", n, " duels"), len(got), len(want))
		for at, p := range got {
			check.Near(t, p.value, want[at].value, 1e-12, "%d duels, pair %d: its value and that of the best", n, at)
			check.Near(t, m.EUBO(s.cand.At(p.i), s.cand.At(p.j), nil, nil), p.value, 1e-12, "%d duels, pair %d: its value", n, at)
		}
	}
	s := searcher(t, 12, 1)
	top := s.MaxMean().X
	beside := s.BesideTop()
	for _, z := range beside {
		same := z[2] == top[0] && math.Abs(z[3]-top[1]) > sameStart || z[3] == top[1] && math.Abs(z[2]-top[0]) > sameStart
		check.That(t, slices.Equal(z[:2], top) && same, "beside %v: %v", top, z)
	}
	check.That(t, len(beside) >= 4, "%d points beside the top", len(beside))
}

// The candidates have the means and variances of the model. Those of the duels come last, the winner of a duel first.
func TestUpdate(t *testing.T) {
	s := searcher(t, 12, 1)
	m, n := s.Model, s.cand.Len()
	for i := range n {
		x := s.cand.At(i)
		check.Same(t, "the mean", s.mean[i], m.Mean(x, nil))
		check.Near(t, s.variance[i], m.Cov(x, x), 1e-13, "variance of candidate %d", i)
	}
	best := s.bestVisited()
	visited := [][]float64{m.Winner(best / 2), m.Loser(best / 2)}[best%2]
	for i := range m.Len() {
		check.That(t, m.Mean(visited, nil) >= max(m.Mean(m.Winner(i), nil), m.Mean(m.Loser(i), nil)), "a point of duel %d has a larger mean", i)
	}
}

// A pair and the pair with its points exchanged have the same expected utility, as the search for pairs takes for granted.
func TestMirrorOfPairs(t *testing.T) {
	s := searcher(t, 12, 1)
	r := rand.New(rand.NewPCG(8, 1))
	for range 20 {
		z := space.Cube(4, 0, 1).Sample(make([]float64, 4), r)
		m := s.pairs.Mirror(z)
		check.Same(t, "the mirror image of the mirror image", s.pairs.Mirror(m), z)
		check.That(t, !slices.Equal(m, z), "%v is its own mirror image", z)
		check.Near(t, s.EUBO(m, nil), s.EUBO(z, nil), 1e-12, "the value of the mirror image")
	}
}

// A fitted kernel is that of a model of the duels, in units of x. Ties and self-duels do not count.
func TestKernelFit(t *testing.T) {
	_, f := NewKernelFit(algorithms.Setup{Domain: space.Cube(1, -1, 3)}, settings.FitMAP, kernel.Config{})
	m := NewModel(1, settings.DefaultUtility())
	for i, x := range []float64{0, 0.25, 1} {
		c := algorithms.Comparison{Points: [][]float64{{4*x - 1}, {1}}, Winner: i % 2}
		tie, self := c, algorithms.Comparison{Points: [][]float64{{1}, {1}}}
		tie.Winner, tie.Tie = 0, true
		check.That(t, f.Learn(c) && !f.Learn(tie) && !f.Learn(self), "duel %d is not the only one that is learnt", i)
		points := [][]float64{{x}, {0.5}}
		m.Add(points[i%2], points[1-i%2])
		check.OK(t, check.Err(m.Refit()))
		check.Same(t, "the kernel", f.Kernel, m.Kernel.FromUnit([]float64{4}))
	}
}

// If no posterior could be computed there is no query, no recommendation and no belief.
func TestWithoutAPosteriorAllFails(t *testing.T) {
	b := &Base{Err: errors.New("no posterior")}
	check.Error(t, "a query", check.Err(b.Propose(nil)), "no posterior")
	check.Error(t, "a recommendation", check.Err(b.Recommend()), "no posterior")
	check.Error(t, "a belief", check.Err(b.Belief(nil)), "no posterior")
}

// mostGain is never below what the other option adds, and close to it if that is large. gainSquare bounds it as well.
func TestMostGain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		delta, s2 := 4*r.NormFloat64()*r.Float64(), r.ExpFloat64()
		gain := Better(delta, 0, s2, 1).Value - max(delta, 0)
		if most := mostGain(delta, math.Sqrt(s2)); most < gain || most > gain+0.09*math.Sqrt(s2) {
			t.Fatalf("mean difference %g, variance %g: the other option adds %g, at most %g", delta, s2, gain, most)
		}
		if square := gain * (gain + math.Abs(delta)); square > 0.996*gainSquare*s2 {
			t.Fatalf("mean difference %g, variance %g: gainSquare is too small by a factor of %g", delta, s2, square/(gainSquare*s2))
		}
	}
}

// Over arms the search is by enumeration: means, covariances and the best pair are those of the model.
func TestArms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for _, d := range []int{1, 3} {
		m := compared(t, 12, d, "variational", r)
		arms := search.Candidates{Dim: d, X: make([]float64, 17*d)}
		space.Cube(len(arms.X), 0, 1).Sample(arms.X, r)
		s := &Searcher{Model: m, OnArms: true, spread: arms.X, cand: search.Candidates{Dim: m.Dim}}
		s.Update()
		mean, best := math.Inf(-1), math.Inf(-1)
		row := make([]float64, arms.Len())
		for i := range arms.Len() {
			mean = max(mean, m.Mean(arms.At(i), nil))
			s.CovRow(row, i)
			for j := range arms.Len() {
				check.Near(t, row[j], m.Cov(arms.At(i), arms.At(j)), 1e-12, "%d-D: covariance of arms %d and %d", d, i, j)
				if i != j {
					best = max(best, m.EUBO(arms.At(i), arms.At(j), nil, nil))
				}
			}
		}
		top, pair := s.MaxMean(), s.MaxEUBO()
		for what, v := range map[string][3]float64{
			"mean": {top.Value, m.Mean(top.X, nil), mean}, "EUBO": {pair.Value, s.EUBO(pair.X, nil), best},
		} {
			check.Near(t, v[0], v[2], 1e-12, "%d-D: the largest %s", d, what)
			check.Near(t, v[1], v[2], 1e-12, "%d-D: the %s where it is largest", d, what)
		}
	}
}
