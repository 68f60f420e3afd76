package gpucb

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":   func(*Config) {},
		"isotropic": func(c *Config) { c.Fit = "isotropic"; c.RefitEvery = 3; c.Kernel.Family = "se-half" },
		"fixed":     func(c *Config) { c.Fit = "none" },
		"theorem2":  func(c *Config) { c.Beta.Schedule = "theorem2"; c.Recommendation = RuleMaxMeanVisited },
		"prior":     func(c *Config) { c.LengthscalePrior.Family = "dim-scaled" },
		"matern12":  func(c *Config) { c.Kernel.Family = "matern12" },
		"linear":    func(c *Config) { c.Fit = "none"; c.Kernel = kernel.Config{Family: "linear", Variance: 1e-6} },
		"certain":   func(c *Config) { c.Beta.Factor = 0 },
	} {
		cfg := Default()
		change(&cfg)
		var scenarios []string
		if name != "default" {
			scenarios = []string{"a square, start at a corner", "odd units"}
		}
		algotest.Run(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, scenarios...)
	}
}

func setup(box space.Box, seed uint64) algorithms.Setup {
	start := box.Sample(make([]float64, box.Dim()), rand.New(rand.NewPCG(seed, 1)))
	return algorithms.Setup{Domain: box, Start: start, Rand: rand.New(rand.NewPCG(seed, 2))}
}

func mustNew(t *testing.T, s algorithms.Setup, cfg Config) *GPUCB {
	t.Helper()
	return check.Must(New(s, cfg))(t)
}

// play runs n steps on f with noise of the given deviation.
func play(t *testing.T, p *GPUCB, n int, f func([]float64) float64, deviation float64, r *rand.Rand) (asked [][]float64) {
	t.Helper()
	for range n {
		q := check.Must(p.Ask())(t)
		asked = append(asked, q.Points[1])
		check.OK(t, p.TellValues(q, []float64{f(q.Points[1]) + deviation*r.NormFloat64()}))
	}
	return asked
}

func best(t *testing.T, p *GPUCB) []algorithms.Recommendation {
	t.Helper()
	return check.Must(p.Recommend())(t)
}

func wave(x []float64) float64 {
	v := 0.0
	for _, u := range x {
		v += math.Sin(9*u) + u
	}
	return v
}

// With nearly exact values, 25 steps find the maximum of two waves.
func TestFindsAMaximum(t *testing.T) {
	box := space.Cube(2, 0, 1)
	top := 0.0
	for u := 0.0; u <= 1; u += 1e-4 {
		top = max(top, 2*(math.Sin(9*u)+u))
	}
	for seed := range uint64(5) {
		cfg := Default()
		cfg.NoiseVariance = 1e-4
		p := mustNew(t, setup(box, seed), cfg)
		play(t, p, 25, wave, 1e-2, rand.New(rand.NewPCG(seed, 3)))
		for _, r := range best(t, p) {
			if gap := top - wave(r.X); gap > 0.05 {
				t.Errorf("seed %d: %s is %.3f below the maximum", seed, r.Rule, gap)
			}
		}
	}
}

// No point of a dense grid has a larger bound than the proposal of Ask, or a larger mean than the
// recommendation.
func TestSearchAgainstGrid(t *testing.T) {
	for _, c := range []struct {
		box         space.Box
		lengthscale float64
		side        int
	}{
		{space.Cube(1, 0, 10), 0.7, 5001}, {space.Cube(1, 0, 10), 0.2, 5001}, {space.Cube(2, 0, 1), 0.3, 151},
	} {
		cfg := Default()
		cfg.Fit, cfg.Kernel = "none", kernel.Config{Family: "se-half", Variance: 9, Lengthscale: []float64{c.lengthscale}}
		p := mustNew(t, setup(c.box, 1), cfg)
		r := rand.New(rand.NewPCG(2, 3))
		d := c.box.Dim()
		grid := c.box.Grid(c.side)
		for step := range 12 {
			play(t, p, 3, func(x []float64) float64 { return 3 * math.Sin(3*x[0]) }, 1.3, r)
			q := check.Must(p.Ask())(t)
			for what, at := range map[string]struct {
				x []float64
				c float64
			}{"Ask": {q.Points[1], 3}, "Recommend": {best(t, p)[0].X, 0}} {
				got := p.m.model.Bound(at.x, nil, at.c)
				for i := 0; i < len(grid); i += d {
					if v := p.m.model.Bound(grid[i:i+d], nil, at.c); v > got+1e-6 {
						t.Errorf("%d-D, lengthscale %g, after %d values: %s finds %.6f, the grid %.6f at %v", d, c.lengthscale, 3*(step+1), what, got, v, grid[i:i+d])
						break
					}
				}
			}
		}
	}
}

