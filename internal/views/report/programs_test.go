package report

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// outside is a suite of two problems and two algorithms, one of each a program. The algorithm is random, and does not do the
// last repetition on Beale. One of its runs failed in each way that there is.
func outside(t *testing.T) *reporttest.Folder {
	t.Helper()
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "mould"}, Algorithms: []string{"popbo", "random"}, Runs: 8, Steps: 4, Paper: "none"})
	mine := record.Program{
		Command: []string{"python3", "my optimizer.py", "--fast"}, Threads: 2, Name: "Mine", Version: "1.2", Random: true,
		Files:      []record.ProgramFile{{Path: "my optimizer.py", SHA256: strings.Repeat("0123456789abcdef", 4)}},
		Provenance: json.RawMessage(`{"packages":{"numpy":"1.26.4","scipy":"1.13.0"},"python":"CPython 3.11.7"}`),
	}
	mute := mine
	mute.Name, mute.Version, mute.Provenance, mute.Random = "", "", nil, false
	failures := []record.Footer{
		{Outcome: record.Crash, Error: "initialize: exit code 3; it wrote nothing to standard error"},
		{Outcome: record.ProgramError, Error: "after step 1: tell: ValueError: no"},
		{Outcome: record.TimedOut, Error: "ask: no answer within 1s"},
		{Outcome: record.ProtocolBroken, Error: "ask: line 3 of its standard output is not a message: 'Hello'"},
		{Outcome: record.Invalid, Error: "ask: points[0][0] is NaN, not a finite number"},
	}
	in.List = new(record.List)
	var kept []*record.Record
	for _, r := range in.Records {
		h := &r.Header
		if h.Problem.Name == "mould" {
			h.Problem.Program = &record.Program{Command: []string{"./mould"}, Threads: 1, Name: "mould", Version: "3"}
		}
		if in.List.Add(record.Group(h.Cell), h.Repetition); h.Algorithm.Name == "random" {
			h.Algorithm.Program, h.Algorithm.Label = &mine, "Mine"
			if i := h.Repetition; h.Problem.Name == "beale" && i < len(failures) {
				n := strings.Count(failures[i].Error, "after step")
				r.Steps, r.Footer = r.Steps[:n], failures[i]
				r.Footer.Kind, r.Footer.Status, r.Footer.Steps = "footer", record.Failed, n
				if i == 0 {
					h.Algorithm.Program = &mute
				}
			} else if h.Problem.Name == "beale" && i == 7 {
				in.List.LeaveOut(record.Part{Group: record.Group(h.Cell), Repetitions: record.Repetitions{{i, i}}, Reason: "not the eighth"})
				continue
			}
		}
		kept = append(kept, r)
	}
	in.Records = kept
	return in
}

// Every form of a report says which programs took part, in its own sheet, and what they did not do, in notes.
func TestPrograms(t *testing.T) {
	check.Sequential(t)
	table := outcome.NewTable(mustCollect(t, outside(t)))
	d := Document(table, nil)
	check.GoldenWritten(t, "programs.txt", func(w io.Writer) error { return document.WriteText(w, d) })
	check.GoldenWritten(t, "programs.tex", func(w io.Writer) error { return document.WriteLaTeX(w, d) })
	check.GoldenWritten(t, "programs.csv", tableCSV(table))
	files := written(t, table, nil)
	for _, path := range []string{"table.md", "index.html"} {
		check.Contains(t, path, flat(files[path]), "External programs", "my optimizer.py", "0123456789ab", "Mine 1.2", "numpy 1.26.4", "not deterministic", "./mould")
	}
	check.Contains(t, "the page", files["index.html"], `<a href="#programs">`, "with the same external programs; those that are not deterministic may make others.", `<td class="left wrap">`)
	for _, row := range d.Sheets[0].Rows {
		noted := slices.Contains(row[1].Notes, document.Plain(outcome.RandomAlgorithmNote))
		check.Equal(t, "note at "+row[1].String(), noted, row[1].String() == "Mine")
	}
}
