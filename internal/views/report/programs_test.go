package report

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
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
	text := rendered(t, func(w io.Writer) error { return document.WriteText(w, d) })
	golden.Check(t, "programs.txt", text)
	golden.Check(t, "programs.tex", rendered(t, func(w io.Writer) error { return document.WriteLaTeX(w, d) }))
	golden.Check(t, "programs.csv", rendered(t, func(w io.Writer) error { return WriteTableCSV(table, w) }))
	check.Contains(t, "text", flat(string(text)),
		"Left out: 1 run (the notes say why)",
		"Left out on purpose: beale/Random 007: not the eighth.",
		"1 run left out (0): the program ended after 0 of 4 steps (initialize: exit code 3; it wrote nothing to standard error).",
		"1 run left out (1): the program reported an error after 1 of 4 steps (tell: ValueError: no).",
		"1 run left out (2): the program did not answer in time after 0 of 4 steps (ask: no answer within 1s).",
		"1 run left out (3): the program wrote something other than the answer after 0 of 4 steps (ask: line 3 of its standard output is not a message: 'Hello').",
		"1 run left out (4): the program gave an answer that cannot be used after 0 of 4 steps (ask: points[0][0] is NaN, not a finite number).",
		outcome.RandomAlgorithmNote)
	check.Lacks(t, "text", flat(string(text)), "Not complete", "has no record", outcome.RandomObjectiveNote)

	files := check.Must(allFiles(t.Context(), &Page{Table: table}, outcome.Curves(table.Results)))(t)
	of := func(path string) string {
		return string(files[slices.IndexFunc(files, func(f File) bool { return f.Path == path })].Data)
	}
	for _, path := range []string{"table.txt", "table.md", "index.html", "table.tex"} {
		check.Contains(t, path, flat(of(path)), "External programs", "my optimizer.py", "0123456789ab", "Mine 1.2", "numpy 1.26.4", "not deterministic", "./mould")
	}
	check.Contains(t, "the page", of("index.html"), `<a href="#programs">`, "with the same external programs; those that are not deterministic may make others.", `<td class="left wrap">`)
	for _, row := range d.Sheets[0].Rows {
		noted := slices.Contains(row[1].Notes, document.Plain(outcome.RandomAlgorithmNote))
		check.Equal(t, "note at "+row[1].String(), noted, row[1].String() == "Mine")
	}
}

// Cells that a program does not do are not counted as missing, on the index or anywhere else.
func TestLeftOutIsNotMissing(t *testing.T) {
	in := outside(t)
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool { return r.Footer.Status == record.Failed })
	for i := range 5 {
		in.List.LeaveOut(record.Part{Group: "beale/Random", Repetitions: record.Repetitions{{i, i}}, Reason: "no"})
	}
	card := NewCard(outcome.NewTable(mustCollect(t, in)), "outside/index.html")
	check.Equal(t, "missing", len(card.Missing), 0)
	check.Equal(t, "state", card.State(), "complete; left out: 6 runs (the notes say why)")
	check.Equal(t, "size", card.Size, "2 problems × 2 algorithms × 2 to 8 of 8 runs of 4 steps")
	var index strings.Builder
	check.OK(t, WriteIndex(&index, &Index{Cards: []Card{*card}}))
	check.Contains(t, "index", index.String(), "Complete. Left out: 6 runs (the notes say why).")
}

// An algorithm that has no run on a problem is not said to be anything there, nor a problem without runs to be one of
// several.
func TestHeadlineWithoutRuns(t *testing.T) {
	in := outside(t)
	in.List = nil
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
		return r.Header.Algorithm.Label == "Mine" && r.Header.Problem.Name == "beale"
	})
	words := func() (all []string) {
		h := NewHeadline(outcome.NewTable(mustCollect(t, in)), true)
		for _, row := range h.Rows {
			all = append(all, row[0].String()+": "+row[2].String())
		}
		return all
	}
	check.Contains(t, "in words", strings.Join(words(), "\n"), "Mine: ", "has runs on 1 of 2 problems only")
	for _, r := range in.Records { // now nothing ran on Beale
		if r.Header.Problem.Name == "beale" {
			r.Steps, r.Footer.Status, r.Footer.Steps = nil, record.Failed, 0
		}
	}
	check.Lacks(t, "in words", strings.Join(words(), "\n"), "of 2")
	for i, s := range Document(outcome.NewTable(mustCollect(t, in)), nil).Sheets {
		there := slices.ContainsFunc(s.Rows, func(row []document.Cell) bool { return row[0].String() == "Beale" })
		check.Equal(t, "a row in the sheet "+s.ID, there, i == 0)
	}
}