// Adding a number to all values changes no query, as with comparisons.
func TestShiftOfValues(t *testing.T) {
	box := space.Cube(1, 0, 1)
	run := func(shift float64, known *kernel.Config) []float64 {
		s := setup(box, 4)
		s.Known.Kernel = known
		p := mustNew(t, s, Default())
		var flat []float64
		for _, x := range play(t, p, 12, func(x []float64) float64 { return wave(x) + shift }, 0.5, rand.New(rand.NewPCG(5, 5))) {
			flat = append(flat, x...)
		}
		return flat
	}
	a, b := run(0, nil), run(64, nil)
	for i := range a { // the searches stop at different rounding
		check.Near(t, b[i], a[i], 1e-5, "query %d with 64 added to all values", i+1)
	}
	known := Default().Kernel
	if a, b := run(0, &known), run(64, &known); slices.Equal(a, b) {
		t.Error("a mean known to be zero makes no difference")
	}
}

// Before the first value all is the prior.
func TestAtTheStart(t *testing.T) {
	s := setup(space.Cube(2, 0, 1), 6)
	p := mustNew(t, s, Default())
	for _, r := range best(t, p) {
		check.That(t, slices.Equal(r.X, s.Start), "%s is %v before the first value, not the start %v", r.Rule, r.X, s.Start)
	}
	checkBelief(t, p, []float64{0.5, 0.5}, 0, 3*math.Sqrt(p.InForce().Kernel.Variance))
}

// checkBelief checks that the belief at x is mean ± width.
func checkBelief(t *testing.T, p *GPUCB, x []float64, mean, width float64) {
	t.Helper()
	b := check.Must(p.Belief(x))(t)
	check.That(t, b.Estimate == mean, "the estimate at %v is %g, want %g", x, b.Estimate, mean)
	check.Near(t, b.Upper-mean, width, 1e-13, "the width above the estimate")
	check.Near(t, mean-b.Lower, width, 1e-13, "the width below the estimate")
}

// After one value the mean is the same everywhere; the recommendation is the point of that value.
func TestAfterOneValue(t *testing.T) {
	for seed := range uint64(30) { // so that in some the difference is not 0 but rounding
		p := mustNew(t, setup(space.Cube(1+int(seed)%6, 0, 1), seed), Default())
		asked := play(t, p, 1, wave, 0.5, rand.New(rand.NewPCG(8, 8)))
		for _, r := range best(t, p) {
			check.That(t, slices.Equal(r.X, asked[0]), "%s is %v, the one value is that of %v", r.Rule, r.X, asked[0])
		}
	}
}

// Beliefs are the posterior, the visited rule recommends a visited point, and the metrics describe the data.
func TestWhatItSays(t *testing.T) {
	cfg := Default()
	cfg.Recommendation = RuleMaxMeanVisited
	p := mustNew(t, setup(space.Cube(1, 0, 1), 7), cfg)
	asked := play(t, p, 9, wave, 0.5, rand.New(rand.NewPCG(8, 8)))
	recs := best(t, p)
	check.That(t, recs[0].Rule == RuleMaxMeanVisited && recs[1].Rule == RuleMaxMean,
		"rules %s, %s", recs[0].Rule, recs[1].Rule)
	top := math.Inf(-1)
	for _, x := range asked {
		mean, _ := p.m.model.Moments(x)
		top = max(top, mean)
	}
	mean, _ := p.m.model.Moments(recs[0].X)
	check.Near(t, mean, top, 1e-10, "mean at the best visited point")
	visited := slices.ContainsFunc(asked, func(x []float64) bool { return slices.Equal(x, recs[0].X) })
	check.That(t, visited, "it recommends %v, which was not asked", recs[0].X)
	mean, variance := p.m.model.Moments([]float64{0.3})
	checkBelief(t, p, []float64{0.3}, mean, 3*math.Sqrt(variance))
	p.m.cand.best(3, 1) // they know that the kernel has changed
	for i, score := range p.m.cand.score {
		check.Near(t, score, p.m.model.Bound(p.m.cand.At(i), nil, 3), 1e-10, "bound of candidate %v", i)
	}
	for _, m := range p.Metrics() {
		switch {
		case m.Name == "value_observation" && m.Value != p.m.model.Y[8],
			m.Name == "beta" && m.Value != 9,
			m.Name == "failures" && m.Value != 0,
			(m.Name == "posterior_sd" || strings.HasSuffix(m.Name, "evaluations")) && m.Value <= 0:
			t.Errorf("metric %+v", m)
		}
	}
	check.Error(t, "belief outside the box", check.Err(p.Belief([]float64{2})), "outside the box")
}

