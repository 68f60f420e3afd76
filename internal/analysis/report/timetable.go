package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/paper"
	"popbench/internal/math/stats"
)

// TimeTable is how long the algorithms take, next to the paper's table of that.
type TimeTable struct {
	Paper *paper.TimeTable
	Rows  []TimeRow // first the paper's methods, in its order, then the others
	// Apart says why the times cannot be compared: they were not measured in one
	// run. Empty if they were.
	Apart string
}

// TimeRow is the times of an algorithm over all problems.
type TimeRow struct {
	Label, Algorithm string
	Times
	// Ratio is to the time that the paper's unit, DTS, takes for the same runs:
	// the total of one divided by that of the other.
	Ratio   Estimate
	Printed float64 // the paper's ratio; NaN if it prints none
}

// NewTimeTable is the table of times; nil unless all of the paper's methods were
// run and measured.
func NewTimeTable(r *Results) *TimeTable {
	t := &TimeTable{Paper: paper.Times()}
	if r.Experiment == nil {
		return nil
	}
	var labels []string
	for _, m := range t.Paper.Methods {
		label, ok := r.labelled(m, t.Paper.Method)
		if !ok {
			return nil
		}
		labels = append(labels, label)
	}
	unit := labels[slices.Index(t.Paper.Methods, t.Paper.Unit)]
	for i := range r.Groups {
		labels = include(labels, r.Groups[i].Algorithm.Label)
	}
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

func (r *Results) timeRow(label, unit string) TimeRow {
	row := TimeRow{Label: label, Printed: math.NaN()}
	type cell struct {
		problem    string
		repetition int
	}
	total := map[cell]float64{} // of the unit
	var own []*Group
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Algorithm.Label == label {
			own = append(own, g)
			row.Algorithm = g.Algorithm.Name
		}
		if g.Algorithm.Label == unit {
			for k := range g.Runs {
				if s := g.Runs[k].Seconds; s != nil {
					total[cell{g.Problem.Name, g.Runs[k].Repetition}] = sum(s)
				}
			}
		}
	}
	var steps, ours, theirs []float64 // the latter two over the runs that both have
	for _, g := range own {
		for k := range g.Runs {
			s := g.Runs[k].Seconds
			if s == nil {
				continue
			}
			row.Runs++
			steps = append(steps, s...)
			if v, ok := total[cell{g.Problem.Name, g.Runs[k].Repetition}]; ok {
				ours, theirs = append(ours, sum(s)), append(theirs, v)
			}
		}
	}
	if row.Runs > 0 {
		row.StepMedian, row.Step, row.Run = stats.Quantile(steps, 0.5), stats.Mean(steps), sum(steps)/float64(row.Runs)
	}
	row.Ratio = ratio(ours, theirs)
	if label == unit {
		row.Ratio = Estimate{1, stats.Interval{Lo: math.NaN(), Hi: math.NaN()}}
	}
	return row
}

// ratio of the sums of two paired samples.
func ratio(a, b []float64) Estimate {
	of := func(sample []int) float64 {
		var x, y float64
		for _, i := range sample {
			x, y = x+a[i], y+b[i]
		}
		return x / y
	}
	all := make([]int, len(a))
	for i := range all {
		all[i] = i
	}
	e := Estimate{of(all), stats.Interval{Lo: math.NaN(), Hi: math.NaN()}}
	if !math.IsNaN(e.Value) {
		e.CI = stats.Bootstrap(slices.Concat(a, b), len(a), of, stats.Level, curveResamples)
	}
	return e
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// measuredApart says how the measurements differ in where they were made.
func (r *Results) measuredApart() string {
	var hosts []string
	for i := range r.Groups {
		for _, h := range r.Groups[i].Hosts {
			hosts = include(hosts, h)
		}
	}
	switch machines := r.machines(); {
	case len(hosts) > 1:
		return fmt.Sprintf("The times were not measured in one run but on %d machines: what is fast here may only have had the faster one.", len(hosts))
	case len(machines) > 1:
		return fmt.Sprintf("The times were not measured in one run (%s), so that some runs had more of the machine to themselves than others.", strings.Join(machines, "; "))
	}
	return ""
}

// times is the sheet of the computation time.
func (l *layout) times(t *TimeTable) Sheet {
	s := Sheet{ID: "times", Title: "Computation time", Columns: []Column{{Title: "Algorithm", Head: true}, {Title: "Step, median"}, {Title: "Step, mean"}, {Title: "Run, mean"}, {Title: "Relative to " + t.Paper.Unit}, {Title: "Paper prints"}},
		Caption: fmt.Sprintf("Wall clock over all problems and runs, to propose a query and to learn from its answer and report; a run uses one core. Relative to %s: the time of all runs divided by that of %s for the same ones, with the 95\u00a0%% bootstrap interval. The paper's numbers are those of its authors' programs: %s. Measured with %s.",
			t.Paper.Unit, t.Paper.Unit, t.Paper.Source, strings.Join(l.machines(), "; "))}
	for i := range t.Rows {
		row := &t.Rows[i]
		cells := []Cell{{Text: row.Label}}
		if row.Runs == 0 {
			for range s.Columns[1:] {
				cells = append(cells, Cell{Text: none})
			}
			s.Rows = append(s.Rows, cells)
			continue
		}
		relative := none
		if v := row.Ratio.Value; !math.IsNaN(v) {
			relative = row.Ratio.cell(ratioDecimals(v))
		}
		s.Rows = append(s.Rows, append(cells, Cell{Text: duration(row.StepMedian)}, Cell{Text: duration(row.Step)}, Cell{Text: duration(row.Run)},
			Cell{Text: relative}, Cell{Text: number(row.Printed, 2)}))
	}
	if t.Apart != "" {
		s.Notes = l.ref(t.Apart)
	}
	return s
}

// ratioDecimals are enough for two digits of a ratio, and never fewer than two.
func ratioDecimals(v float64) int {
	if v <= 0 {
		return 2
	}
	return max(2, 1-int(math.Floor(math.Log10(v))))
}

// WriteCSV writes the table at full precision.
func (t *TimeTable) WriteCSV(w io.Writer) error {
	c := NewCSV(w)
	c.Write([]string{"label", "algorithm", "timed_runs", "step_seconds_median", "step_seconds_mean", "run_seconds_mean", "relative", "relative_ci_lo", "relative_ci_hi", "relative_to", "paper"})
	for i := range t.Rows {
		row := &t.Rows[i]
		times := make([]string, 3)
		if row.Runs > 0 {
			times = []string{field(row.StepMedian), field(row.Step), field(row.Run)}
		}
		c.Write(slices.Concat([]string{row.Label, row.Algorithm, strconv.Itoa(row.Runs)}, times,
			[]string{field(row.Ratio.Value), field(row.Ratio.CI.Lo), field(row.Ratio.CI.Hi), t.Paper.Unit, field(row.Printed)}))
	}
	c.Flush()
	return c.Error()
}
