package qeubo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/internal/searchtest"
	"popbench/kernel"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	cfg := Default()
	cfg.InitialDuels = 3 // so that the short plays get to the acquisition function
	algotest.RunVariants(t, New, cfg, map[string]func(*Config){
		"pairwise-gp":   func(c *Config) { c.Utility = settings.PairwiseGP(); c.InitialDuels = 3 },
		"dim-scaled":    func(c *Config) { c.LengthscalePrior.Family = "dim-scaled" },
		"initial pairs": func(c *Config) { c.InitialDuels = -1 },
	}, "a line", "five dimensions", "nine arms with three features")
	algotest.RunKnownKernel(t, "default", algotest.With(New, cfg), 1)
	algotest.RunClimb(t, "default", algotest.With(New, cfg), 20)
	cfg.Inference = "laplace"
	algotest.RunClimb(t, "laplace", algotest.With(New, cfg), 20)
}

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){ // package settings tests the others
		"link = probit": func(c *Config) { c.Link = "probit" },
	}, New)
	s := algotest.Setup(space.Cube(2, 0, 1), 1)
	s.Known.Kernel = &kernel.Config{Family: "linear", Variance: 1}
	check.Error(t, "with a linear kernel", check.Err(New(s, Default())), "qeubo: known.kernel: linear")
}

// begun returns qEUBO in [0,1]^d after n steps.
func begun(t *testing.T, d, n int, change func(*Config)) (*QEUBO, *rand.Rand) {
	t.Helper()
	cfg, r := Default(), rand.New(rand.NewPCG(1, 7))
	change(&cfg)
	a := check.Must(New(algotest.Setup(space.Cube(d, 0, 1), 1), cfg))(t)
	algotest.Play(t, a, n, algotest.Hill, r)
	return a, r
}

func metric(t *testing.T, a *QEUBO, name string) float64 {
	t.Helper()
	i := slices.IndexFunc(a.Metrics(), func(m algorithms.Metric) bool { return m.Name == name })
	check.That(t, i >= 0, "there is no metric %q", name)
	return a.Metrics()[i].Value
}

// The first pairs are random, 4d of them by default, and the first point is the start. Then the acquisition function
// chooses. Both points of every query are new.
func TestInitialDesign(t *testing.T) {
	for initial, random := range map[int]int{-1: 8, 0: 0, 3: 3} {
		a, r := begun(t, 2, 0, func(c *Config) { c.InitialDuels = initial })
		start := check.Must(a.Recommend())(t)[0].X
		for i := range 10 {
			q, _ := algotest.Step(t, a, algotest.Hill, r)
			at := fmt.Sprintf("initial %d: query %d, %v with %d new points,", initial, i, q.Points, q.New)
			check.That(t, q.New == 2 && len(q.Points) == 2, "%s is not of two new points", at)
			check.That(t, i > 0 || random == 0 || slices.Equal(q.Points[0], start), "%s does not begin with the start, %v", at, start)
			chosen := metric(t, a, "acquisition") != 0 || metric(t, a, "evaluations") > 0
			check.Equal(t, at+" is chosen by the acquisition function", chosen, i >= random)
		}
	}
}

// Units do not matter: given the same comparisons of the same points in another box, the model is the same.
func TestUnits(t *testing.T) {
	box := space.Box{Lo: []float64{-4, 0}, Hi: []float64{4, 1. / 1024}}
	few := func(c *Config) { c.InitialDuels = 2 }
	plain, r := begun(t, 2, 0, few)
	cfg := Default()
	few(&cfg)
	scaled := check.Must(New(algotest.Setup(box, 1), cfg))(t)
	for range 8 {
		q, winner := algotest.Step(t, plain, algotest.Hill, r)
		for _, x := range q.Points {
			box.FromUnit(x, x)
		}
		check.OK(t, scaled.Tell(q, winner))
	}
	x := check.Must(plain.Belief([]float64{0.25, 0.5}))(t)
	y := check.Must(scaled.Belief([]float64{-2, 0.5 / 1024}))(t)
	check.Near(t, y.Estimate, x.Estimate, 1e-6, "the mean in the other box")
	check.Near(t, y.Upper, x.Upper, 1e-6, "the upper end of the belief in the other box")
	for j, l := range scaled.InForce().Kernel.Lengthscale {
		inWidths := metric(t, plain, fmt.Sprint("lengthscale_", j+1))
		check.Near(t, l, inWidths*box.Widths()[j], 1e-4*l, "lengthscale %d in force", j)
	}
}

// No arm meets itself, unless it is the only one.
func TestArms(t *testing.T) {
	points := slices.Collect(slices.Chunk(space.Cube(2, 0, 1).Grid(4), 2))
	for _, k := range []int{len(points), 1} {
		a := check.Must(New(algotest.Setup(check.Must(space.NewArms(points[:k]))(t), 1), Default()))(t)
		for _, q := range algotest.Play(t, a, 12, algotest.Hill, rand.New(rand.NewPCG(4, 1))) {
			check.Equal(t, fmt.Sprint("whether an arm of ", k, " meets itself"), slices.Equal(q.Points[0], q.Points[1]), k == 1)
		}
	}
}

