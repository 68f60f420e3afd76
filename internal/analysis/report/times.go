package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Times are the wall-clock seconds of the complete runs of a group that have a
// measurement. They vary from run to run, unlike all else in a table.
type Times struct {
	Runs             int     // that have a measurement
	StepMedian, Step float64 // median and mean over all their steps
	Run              float64 // mean over the runs
}

func (g *Group) times() (t Times) {
	var all []float64
	for i := range g.Runs {
		if s := g.Runs[i].Seconds; s != nil {
			t.Runs++
			all = append(all, s...)
		}
	}
	if t.Runs > 0 {
		t.StepMedian, t.Step = stats.Quantile(all, 0.5), stats.Mean(all)
		t.Run = t.Step * float64(len(all)) / float64(t.Runs)
	}
	return t
}

// seconds of each step: to propose, and to learn from the answer and report.
func seconds(t *runlog.Timing) []float64 {
	if t == nil {
		return nil
	}
	s := make([]float64, len(t.AskSeconds))
	for i := range s {
		s[i] = t.AskSeconds[i] + t.TellSeconds[i]
	}
	return s
}

// noteTimes says of how many runs there is no measurement.
func (g *Group) noteTimes() {
	missing := 0
	for i := range g.Runs {
		if g.Runs[i].Seconds == nil {
			missing++
		}
	}
	if missing > 0 {
		g.TimeNote = fmt.Sprintf("%s of %d %s no timing file, and %s not in the times.", count(missing, "run"), len(g.Runs), verb(missing, "has", "have"), verb(missing, "is", "are"))
	}
}

// duration is "85 µs", "1.4 ms" or "12 s": two digits, more from 100 of a unit.
func duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return none
	}
	unit := "s"
	switch {
	case seconds == 0:
		return "0 s"
	case seconds < 0.9995e-3:
		seconds, unit = seconds*1e6, "µs"
	case seconds < 0.9995:
		seconds, unit = seconds*1e3, "ms"
	}
	digits := 0
	for limit := 9.95; seconds < limit && digits < 4; limit /= 10 {
		digits++
	}
	return strconv.FormatFloat(seconds, 'f', digits, 64) + "\u00a0" + unit
}

// machines are those of all groups.
func (r *Results) machines() (all []string) {
	for i := range r.Groups {
		for _, m := range r.Groups[i].Machines {
			all = include(all, m)
		}
	}
	slices.Sort(all)
	return all
}
