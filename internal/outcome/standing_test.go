package outcome

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/views/report/reporttest"
)

// standings of three algorithms and one that observes values, by label.
func standings(t *testing.T, runs int, of func(label string, i int) float64) map[string]Standing {
	t.Helper()
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "qeubo", "dts", "gpucb"}, Runs: runs, Steps: 2})
	for _, r := range in.Records {
		last := &r.Steps[1].Recommendations[0]
		last.Utility = *r.Header.Problem.Optimum - of(r.Header.Algorithm.Label, r.Header.Repetition)
	}
	r := check.Must(Collect(in))(t)
	all := map[string]Standing{}
	table := NewTable(r)
	for i := range table.Rows {
		all[table.Rows[i].Algorithm.Label] = table.Rows[i].Standing
	}
	return all
}

func TestStanding(t *testing.T) {
	of := func(label string, i int) float64 {
		common := float64(10 * i) // what runs of the same repetition share
		switch label {
		case "POP-BO":
			return common + 1
		case "qEUBO": // higher on average, in half of the runs only
			return common + 1.5 + 2*float64(i%2) - 1
		case "DTS": // always higher, by less than the runs differ
			return common + 1.1 + 0.01*float64(i)
		}
		return common
	}
	got := standings(t, stats.MinRuns, of)
	for label, want := range map[string]Relation{"POP-BO": Equal, "qEUBO": Equal, "DTS": Higher, "GP-UCB": Unknown} {
		s := got[label]
		check.That(t, s.Versus == want, "%s is %q, want %q", label, s.Versus, want)
		check.That(t, s.Lowest == (label == "POP-BO"), "%s lowest: %t", label, s.Lowest)
		if ranked := label != "GP-UCB"; ranked != (s.Best != nil) || ranked && s.Best.Algorithm.Label != "POP-BO" {
			t.Errorf("%s has the best %v", label, s.Best)
		}
	}
	for label, s := range standings(t, stats.MinRuns-1, of) {
		want := TooFew
		if s.Best == nil {
			want = Unknown
		}
		check.That(t, s.Versus == want && s.Lowest == (label == "POP-BO"), "%s of too few runs: %+v", label, s)
	}
}
