package pfts

import (
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	// Three boxes have candidates that cost a second each; the suite has one of them, and scripts/long all.
	scenarios := []string{"a line", "five dimensions", "twelve arms on a line", "nine arms with three features"}
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
		"noise_variance":     func(c *Config) { c.NoiseVariance = 0 },
		"self_duels":         func(c *Config) { c.SelfDuels = "" },
	}, New)
}

// On a box no point of a grid far finer than the candidates has a larger upper bound of its advantage over the last point.
func TestUpperBoundOnABox(t *testing.T) {
	box := space.Cube(1, 0, 1)
	cfg := Default()
	cfg.Rule, cfg.Kernel.Lengthscale = "ucb", []float64{0.3}
	m := check.Must(begin(algorithms.Setup{Domain: box, Start: []float64{0.2}}, algorithms.NewStreams(3), cfg))(t)
	for step := range 8 {
		p := check.Must(m.Propose())(t)
		if step > 0 {
			mean, against := m.Model.Mean(), m.Model.Against(m.last())
			bound := func(x []float64) float64 { return mean.Value(x, nil) + math.Sqrt(against.Variance(x, nil)) }
			got := bound(p.Query.Points[1])
			most := got
			for x := 0.0; x <= 1; x += 1. / 4096 {
				most = max(most, bound([]float64{x}))
			}
			check.That(t, most <= got+1e-9, "step %d: a bound is %.10g, that of the query %.10g", step, most, got)
		}
		check.OK(t, m.Learn(algorithms.Comparison{Points: p.Query.Points, Winner: step / 2 % 2}))
	}
}
