package outcome

import (
	"math"
	"slices"
	"sync"

	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Metric is what a curve shows.
type Metric string

const (
	InstantRegret    Metric = "instantaneous-regret" // f(x*) − f(x_t)
	CumulativeRegret Metric = "cumulative-regret"    // R_t = Σ_{τ≤t} f(x*) − f(x_τ), Eq. (cumu_reg_def)
	Suboptimality    Metric = "suboptimality"        // f(x*) − f(reported point)
	// InSet and InLikelihoodSet are 1 in the runs in which the truth is inside the
	// confidence set, or in its likelihood part, and 0 in the others: the mean is a
	// share, and the interval Wilson's.
	InSet           Metric = "in-set"
	InLikelihoodSet Metric = "in-likelihood-set"
	// RelativeRegret is R_t / R_1, of the means: no mean of single runs.
	RelativeRegret Metric = "relative-regret"
)

// Reference is what a curve is measured against.
type Reference string

const (
	Optimum     Reference = "optimum"      // the certified optimum f(x*)
	GridOptimum Reference = "grid-optimum" // the best value of the paper's grid, which is lower
)

// Curve is a metric after each step, over the runs of a group.
type Curve struct {
	Problem   string // name
	Title     string // of the problem
	Algorithm string // label
	Metric    Metric
	Rule      string          // reporting rule of a suboptimality, "" of the others
	Selected  bool            // false: a rule that the settings do not select
	Against   Reference       // "" of a metric that is not measured against an optimum
	Points    []stats.Summary // after step 1, 2, …
}

// Curves are all curves of the results, in the order of the groups.
func Curves(r *Results) []Curve {
	of := make([][]Curve, len(r.Groups))
	var wait sync.WaitGroup
	for i := range r.Groups {
		wait.Go(func() { of[i] = r.Groups[i].curves(r.Steps) })
	}
	wait.Wait()
	return slices.Concat(of...)
}

func (g *Group) curves(steps int) (all []Curve) {
	if len(g.Runs) == 0 {
		return nil
	}
	add := func(c Curve, of func(run *Run, t int) float64, weight func(t int) float64) {
		c.Problem, c.Title, c.Algorithm = g.Problem.Name, g.Name(), g.Algorithm.Label
		onGrid := c
		c.Against, onGrid.Against = Optimum, GridOptimum
		c.Points, onGrid.Points = g.summaries(steps, of, weight)
		all = append(all, c)
		if onGrid.Points != nil {
			all = append(all, onGrid)
		}
	}
	one := func(int) float64 { return 1 }
	add(Curve{Metric: InstantRegret, Selected: true}, func(run *Run, t int) float64 { return run.Regret[t] }, one)
	add(Curve{Metric: CumulativeRegret, Selected: true}, (*Run).cumulative, func(t int) float64 { return float64(t + 1) })
	for k, rule := range g.Rules {
		add(Curve{Metric: Suboptimality, Rule: rule, Selected: k == 0}, func(run *Run, t int) float64 { return run.Suboptimality[k][t] }, one)
	}
	share := func(metric Metric, in func(run *Run, t int) bool) {
		c := Curve{Problem: g.Problem.Name, Title: g.Name(), Algorithm: g.Algorithm.Label, Metric: metric, Selected: true}
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

// summaries describe a metric of the runs after each step t, from 0, against the certified optimum, and
// against the grid's best value: that adds weight times the run's GridShift. The latter are nil unless
// that shift is known of every run.
func (g *Group) summaries(steps int, of func(run *Run, t int) float64, weight func(t int) float64) (known, grid []stats.Summary) {
	columns := make([][]float64, steps)
	for t := range columns {
		columns[t] = g.values(func(run *Run) float64 { return of(run, t) })
	}
	known = stats.SummarizeAll(columns)
	same := len(g.Runs) > 0
	for i := range g.Runs {
		d := g.Runs[i].GridShift
		if d == nil {
			return known, nil
		}
		same = same && *d == *g.Runs[0].GridShift
	}
	switch {
	case len(g.Runs) == 0:
		return known, nil
	case same:
		for t := range known {
			grid = append(grid, known[t].Shifted(weight(t)**g.Runs[0].GridShift))
		}
		return known, grid
	}
	for t, column := range columns {
		for i := range column {
			column[i] += weight(t) * *g.Runs[i].GridShift
		}
	}
	return known, stats.SummarizeAll(columns)
}

// shareOf describes how many runs are so, as numbers that are 1 in these.
func (g *Group) shareOf(is func(*Run) bool) stats.Summary {
	share := stats.Share{N: len(g.Runs)}
	s := stats.Describe(g.values(func(run *Run) float64 {
		if is(run) {
			share.Count++
			return 1
		}
		return 0
	}))
	s.CI = share.Wilson(stats.Level)
	return s
}

func (g *Group) values(of func(*Run) float64) []float64 {
	x := make([]float64, len(g.Runs))
	for i := range g.Runs {
		x[i] = of(&g.Runs[i])
	}
	return x
}

// cumulative is R_t after step t, from 0.
func (run *Run) cumulative(t int) float64 {
	var s float64
	for _, v := range run.Regret[:t+1] {
		s += v
	}
	return s
}

// Uniform is the suboptimality of uniform random points, over the runs of the
// group; nil if it is not known of every run. Runs of a random problem differ
// in it: then the mean is over points and instances, and so is the deviation.
func (g *Group) Uniform() *runlog.Uniform {
	if len(g.Runs) == 0 || g.Runs[0].Uniform == nil {
		return nil
	}
	u := *g.Runs[0].Uniform
	same := true
	for i := range g.Runs {
		v := g.Runs[i].Uniform
		if v == nil || v.K != u.K {
			return nil
		}
		same = same && *v == u
	}
	if same {
		return &u
	}
	u.Mean, u.Std = pooled(g.values(func(run *Run) float64 { return run.Uniform.Mean }), g.values(func(run *Run) float64 { return run.Uniform.Std }))
	u.BestMean, u.BestStd = pooled(g.values(func(run *Run) float64 { return run.Uniform.BestMean }), g.values(func(run *Run) float64 { return run.Uniform.BestStd }))
	return &u
}

// pooled are the moments of an equal mixture of distributions with the given
// means and standard deviations.
func pooled(mean, std []float64) (m, s float64) {
	m = stats.Mean(mean)
	var v float64
	for i := range mean {
		v += float64(std[i]*std[i]) + float64((mean[i]-m)*(mean[i]-m))
	}
	return m, math.Sqrt(v / float64(len(mean)))
}