// The points that both rules recommend have the largest mean, of the box and of the points of the duels.
func TestRecommendationRules(t *testing.T) {
	for _, rule := range []string{settings.RuleMaxMean, settings.RuleMaxMeanVisited} {
		a, r := begun(t, 2, 0, func(c *Config) { c.Recommendation, c.InitialDuels = rule, 2 })
		var visited [][]float64
		for _, q := range algotest.Play(t, a, 6, algotest.Hill, r) {
			visited = append(visited, q.Points...)
		}
		recs := check.Must(a.Recommend())(t)
		check.That(t, len(recs) == 2 && recs[0].Rule == rule, "recommendation = %s: %+v", rule, recs)
		mean := map[string]float64{}
		for _, r := range recs {
			mean[r.Rule] = check.Must(a.Belief(r.X))(t).Estimate
			among := slices.ContainsFunc(visited, func(x []float64) bool { return slices.Equal(x, r.X) })
			check.That(t, among || r.Rule == settings.RuleMaxMean, "%s is %g, which was not compared", r.Rule, r.X)
		}
		for _, x := range visited {
			b := check.Must(a.Belief(x))(t)
			check.That(t, b.Estimate <= mean[settings.RuleMaxMeanVisited]+1e-12 && b.Estimate <= mean[settings.RuleMaxMean]+1e-12,
				"the mean at %g is %g, the recommended points have %v", x, b.Estimate, mean)
			check.That(t, b.Lower < b.Estimate && b.Estimate < b.Upper, "belief at %g is %+v", x, b)
		}
	}
}

// A saved state has a curvature for each hyper-parameter of the last fit.
func TestCurvatureOfAState(t *testing.T) {
	a, _ := begun(t, 2, 12, func(*Config) {})
	state := check.Must(a.State())(t)
	var memory map[string]any
	check.OK(t, json.Unmarshal(state.Memory, &memory))
	curvature, _ := memory["curvature"].([]any)
	check.Equal(t, "curvatures", len(curvature), 3)
	memory["curvature"] = curvature[:2]
	state.Memory = check.Must(json.Marshal(memory))(t)
	_, err := algorithms.Restore(state, func(s algorithms.Setup) (*QEUBO, error) { return New(s, Default()) })
	check.Error(t, "two curvatures", err, "curvature: 2 numbers for 3 hyper-parameters")
}

// An upper limit of the work of a step after 30 comparisons in 2-D, in counts that do not vary. Restoring computes no
// posterior; it factors one matrix.
func TestWork(t *testing.T) {
	a, _ := begun(t, 2, 31, func(*Config) {})
	for name, limit := range map[string]float64{"solves": 40, "newton": 300, "evaluations": 500, "failures": 0, "fit_gradient": 0.02} {
		got := metric(t, a, name)
		check.That(t, got <= limit, "%s of a step: %g, more than %g", name, got, limit)
	}
	back := check.Must(algorithms.Restore(check.Must(a.State())(t), func(s algorithms.Setup) (*QEUBO, error) { return New(s, Default()) }))(t)
	check.Equal(t, "systems of restoring", back.m.Model.Post.Newton, 0)
}

// The search finds the pair with the largest expected utility of the better point. In states of runs it falls short of
// searches from random pairs and from corners, by more than 0.1 %, in at most one in a hundred. docs/performance.md has the
// command for more states than the few in 4 dimensions that the suite has.
func TestSearchAgainstRestarts(t *testing.T) {
	searchtest.Study[*QEUBO]{
		New:   func(_ searchtest.Instance, s algorithms.Setup) (*QEUBO, error) { return New(s, Default()) },
		First: func(d int) int { return 4 * d },
		Value: func(a *QEUBO) float64 { return a.m.Searcher.MaxEUBO().Value },
		Best: func(a *QEUBO, _ searchtest.Instance, restarts int, r *rand.Rand) float64 {
			return bestPair(a.m.Searcher, restarts, r)
		},
		Dims: searchtest.Dims[:check.Few(1, len(searchtest.Dims))],
	}.Run(t, os.Getenv("SEARCH_STATES"))
}

// bestPair returns the largest expected utility of the better point that searches find from random pairs, from
// the best pairs of corners, and from the point of largest mean with any corner.
func bestPair(s *utility.Searcher, restarts int, r *rand.Rand) float64 {
	m, d := s.Model, s.Model.Dim
	unit := space.Cube(d, 0, 1)
	corners := append(searchtest.TopCorners(m.Mean, unit, 48),
		searchtest.TopCorners(func(x, _ []float64) float64 { return m.Mean(x, nil) + 1.5*m.Sd(x) }, unit, 48)...)
	pairs := search.Candidates{Dim: 2 * d}
	for i, x := range corners {
		for _, y := range corners[:i] {
			pairs.X = append(append(pairs.X, x...), y...)
		}
	}
	starts := pairs.Best(pairs.Values(s.EUBO), 24, slices.Equal[[]float64])
	top := s.MaxMean().X
	for _, y := range searchtest.TopCorners(func(y, _ []float64) float64 { return m.EUBO(top, y, nil, nil) }, unit, 16) {
		starts = append(starts, slices.Concat(top, y))
	}
	return searchtest.Best(s.EUBO, space.Cube(2*d, 0, 1), starts, restarts, r)
}
