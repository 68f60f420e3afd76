package compare

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/record"
)

// Kind says what a metric measures. It determines the minimum effect.
type Kind string

const (
	Quality Kind = "quality" // in the unit of the objective
	Cost    Kind = "cost"    // a work count, summed over the steps
	Gap     Kind = "gap"     // the logarithm of a certificate
)

// metric is one number of a run. Lower is better. It is NaN if a run does not have it.
type metric struct {
	name string
	kind Kind
	of   func(*outcome.Run) float64
	// terms is by how much a quality grows if the optimum grows by 1; nil of other kinds. NaN if only the run can tell.
	terms func(*outcome.Run) float64
	named outcome.Metric // the metric that it is, if it is compared only where it is named; else ""
}

// quality is a metric that package outcome defines. Where higher is better, the number is 1 minus the metric.
func quality(m *outcome.Measure) metric {
	q := metric{name: m.Title, kind: Quality, of: m.Final, terms: m.Terms}
	if m.Higher {
		q.name, q.of = "1 − "+m.Title, func(run *outcome.Run) float64 { return 1 - m.Final(run) }
	}
	return q
}

// recommended returns the metrics of the points that rule k of a run recommends: after the
// last step, and averaged over all steps. The average matters to a user who stops early. It
// also detects a curve that is a step late but ends at the same value. For the selected rule
// these are metrics of package outcome.
func recommended(rule string, k int) []metric {
	last := func(run *outcome.Run) float64 { return run.FinalSuboptimality(k) }
	mean := func(run *outcome.Run) float64 { return run.MeanSuboptimality(k, 1, run.Steps()) }
	return []metric{
		{name: "suboptimality (" + rule + ")", kind: Quality, of: last, terms: once},
		{name: "mean suboptimality (" + rule + ")", kind: Quality, of: mean, terms: once},
	}
}

func once(*outcome.Run) float64 { return 1 }

// gapName is the metric with the largest duality gap of a step's solves.
const gapName = "duality_gap"

// gapFloor is the gap below which solves are equally good: the difference affects no result.
const gapFloor = 1e-9

// measured returns all metrics of a record that a comparison may need. The selected rule also
// appears under its own name, in case the other side selects another.
func measured(r *record.Record) []metric {
	return append(metrics(r, r), recommended(outcome.Rules(r)[0], 0)...)
}

// metrics returns the metrics that both records have. Rules are matched by name, except the
// selected ones.
func metrics(a, b *record.Record) []metric {
	var all []metric
	for _, name := range []outcome.Metric{outcome.Suboptimality, outcome.MeanSuboptimality, outcome.CumulativeRegret} {
		all = append(all, quality(outcome.Find(name)))
	}
	ours, theirs := outcome.Rules(a), outcome.Rules(b)
	for i, rule := range ours {
		if k := slices.Index(theirs, rule); k >= 0 && i+k > 0 { // unless both select it
			all = append(all, recommended(rule, i)...)
		}
	}
	for _, m := range a.Header.Algorithm.Metrics {
		// By the header, since a compact record has metrics in its last step only.
		if !slices.ContainsFunc(b.Header.Algorithm.Metrics, func(o record.MetricType) bool { return o.Name == m.Name }) {
			continue
		}
		switch {
		case m.Kind == record.Work:
			all = append(all, metric{name: m.Name, kind: Cost, of: func(run *outcome.Run) float64 { return run.Total(m.Name).Sum }})
		case m.Name == gapName:
			all = append(all, metric{name: "log10 " + m.Name, kind: Gap, of: func(run *outcome.Run) float64 {
				return math.Log10(max(gapFloor, run.Total(m.Name).Max))
			}})
		}
	}
	for _, m := range outcome.Measures {
		if !slices.ContainsFunc(all, func(q metric) bool { return q.name == m.Title }) {
			q := quality(m)
			q.named = m.Name
			all = append(all, q)
		}
	}
	return all
}

// choose returns the metrics whose names match one of the patterns of path.Match. Without a pattern it leaves out the
// metrics that are compared only where they are named: with every further row, the adjustment for all rows finds less.
func choose(all []metric, patterns []string) []metric {
	return slices.DeleteFunc(all, func(m metric) bool {
		if patterns == nil {
			return m.named != ""
		}
		return !slices.ContainsFunc(patterns, func(p string) bool {
			return matches(p, m.name) || m.named != "" && matches(p, string(m.named))
		})
	})
}

// unknown returns an error if a pattern matches no metric that both sides have.
func unknown(patterns, known []string) error {
	for _, p := range patterns {
		if !slices.ContainsFunc(known, func(name string) bool { return matches(p, name) }) {
			return fmt.Errorf("no metric %q on both sides; they have %s", p, strings.Join(known, ", "))
		}
	}
	return nil
}

// matches reports whether a pattern matches. A malformed pattern matches only itself.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok || err != nil && pattern == name
}
