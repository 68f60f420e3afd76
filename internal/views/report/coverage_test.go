package report

import (
	"io"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
)

// Without a known norm only one part of the set can be checked, and the report
// says so; an algorithm without a confidence set has none.
func TestCoverageOfUnknownNorms(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "gp1"}, Algorithms: []string{"popbo", "dts"}, Runs: 3, Steps: 4})
	table := outcome.NewTable(mustCollect(t, in))
	for i := range table.Rows {
		row := &table.Rows[i]
		if popbo := row.Algorithm.Name == "popbo"; row.Coverage.Known != popbo || row.Coverage.NormKnown {
			t.Errorf("%s on %s: %+v", row.Algorithm.Label, row.Name(), row.Coverage)
		}
	}
	text := string(rendered(t, func(w io.Writer) error { return document.WriteText(w, Document(table, nil)) }))
	check.Contains(t, "the table", text,
		"The RKHS norm of the objective is not known", "77.88 (Beale, B\u00a0=\u00a06)", "Likely: runs")
	check.That(t, !strings.Contains(text, "Inside:") && !strings.Contains(text, "(gp1,"),
		"the table says more than is known:\n%s", text)
	charts := charting.Coverage(table, outcome.Curves(table.Results))
	if len(charts) != 2 {
		t.Fatalf("%d charts, want 2: %+v", len(charts), charts)
	}
	check.Equal(t, "metric of the second chart", charts[1].Metric, outcome.InLikelihoodSet)
	check.Equal(t, "lines of the second chart", labels(charts[1]), "POP-BO")
	check.Contains(t, "caption", charts[0].Caption().String(), "the likelihood part of the confidence set", "Wilson")

	in = reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"dts"}, Runs: 2, Steps: 2})
	table = outcome.NewTable(mustCollect(t, in))
	if charts := charting.Coverage(table, outcome.Curves(table.Results)); charts != nil {
		t.Errorf("charts %+v", charts)
	}
}
