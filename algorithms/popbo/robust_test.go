package popbo

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"norm_bound = 0":              func(c *Config) { c.NormBound = 0 },
		"norm_bound = NaN":            func(c *Config) { c.NormBound = math.NaN() },
		"norm_bound = +Inf":           func(c *Config) { c.NormBound = math.Inf(1) },
		"beta.beta0 = -1":             func(c *Config) { c.Beta.Beta0 = -1 },
		"adapt_norm_bound":            func(c *Config) { c.AdaptNormBound, c.Beta.Beta0 = true, 0 },
		`beta.schedule = "sqrt"`:      func(c *Config) { c.Beta.Schedule = "sqrt" },
		"beta.delta = 0":              func(c *Config) { c.Beta = BetaConfig{Schedule: "theory", Covering: 1} },
		"beta.delta = 1":              func(c *Config) { c.Beta.Schedule, c.Beta.Delta = "theory", 1 },
		"beta.log_covering = -1":      func(c *Config) { c.Beta.Schedule, c.Beta.Covering = "theory", -1 },
		"beta.log_covering = 0 must":  func(c *Config) { c.Beta.Schedule = "theory" },
		"kernel.lengthscale is empty": func(c *Config) { c.Kernel.Lengthscale = nil },
		"kernel.lengthscale has 3":    func(c *Config) { c.Kernel.Lengthscale = []float64{1, 1, 1} },
		`kernel.family = "rbf"`:       func(c *Config) { c.Kernel.Family = "rbf" },
		`fit_lengthscale = "yes"`:     func(c *Config) { c.FitLengthscale = "yes" },
		`"ard": the linear kernel`:    func(c *Config) { c.FitLengthscale, c.Kernel.Family = "ard", "linear" },
		"refit_every and":             func(c *Config) { c.RefitEvery = 2 },
		"lengthscale_prior.rate":      func(c *Config) { c.FitLengthscale, c.LengthscalePrior.Shape = "ard", 3 },
		"epsilon = -1e-09":            func(c *Config) { c.Epsilon = -1e-9 },
		"lambda = 0":                  func(c *Config) { c.Lambda = 0 },
		`recommendation = "best"`:     func(c *Config) { c.Recommendation = "best" },
		`search = ""`:                 func(c *Config) { c.Search = "" },
		"restarts = 0":                func(c *Config) { c.Restarts = 0 },
		"grid = 1 is":                 func(c *Config) { c.Grid = 1 },
		"grid = 100000":               func(c *Config) { c.Search, c.Grid = "grid", 100000 }, // 10^10 points
		"batch = 0":                   func(c *Config) { c.Batch = 0 },
		"batch = 17":                  func(c *Config) { c.Batch = 17 },
		"but batch = 2":               func(c *Config) { c.Batch, c.Search = 2, "grid" },
	}, New)
	setup := algorithms.Setup{Domain: space.Cube(3, 0, 1), Start: make([]float64, 3), Rand: stream(1)}
	fit, grid := Default(), Default()
	fit.FitLengthscale, grid.Search = "ard", "grid"
	check.Error(t, "a fit without a pilot", check.Err(New(setup, fit)), "popbo: fit_lengthscale needs pilot comparisons, and there are none; give a pilot beside the settings, or refit_every")
	check.Error(t, "a grid in 3-D", check.Err(New(setup, grid)), "popbo: search")
}

