package report

import (
	"io"
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
)

func TestTimeTable(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale", "levy13"}, Algorithms: six, Runs: 4, Steps: 5}
	in := reporttest.Results(o)
	// A run of SGP without a measurement is compared with none.
	for _, rec := range in.Records {
		if h := rec.Header; h.Algorithm.Name == "sgp" && h.Repetition == 2 {
			delete(in.Timings, h.Cell)
		}
	}
	table := outcome.NewTable(mustCollect(t, in)).Times
	var got []string
	for i, row := range table.Rows {
		got = append(got, row.Label)
		want := []float64{1, 0.2, 0.08, 0.1, 0.05, 0.001}[i] // as reporttest has it
		close(t, row.Label+" relative to DTS", row.Ratio.Value, want)
		check.That(t, i <= 0 || math.Abs(row.Ratio.CI.Lo-want) <= 1e-12 && math.Abs(row.Ratio.CI.Hi-want) <= 1e-12,
			"%s: all runs have the same ratio, the interval is %v", row.Label, row.Ratio.CI)
		if paper := []float64{1, 0.21, 0.07, 0.09}; i < 4 && row.Printed != paper[i] || i >= 4 && !math.IsNaN(row.Printed) {
			t.Errorf("%s: the paper prints %g", row.Label, row.Printed)
		}
	}
	if strings.Join(got, " ") != "DTS qEUBO SGP POP-BO GP-UCB Random" || table.Rows[2].Runs != 6 || table.Rows[3].Runs != 8 {
		t.Errorf("rows %v; %d and %d runs", got, table.Rows[2].Runs, table.Rows[3].Runs)
	}
	check.That(t, table.Apart == "", "measured in one run, but: %s", table.Apart)
	lines := strings.Split(string(rendered(t, func(w io.Writer) error { return WriteTimesCSV(table, w) })), "\n")
	if len(lines) != 1+6+1 || !strings.HasPrefix(lines[2], "qEUBO,qeubo,8,") || !strings.HasSuffix(lines[2], ",DTS,0.21") {
		t.Errorf("as CSV: %q", lines)
	}

	// Intervals are of the ratio of totals, not of single runs.
	for i, rec := range in.Records {
		if v := in.Timings[rec.Header.Cell]; v != nil && rec.Header.Algorithm.Name == "popbo" {
			v.AskSeconds[0] += 0.05 * float64(i%3)
		}
	}
	ratio := outcome.NewTable(mustCollect(t, in)).Times.Rows[3].Ratio
	check.That(t, ratio.CI.Lo < ratio.Value && ratio.Value < ratio.CI.Hi && ratio.CI.Hi < 0.3, "ratio %+v", ratio)

	// On two machines, or side by side with a different number of others.
	for change, want := range map[string]string{"host": "on 2 machines", "workers": "2 runs at a time; Some CPU, 7 runs at a time"} {
		in := reporttest.Results(o)
		v := in.Timings[in.Records[0].Header.Cell]
		if change == "host" {
			v.Host = "there"
		} else {
			v.Workers = 7
		}
		d := Document(outcome.NewTable(mustCollect(t, in)), nil)
		text := strings.Join(strings.Fields(string(rendered(t, func(w io.Writer) error { return document.WriteText(w, d) }))), " ")
		check.That(t, strings.Contains(text, "not measured in one run") && strings.Contains(text, want),
			"with another %s the report does not say %q:\n%s", change, want, text)
	}

	// One method is not there, or was not measured.
	o.Algorithms = six[:3]
	check.That(t, outcome.NewTable(mustCollect(t, reporttest.Results(o))).Times == nil, "a table of times without DTS")
	for _, rec := range in.Records {
		if rec.Header.Algorithm.Name == "dts" {
			delete(in.Timings, rec.Header.Cell)
		}
	}
	check.That(t, outcome.NewTable(mustCollect(t, in)).Times == nil, "a table of times relative to what was not measured")
}
