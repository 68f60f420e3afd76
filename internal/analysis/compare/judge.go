package compare

import (
	"fmt"
	"math"

	"popbench/internal/math/stats"
)

// judge returns a row for every metric of every sample.
func judge(samples []sample, o Options) []Row {
	var rows []Row
	var p []float64
	for i := range samples {
		s := &samples[i]
		for k := range s.metrics {
			row := s.row(k, o)
			rows, p = append(rows, row), append(p, row.P)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		rows[i].Adjusted = adjusted
		rows[i].Verdict = rows[i].judge(o)
	}
	return rows
}

// row tests one metric.
func (s *sample) row(k int, o Options) Row {
	base, head := s.values[0][k], s.values[1][k]
	r := Row{
		Problem: s.problem, Title: s.title, Algorithm: s.algorithm, Metric: s.metrics[k].name, Kind: s.metrics[k].kind,
		Paired: s.paired, Runs: s.runs(),
		Mean: [2]float64{stats.Mean(base), stats.Mean(head)}, Std: stats.Std(base),
		CI: stats.Interval{Lo: math.NaN(), Hi: math.NaN()},
	}
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
		test := stats.SignedRank(d)
		r.Difference, r.P, r.Effect = stats.Mean(d), test.P, test.Effect
		if test.Zeros == test.N {
			r.P = math.NaN()
		}
		if !o.noIntervals {
			r.CI = stats.BootstrapMean(d, stats.Level)
		}
		return r
	}
	test := stats.RankSum(base, head)
	r.Difference, r.P, r.Effect = r.Mean[1]-r.Mean[0], test.P, test.Effect
	if constant(base) && constant(head) && base[0] == head[0] {
		r.P = math.NaN()
	}
	if !o.noIntervals {
		r.CI = stats.BootstrapDifference(base, head, stats.Level)
	}
	return r
}

func constant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// judge returns the verdict. Better and worse require a significant test, and means and ranks
// that agree on the direction: one of two skewed samples may have both the smaller ranks and
// the larger mean.
func (r *Row) judge(o Options) Verdict {
	switch {
	case r.Identical():
		return Same
	case min(r.Runs[0], r.Runs[1]) < stats.MinRuns:
		return Undecided
	case r.Adjusted <= o.Alpha && r.Effect > 0 && r.Difference >= r.Minimum && r.Difference > 0:
		return Worse
	case r.Adjusted <= o.Alpha && r.Effect < 0 && -r.Difference >= r.Minimum && r.Difference < 0:
		return Better
	case -r.Minimum <= r.CI.Lo && r.CI.Hi <= r.Minimum:
		return Same
	}
	return Undecided
}

// overall returns the verdict on all rows together.
func overall(rows []Row) Verdict {
	for _, v := range []Verdict{Worse, Undecided, Better} {
		for i := range rows {
			if rows[i].Verdict == v {
				return v
			}
		}
	}
	return Same
}

// tooFew returns a warning if rows have too few runs to be significant for any data: fewer
// than stats.MinRuns, or so few that the smallest possible P value times the number of tests
// exceeds alpha.
func tooFew(rows []Row, alpha float64) string {
	tests, blind, paired := 0, 0, true
	for i := range rows {
		if !rows[i].Identical() {
			tests++
		}
	}
	few := func(r *Row) bool { return min(r.Runs[0], r.Runs[1]) < stats.MinRuns }
	least := func(r *Row) float64 {
		if r.Paired {
			return math.Ldexp(1, 1-r.Runs[0])
		}
		a, b := float64(r.Runs[0]), float64(r.Runs[1])
		lab, _ := math.Lgamma(a + b + 1)
		la, _ := math.Lgamma(a + 1)
		lb, _ := math.Lgamma(b + 1)
		return 2 * math.Exp(la+lb-lab)
	}
	for i := range rows {
		if r := &rows[i]; !r.Identical() && (few(r) || least(r)*float64(tests) > alpha) {
			blind++
			paired = paired && rows[i].Paired
		}
	}
	if blind == 0 {
		return ""
	}
	note := fmt.Sprintf("%d %s too few runs to be better or worse for any data, among %d tests at level %g.", blind, map[bool]string{true: "row has", false: "rows have"}[blind == 1], tests, alpha)
	if paired {
		note += fmt.Sprintf(" At least %d runs are needed.", max(stats.MinRuns, 1+int(math.Ceil(math.Log2(float64(tests)/alpha)))))
	}
	return note
}
