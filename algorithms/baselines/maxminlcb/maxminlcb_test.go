package maxminlcb

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	duellingtest.Run(t, New, Default(), func(c *Config) *settings.Duelling { return &c.Duelling }, map[string]func(*Config){
		"preset":     func(c *Config) { c.Preset = "mine" },
		"self_duels": func(c *Config) { c.SelfDuels = "" },
	})
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
