package outcome

import (
	"math"
	"slices"
	"sync"

	"popbench/internal/math/stats"
)

// Reference is what a curve is measured against.
type Reference string

const (
	Optimum     Reference = "optimum"      // the certified optimum f(x*)
	GridOptimum Reference = "grid-optimum" // the best value of the paper's grid, which is lower
	Found       Reference = "best-found"   // the best value that any run found: the optimum is unknown
)

// Curve is a metric after each step, over the runs of a group.
type Curve struct {
	Problem   string // name
	Title     string // of the problem
	Algorithm string // label
	Metric    Metric
	Rule      string          // recommendation rule of a suboptimality, "" of other metrics
	Selected  bool            // false: a rule that the settings do not select
	Against   Reference       // "" of a metric that is not measured against an optimum
	BestFound *BestFound      // what it is measured against if that is Found
	Points    []stats.Summary // after step 1, 2, …
}

// Curves are all curves of the results, in the order of the groups. Of the metrics that are not in every report, only the
// headline has one.
func Curves(r *Results) []Curve {
	of := make([][]Curve, len(r.Groups))
	var wait sync.WaitGroup
	for i := range r.Groups {
		wait.Go(func() { of[i] = r.Groups[i].curves(r.Steps, r.Headline) })
	}
	wait.Wait()
	return slices.Concat(of...)
}

func (g *Group) curves(steps int, headline *Measure) (all []Curve) {
	if len(g.Runs) == 0 {
		return nil
	}
	shown := func(metric Metric) Curve {
		return Curve{Problem: g.Problem.Name, Title: g.Name(), Algorithm: g.Algorithm.Label, Metric: metric, Selected: true}
	}
	against := func(c Curve) Curve {
		if c.Against = Optimum; g.BestFound != nil {
			c.Against, c.BestFound = Found, g.BestFound
		}
		return c
	}
	add := func(c Curve, of func(run *Run, t int) float64, weight func(t int) float64) {
		onGrid := c
		onGrid.Against = GridOptimum
		c = against(c)
		if c.Points, onGrid.Points = g.summaries(steps, of, weight); onGrid.Points != nil {
			all = append(all, c, onGrid)
		} else {
			all = append(all, c)
		}
	}
	one := func(int) float64 { return 1 }
	add(shown(InstantRegret), func(run *Run, t int) float64 { return run.Regret[t] }, one)
	add(shown(CumulativeRegret), func(run *Run, t int) float64 { return run.CumulativeRegret(t + 1) },
		func(t int) float64 { return float64(t + 1) })
	for k, rule := range g.Rules {
		c := shown(Suboptimality)
		c.Rule, c.Selected = rule, k == 0
		add(c, func(run *Run, t int) float64 { return run.Suboptimality[k][t] }, one)
	}
	if headline.Name != Suboptimality && headline.Name != CumulativeRegret {
		if points := g.series(headline, steps); points != nil {
			c := shown(headline.Name)
			if c.Points = points; headline.AgainstOptimum() {
				c = against(c)
			}
			all = append(all, c)
		}
	}
	share := func(metric Metric, in func(run *Run, t int) bool) {
		c := shown(metric)
		for t := range steps {
			c.Points = append(c.Points, g.shareOf(func(run *Run) bool { return in(run, t) }))
		}
		all = append(all, c)
	}
	cov := g.coverage()
	if cov.NormKnown {
		share(InSet, func(run *Run, t int) bool { return run.Likely[t] && run.InBall[t] })
	}
	if cov.Known {
		share(InLikelihoodSet, func(run *Run, t int) bool { return run.Likely[t] })
	}
	return all
}

// series sums up a metric after each step; nil if some run does not have it after every step.
func (g *Group) series(m *Measure, steps int) []stats.Summary {
	columns := make([][]float64, steps)
	for i := range g.Runs {
		s := m.Series(&g.Runs[i])
		if s == nil || slices.ContainsFunc(s, math.IsNaN) {
			return nil
		}
		for t, v := range s {
			columns[t] = append(columns[t], v)
		}
	}
	return stats.SummarizeAll(columns)
}
