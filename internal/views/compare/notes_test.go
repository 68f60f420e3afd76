package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// by returns records of an algorithm that is a program.
func by(p *record.Program) *reporttest.Folder {
	return folder(small, func(r *record.Record) {
		own := *p
		r.Header.Algorithm.Program = &own
		r.Header.ConfigHash = "0123456789abcdef"
		if len(p.Files) > 0 {
			r.Header.ConfigHash = p.Files[0].SHA256
		}
	})
}

// Each difference of two programs is said once, for all problems. What is not the program itself is a warning.
func TestProgramsDiffer(t *testing.T) {
	file := func(path string, digit string) record.ProgramFile {
		return record.ProgramFile{Path: path, SHA256: strings.Repeat(digit, 64)}
	}
	base := &record.Program{
		Command: []string{"python3", "mine.py"}, Files: []record.ProgramFile{file("mine.py", "0"), file("old.py", "0"), file("same.py", "0")}, Threads: 1,
		Name: "Mine", Version: "1", Provenance: json.RawMessage(`{"commit":"0a","numpy":"1.24.2","python":"CPython 3.12.1"}`),
	}
	for name, c := range map[string]struct {
		change          func(p *record.Program)
		notes, warnings []string
	}{
		"nothing": {func(p *record.Program) {}, nil, nil},
		"files": {func(p *record.Program) {
			p.Files = []record.ProgramFile{file("mine.py", "1"), file("same.py", "0"), file("new.py", "0")}
		}, []string{"POP-BO: mine.py differs; old.py is in BASE only; new.py is in HEAD only."}, nil},
		"two files": {func(p *record.Program) {
			p.Files = []record.ProgramFile{file("mine.py", "1"), file("old.py", "1"), file("same.py", "0")}
		}, []string{"POP-BO: mine.py and old.py differ."}, nil},
		"command": {func(p *record.Program) { p.Command = []string{"python3", "-m", "my method"} },
			[]string{"POP-BO: started by python3 mine.py in BASE and by python3 -m 'my method' in HEAD."}, nil},
		"version": {func(p *record.Program) { p.Name, p.Version = "Ours", "" },
			[]string{`POP-BO: reports "Mine 1" in BASE and "Ours" in HEAD.`}, nil},
		"commit": {func(p *record.Program) {
			p.Provenance = json.RawMessage(`{"commit":"0b","numpy":"1.24.2","python":"CPython 3.12.1"}`)
		}, []string{`POP-BO: reports that commit is "0a" in BASE and "0b" in HEAD.`}, nil},
		"numpy": {func(p *record.Program) {
			p.Provenance = json.RawMessage(`{"commit":"0a","numpy":"2.1.0","python":"CPython 3.12.1","scipy":"1.14"}`)
		}, nil, []string{`POP-BO: reports that numpy is "1.24.2" in BASE and "2.1.0" in HEAD, scipy is absent in BASE and "1.14" in HEAD. A difference in the results may be due to that.`}},
		"no provenance": {func(p *record.Program) { p.Provenance = nil }, []string{`POP-BO: reports that commit is "0a" in BASE and absent in HEAD.`},
			[]string{`POP-BO: reports that numpy is "1.24.2" in BASE and absent in HEAD, python is "CPython 3.12.1" in BASE and absent in HEAD. A difference in the results may be due to that.`}},
		"many": {func(p *record.Program) {
			p.Provenance = json.RawMessage(`{"a":1,"b":1,"c":1,"commit":"0a","d":1,"e":1,"f":1,"g":1,"numpy":"1.24.2","python":"CPython 3.12.1"}`)
		}, nil, []string{`POP-BO: reports that a is absent in BASE and 1 in HEAD, b is absent in BASE and 1 in HEAD, c is absent in BASE and 1 in HEAD, d is absent in BASE and 1 in HEAD, e is absent in BASE and 1 in HEAD (and 2 more differ). A difference in the results may be due to that.`}},
		"threads": {func(p *record.Program) { p.Threads = 4 }, nil,
			[]string{"POP-BO: 1 thread in BASE and 4 in HEAD, which may change last digits, and the steps after them."}},
		"random":         {func(p *record.Program) { p.Random = true }, []string{"POP-BO: it says that equal seeds may give other results."}, nil},
		"never reported": {func(p *record.Program) { p.Name, p.Version, p.Provenance = "", "", nil }, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			other := *base
			c.change(&other)
			got := compared(t, by(base), by(&other), Default())
			check.That(t, slices.Equal(got.Notes, c.notes) && slices.Equal(got.Warnings, c.warnings), "notes %q, warnings %q", got.Notes, got.Warnings)
			check.Equal(t, "verdict", got.Verdict, judge.Same)
			// A change that changes no step passes --exact.
			e := check.Must(Exact(by(base), by(&other)))(t)
			check.Equal(t, "different records", e.Different, 0)
		})
	}
}

func TestObjectivesDiffer(t *testing.T) {
	on := func(digit string) *reporttest.Folder {
		return folder(small, on("beale", func(r *record.Record) {
			r.Header.Problem.Program = &record.Program{Command: []string{"sim"}, Files: []record.ProgramFile{{Path: "sim.R", SHA256: digit}}, Threads: 1}
		}))
	}
	check.Same(t, "notes", compared(t, on("0"), on("1"), Default()).Notes, []string{"The objective beale: sim.R differs."})
}
