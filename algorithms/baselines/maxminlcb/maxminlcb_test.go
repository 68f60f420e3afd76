package maxminlcb

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	// Three boxes have candidates that cost a second each; the suite has two of them, and scripts/long all.
	scenarios := []string{"a line", "odd units", "five dimensions", "twelve arms on a line", "nine arms with three features"}
	if check.Long() {
		scenarios = nil
	}
	algotest.Run(t, "default", func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, Default()) }, scenarios...)
	fitted := Default()
	fitted.Fit = "map"
	algotest.Run(t, "fitted", func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, fitted) }, "a line", "nine arms with three features")
}

func TestSettings(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"preset":             func(c *Config) { c.Preset = "mine" },
		"fit":                func(c *Config) { c.Fit = "mle" },
		"kernel.lengthscale": func(c *Config) { c.Kernel.Lengthscale = []float64{1, 2, 3} },
		"lambda":             func(c *Config) { c.Lambda = 0 }, // package settings tests the others that methods share
		"self_duels":         func(c *Config) { c.SelfDuels = "" },
	}, New)
}

// On a box no point of a grid far finer than the candidates has a smaller lower bound of the leader's probability to win
// than the follower.
func TestFollowerOnABox(t *testing.T) {
	for _, width := range []string{"sd", "variance"} {
		searched := false
		cfg := Default()
		cfg.Width, cfg.Beta.Factor, cfg.Kernel.Lengthscale = width, 0.3, []float64{0.3}
		setup := algorithms.Setup{Domain: space.Cube(1, 0, 1), Start: []float64{0.2}}
		m := check.Must(begin(setup, algorithms.NewStreams(3), cfg))(t)
		for step := range 8 {
			q := check.Must(m.Propose())(t).Query
			mean, against := m.Model.Mean(), m.Model.Against(q.Points[0])
			bound := func(y []float64) float64 {
				w := against.Variance(y, nil)
				if width == "sd" {
					w = math.Sqrt(w)
				}
				return arms.Logistic(mean.Value(q.Points[0], nil)-mean.Value(y, nil)) - 0.3*w
			}
			got := bound(q.Points[1])
			least := got
			for y := 0.0; y <= 1; y += 1. / 4096 {
				least = min(least, bound([]float64{y}))
			}
			self := slices.Equal(q.Points[0], q.Points[1]) // there is no search: the candidates have no smaller bound
			check.That(t, self || least >= got-1e-9, "%s, step %d: a lower bound is %.10g, the follower's %.10g", width, step, least, got)
			searched = searched || !self
			check.OK(t, m.Learn(algorithms.Comparison{Points: q.Points, Winner: step / 2 % 2}))
		}
		check.That(t, searched, "%s: all duels are self-duels", width)
	}
}
