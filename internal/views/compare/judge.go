package compare

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

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
