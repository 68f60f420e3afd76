package pfts

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	duellingtest.Run(t, New, Default(), func(c *Config) *settings.Duelling { return &c.Duelling }, map[string]func(*Config){
		"preset":         func(c *Config) { c.Preset = "mine" },
		"noise_variance": func(c *Config) { c.NoiseVariance = 0 },
		"self_duels":     func(c *Config) { c.SelfDuels = "" },
	})
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

// On arms a duel is of the best ones of draws: most are of the best of eight arms, once that is known.
func TestDuelsOnArms(t *testing.T) {
	var line [][]float64
	for i := range 8 {
		line = append(line, []float64{float64(i) / 7})
	}
	cfg := Default()
	cfg.Scale, cfg.Kernel.Lengthscale = "one", []float64{0.3}
	a := check.Must(New(algotest.Setup(check.Must(space.NewArms(line))(t), 1), cfg))(t)
	r := rand.New(rand.NewPCG(1, 1))
	algotest.Play(t, a, 60, algotest.Hill, r)
	best := 0
	for _, q := range algotest.Play(t, a, 20, algotest.Hill, r) {
		for _, x := range q.Points {
			if x[0] == line[5][0] { // 0.71, where the top is at 0.7
				best++
			}
		}
	}
	check.That(t, best >= 36, "%d of 40 points are the best arm", best)
}
