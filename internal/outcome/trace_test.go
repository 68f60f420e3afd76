package outcome

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// traced is a record of two steps whose second query has the first winner and a new point, and ends in a tie.
func traced() *record.Record {
	rec := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 2}).Records[0]
	a, b, c := []float64{1, 2}, []float64{3, 4}, []float64{5, 6}
	at := func(x []float64) []record.Recommendation {
		return []record.Recommendation{{Rule: "r", X: x, Utility: x[0]}}
	}
	rec.Steps[0] = record.Step{T: 1, Points: [][]float64{a, b}, Utility: []float64{1, 3}, Winner: 1, Recommendations: at(c)}
	rec.Steps[1] = record.Step{T: 2, Points: [][]float64{b, c}, Utility: []float64{3, 5}, Tie: true, Recommendations: at(b)}
	return rec
}

func TestTrace(t *testing.T) {
	got := trace(traced())
	check.Same(t, "trace", []any{got.Points, got.Utility, got.Asked, got.Steps}, []any{
		[][]float64{{1, 2}, {3, 4}, {5, 6}}, []float64{1, 3, 5}, []int{1, 1, 2}, // the third was recommended first
		[]TraceStep{{[]int{0, 1}, 1, 2}, {[]int{1, 2}, -1, 1}}})
	for name, change := range map[string]func(*record.Header){
		"three dimensions": func(h *record.Header) { h.Problem.Lo = []float64{0, 0, 0} },
		"a compact record": func(h *record.Header) { h.Compact = true },
		"an imported run":  func(h *record.Header) { h.Imported = &record.Imported{}; h.Problem.Lo = nil },
	} {
		rec := traced()
		change(&rec.Header)
		check.That(t, trace(rec) == nil, "%s has a trace", name)
	}
	// A report keeps the traces of the first runs only, whatever their number.
	r := check.Must(Collect(reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: MaxTraces + 3, Steps: 2})))(t)
	for i, run := range r.Groups[0].Runs {
		check.Equal(t, "run has a trace", run.Trace != nil, i < MaxTraces)
	}
}
