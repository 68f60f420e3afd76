package dts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":    func(*Config) {},
		"mirrored":   func(c *Config) { c.Prior = mirrored },
		"preference": func(c *Config) { c.Prior = preference },
		"ep":         func(c *Config) { c.Inference = ep; c.RefitEvery = 3 },
		"given":      func(c *Config) { c.Fit = "none"; c.InitialDuels = 0; c.Kernel.Family = "matern52" },
	} {
		cfg := Default()
		cfg.Candidates, cfg.Landmarks = 60, 40
		change(&cfg)
		scenarios := []string{"a square, start at a corner", "nine arms with three features"}
		if name == "default" {
			scenarios = nil
		}
		algotest.Run(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, scenarios...)
	}
}

// bowl is largest at (0.3, 0.6).
func bowl(x []float64) float64 {
	return -12 * (math.Pow(x[0]-0.3, 2) + math.Pow(x[1]-0.6, 2))
}

// play runs n steps with an oracle that prefers with probability σ of the difference of bowl.
func play(t *testing.T, a *DTS, n int, r *rand.Rand, after func(algorithms.Query)) {
	t.Helper()
	for range n {
		q := check.Must(a.Ask())(t)
		winner := 0
		if r.Float64() > (logit{}).prob(bowl(q.Points[0])-bowl(q.Points[1])) {
			winner = 1
		}
		check.OK(t, a.Tell(q, winner))
		after(q)
	}
}

// The first duels are random, the very first with the start. Then the duels are of two different points of the
// grid.
func TestDuels(t *testing.T) {
	cfg := Default()
	cfg.Grid, cfg.InitialDuels = 12, 3
	a := learnt(t, cfg, 0)
	grid := a.m.choices.candidates
	onGrid := func(x []float64) bool {
		for i := range len(grid) / 2 {
			if slices.Equal(x, grid[2*i:2*i+2]) {
				return true
			}
		}
		return false
	}
	step := 0
	play(t, a, 10, rand.New(rand.NewPCG(1, 1)), func(q algorithms.Query) {
		step++
		check.That(t, len(q.Points) == 2 && q.New == 2 && !slices.Equal(q.Points[0], q.Points[1]),
			"step %d: the query is %v", step, q)
		check.That(t, step != 1 || slices.Equal(q.Points[0], a.m.start),
			"the first duel is %v, without the start %v", q.Points, a.m.start)
		for _, x := range q.Points {
			if onGrid(x) != (step > cfg.InitialDuels) {
				t.Errorf("step %d: %v is on the grid: %v", step, x, onGrid(x))
			}
		}
	})
}

// The second point is the one for which the probability that the first wins varies most.
func TestSecondPoint(t *testing.T) {
	cfg := Default()
	cfg.Candidates = 80
	a := learnt(t, cfg, 12)
	q := check.Must(a.Ask())(t)
	doubt := func(x []float64) float64 {
		var p, v [1]float64
		a.m.model.WinMoments(p[:], v[:], q.Points[0], x)
		return v[0]
	}
	chosen := doubt(q.Points[1])
	proposed := check.Must(a.m.Propose())(t).Metrics
	at := slices.IndexFunc(proposed, func(m algorithms.Metric) bool { return m.Name == "duel_variance" })
	check.Near(t, proposed[at].Value, chosen, 1e-12, "the metric of it")
	for i := 0; i < len(a.m.choices.candidates); i += 2 {
		if x := a.m.choices.candidates[i : i+2]; doubt(x) > chosen+1e-12 {
			t.Errorf("%v has variance %g, %v was chosen with %g", x, doubt(x), q.Points[1], chosen)
		}
	}
}

// After 30 steps the recommended point is better than 0.85 of the box, on average over six runs. (Random points
// are better than half of it, ± 0.12.)
func TestRecommendationIsGood(t *testing.T) {
	grid := space.Cube(2, 0, 1).Grid(40)
	rank := func(x []float64) float64 {
		var below float64
		for i := 0; i < len(grid); i += 2 {
			if bowl(grid[i:i+2]) < bowl(x) {
				below++
			}
		}
		return below / 1600
	}
	for _, prior := range []string{antisymmetric, preference} {
		var sum float64
		const runs = 6
		for seed := range uint64(runs) {
			cfg := Default()
			cfg.Prior, cfg.Candidates, cfg.Landmarks = prior, 150, 32
			r := rand.New(rand.NewPCG(seed, 9))
			a := check.Must(New(algorithms.Setup{Domain: space.Cube(2, 0, 1), Start: []float64{0.5, 0.5}, Rand: r}, cfg))(t)
			play(t, a, 30, r, func(algorithms.Query) {})
			recs := check.Must(a.Recommend())(t)
			sum += rank(recs[0].X) / runs
		}
		check.That(t, sum >= 0.85, "the recommendation is better than %.3f of the box, should be 0.85", sum)
	}
}

