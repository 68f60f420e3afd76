package outcome

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"popbench/internal/analysis/words"
	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Group is the runs of one algorithm on one problem.
type Group struct {
	Problem   runlog.Problem // of its first run; a random problem has another optimum in every run
	Algorithm runlog.Algorithm
	Pilot     int        // comparisons of random points before the first step
	PilotPer  runlog.Per // who shares them
	Rules     []string   // reporting rules, first the one that the settings select
	Runs      []Run      // complete ones, by repetition
	LeftOut   []LeftOut  // runs that stopped early or cannot be used
	Health    Health     // of the complete runs
	Machines  []string   // on which they were measured: processor, and runs at a time
	Hosts     []string   // their names
	TimeNote  string     // about measurements that are missing
	Notes     []string

	key   string // of its cells: problem/label
	Prior prior
}

// LeftOut is a run that is not in the numbers, and why.
type LeftOut struct {
	Repetition int
	Reason     string
}

// Name is the problem's title, or its name if it has none.
func (g *Group) Name() string { return cmp.Or(g.Problem.Title, g.Problem.Name) }

// Random reports whether every run has an instance of its own.
func (g *Group) Random() bool {
	for i := range g.Runs {
		if g.Runs[i].Optimum != g.Runs[0].Optimum {
			return true
		}
	}
	return false
}

// add takes a record into the group. It keeps one curve of a run if only the selected rule's is wanted.
func (g *Group) add(rec *runlog.Record, timing *runlog.Timing, steps int, selected bool) {
	leave := func(format string, args ...any) {
		g.LeftOut = append(g.LeftOut, LeftOut{rec.Header.Repetition, fmt.Sprintf(format, args...)})
	}
	switch {
	case !rec.OK():
		leave("failed after %d of %d steps (%s)", len(rec.Steps), rec.Header.Budget, strings.TrimSuffix(rec.Footer.Error, "."))
		return
	case len(rec.Steps) != steps:
		leave("%d steps where the others have %d", len(rec.Steps), steps)
		return
	}
	if g.Rules == nil {
		if g.Rules = Rules(rec); selected {
			g.Rules = g.Rules[:1]
		}
	}
	run := NewRun(rec, g.Rules)
	for t := range run.Steps() {
		for k, rule := range g.Rules {
			if math.IsNaN(run.Suboptimality[k][t]) {
				leave("no report by %s after step %d, as the first run has after its first", rule, rec.Steps[t].T)
				return
			}
		}
	}
	if run.excess > optimumSlack*(1+math.Abs(run.Optimum)) {
		g.Notes = append(g.Notes, fmt.Sprintf("Run %d found a value that exceeds the stated optimum %.10g by %.2g: that is not the optimum.", run.Repetition, run.Optimum, run.excess))
	}
	if n := len(g.Runs); n > 0 { // the same in all runs on one function
		last := &g.Runs[n-1]
		if run.GridShift != nil && last.GridShift != nil && *run.GridShift == *last.GridShift {
			run.GridShift = last.GridShift
		}
		if run.Uniform != nil && last.Uniform != nil && *run.Uniform == *last.Uniform {
			run.Uniform = last.Uniform
		}
	}
	g.Health.add(run.Totals)
	if selected {
		run.Regret, run.Totals = nil, nil
	} else {
		run.Likely, run.InBall = inside(rec)
		run.Beliefs = beliefs(rec)
		run.Seconds = seconds(timing)
	}
	g.Runs = append(g.Runs, *run)
	g.Prior.add(rec.Header.Algorithm.InForce)
	if timing != nil {
		g.Machines = words.Include(g.Machines, fmt.Sprintf("%s, %s at a time", timing.CPU, words.Count(timing.Workers, "run")))
		g.Hosts = words.Include(g.Hosts, timing.Host)
	}
}

// optimumSlack allows for rounding in the value of the optimum.
const optimumSlack = 1e-9

// noteLeftOut makes one note of all runs that are left out for the same reason.
func (g *Group) noteLeftOut() {
	var reasons []string
	runs := map[string][]string{}
	for _, l := range g.LeftOut {
		if runs[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		runs[l.Reason] = append(runs[l.Reason], strconv.Itoa(l.Repetition))
	}
	for _, reason := range reasons {
		n := runs[reason]
		g.Notes = append(g.Notes, fmt.Sprintf("%s left out (%s): %s.", words.Count(len(n), "run"), strings.Join(n, ", "), reason))
	}
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

// MeanShift is the grid's best value minus the optimum, 0 if that is not known.
func (g *Group) MeanShift() float64 {
	var d []float64
	for i := range g.Runs {
		if g.Runs[i].GridShift == nil {
			return 0
		}
		d = append(d, *g.Runs[i].GridShift)
	}
	if d == nil {
		return 0
	}
	return stats.Mean(d)
}

func (g *Group) values(of func(*Run) float64) []float64 {
	x := make([]float64, len(g.Runs))
	for i := range g.Runs {
		x[i] = of(&g.Runs[i])
	}
	return x
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

// summary is what summaries are, of a single number of each run.
func (g *Group) summary(of func(*Run) float64, weight float64) (known stats.Summary, grid *stats.Summary) {
	at, onGrid := g.summaries(1, func(run *Run, _ int) float64 { return of(run) }, func(int) float64 { return weight })
	if onGrid != nil {
		grid = &onGrid[0]
	}
	return at[0], grid
}
