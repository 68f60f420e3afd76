package outcome

import (
	"fmt"
	"slices"

	"popbench/internal/analysis/words"
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
		g.TimeNote = fmt.Sprintf("%s of %d %s no timing file, and %s not in the times.", words.Count(missing, "run"), len(g.Runs), words.Verb(missing, "has", "have"), words.Verb(missing, "is", "are"))
	}
}

// Machines are those of all groups.
func (r *Results) Machines() (all []string) {
	for i := range r.Groups {
		for _, m := range r.Groups[i].Machines {
			all = words.Include(all, m)
		}
	}
	slices.Sort(all)
	return all
}
