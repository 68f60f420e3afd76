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
	*Group
	Metric    Metric
	Rule      string          // recommendation rule of a suboptimality, "" of other metrics
	Selected  bool            // false: a rule that the settings do not select
	Against   Reference       // "" of a metric that is not measured against an optimum
	BestFound *BestFound      // what it is measured against if that is Found
	Points    []stats.Summary // after step 1, 2, …
}

// Curves are all curves, in the order of the groups. Of the metrics that are not in every report, only the headline has one.
func Curves(r *Results) []*Curve {
	of := make([][]*Curve, len(r.Groups))
	var wait sync.WaitGroup
	for i, g := range r.Groups {
		wait.Go(func() { of[i] = g.curves(r.Steps, r.Headline) })
	}
	wait.Wait()
	return slices.Concat(of...)
}

func (g *Group) curves(steps int, headline *Measure) (all []*Curve) {
	if len(g.Runs) == 0 {
		return nil
	}
	optimum := Optimum
	if g.BestFound != nil {
		optimum = Found
	}
	add := func(metric Metric, rule string, against Reference, points []stats.Summary) {
		c := &Curve{Group: g, Metric: metric, Rule: rule, Selected: rule == "" || rule == g.Rules[0], Against: against, Points: points}
		if against == Found {
			c.BestFound = g.BestFound
		}
		all = append(all, c)
	}
	regret := func(metric Metric, rule string, of func(*Run) []float64, weight func(t int) float64) {
		known, grid := g.summaries(g.columns(steps, of), weight)
		add(metric, rule, optimum, known)
		if grid != nil {
			add(metric, rule, GridOptimum, grid)
		}
	}
	one := func(int) float64 { return 1 }
	regret(InstantRegret, "", func(run *Run) []float64 { return run.Regret }, one)
	regret(CumulativeRegret, "", (*Run).cumulative, func(t int) float64 { return float64(t + 1) })
	for k, rule := range g.Rules {
		regret(Suboptimality, rule, func(run *Run) []float64 { return run.Suboptimality[k] }, one)
	}
	if headline.Name != Suboptimality && headline.Name != CumulativeRegret {
		against := Reference("")
		if headline.AgainstOptimum() {
			against = optimum
		}
		if points := g.series(headline, steps); points != nil {
			add(headline.Name, "", against, points)
		}
	}
	share := func(metric Metric, in func(run *Run, t int) bool) {
		var points []stats.Summary
		for t := range steps {
			points = append(points, g.shareOf(func(run *Run) bool { return in(run, t) }))
		}
		add(metric, "", "", points)
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
	columns := g.columns(steps, m.Series)
	if slices.ContainsFunc(columns, func(c []float64) bool { return len(c) < len(g.Runs) || slices.ContainsFunc(c, math.IsNaN) }) {
		return nil
	}
	return stats.SummarizeAll(columns)
}
