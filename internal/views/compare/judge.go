package compare

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/words"
)

// Options of a comparison.
type Options struct {
	Alpha         float64  // bounds the probability of any false verdict of better or worse, over all rows together (Holm)
	MinEffect     float64  // smallest relevant difference of a quality, in standard deviations of BASE over its runs
	MinCost       float64  // smallest relevant difference of a cost, as a share of BASE's mean
	Metrics       []string // names of the metrics to compare, or patterns of path.Match; nil for all that both sides have
	AllowSettings bool     // permit another problem, algorithm, settings or selected recommendation rule
	AllowMissing  bool     // permit runs of BASE that HEAD lacks
	noIntervals   bool     // skip intervals; no row is then the same, unless it is identical
}

// Default returns the defaults of bench compare.
//
// A fifth of a standard deviation is a small effect by Cohen ("Statistical Power Analysis",
// 1988); a table of mean ± std would not show less. Work counts do not vary with the machine,
// so 5 % is not noise, but less is no reason to reject a change.
func Default() Options {
	return Options{Alpha: 0.05, MinEffect: 0.2, MinCost: 0.05}
}

// Row compares one metric of an algorithm on a problem. Lower values are better.
type Row struct {
	Subject
	Kind       Kind
	Found      *outcome.BestFound // what a quality is against, of both folders; nil if the optimum is known
	Mean       [2]float64         // BASE, HEAD
	Std        float64            // of BASE over its runs
	Minimum    float64            // the smallest relevant difference
	judge.Test                    // HEAD − BASE, adjusted over all rows
}

// Subject is what a row is about. Title is the problem's.
type Subject struct{ Problem, Title, Algorithm, Metric string }

// sample holds the metrics of the complete runs of an algorithm on a problem.
type sample struct {
	Subject // without a metric
	paired  bool
	optimum float64            // or what stands for it
	found   *outcome.BestFound // what stands for the optimum; nil if it is known
	metrics []metric
	values  [2][][]float64 // BASE, HEAD: [metric][run]; paired runs in the same order
}

func (s *sample) runs() [2]int { return [2]int{len(s.values[0][0]), len(s.values[1][0])} }

// valueSlack allows for rounding in values of the objective.
const valueSlack = 1e-9

// rows returns a row for every metric of every sample.
func rows(samples []sample, o Options) []*Row {
	var rows []*Row
	for i := range samples {
		s := &samples[i]
		for k := range s.metrics {
			rows = append(rows, s.row(k, o))
		}
	}
	family(rows).Adjust()
	for _, r := range rows {
		r.Verdict = r.Relevant(o.Alpha, r.Minimum)
	}
	return rows
}

func family(rows []*Row) judge.Family {
	return words.Each(rows, func(r *Row) *judge.Test { return &r.Test })
}

func (s *sample) row(k int, o Options) *Row {
	base, head := s.values[0][k], s.values[1][k]
	r := &Row{
		Subject: s.Subject, Kind: s.metrics[k].kind,
		Mean: [2]float64{stats.Mean(base), stats.Mean(head)}, Std: stats.Std(base),
	}
	r.Metric = s.metrics[k].name
	switch r.Kind {
	case Quality:
		r.Found = s.found
		r.Minimum = max(o.MinEffect*r.Std, valueSlack*(1+math.Abs(s.optimum)))
	case Cost:
		r.Minimum = o.MinCost * r.Mean[0]
	case Gap:
		r.Minimum = 1 // a factor of ten: certificates are known by their order of magnitude
	}
	if s.paired {
		d := make([]float64, len(base))
		for i := range d {
			d[i] = head[i] - base[i]
		}
		r.Test = judge.Paired(d)
		if !o.noIntervals {
			r.CI = stats.BootstrapMean(d)
		}
		return r
	}
	r.Test = judge.Unpaired(base, head)
	if !o.noIntervals {
		r.CI = stats.BootstrapDifference(base, head)
	}
	return r
}

// tooFew returns a warning if rows have too few runs to be significant for any data, for their number of tests.
func tooFew(rows []*Row, alpha float64) string {
	all := family(rows)
	blind := all.Blind(alpha)
	if blind == nil {
		return ""
	}
	note := fmt.Sprintf("%d %s too few runs to be better or worse for any data, among %s at level %g.",
		len(blind), words.Choose(len(blind), "row has", "rows have"), words.Count(all.Size(), "test"), alpha)
	if !slices.ContainsFunc(blind, func(t *judge.Test) bool { return !t.Paired }) {
		note += fmt.Sprintf(" At least %d runs are needed.", blind.Needed(alpha))
	}
	return note
}
