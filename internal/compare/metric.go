package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/runlog"
)

// Kind is what a metric measures, which decides by how much it has to differ.
type Kind string

const (
	Quality Kind = "quality" // in the unit of the objective
	Cost    Kind = "cost"    // a counter of work, summed over the steps
	Gap     Kind = "gap"     // the logarithm of a certificate
)

// metric is one number of a run. Lower is better.
type metric struct {
	name string
	kind Kind
	of   func(*runlog.Record) float64
}

// What every algorithm has.
var qualities = []metric{
	// At the end, by the rule that the settings select.
	{"suboptimality", Quality, func(r *runlog.Record) float64 {
		return r.Header.Problem.Optimum - r.Steps[len(r.Steps)-1].Reports[0].Truth
	}},
	// Over all steps: who stops early is served by what was reported then, and a
	// curve that is late by a step ends where it would have.
	{"mean suboptimality", Quality, func(r *runlog.Record) float64 {
		var sum float64
		for i := range r.Steps {
			sum += r.Header.Problem.Optimum - r.Steps[i].Reports[0].Truth
		}
		return sum / float64(len(r.Steps))
	}},
	// Over the proposed points; of several in one step, their mean.
	{"cumulative regret", Quality, func(r *runlog.Record) float64 {
		var sum float64
		for i := range r.Steps {
			s := &r.Steps[i]
			for _, f := range s.Truth[len(s.Truth)-s.New:] {
				sum += (r.Header.Problem.Optimum - f) / float64(s.New)
			}
		}
		return sum
	}},
}

// gapName is what algorithms call the largest duality gap of a step's solves.
const gapName = "max_gap"

// gapFloor is the gap below which solves are equally good: nothing that is
// computed from them could tell.
const gapFloor = 1e-9

// metrics are those that both records have.
func metrics(a, b *runlog.Record) []metric {
	all := slices.Clone(qualities)
	for i, m := range a.Steps[0].Metrics {
		if _, ok := b.Steps[0].Metrics.Get(m.Name); !ok {
			continue
		}
		at := func(s *runlog.Step) float64 {
			// The same names in the same order at every step, as a rule.
			if i < len(s.Metrics) && s.Metrics[i].Name == m.Name {
				return s.Metrics[i].Value
			}
			v, _ := s.Metrics.Get(m.Name)
			return v
		}
		switch {
		case runlog.IsWork(m.Name):
			all = append(all, metric{m.Name, Cost, func(r *runlog.Record) float64 {
				var sum float64
				for i := range r.Steps {
					sum += at(&r.Steps[i])
				}
				return sum
			}})
		case m.Name == gapName || strings.HasSuffix(m.Name, "_"+gapName):
			all = append(all, metric{"log10 " + m.Name, Gap, func(r *runlog.Record) float64 {
				gap := gapFloor
				for i := range r.Steps {
					gap = max(gap, at(&r.Steps[i]))
				}
				return math.Log10(gap)
			}})
		}
	}
	return all
}

// choose are the metrics with the given names, all if there are none.
func choose(all []metric, names []string) []metric {
	if names == nil {
		return all
	}
	return slices.DeleteFunc(all, func(m metric) bool { return !slices.Contains(names, m.name) })
}

// unknown refuses names of metrics that no algorithm has on both sides.
func unknown(names, known []string) error {
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("there is no metric %q on both sides; they have %s", n, strings.Join(known, ", "))
		}
	}
	return nil
}
