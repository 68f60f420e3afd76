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
	"popbench/space"
)

var rules = []string{MUC, DuelingUCB, EIIG, Thompson, BivariateEI, BrochuEI, SelfSparring}

func withRule(rule string) Config {
	c := Default()
	c.Rule, c.InitialDuels, c.Candidates = rule, 3, 32
	return c
}

func probitConfig(rule string) Config {
	c := withRule(rule)
	c.Utility = settings.PairwiseGP()
	c.InitialDuels, c.Champion, c.Information = 3, "conditioned", "published"
	return c
}

func TestConformance(t *testing.T) {
	for _, rule := range rules {
		algotest.Run(t, rule, algotest.With(New, withRule(rule)))
		algotest.Run(t, rule+", probit", algotest.With(New, probitConfig(rule)), "a square, start at a corner", "nine arms with three features")
	}
	algotest.RunClimb(t, MUC, algotest.With(New, withRule(MUC)), 25)
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

// run plays the given number of steps and returns the queries.
func run(t *testing.T, domain space.Domain, cfg Config, steps int) (*Challenger, []algorithms.Query) {
	t.Helper()
	a := check.Must(New(algotest.Setup(domain, 7), cfg))(t)
	waves := func(x []float64) (y float64) {
		for j, v := range x {
			y += 3 * math.Sin(5*v+float64(j))
		}
		return y
	}
	return a, algotest.Play(t, a, steps, waves, rand.New(rand.NewPCG(7, 1)))
}

// All rules begin with the same duels, and never ask for a duel of a point with itself, on boxes and on arms.
func TestDuels(t *testing.T) {
	square := space.Cube(2, 0, 1)
	arms := check.Must(space.NewArms(slices.Collect(slices.Chunk(square.Grid(4), 2))))(t)
	for _, domain := range []space.Domain{square, arms} {
		_, first := run(t, domain, withRule(MUC), 3)
		for _, rule := range rules {
			_, queries := run(t, domain, withRule(rule), 14)
			check.Same(t, "the first duels of "+rule, queries[:3], first)
			for i, q := range queries {
				check.That(t, !slices.Equal(q.Points[0], q.Points[1]), "%s: duel %d is of %v with itself", rule, i, q.Points[0])
			}
		}
	}
}

// No point of a grid, and none near the champion, has a larger mean: that of f, or that of f given f(0) = 0. The two differ
// where 0 is near.
func TestChampion(t *testing.T) {
	unit := space.Cube(2, 0, 1)
	for _, cfg := range []Config{withRule(MUC), probitConfig(MUC)} {
		a := check.Must(New(algotest.Setup(unit, 1), cfg))(t)
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
		most, x := math.Inf(-1), a.m.champion().X
		for at := range slices.Chunk(unit.Grid(41), 2) {
			most = max(most, mean(at))
		}
		for _, step := range []float64{-1e-3, 1e-3} {
			most = max(most, mean([]float64{x[0] + step, x[1]}), mean([]float64{x[0], x[1] + step}))
		}
		check.That(t, mean(x) >= most-1e-9, "%s: the champion has the mean %v, another point %v", cfg.Champion, mean(x), most)
	}
}

// On arms the challenger is the best of all arms, by values from posterior covariances; in a box the search finds no
// less than a fine grid. Gradients agree with differences.
func TestChallengers(t *testing.T) {
	unit := space.Cube(2, 0, 1)
	for _, rule := range rules {
		for _, cfg := range []Config{withRule(rule), probitConfig(rule)} {
			a, _ := run(t, unit, cfg, 12)
			m := a.m
			if m.rule == nil {
				continue
			}
			x1 := m.champion().X
			c := m.newChallenge(x1)
			found := m.challenger(x1)
			name, most := fmt.Sprintf("%s, %s", rule, cfg.Link), math.Inf(-1)
			for x := range slices.Chunk(unit.Grid(41), 2) {
				if !slices.Equal(x, x1) {
					most = max(most, c.value(x, nil))
				}
			}
			check.That(t, found.Value >= most-1e-9*math.Abs(most), "%s: the challenger has %v, a point of a grid %v", name, found.Value, most)
			for i, v := range c.values(m.Searcher) {
				if x := m.Searcher.Candidates().At(i); !slices.Equal(x, x1) {
					check.Near(t, v, c.value(x, nil), 1e-9, "%s: value at candidate %d", name, i)
				}
			}
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
	a, _ := run(t, space.Cube(2, 0, 1), withRule(SelfSparring), 8)
	d := a.m.newDraws()
	values := d.next()
	best := d.maximum(values).Value
	check.That(t, best >= slices.Max(values)-1e-4, "the best point of a draw has %v, a candidate %v", best, slices.Max(values))
}
