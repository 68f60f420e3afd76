package report

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
)

func TestTimes(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 4, Steps: 5})
	delete(in.Timings, in.Records[2].Header.Cell)
	var steps []float64
	var total float64
	for _, v := range in.Timings {
		for k := range v.AskSeconds {
			steps = append(steps, v.AskSeconds[k]+v.TellSeconds[k])
			total += v.AskSeconds[k] + v.TellSeconds[k]
		}
	}
	slices.Sort(steps)
	table := outcome.NewTable(mustCollect(t, in))
	got := table.Rows[0].Times
	close(t, "median", got.StepMedian, steps[7])
	close(t, "mean", got.Step, total/15)
	close(t, "run", got.Run, total/3)
	check.Equal(t, "runs that were measured", got.Runs, 3)
	check.Contains(t, "the table", flat(textOf(t, Document(table, nil))),
		"1 run of 4 has no timing file, and is not in the times.", "Some CPU, 2 runs at a time", "vary from run to run")
}

// Without measurements the table is blank there, and says why if they were looked for.
func TestWithoutTimes(t *testing.T) {
	for _, c := range []struct {
		problems []string
		drop     func(*reporttest.Folder)
		step     bool
		note     string
	}{
		{[]string{"beale"}, func(in *reporttest.Folder) { clear(in.Timings) }, false, "2 runs of 2 have no timing file"},
		{[]string{"beale"}, func(in *reporttest.Folder) { in.Timings = nil }, false, ""},
		{[]string{"beale", "branin"}, func(in *reporttest.Folder) {
			for _, rec := range in.Records[:2] {
				delete(in.Timings, rec.Header.Cell)
			}
		}, true, "2 runs of 2 have no timing file"},
	} {
		in := reporttest.Results(reporttest.Options{Problems: c.problems, Runs: 2, Steps: 3})
		c.drop(in)
		d := Document(outcome.NewTable(mustCollect(t, in)), nil)
		s := sheetOf(d, "solver")
		k := slices.IndexFunc(s.Columns, func(h document.Heading) bool { return strings.HasPrefix(h.Title.String(), "Step, median") })
		check.Equal(t, "there are times of steps", k >= 0, c.step)
		check.That(t, k < 0 || s.Rows[0][k].Text == document.None, "a time from nothing: %v", s.Rows[0])
		check.Equal(t, "notes on timing", strings.Contains(footnotes(d), "timing"), c.note != "")
		check.Contains(t, "notes", footnotes(d), c.note)
	}
}

func TestTimeTable(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale", "levy13"}, Algorithms: six, Runs: 4, Steps: 5}
	in := reporttest.Results(o)
	delete(in.Timings, "beale/SGP/002") // what it is compared with is then left out too
	table := outcome.NewTable(mustCollect(t, in)).Times
	for i, want := range []struct {
		label          string
		ratio, printed float64 // as reporttest has it, and the paper
		runs           int
	}{{"DTS", 1, 1, 8}, {"qEUBO", 0.2, 0.21, 8}, {"SGP", 0.08, 0.07, 7}, {"POP-BO", 0.1, 0.09, 8}, {"GP-UCB", 0.05, math.NaN(), 8}, {"Random", 0.001, math.NaN(), 8}} {
		row := table.Rows[i]
		check.Equal(t, "label", row.Label, want.label)
		check.Equal(t, "runs of "+row.Label, row.Runs, want.runs)
		close(t, row.Label+" relative to DTS", row.Ratio.Value, want.ratio)
		check.That(t, i == 0 || math.Abs(row.Ratio.CI.Lo-want.ratio) <= 1e-12 && math.Abs(row.Ratio.CI.Hi-want.ratio) <= 1e-12,
			"%s: all runs have the same ratio, the interval is %v", row.Label, row.Ratio.CI)
		check.That(t, row.Printed == want.printed || math.IsNaN(row.Printed) && math.IsNaN(want.printed), "%s: the paper prints %g", row.Label, row.Printed)
	}
	check.Equal(t, "measured in one run", table.Apart, "")
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
	for host, workers := range map[string]int{"there": 2, "here": 7} {
		in := reporttest.Results(o)
		v := in.Timings[in.Records[0].Header.Cell]
		v.Host, v.Workers = host, workers
		want := map[string]string{"there": "on 2 machines", "here": "2 runs at a time; Some CPU, 7 runs at a time"}[host]
		check.Contains(t, "the report", flat(textOf(t, Document(outcome.NewTable(mustCollect(t, in)), nil))), "not measured in one run", want)
	}

	// The method that others are relative to was not measured, or is not there.
	for _, rec := range in.Records {
		if rec.Header.Algorithm.Name == "dts" {
			delete(in.Timings, rec.Header.Cell)
		}
	}
	check.That(t, outcome.NewTable(mustCollect(t, in)).Times == nil, "a table of times relative to what was not measured")
	o.Algorithms = six[:3]
	check.That(t, tableOf(t, o).Times == nil, "a table of times without DTS")
}