// A value that cannot be added, because a point is repeated and the noise rounds to nothing, changes nothing.
func TestRefusedValueLeavesNoTrace(t *testing.T) {
	cfg := Default()
	cfg.Fit, cfg.NoiseVariance, cfg.Kernel.Variance = "none", 1e-12, 1e9
	box := space.Cube(1, 0, 1)
	p, twin := mustNew(t, setup(box, 9), cfg), mustNew(t, setup(box, 9), cfg)
	tell := func(p *GPUCB, points ...float64) error {
		q := algorithms.Query{New: len(points)}
		var values []float64
		for _, x := range points {
			q.Points, values = append(q.Points, []float64{x}), append(values, wave([]float64{x}))
		}
		return p.TellValues(q, values)
	}
	for _, a := range []*GPUCB{p, twin} {
		check.OK(t, tell(a, 0.1, 0.5, 0.9))
	}
	check.Error(t, "a singular matrix", tell(p, 0.3, 0.5), "raise noise_variance")
	for _, a := range []*GPUCB{p, twin} {
		check.OK(t, tell(a, 0.2, 0.7))
	}
	for x := range 10 {
		at := []float64{float64(x) / 10}
		a, errA := p.Belief(at)
		b, errB := twin.Belief(at)
		check.That(t, a == b && errA == nil && errB == nil,
			"after a refused value it holds %+v of %g (%v), without it %+v (%v)", a, at, errA, b, errB)
	}
}

// Hyper-parameters of a search that did not converge are not used.
func TestUnconvergedFitIsNotUsed(t *testing.T) {
	p := mustNew(t, setup(space.Cube(1, 0, 1), 10), Default())
	before := p.InForce().Kernel
	p.m.fitter.hyper = p.m.fitter.hyperFit(search.Settings{MaxIter: 1, Strict: true})
	play(t, p, 4, wave, 0.5, rand.New(rand.NewPCG(1, 1)))
	if after := p.InForce().Kernel; after.String() != before.String() {
		t.Errorf("kernel %v, was %v", after, before)
	}
	if m := p.Metrics()[6]; m.Name != "failures" || m.Value != 1 {
		t.Errorf("metric %+v, want one failure in the last step", m)
	}
}

func TestRefitEvery(t *testing.T) {
	cfg := Default()
	cfg.RefitEvery = 3
	p := mustNew(t, setup(space.Cube(1, 0, 1), 11), cfg)
	for step := 1; step <= 12; step++ { // the last fit climbs from the current kernel alone
		play(t, p, 1, wave, 0.5, rand.New(rand.NewPCG(1, 1)))
		if fitted := p.m.work.FitEvaluations > 0; fitted != (step%3 == 0) {
			t.Errorf("step %d: fitted is %v", step, fitted)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"kernel.variance = 0":       func(c *Config) { c.Kernel.Variance = 0 },
		`fit = "all"`:               func(c *Config) { c.Fit = "all" },
		`fit = "ard": the linear`:   func(c *Config) { c.Kernel.Family = "linear" },
		"lengthscale_prior is for":  func(c *Config) { c.LengthscalePrior.Shape, c.Fit = 1, "none" },
		"lengthscale_prior.rate":    func(c *Config) { c.LengthscalePrior.Shape = 3 },
		"refit_every = 0":           func(c *Config) { c.RefitEvery = 0 },
		"noise_variance = 0":        func(c *Config) { c.NoiseVariance = 0 },
		`beta.schedule = "sqrt(t)"`: func(c *Config) { c.Beta.Schedule = "sqrt(t)" },
		"beta.factor = -1":          func(c *Config) { c.Beta.Factor = -1 },
		`recommendation = "last"`:   func(c *Config) { c.Recommendation = "last" },
		"restarts = 0":              func(c *Config) { c.Restarts = 0 },
		"restarts = 1001":           func(c *Config) { c.Restarts = 1001 },
	}, New)
}

// One value says nothing of the lengthscales, since the mean is unknown: the fit is the mode of the prior of the settings.
func TestFitTakesThePriorOfTheSettings(t *testing.T) {
	for _, c := range []struct {
		prior algorithms.Prior
		mode  float64 // in box widths
	}{
		{algorithms.Prior{Family: "dim-scaled"}, math.Exp(math.Sqrt2 + math.Log(16)/2 - 3)},
		{algorithms.Prior{Shape: 5, Rate: 8}, (5. - 1) / 8},
	} {
		cfg := Default()
		cfg.LengthscalePrior = c.prior
		p := mustNew(t, setup(space.Cube(16, 0, 2), 1), cfg)
		play(t, p, 1, func([]float64) float64 { return 1 }, 0, rand.New(rand.NewPCG(1, 1)))
		for i, l := range p.InForce().Kernel.Lengthscale {
			if want := 2 * c.mode; math.Abs(l/want-1) > 1e-4 {
				t.Errorf("%+v: lengthscale %d is %g, the mode of the prior %g", c.prior, i, l, want)
			}
		}
	}
}
