package report

import (
	"io"
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
	for i, rec := range in.Records {
		if i == 2 {
			continue
		}
		v := in.Timings[rec.Header.Cell]
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
	check.That(t, got.Runs == 3, "%d runs are measured, want 3", got.Runs)
	text := string(rendered(t, func(w io.Writer) error { return document.WriteText(w, Document(table, nil)) }))
	check.Contains(t, "the table", strings.Join(strings.Fields(text), " "),
		"1 run of 4 has no timing file, and is not in the times.", "Some CPU, 2 runs at a time", "vary from run to run")
}

// Without measurements the table is blank there, and says why.
func TestWithoutTimes(t *testing.T) {
	solver := func(in *reporttest.Folder) (titles, notes string) {
		d := Document(outcome.NewTable(mustCollect(t, in)), nil)
		for _, s := range d.Sheets {
			if s.ID != "solver" {
				continue
			}
			for j, c := range s.Columns {
				titles += c.Title.String() + "; "
				check.That(t, !strings.HasPrefix(c.Title.String(), "Step") || s.Rows[0][j].Text == document.None,
					"a time from nothing: %q", s.Rows[0][j].Text)
			}
		}
		return titles, footnotes(d)
	}
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3})
	clear(in.Timings) // looked for, none found
	if titles, notes := solver(in); strings.Contains(titles, "Step") || !strings.Contains(notes, "2 runs of 2 have no timing file") {
		t.Errorf("columns %s, notes %s", titles, notes)
	}
	in.Timings = nil // not looked for
	if titles, notes := solver(in); strings.Contains(titles, "Step") || strings.Contains(notes, "timing") {
		t.Errorf("columns %s, notes %s", titles, notes)
	}
	two := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 3})
	for _, rec := range two.Records[:2] {
		delete(two.Timings, rec.Header.Cell)
	}
	if titles, notes := solver(two); !strings.Contains(titles, "Step, median") || !strings.Contains(notes, "2 runs of 2 have no timing file") {
		t.Errorf("columns %s, notes %s", titles, notes)
	}
}