// Hard data are solved: every result has a certificate, and no solve fails.
func TestHardData(t *testing.T) {
	line, square := space.Cube(1, 0, 1), space.Cube(2, 0, 1)
	at := func(x ...float64) []float64 { return x }
	inTurn := func(p *POPBO, n int, points ...[]float64) {
		for i := range n {
			tell(t, p, i%2, points...)
		}
	}
	normBound := func(b float64) func(*Config) { return func(c *Config) { c.NormBound = b } }
	for _, c := range []struct {
		name   string
		box    space.Box
		change func(*Config)
		data   func(p *POPBO)
	}{
		{"one duel 100 times, both outcomes", square, nil, func(p *POPBO) { inTurn(p, 100, at(0.2, 0.3), at(0.7, 0.6)) }},
		{"one duel 60 times, one outcome", square, nil, func(p *POPBO) {
			for range 60 {
				tell(t, p, 1, at(0.2, 0.3), at(0.7, 0.6))
			}
		}},
		{"contradictory: a circle", line, nil, func(p *POPBO) {
			for range 10 {
				tell(t, p, 1, at(0.1), at(0.5))
				tell(t, p, 1, at(0.5), at(0.9))
				tell(t, p, 1, at(0.9), at(0.1))
			}
		}},
		{"contradictory: neighbours", line, nil, func(p *POPBO) {
			for i := range 20 {
				tell(t, p, i%2, at(0.5), at(0.5+1e-7))
				tell(t, p, 1, at(0.5+1e-7), at(0.5+2e-7))
			}
		}},
		{"B = 1000", square, normBound(1000), func(p *POPBO) { play(t, p, bump(square), 12, stream(1)) }},
		{"B = 1e-3", square, normBound(1e-3), func(p *POPBO) { play(t, p, bump(square), 12, stream(1)) }},
		{"B = 1000, contradictions", line, normBound(1000), func(p *POPBO) {
			for i, c := range pilotOf(bump(line), line, 40, stream(2)) {
				tell(t, p, i%2, c.Points...)
			}
		}},
		{"200 random duels", square, nil, func(p *POPBO) {
			for _, c := range pilotOf(bump(square), square, 200, stream(3)) {
				tell(t, p, c.Winner, c.Points...)
			}
		}},
		{"epsilon = 0, repeated points", square, func(c *Config) { c.Epsilon = 0 }, func(p *POPBO) {
			play(t, p, bump(square), 8, stream(4))
			inTurn(p, 10, at(0.2, 0.3), at(0.2, 0.3+1e-9))
		}},
	} {
		for _, family := range []string{"matern12", "matern52", "se-half"} {
			t.Run(c.name+"/"+family, func(t *testing.T) {
				p := newTest(t, c.box, 1, func(cfg *Config) {
					cfg.Kernel.Family = family
					if c.change != nil {
						c.change(cfg)
					}
				})
				c.data(p)
				_, b := p.Beta()
				adv := proposed(t, p)
				check.That(t, adv.Status.OK() && adv.Value >= 0 && adv.Gap <= confset.Tol*max(1, 2*b), "the advantage is %+v", adv)
				for rule, x := range mustRecommend(t, p) {
					check.OK(t, c.box.Check(rule, x))
					est, low, up, err := p.Confidence(x)
					check.OK(t, err)
					check.That(t, low.Bound <= est+1e-6*b && up.Bound >= est-1e-6*b,
						"%s: the MLE %g is not in [%g, %g]", rule, est, low.Value, up.Value)
				}
				check.Equal(t, "failed solves", p.method.model.spent().Failures, 0)
			})
		}
	}
}

func TestModelPanicsNameTheArgument(t *testing.T) {
	k := mustKernel(t, kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{1}}, 2)
	for names, call := range map[string]func(m *Model){
		"epsilon":      func(*Model) { NewModel(k, -1) },
		"coordinates":  func(m *Model) { m.AddPoint([]float64{1}) },
		"coordinate 1": func(m *Model) { m.AddPoint([]float64{1, math.NaN()}) },
		"losers":       func(m *Model) { m.AddComparison(0) },
		"norm":         func(m *Model) { m.SolveMLE(0) },
		"beta":         func(m *Model) { m.SetBeta(-0.1) },
	} {
		t.Run(names, func(t *testing.T) {
			defer func() { check.Contains(t, "the panic", fmt.Sprint(recover()), names) }()
			m := NewModel(k, 0)
			m.AddPoint([]float64{0, 0})
			call(m)
		})
	}
	var zero Model
	check.That(t, !zero.SolveMLE(1).Status.OK() && !zero.Advantage(nil, 0).Status.OK(), "a Model without kernel solves")
}

// Equal states propose equal points, whatever the model computed before, also with the factors that long runs keep.
func TestAskDoesNotDependOnUseOfTheModel(t *testing.T) {
	s := readLongRun(t, "branin")
	for _, n := range []int{12, 300} {
		a, b := s.after(t, n), s.after(t, n)
		x := []float64{1, 2}
		b.Model().Upper(x)
		b.Model().Advantage(x, 0)
		b.method.opt.joint(b.Model().s.Surrogate(), 3)
		check.OK(t, check.Err(b.Recommend()))
		check.Same(t, "the query", mustAsk(t, b), mustAsk(t, a))
	}
}
