package profile

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/views/report/reporttest"
)

// The figures have the numbers of the tables.
func TestCharts(t *testing.T) {
	r := check.Must(outcome.Collect(reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin", "levy13"}, Algorithms: []string{"popbo", "sgp", "random"}, Runs: 9, Steps: 12})))(t)
	p := check.Must(New(r, Default()))(t)
	order, styles := []int{2, 0, 1}, map[string]int{"POP-BO": 4, "SGP": 2, "Random": 7}
	charts := p.Charts(order, styles)
	check.Equal(t, "figures", len(charts), 3)
	at := func(s *figure.Shares, k int, x float64) float64 { return s.Lines[k].Last(x) }
	for k, a := range order {
		check.Equal(t, "label", charts[0].Lines[k].Label, p.Algorithms[a])
		check.Equal(t, "style", charts[0].Lines[k].Style, styles[p.Algorithms[a]])
		for step := 1; step <= 12; step++ {
			check.Near(t, at(charts[0], k, float64(step)), p.Runtimes[a][step-1], 1e-12, "targets that %s reaches by step %d", p.Algorithms[a], step)
			reached := 0 // runs that reach a tenth of U by the step; the dimension is 2
			for i := range p.Problems {
				for _, attempt := range p.Problems[i].Outcomes[a].Targets[2].Attempts {
					if attempt.Reached && attempt.Steps <= step {
						reached++
					}
				}
			}
			check.Near(t, at(charts[1], k, float64(step)/3), float64(reached)/27, 1e-12, "data profile of %s at %d/3", p.Algorithms[a], step)
		}
		for _, tau := range []float64{1, 1.5, 3, charts[2].To} {
			check.Near(t, at(charts[2], k, tau), stats.PerformanceProfile(p.Ratios, a, tau), 1e-12, "performance profile of %s at %g", p.Algorithms[a], tau)
		}
	}
	check.Equal(t, "end of the data profile", charts[1].To, 4)
	check.Contains(t, "caption", charts[0].Caption().String(), "Targets: 0.5, 0.2, 0.1, 0.05, 0.02 and 0.01 of U", "Higher is better.")

	// One algorithm has no performance profile.
	one := check.Must(outcome.Collect(reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 3, Steps: 4})))(t)
	o := Default()
	o.NoIntervals = true
	p = profiled(t, one, o)
	check.Equal(t, "figures of one algorithm", len(p.Charts([]int{0}, styles)), 2)
	check.Equal(t, "no interval", math.IsNaN(p.Problems[0].Outcomes[0].Targets[0].CI.Lo), true)
}
