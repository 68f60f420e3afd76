package outcome

import (
	"fmt"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/views/report/reporttest"
)

// standings of three algorithms and one that observes values, by label.
func standings(t *testing.T, headline Metric, runs int, of func(label string, i int) float64) map[string]Standing {
	t.Helper()
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "qeubo", "dts", "gpucb"}, Runs: runs, Steps: 2})
	for _, r := range in.Records {
		r.Header.Headline = string(headline)
		last := &r.Steps[1].Recommendations[0]
		last.Utility = *r.Header.Problem.Optimum - of(r.Header.Algorithm.Label, r.Header.Repetition)
	}
	table := NewTable(check.Must(Collect(in))(t))
	all := map[string]Standing{}
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
	for runs, want := range map[int]map[string]Relation{
		stats.MinRuns:     {"POP-BO": Equal, "qEUBO": Equal, "DTS": Higher, "GP-UCB": Unknown},
		stats.MinRuns - 1: {"POP-BO": TooFew, "qEUBO": TooFew, "DTS": TooFew, "GP-UCB": Unknown},
	} {
		for label, s := range standings(t, Suboptimality, runs, of) {
			check.Equal(t, label+" against the best", s.Versus, want[label])
			check.Equal(t, label+" is the lowest", s.Lowest, label == "POP-BO")
			check.Equal(t, label+" is ranked", s.Best != nil && s.Best.Algorithm.Label == "POP-BO", label != "GP-UCB")
		}
	}
}

// All with the lowest mean are the lowest. Where no run reaches the target, nobody is.
func TestStandingOfEqualMeans(t *testing.T) {
	for headline, lowest := range map[Metric]bool{Suboptimality: true, ToTarget: false} {
		for label, s := range standings(t, headline, stats.MinRuns, func(string, int) float64 { return 1000 }) {
			check.Equal(t, fmt.Sprintf("%s is the lowest by %s", label, headline), s.Lowest, lowest && label != "GP-UCB")
			check.Equal(t, fmt.Sprintf("%s is ranked by %s", label, headline), s.Best != nil, lowest && label != "GP-UCB")
		}
	}
}
