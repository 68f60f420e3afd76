package report

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
)

// marks are those of the sheet of the best on each problem, by algorithm, on the one problem that was run.
func marks(t *testing.T, runs int) map[string]document.Mark {
	t.Helper()
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "qeubo", "dts", "gpucb"}, Runs: runs, Steps: 2})
	for _, r := range in.Records {
		i := float64(r.Header.Repetition)
		r.Steps[1].Recommendations[0].Utility = *r.Header.Problem.Optimum - i - map[string]float64{
			"POP-BO": 1,                           // the lowest of those that are ranked
			"qEUBO":  1.5 + float64(int(i)%2*4-2), // higher on average, in half of the runs only
			"DTS":    1.2 + i/100,                 // always higher
			"GP-UCB": 0.5,                         // it observes values
		}[r.Header.Algorithm.Label]
	}
	s := sheetOf(Document(outcome.NewTable(mustCollect(t, in)), nil), "ranking")
	found := map[string]document.Mark{}
	for j, c := range s.Rows[0][1:] {
		found[s.Columns[j+1].Title.String()] = c.Mark
	}
	return found
}

func TestBestIsMarked(t *testing.T) {
	got := marks(t, stats.MinRuns)
	for label, want := range map[string]document.Mark{"POP-BO": document.Best, "qEUBO": document.Level, "DTS": document.Unmarked, "GP-UCB": document.Unmarked} {
		mark, ok := got[label]
		check.That(t, ok && mark == want, "%s has the mark %d, want %d", label, mark, want)
	}
	for label, mark := range marks(t, stats.MinRuns-1) {
		check.That(t, mark == document.Unmarked, "of too few runs %s has the mark %d", label, mark)
	}
}
