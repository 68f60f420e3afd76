package outcome

import (
	"maps"
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/words"
	"popbench/record"
)

// RuleSummary is the suboptimality of the point that a rule reports.
type RuleSummary struct {
	Rule string
	True stats.Summary  // against the certified optimum, or the best value found where that is unknown
	Grid *stats.Summary // against the grid's best value, the paper's metric; nil if unknown
}

// columns are the numbers of the runs after each step: [step][run].
func (g *Group) columns(steps int, of func(*Run) []float64) [][]float64 {
	columns := make([][]float64, steps)
	for _, run := range g.Runs {
		for t, v := range of(run) {
			columns[t] = append(columns[t], v)
		}
	}
	return columns
}

// summaries describe columns of numbers of the runs, as the runs are measured, and against the grid's best value: that adds
// the weight of column k times the run's GridShift. grid is nil unless this shift is known of every run.
func (g *Group) summaries(columns [][]float64, weight func(k int) float64) (known, grid []stats.Summary) {
	known = stats.SummarizeAll(columns)
	shifts := g.gridShifts()
	switch {
	case shifts == nil:
		return known, nil
	case slices.Max(shifts) == slices.Min(shifts):
		for t := range known {
			grid = append(grid, known[t].Shifted(weight(t)*shifts[0]))
		}
		return known, grid
	}
	for t, column := range columns {
		for i := range column {
			column[i] += weight(t) * shifts[i]
		}
	}
	return known, stats.SummarizeAll(columns)
}

// gridShifts are the GridShift of the runs; nil unless it is known of every run.
func (g *Group) gridShifts() []float64 {
	if len(g.Runs) == 0 || slices.ContainsFunc(g.Runs, func(run *Run) bool { return run.GridShift == nil }) {
		return nil
	}
	return g.values(func(run *Run) float64 { return *run.GridShift })
}

// shareOf describes the share of runs for which is holds, by numbers that are 1 in these runs.
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

// Uniform is the suboptimality of uniform random points, over the runs of the group; nil if it is not known of every run.
// Runs of a random problem differ in it: then mean and deviation are over points and instances.
func (g *Group) Uniform() *record.Uniform {
	if len(g.Runs) == 0 || g.Runs[0].Uniform == nil {
		return nil
	}
	u := *g.Runs[0].Uniform
	if slices.ContainsFunc(g.Runs, func(run *Run) bool { return run.Uniform == nil || run.Uniform.K != u.K }) {
		return nil
	}
	if g.sameUniform() {
		return &u
	}
	u.Mean, u.Std = pooled(g.values(func(run *Run) float64 { return run.Uniform.Mean }), g.values(func(run *Run) float64 { return run.Uniform.Std }))
	u.BestMean, u.BestStd = pooled(g.values(func(run *Run) float64 { return run.Uniform.BestMean }),
		g.values(func(run *Run) float64 { return run.Uniform.BestStd }))
	return &u
}

// sameUniform reports whether random points are alike in all runs, which know how they are.
func (g *Group) sameUniform() bool {
	return !slices.ContainsFunc(g.Runs, func(run *Run) bool { return *run.Uniform != *g.Runs[0].Uniform })
}

// pooled are the moments of an equal mixture of distributions with the given means and standard deviations.
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
	if shifts := g.gridShifts(); shifts != nil {
		return stats.Mean(shifts)
	}
	return 0
}

// BeliefSummary describes the beliefs of a group's runs after a step.
type BeliefSummary struct {
	Step                  int
	Width, Error, Covered stats.Summary
}

func (g *Group) beliefSummaries() (all []BeliefSummary) {
	byStep := map[int][]*Belief{}
	for _, run := range g.Runs {
		for _, b := range run.Beliefs {
			byStep[b.Step] = append(byStep[b.Step], b)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(byStep)) {
		of := func(f func(*Belief) float64) []float64 { return words.Each(byStep[step], f) }
		s := stats.SummarizeAll([][]float64{of((*Belief).Width), of((*Belief).Error), of((*Belief).covered)})
		all = append(all, BeliefSummary{step, s[0], s[1], s[2]})
	}
	return all
}

func (g *Group) values(of func(*Run) float64) []float64 { return words.Each(g.Runs, of) }
