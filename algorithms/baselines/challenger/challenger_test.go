package challenger

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/check"
	"popbench/internal/math/fmath"
	"popbench/space"
)

var rules = []string{MUC, DuelingUCB, EIIG, Thompson, BivariateEI, BrochuEI, SelfSparring}

func withRule(rule string, initial int) Config {
	c := Default()
	c.Rule, c.InitialDuels, c.Candidates = rule, initial, 32
	return c
}

func probitConfig(rule string) Config {
	c := withRule(rule, 3)
	c.Utility = settings.PairwiseGP()
	c.InitialDuels, c.Champion, c.Information = 3, "conditioned", "published"
	return c
}

func TestConformance(t *testing.T) {
	for _, rule := range rules {
		for name, cfg := range map[string]Config{rule: withRule(rule, 3), rule + ", probit": probitConfig(rule)} {
			build := func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }
			algotest.Run(t, name, build)
			algotest.RunRestored(t, name, build, 8)
		}
	}
}

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		`rule = "ei"`:             func(c *Config) { c.Rule = "ei" },
		`champion = "max"`:        func(c *Config) { c.Champion = "max" },
		`information = "bald"`:    func(c *Config) { c.Information = "bald" },
		"information = published": func(c *Config) { c.Rule, c.Information = EIIG, "published" },
		"candidates = 1":          func(c *Config) { c.Candidates = 1 },
	}, New)
}

// run plays the given number of steps and returns the duels.
func run(t testing.TB, domain space.Domain, cfg Config, steps int) (*Challenger, [][][]float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 1))
	start := domain.Sample(make([]float64, domain.Dim()), r)
	a := check.Must(New(algorithms.Setup{Domain: domain, Start: start, Rand: rand.New(rand.NewPCG(5, 6))}, cfg))(t)
	var duels [][][]float64
	f := func(x []float64) (y float64) {
		for j, v := range x {
			y += 3 * math.Sin(5*v+float64(j))
		}
		return y
	}
	for range steps {
		q := check.Must(a.Ask())(t)
		duels = append(duels, q.Points)
		winner := 0
		if r.Float64() < 1/(1+fmath.Exp(f(q.Points[0])-f(q.Points[1]))) {
			winner = 1
		}
		check.OK(t, a.Tell(q, winner))
	}
	return a, duels
}

// All rules begin with the same duels, and never ask for a duel of a point with itself, on boxes and on arms.
func TestDuels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	points := make([][]float64, 12)
	for i := range points {
		points[i] = []float64{r.Float64(), r.Float64()}
	}
	arms := check.Must(space.NewArms(points))(t)
	for _, domain := range []space.Domain{space.Cube(2, 0, 1), arms} {
		var first [][][]float64
		for _, rule := range rules {
			_, duels := run(t, domain, withRule(rule, 3), 14)
			if first == nil {
				first = duels[:3]
			}
			if !slices.EqualFunc(first, duels[:3], func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal[[]float64]) }) {
				t.Errorf("%s begins with %v, %s with %v", rule, duels[:3], rules[0], first)
			}
			for i, d := range duels {
				if slices.Equal(d[0], d[1]) {
					t.Errorf("%s: duel %d is of %v with itself", rule, i, d[0])
				}
			}
		}
	}
}

// On arms the challenger is the best of all arms, by values from posterior covariances; in a box the search finds no
// less than a fine grid. Gradients agree with differences.
func TestChallengers(t *testing.T) {
	unit := space.Cube(2, 0, 1)
	for _, rule := range rules {
		for _, cfg := range []Config{withRule(rule, 3), probitConfig(rule)} {
			a, _ := run(t, unit, cfg, 12)
			m := a.m
			if m.rule == nil {
				continue
			}
			x1 := m.champion().X
			c := m.newChallenge(x1)
			found := m.challenger(x1)
			grid, most := unit.Grid(41), math.Inf(-1)
			for i := range len(grid) / 2 {
				x := grid[2*i : 2*i+2]
				if !slices.Equal(x, x1) {
					most = max(most, c.value(x, nil))
				}
			}
			if found.Value < most-1e-9*math.Abs(most) {
				t.Errorf("%s, %s: the challenger has %v, a point of a grid %v", rule, cfg.Link, found.Value, most)
			}
			for i, v := range c.values(m.Searcher) {
				if x := m.Searcher.Candidates().At(i); !slices.Equal(x, x1) && !near(v, c.value(x, nil), 1e-9) {
					t.Errorf("%s, %s: the value at a candidate is %v, elsewhere %v", rule, cfg.Link, v, c.value(x, nil))
				}
			}
			checkGradient(t, fmt.Sprintf("%s, %s", rule, cfg.Link), c.value, []float64{0.3, 0.83})
			e := m.newExpansion(slices.Concat(x1, []float64{0.2, 0.7}), []float64{0.4, -1.5}, true)
			x := []float64{0.6, 0.1}
			want := m.Model.Mean(x, nil) + 0.4*m.Model.Cov(x, x1) - 1.5*m.Model.Cov(x, []float64{0.2, 0.7})
			if got := e.value(x, nil); !near(got, want, 1e-10) {
				t.Errorf("an expansion is %v, want %v", got, want)
			}
			checkGradient(t, "expansion", e.value, x)
		}
	}
}

func checkGradient(t *testing.T, name string, f func(x, grad []float64) float64, x []float64) {
	t.Helper()
	grad := make([]float64, len(x))
	f(x, grad)
	for j := range x {
		const h = 1e-5
		lo, hi := slices.Clone(x), slices.Clone(x)
		lo[j] -= h
		hi[j] += h
		if want := (f(hi, nil) - f(lo, nil)) / (2 * h); !near(grad[j], want, 1e-6) {
			t.Errorf("%s: derivative %d is %v, by differences %v", name, j, grad[j], want)
		}
	}
}

// A draw over the box has its values at the candidates.
func TestDrawsInTheBox(t *testing.T) {
	a, _ := run(t, space.Cube(2, 0, 1), withRule(SelfSparring, 3), 8)
	d := a.m.newDraws()
	values := d.next()
	best := d.maximum(values)
	if most := slices.Max(values); best.Value < most-1e-4 {
		t.Errorf("the best point of a draw has %v, a candidate %v", best.Value, most)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, dim := range []int{2, 6} {
		for _, rule := range rules {
			b.Run(fmt.Sprintf("%d-D/%s", dim, rule), func(b *testing.B) {
				cfg := Default()
				cfg.Rule, cfg.InitialDuels = rule, 6
				for b.Loop() {
					run(b, space.Cube(dim, 0, 1), cfg, 80)
				}
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(80*b.N), "ms/step")
			})
		}
	}
}
