package compare

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/words"
	"popbench/record"
)

// matched holds the runs of two folders that can be compared.
type matched struct {
	base, head *digest
	known      []string // metrics of both sides
	missing    []string // groups and cells that HEAD lacks
	samples    []sample
	failures   []record.Failure
	warnings   []string
	notes      []note
}

// note is a sentence about some groups, or about all if keys is nil.
type note struct {
	text string
	keys []string
}

func (n note) String() string {
	if n.keys == nil {
		return n.text
	}
	return several(n.keys) + ": " + n.text
}

// note adds a note on everything unless the note is there already.
func (m *matched) note(format string, args ...any) { m.noteOn(nil, format, args...) }

// noteOn adds a note on a group, nil for everything. If several groups have the same note, it appears once.
func (m *matched) noteOn(g *group, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(m.notes, func(n note) bool { return n.text == text && (n.keys == nil) == (g == nil) })
	if i < 0 {
		i = len(m.notes)
		m.notes = append(m.notes, note{text: text})
	}
	if g != nil {
		m.notes[i].keys = append(m.notes[i].keys, g.key)
	}
}

// several names the first entries of a list, and counts the rest.
func several(list []string) string {
	switch n := len(list); n {
	case 1:
		return list[0]
	case 2:
		return list[0] + " and " + list[1]
	default:
		return fmt.Sprintf("%s and %d more", list[0], n-1)
	}
}

// notePrograms notes how the programs of the suite's owner differ between two groups.
func (m *matched) notePrograms(base, head *group) {
	a, b := base.representative(), head.representative()
	m.noteProgram(a.Algorithm.Label, a.Algorithm.Program, b.Algorithm.Program)
	m.noteProgram("The objective "+a.Problem.Name, a.Problem.Program, b.Problem.Program)
}

// representative is the header of a complete record, if possible: only that says what a program reported.
func (g *group) representative() *record.Header {
	if g.example != nil {
		return &g.example.Header
	}
	return &g.header
}

// noteProgram notes how a program differs between the sides. Differences of the program itself are what is to be compared.
// Differences of its surroundings, such as the version of a library, become warnings: they may explain a verdict. It repeats
// nothing, since groups share programs.
func (m *matched) noteProgram(of string, base, head *record.Program) {
	if base == nil || head == nil {
		return
	}
	note := func(format string, args ...any) { m.note("%s: %s", of, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) {
		m.warnings = words.Include(m.warnings, of+": "+fmt.Sprintf(format, args...))
	}
	if !slices.Equal(base.Command, head.Command) {
		note("started by %s in BASE and by %s in HEAD.", words.Command(base.Command), words.Command(head.Command))
	}
	var changed, only []string
	for _, d := range differences(files(base), files(head)) {
		switch {
		case d.values[1] == absent:
			only = append(only, d.path+" is in BASE only")
		case d.values[0] == absent:
			only = append(only, d.path+" is in HEAD only")
		default:
			changed = words.Include(changed, d.path)
		}
	}
	if len(changed) > 0 {
		only = slices.Insert(only, 0, words.List(changed)+words.Choose(len(changed), " differs", " differ"))
	}
	if len(only) > 0 {
		note("%s.", strings.Join(only, "; "))
	}
	if base.Threads != head.Threads {
		warn("%s in BASE and %d in HEAD, which may change last digits, and the steps after them.", words.Count(base.Threads, "thread"), head.Threads)
	}
	if base.Random || head.Random {
		note("it says that equal seeds may give other results.")
	}
	if base.Name == "" || head.Name == "" { // all its runs failed before it reported anything
		return
	}
	if base.Name != head.Name || base.Version != head.Version {
		note("reports %q in BASE and %q in HEAD.", strings.TrimSpace(base.Name+" "+base.Version), strings.TrimSpace(head.Name+" "+head.Version))
	}
	var others []string
	for _, d := range differences(leaves(base.Provenance), leaves(head.Provenance)) {
		text := fmt.Sprintf("%s is %s in BASE and %s in HEAD", d.path, d.values[0], d.values[1])
		// These say which program it is, not where it runs.
		if last := d.path[strings.LastIndexByte(d.path, '.')+1:]; last == "commit" || last == "dirty" || last == "extension" {
			note("reports that %s.", text)
			continue
		}
		others = append(others, text)
	}
	if len(others) > 0 {
		more := ""
		if n := len(others) - maxProvenance; n > 0 {
			others, more = others[:maxProvenance], fmt.Sprintf(" (and %d more differ)", n)
		}
		warn("reports that %s%s. A difference in the results may be due to that.", strings.Join(others, ", "), more)
	}
}

const maxProvenance = 5

// files are the hashes of a program's files by their paths.
func files(p *record.Program) []record.Leaf {
	return words.Each(p.Files, func(f record.ProgramFile) record.Leaf { return record.Leaf{Path: f.Path, Value: f.SHA256} })
}
