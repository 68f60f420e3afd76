package compare

import (
	"fmt"
	"math"
	"path"
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

// cumulativeRegret is the regret of the proposed points; a step with several
// counts their mean.
var cumulativeRegret = metric{"cumulative regret", Quality, func(r *runlog.Record) float64 {
	var sum float64
	for i := range r.Steps {
		s := &r.Steps[i]
		for _, f := range s.Utility[len(s.Utility)-s.New:] {
			sum += (r.Header.Problem.Optimum - f) / float64(s.New)
		}
	}
	return sum
}}

// selected stands for the reporting rule that the settings select, whose point
// is the first of a step.
const selected = ""

// recommended are the metrics of the points that a rule reports: after the last
// step, and in the mean over all steps. The mean matters to a user who stops
// early, and it shows a curve that is late by a step but ends at the same value.
// A record in which a step lacks the rule has NaN.
func recommended(rule string) []metric {
	of := func(r *runlog.Record, s *runlog.Step) float64 {
		k := 0
		if rule != selected {
			k = slices.IndexFunc(s.Recommendations, func(p runlog.Recommendation) bool { return p.Rule == rule })
		}
		if k < 0 {
			return math.NaN()
		}
		return r.Header.Problem.Optimum - s.Recommendations[k].Utility
	}
	suffix := ""
	if rule != selected {
		suffix = " (" + rule + ")"
	}
	return []metric{
		{"suboptimality" + suffix, Quality, func(r *runlog.Record) float64 { return of(r, &r.Steps[len(r.Steps)-1]) }},
		{"mean suboptimality" + suffix, Quality, func(r *runlog.Record) float64 {
			var sum float64
			for i := range r.Steps {
				sum += of(r, &r.Steps[i])
			}
			return sum / float64(len(r.Steps))
		}},
	}
}

// rules are the reporting rules of a record, the selected one first.
func rules(r *runlog.Record) (all []string) {
	for _, p := range r.Steps[0].Recommendations {
		all = append(all, p.Rule)
	}
	return all
}

// checkRules refuses records that select different rules, unless that is allowed,
// and notes rules that one side lacks.
func (m *matched) checkRules(g *group, a, b *runlog.Record, o Options) error {
	ours, theirs := rules(a), rules(b)
	if ours[0] != theirs[0] {
		text := fmt.Sprintf("the point reported is that of the rule %s in BASE and of %s in HEAD", ours[0], theirs[0])
		if !o.AllowSettings {
			return fmt.Errorf("%s: %s; select one rule for both, or give --allow-different-settings to compare them", g.key, text)
		}
		m.noteOn(g, "%s: suboptimality compares these two.", text)
	}
	lack := func(rules, in []string) []string {
		return slices.DeleteFunc(rules, func(r string) bool { return slices.Contains(in, r) })
	}
	for _, side := range []struct {
		has, lacks string
		rules      []string
	}{{"BASE", "HEAD", lack(rules(a), theirs)}, {"HEAD", "BASE", lack(rules(b), ours)}} {
		if len(side.rules) > 0 {
			m.noteOn(g, "%s reports by %s, and %s does not. Not compared.", side.has, several(side.rules), side.lacks)
		}
	}
	return nil
}

// gapName is what algorithms call the largest duality gap of a step's solves.
const gapName = "duality_gap"

// gapFloor is the gap below which solves are equally good: nothing that is
// computed from them could tell.
const gapFloor = 1e-9

// measured are all metrics of a record that a comparison may need. The selected
// rule also appears under its own name, in case the other side selects another.
func measured(r *runlog.Record) []metric {
	return append(metrics(r, r), recommended(rules(r)[0])...)
}

// metrics are the metrics that both records have. Rules are matched by name,
// except for the selected ones.
func metrics(a, b *runlog.Record) []metric {
	all := append(recommended(selected), cumulativeRegret)
	ours, theirs := rules(a), rules(b)
	for i, rule := range ours {
		if k := slices.Index(theirs, rule); k >= 0 && i+k > 0 { // not selected by both
			all = append(all, recommended(rule)...)
		}
	}
	for i, m := range a.Header.Algorithm.Metrics {
		if _, ok := b.Steps[0].Metrics.Get(m.Name); !ok {
			continue
		}
		at := func(s *runlog.Step) float64 {
			// The same order at every step, but not always on the other side.
			if i < len(s.Metrics) && s.Metrics[i].Name == m.Name {
				return s.Metrics[i].Value
			}
			v, _ := s.Metrics.Get(m.Name)
			return v
		}
		switch {
		case m.Kind == runlog.Work:
			all = append(all, metric{m.Name, Cost, func(r *runlog.Record) float64 {
				var sum float64
				for i := range r.Steps {
					sum += at(&r.Steps[i])
				}
				return sum
			}})
		case m.Name == gapName:
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

// complete drops the metrics that some run has no value of.
func (m *matched) complete(g *group, s *sample) {
	var lost []string
	for k := len(s.metrics) - 1; k >= 0; k-- {
		if !slices.ContainsFunc(slices.Concat(s.values[0][k], s.values[1][k]), math.IsNaN) {
			continue
		}
		lost = append(lost, s.metrics[k].name)
		s.metrics = slices.Delete(s.metrics, k, k+1)
		for i := range s.values {
			s.values[i] = slices.Delete(s.values[i], k, k+1)
		}
	}
	if len(lost) > 0 {
		slices.Reverse(lost)
		m.noteOn(g, "not every run has %s. Not compared.", several(lost))
	}
}

// choose returns the metrics whose names match one of the patterns of path.Match,
// or all metrics without a pattern.
func choose(all []metric, patterns []string) []metric {
	if patterns == nil {
		return all
	}
	return slices.DeleteFunc(all, func(m metric) bool {
		return !slices.ContainsFunc(patterns, func(p string) bool { return matches(p, m.name) })
	})
}

// unknown refuses patterns that match no metric that both sides have.
func unknown(patterns, known []string) error {
	for _, p := range patterns {
		if !slices.ContainsFunc(known, func(name string) bool { return matches(p, name) }) {
			return fmt.Errorf("no metric %q on both sides; they have %s", p, strings.Join(known, ", "))
		}
	}
	return nil
}

// matches treats a malformed pattern as a name.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok || err != nil && pattern == name
}