// A kernel in the units of x is the same kernel whatever the units of the box are.
func TestGivenKernelIsInTheUnitsOfX(t *testing.T) {
	cfg := Default()
	cfg.Fit = "none"
	cfg.Kernel = kernel.Config{Family: "matern32", Variance: 2, Lengthscale: []float64{3, 50}}
	box := space.Box{Lo: []float64{-5, 0}, Hi: []float64{5, 1000}}
	a := check.Must(New(algorithms.Setup{Domain: box, Start: []float64{0, 0}, Rand: rand.New(rand.NewPCG(1, 1))}, cfg))(t)
	if l := a.m.model.kernel.Kernel.Lengthscale; l[0] != 0.3 || l[1] != 0.05 {
		t.Errorf("lengthscales are %g of the box, want [0.3 0.05]", l)
	}
}

// Candidates differ from run to run, so that no candidate is the same in all of them. They are in the box, and
// the landmarks are well spread too.
func TestChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	square := space.NewFrame(space.Cube(2, 0, 1))
	one, two := newChoices(Default(), square, r), newChoices(Default(), square, r)
	if one.candidates[0] == two.candidates[0] || len(one.candidates) != 2*1089 || len(one.landmarks) != 2*256 {
		t.Errorf("%d candidates, %d landmarks, the first at %g and %g in two runs", len(one.candidates)/2, len(one.landmarks)/2, one.candidates[0], two.candidates[0])
	}
	for name, points := range map[string][]float64{"candidates": one.candidates, "landmarks": one.landmarks} {
		quarters := [4]int{}
		for i := 0; i < len(points); i += 2 {
			if x := points[i : i+2]; !space.Cube(2, 0, 1).Contains(x) {
				t.Fatalf("%v is outside", x)
			}
			quarters[2*int(2*min(points[i], 0.999))+int(2*min(points[i+1], 0.999))]++
		}
		for _, n := range quarters {
			if share := float64(n) / float64(len(points)/2); math.Abs(share-0.25) > 0.02 {
				t.Errorf("%d %s, %.3f of them, are in a quarter of the box", n, name, share)
			}
		}
	}
	cfg := Default()
	cfg.Grid = 33
	if g := newChoices(cfg, space.NewFrame(space.Cube(1, 0, 1)), r); len(g.candidates) != 33 || &g.landmarks[0] != &g.candidates[0] {
		t.Errorf("a grid of 33 points has %d candidates, %d landmarks", len(g.candidates), len(g.landmarks))
	}
}

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		`prior = "se" is unknown`:                        func(c *Config) { c.Prior = "se" },
		`inference = "mcmc" is unknown`:                  func(c *Config) { c.Inference = "mcmc" },
		`fit = "ml" is unknown`:                          func(c *Config) { c.Fit = "ml" },
		`kernel.variance = -1 is out of range`:           func(c *Config) { c.Kernel.Variance = -1 },
		`kernel.family = "linear": the kernel must`:      func(c *Config) { c.Kernel.Family = "linear" },
		`refit_every = 0 is out of range; give 1 to`:     func(c *Config) { c.RefitEvery = 0 },
		`initial_duels = -2 is out of range; give -1 to`: func(c *Config) { c.InitialDuels = -2 },
		`lengthscale_prior is for`:                       func(c *Config) { c.LengthscalePrior.Shape, c.Fit = 1, "none" },
		`lengthscale_prior.rate`:                         func(c *Config) { c.LengthscalePrior.Shape = 3 },
		`grid = 1 has one point`:                         func(c *Config) { c.Grid = 1 },
		`candidates = 1 is out of range; give 2 to`:      func(c *Config) { c.Candidates = 1 },
		`landmarks = 0 is out of range; give 1 to`:       func(c *Config) { c.Landmarks = 0 },
		`kernel.lengthscale has 3 values for 2 coor`:     func(c *Config) { c.Fit, c.Kernel.Lengthscale = "none", []float64{1, 2, 3} },
	}, New)
}
