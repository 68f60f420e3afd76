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
	cfg := Default()
	cfg.Candidates, cfg.Landmarks = 60, 40
	algotest.RunVariants(t, New, cfg, map[string]func(*Config){
		"mirrored":   func(c *Config) { c.Prior, c.RefitEvery = mirrored, 4 },
		"preference": func(c *Config) { c.Prior = preference },
		"ep":         func(c *Config) { c.Inference = ep; c.RefitEvery = 3 },
		"given":      func(c *Config) { c.Fit = "none"; c.InitialDuels = 0; c.Kernel.Family = "matern52" },
	}, "a square, start at a corner", "nine arms with three features")
	// A difference of two values at distant points has twice the variance of one, and so has the latent value of a duel.
	for prior, factor := range map[string]float64{antisymmetric: 2, mirrored: 2, preference: 1} {
		cfg.Prior = prior
		algotest.RunKnownKernel(t, prior, algotest.With(New, cfg), factor)
		if prior != mirrored { // it learns slowly on arms
			algotest.RunClimb(t, prior, algotest.With(New, cfg), 30)
		}
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
	s := algotest.Setup(space.Cube(2, 0, 1), 1)
	s.Known.Kernel = &kernel.Config{Family: "linear", Variance: 1}
	check.Error(t, "with a linear kernel", check.Err(New(s, Default())), "dts: known.kernel: linear")
}

// hills is a smooth function on [0,1]² with several maxima.
func hills(x []float64) float64 {
	return 2*math.Sin(7*x[0])*math.Cos(5*x[1]) - 3*(x[0]-0.6)*(x[0]-0.6)
}

// learnt returns DTS after n duels of random points of [0,1]².
func learnt(t *testing.T, cfg Config, n int) *DTS {
	t.Helper()
	s := algotest.Setup(space.Cube(2, 0, 1), 1)
	a, r := check.Must(New(s, cfg))(t), rand.New(rand.NewPCG(1, 2))
	for range n {
		points := [][]float64{s.Domain.Sample(make([]float64, 2), r), s.Domain.Sample(make([]float64, 2), r)}
		winner := 0
		if r.Float64() > 1/(1+math.Exp(hills(points[1])-hills(points[0]))) {
			winner = 1
		}
		check.OK(t, a.Tell(algorithms.Query{Points: points, New: 2}, winner))
	}
	return a
}

// The first duels are random, the very first with the start. Then the duels are of two different points of the grid.
func TestDuels(t *testing.T) {
	cfg := Default()
	cfg.Grid, cfg.InitialDuels = 12, 3
	a := learnt(t, cfg, 0)
	grid := slices.Collect(slices.Chunk(a.m.choices.candidates, 2))
	for i, q := range algotest.Play(t, a, 10, hills, rand.New(rand.NewPCG(1, 1))) {
		check.That(t, len(q.Points) == 2 && q.New == 2 && !slices.Equal(q.Points[0], q.Points[1]), "duel %d is %v", i, q)
		check.That(t, i > 0 || slices.Equal(q.Points[0], a.m.start), "the first duel is %v, without the start", q.Points)
		for _, x := range q.Points {
			on := slices.ContainsFunc(grid, func(y []float64) bool { return slices.Equal(x, y) })
			check.Equal(t, "whether a point is on the grid", on, i >= cfg.InitialDuels)
		}
	}
}

// The second point is the one for which the probability that the first wins varies most.
func TestSecondPoint(t *testing.T) {
	cfg := Default()
	cfg.Candidates = 80
	a := learnt(t, cfg, 12)
	p := check.Must(a.m.Propose())(t)
	first, second := p.Query.Points[0], p.Query.Points[1]
	doubt := func(x []float64) float64 {
		var p, v [1]float64
		a.m.model.WinMoments(p[:], v[:], first, x)
		return v[0]
	}
	chosen := doubt(second)
	at := slices.IndexFunc(p.Metrics, func(m algorithms.Metric) bool { return m.Name == "duel_variance" })
	check.Near(t, p.Metrics[at].Value, chosen, 1e-12, "the metric of it")
	for x := range slices.Chunk(a.m.choices.candidates, 2) {
		check.That(t, doubt(x) <= chosen+1e-12, "%v has variance %g, %v was chosen with %g", x, doubt(x), second, chosen)
	}
}

// A kernel in the units of x is the same whatever the units of the box are, and a fitted one starts at the priors' modes.
func TestKernelIsInTheUnitsOfX(t *testing.T) {
	s := algotest.Setup(space.Box{Lo: []float64{-5, 0}, Hi: []float64{5, 1000}}, 1)
	cfg := Default()
	fitted := check.Must(New(s, cfg))(t).InForce()
	check.Same(t, "the first kernel", fitted.Kernel.ToUnit(s.Domain.Bounds().Widths()), modalKernel(lengthscalePrior, 2))
	cfg.Fit, cfg.Kernel = "none", kernel.Config{Family: "matern32", Variance: 2, Lengthscale: []float64{3, 50}}
	a := check.Must(New(s, cfg))(t)
	check.Same(t, "lengthscales, of the box,", a.m.model.kernel.Kernel.Lengthscale, []float64{0.3, 0.05})
}

// With refit_every: 4 every fourth duel fits, the others compute one posterior, and restoring computes none.
func TestRefitEvery(t *testing.T) {
	cfg := Default()
	cfg.RefitEvery = 4
	a, r := learnt(t, cfg, 0), rand.New(rand.NewPCG(1, 1))
	for step := 1; step <= 8; step++ {
		algotest.Play(t, a, 1, hills, r)
		check.Equal(t, "whether a step fits", a.m.model.work.Posteriors > 1, step%4 == 0)
	}
	back := check.Must(algorithms.Restore(check.Must(a.State())(t), func(s algorithms.Setup) (*DTS, error) { return New(s, cfg) }))(t)
	check.Equal(t, "Newton steps of restoring", back.m.model.post.Newton, 0)
}
