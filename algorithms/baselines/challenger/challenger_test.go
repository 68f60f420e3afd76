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
		build := func(cfg Config) algotest.Factory {
			return func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }
		}
		algotest.Run(t, rule, build(withRule(rule, 3)))
		algotest.Run(t, rule+", probit", build(probitConfig(rule)), "a square, start at a corner", "nine arms with three features")
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
				check.That(t, !slices.Equal(d[0], d[1]), "%s: duel %d is of %v with itself", rule, i, d[0])
			}
		}
	}
}

// No point of a grid, and none near the champion, has a larger mean: that of f, or that of f given f(0) = 0. The two differ
// where 0 is near.
func TestChampion(t *testing.T) {
	unit := space.Cube(2, 0, 1)
	for _, cfg := range []Config{withRule(MUC, 3), probitConfig(MUC)} {
		start := algorithms.Setup{Domain: unit, Start: []float64{0.5, 0.5}, Rand: rand.New(rand.NewPCG(5, 6))}
		a := check.Must(New(start, cfg))(t)
		for _, loser := range [][]float64{{0.2, 0.1}, {0.9, 0.2}, {0.3, 0.8}, {0.1, 0.4}, {0.9, 0.9}} {
			check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{{0.5, 0.4}, loser}, New: 2}, 0))
		}
		m, origin := a.m.Model, []float64{0, 0}
		mean := func(x []float64) float64 {
			v := m.Mean(x, nil)
			if cfg.Champion == "conditioned" {
				v -= m.Mean(origin, nil) * m.Cov(x, origin) / m.Cov(origin, origin)
			}
			return v
		}
		grid, most := unit.Grid(41), math.Inf(-1)
		for i := 0; i < len(grid); i += 2 {
			most = max(most, mean(grid[i:i+2]))
		}
		x := a.m.champion().X
		for _, step := range []float64{-1e-3, 1e-3} {
			most = max(most, mean([]float64{x[0] + step, x[1]}), mean([]float64{x[0], x[1] + step}))
		}
		got := mean(x)
		check.That(t, got >= most-1e-9, "%s: the champion has the mean %v, another point %v", cfg.Champion, got, most)
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
			check.That(t, found.Value >= most-1e-9*math.Abs(most),
				"%s, %s: the challenger has %v, a point of a grid %v", rule, cfg.Link, found.Value, most)
			for i, v := range c.values(m.Searcher) {
				if x := m.Searcher.Candidates().At(i); !slices.Equal(x, x1) {
					check.Near(t, v, c.value(x, nil), 1e-9, "%s, %s: value at candidate %d", rule, cfg.Link, i)
				}
			}
			name := fmt.Sprintf("%s, %s", rule, cfg.Link)
			check.Gradient(t, name, c.value, []float64{0.3, 0.83}, 1e-5, 1e-6)
			e := m.newExpansion(slices.Concat(x1, []float64{0.2, 0.7}), []float64{0.4, -1.5}, true)
			x := []float64{0.6, 0.1}
			want := m.Model.Mean(x, nil) + 0.4*m.Model.Cov(x, x1) - 1.5*m.Model.Cov(x, []float64{0.2, 0.7})
			check.Near(t, e.value(x, nil), want, 1e-10, "%s: an expansion", name)
			check.Gradient(t, name+": an expansion", e.value, x, 1e-5, 1e-6)
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
