package exactkg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/space"
)

// compared returns a search of a model of n duels of random points of [0,1]^d.
func compared(t testing.TB, n, d int, cfg Config, r *rand.Rand) *searcher {
	t.Helper()
	m := utility.NewModel(d, cfg.Utility)
	unit := space.Cube(d, 0, 1)
	for range n {
		m.Add(unit.Sample(make([]float64, d), r), unit.Sample(make([]float64, d), r))
	}
	k := m.ModalKernel()
	for j := range k.Lengthscale {
		k.Lengthscale[j] *= 0.7 + 0.6*r.Float64()
	}
	check.OK(t, m.Condition(k))
	s := utility.NewSearcher(m, search.NewCandidates(unit, cfg.Candidates, r).X)
	s.Update()
	return newSearcher(s, cfg.Utility)
}

// bothModels are settings with either link and inference.
func bothModels() map[string]Config {
	other := Default()
	laplace(&other)
	return map[string]Config{"variational": Default(), "laplace": other}
}

// The gradient of the joint objective and of its parts against differences, and the parts against the whole.
func TestOneShotGradient(t *testing.T) {
	const h = 1e-5
	r := rand.New(rand.NewPCG(2, 1))
	for name, cfg := range bothModels() {
		for _, d := range []int{1, 2, 5} {
			for _, n := range []int{0, 1, 15} {
				s := compared(t, n, d, cfg, r)
				s.shot.resize()
				z := make([]float64, 4*d)
				for i := range z {
					z[i] = r.Float64()
				}
				at := fmt.Sprintf("%s, %d-D, %d duels: ", name, d, n)
				check.Gradient(t, at+"V", s.shot.value, z, h, 1e-6)
				whole := s.shot.value(z, nil)
				answers := s.shot.answers(z[:2*d])
				check.Gradient(t, at+"the first part", answers[0], z[2*d:3*d], h, 1e-6)
				check.Gradient(t, at+"the second part", answers[1], z[3*d:], h, 1e-6)
				check.Near(t, answers[0](z[2*d:3*d], nil)+answers[1](z[3*d:], nil), whole, 1e-12, "%sthe sum of its parts", at)
			}
		}
	}
}

// The start for a pair has the value of its four points, which is the largest for maximisers among the candidates, the
// points of the pair, and the point of largest mean.
func TestStart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{1, 5, 20} {
		s := compared(t, n, 2, Default(), r)
		s.shot.resize()
		top := s.MaxMean()
		points := slices.Collect(slices.Chunk(s.Candidates().X, 2))
		for range 10 {
			pair := space.Cube(4, 0, 1).Sample(make([]float64, 4), r)
			got := s.start(pair, top)
			check.Near(t, got.value, s.shot.value(got.z, nil), 1e-9, "the value of a start")
			want := max(top.Value, s.shot.value(slices.Concat(pair, pair), nil))
			answers := s.shot.answers(pair)
			up, down := math.Inf(-1), math.Inf(-1)
			for _, x := range points {
				up, down = max(up, answers[0](x, nil)), max(down, answers[1](x, nil))
			}
			check.Near(t, got.value, max(want, up+down), 1e-9, "the largest value of a start")
		}
	}
}

// finiteAt returns the posterior at the given points.
func finiteAt(m *utility.Model, x search.Candidates) *finite {
	k := x.Len()
	mean, cov := make([]float64, k), make([]float64, k*k)
	for i := range k {
		mean[i] = m.Mean(x.At(i), nil)
		for j := range k {
			cov[i*k+j] = m.Cov(x.At(i), x.At(j))
		}
	}
	return newFinite(mean, cov, m.Link)
}

// On a box KG is that of a fine grid of arms, at least W less max μ, and no less than what all pairs of the grid give.
func TestBoxAgainstGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for name, cfg := range bothModels() {
		for trial := range 6 {
			s := compared(t, []int{1, 4, 12}[trial%3], 1, cfg, r)
			best := s.overBox()
			grid := search.Candidates{Dim: 1, X: space.Cube(1, 0, 1).Grid(201)}
			grid.X = append(append(grid.X, best.X...), s.MaxMean().X...)
			f := finiteAt(s.Model, grid)
			d := f.ask(201, 202)
			f.gain(&d)
			check.That(t, math.Abs(d.value-best.Value) <= 2e-3*best.Value,
				"%s, %d: KG at %g is %g, on the grid %g", name, trial, best.X, best.Value, d.value)
			most, w := f.best(), f.winner(d)
			check.That(t, best.Value >= most.value*(1-1e-9), "%s, %d: the search finds %g at %g, the grid has %g at %g and %g",
				name, trial, best.Value, best.X, most.value, grid.At(most.i), grid.At(most.j))
			check.That(t, best.Value+s.MaxMean().Value >= w-1e-9, "%s, %d: KG + max μ is %g, below W = %g", name, trial, best.Value+s.MaxMean().Value, w)
		}
	}
}

// The pair with its points exchanged has the same KG if the maximisers are exchanged too, as the search takes for granted.
func TestMirrorOfShots(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	s := compared(t, 12, 2, Default(), r)
	s.overBox()
	for range 20 {
		z := space.Cube(8, 0, 1).Sample(make([]float64, 8), r)
		m := s.shots.Mirror(z)
		check.Same(t, "the mirror image of the mirror image", s.shots.Mirror(m), z)
		check.Near(t, s.shot.value(m, nil), s.shot.value(z, nil), 1e-12, "the value of the mirror image")
	}
}

// The search finds what the best of many searches from random points finds, with a bounded number of evaluations.
func TestBoxAgainstRestarts(t *testing.T) {
	for _, c := range []struct{ d, n, searches int }{{2, 10, 60}, {2, 30, 60}, {6, 30, 40}} {
		r := rand.New(rand.NewPCG(uint64(c.d), uint64(c.n)))
		cube := space.Cube(4*c.d, 0, 1)
		local := search.NewLocal(cube, search.Settings{Step: 0.1, MaxIter: 100, GradTol: 1e-7})
		for range 4 {
			s := compared(t, c.n, c.d, Default(), r)
			found := s.Max()
			best := 0.0
			for range c.searches {
				best = max(best, local.Maximize(s.shot.value, cube.Sample(make([]float64, 4*c.d), r)).Value-s.MaxMean().Value)
			}
			check.That(t, found.Value >= best*(1-1e-6), "%d-D, %d duels: the search finds %g, %d local searches %g", c.d, c.n, found.Value, c.searches, best)
			check.That(t, c.d > 2 || found.Evaluations <= 2000, "%d duels: a proposal takes %d evaluations", c.n, found.Evaluations)
		}
	}
}
