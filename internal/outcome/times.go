package outcome

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// Times are the wall-clock seconds of the complete runs of a group that have a measurement. Unlike all else they vary.
type Times struct {
	Runs             int     // that have a measurement
	StepMedian, Step float64 // median and mean over all their steps
	Run              float64 // mean over the runs
}

func (g *Group) times() (t Times) {
	runs := g.measured()
	if t.Runs = len(runs); t.Runs > 0 {
		all := slices.Concat(runs...)
		t.StepMedian, t.Step = stats.Quantile(all, 0.5), stats.Mean(all)
		t.Run = t.Step * float64(len(all)) / float64(t.Runs)
	}
	return t
}

// MeanSeconds are the seconds since the start after step 1, 2, …, over the runs that have a measurement; nil if none has.
func (g *Group) MeanSeconds() (mean []float64) {
	n := 0.0
	for _, seconds := range g.measured() {
		if mean == nil {
			mean = make([]float64, len(seconds))
		}
		n++
		total := 0.0
		for t, s := range seconds {
			total += s
			mean[t] += (total - mean[t]) / n
		}
	}
	return mean
}

// TimeTable is how long the algorithms take, next to the paper's table of times.
type TimeTable struct {
	Paper *paper.TimeTable
	Rows  []*TimeRow // first the paper's methods, in its order, then the others
	Apart string     // why the times cannot be compared: they were not measured in one run; "" if they were
}

// TimeRow is the times of an algorithm over all problems.
type TimeRow struct {
	Label, Algorithm string
	Times
	// Ratio is the total time divided by the total time that the paper's unit, DTS, takes for the same runs.
	Ratio   Estimate
	Printed float64 // the paper's ratio; NaN if it prints none
}

// newTimeTable is the table of times; nil unless all of the paper's methods were run and measured.
func newTimeTable(r *Results) *TimeTable {
	t := &TimeTable{Paper: paper.Times()}
	if r.Experiment == nil {
		return nil
	}
	var labels []string
	for _, m := range t.Paper.Methods {
		label, ok := r.Labelled(m, t.Paper.Method)
		if !ok {
			return nil
		}
		labels = append(labels, label)
	}
	unit := labels[slices.Index(t.Paper.Methods, t.Paper.Unit)]
	labels = words.Once(slices.Concat(labels, words.Each(r.Groups, func(g *Group) string { return g.Algorithm.Label })))
	for i, label := range labels {
		row := r.timeRow(label, unit)
		if i < len(t.Paper.Methods) {
			if row.Runs == 0 {
				return nil
			}
			row.Printed = t.Paper.Ratio[i]
		}
		t.Rows = append(t.Rows, row)
	}
	t.Apart = r.measuredApart()
	return t
}

func (r *Results) timeRow(label, unit string) *TimeRow {
	row := &TimeRow{Label: label, Printed: math.NaN()}
	var steps, ours, theirs []float64 // ours and theirs over the runs that both have
	for _, g := range r.Groups {
		if g.Algorithm.Label != label {
			continue
		}
		row.Algorithm = cmp.Or(row.Algorithm, g.Algorithm.Name)
		for _, seconds := range g.measured() {
			row.Runs++
			steps = append(steps, seconds...)
		}
		for run, its := range g.Pairs(r.Group(g.Problem.Name, unit)) {
			if run.Seconds != nil && its.Seconds != nil {
				ours, theirs = append(ours, sum(run.Seconds)), append(theirs, sum(its.Seconds))
			}
		}
	}
	if row.Runs > 0 {
		row.StepMedian, row.Step, row.Run = stats.Quantile(steps, 0.5), stats.Mean(steps), sum(steps)/float64(row.Runs)
	}
	ratio := func(m [][]float64) float64 { return m[0][0] / m[0][1] }
	row.Ratio = estimate(stats.Resample([]stats.Stratum{{ours, theirs}}, ratio, stats.Resamples))
	if label == unit {
		row.Ratio = exactly(1)
	}
	return row
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func (r *Results) measuredApart() string {
	hosts := words.Once(slices.Concat(words.Each(r.Groups, func(g *Group) []string { return g.Hosts })...))
	switch machines := r.Machines(); {
	case len(hosts) > 1:
		return fmt.Sprintf("The times were not measured in one run but on %d machines: what is fast here may only have had the faster one.", len(hosts))
	case len(machines) > 1:
		return fmt.Sprintf("The times were not measured in one run (%s), so that some runs had more of the machine to themselves than others.",
			strings.Join(machines, "; "))
	}
	return ""
}
