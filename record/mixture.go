package record

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/words"
)

// Issue is one defect of a results folder.
type Issue struct {
	Path string // the file, or the folder
	Line int    // from 1; 0 for the whole file
	What string
	Mend string // what the user can do about it
	// Mixture is the property in which usable records differ that are for one table: suite, problem, configuration or
	// program. It is "" for a file without a usable record.
	Mixture string
}

// Error says where the defect is, what it is and how to mend it, on one line whatever the file's name.
func (i *Issue) Error() string {
	where := i.Path
	if i.Line > 0 {
		where = fmt.Sprintf("%s:%d", i.Path, i.Line)
	}
	return words.Quote(fmt.Sprintf("%s: %s; %s", where, i.What, i.Mend))
}

// At returns the path from a folder of results on, with slashes. So a page says the same wherever the folder is.
func (i *Issue) At(dir string) string {
	if at, err := filepath.Rel(dir, i.Path); err == nil && filepath.IsLocal(at) {
		return filepath.ToSlash(at)
	}
	return i.Path
}

// mixtures finds records that do not belong in one table. It keeps no record.
type mixtures []*sameness

// sameness is a property that records should have in common.
type sameness struct {
	name, mend string
	// of returns the folder whose records should share the property ("" for all), and its value, "" if it is unknown.
	of      func(*Header) (folder, value string)
	folders []string
	shares  map[string][]share
}

// share counts the records of a folder with the same value.
type share struct {
	value string
	n     int
	first string // its first cell
}

// program is the name of the check that one program made all records.
const program = "program"

func newMixtures() mixtures {
	const again = "run the suite into another --out, or again with --force"
	return mixtures{
		{name: "suite", mend: again, of: func(h *Header) (string, string) {
			return "", fmt.Sprintf("%s, seed %d, %d steps", h.Suite, h.Seed, h.Budget)
		}},
		{name: "problem", mend: again, of: func(h *Header) (string, string) {
			if h.Problem.Lo == nil && h.Problem.Program != nil { // it failed before it said its box
				return "", ""
			}
			what := fmt.Sprintf("scale %s, box %v to %v", h.Problem.Scale, h.Problem.Lo, h.Problem.Hi)
			if h.Oracle != nil {
				what += ", oracle " + h.Oracle.Kind()
			}
			return words.FileName(h.Problem.Name), what
		}},
		{name: "configuration", mend: again, of: func(h *Header) (string, string) { return Group(h.Cell), h.ConfigHash }},
		{name: "external program", mend: again, of: func(h *Header) (string, string) {
			for _, p := range []*Program{h.Algorithm.Program, h.Problem.Program} {
				if p != nil && p.Name == "" { // it failed before it said its name
					return "", ""
				}
			}
			return Group(h.Cell), h.Algorithm.Program.Reported() + h.Problem.Program.Reported()
		}},
		{name: program, mend: "two programs may make different steps; " + again, of: func(h *Header) (string, string) {
			return "", h.Identity()
		}},
	}
}

// add adds a record. An imported record has no box, seed or program of its own; who reads it says so.
func (m mixtures) add(h *Header) {
	if h.Imported != nil {
		return
	}
	for _, c := range m {
		f, v := c.of(h)
		if v == "" {
			continue
		}
		if c.shares == nil {
			c.shares = map[string][]share{}
		}
		if c.shares[f] == nil {
			c.folders = append(c.folders, f)
		}
		i := slices.IndexFunc(c.shares[f], func(s share) bool { return s.value == v })
		if i < 0 {
			i = len(c.shares[f])
			c.shares[f] = append(c.shares[f], share{value: v, first: h.Cell})
		}
		c.shares[f][i].n++
	}
}

// issues returns an issue for every folder whose records differ in a value.
func (m mixtures) issues(dir string) (all []Issue) {
	for _, c := range m {
		for _, f := range c.folders {
			if len(c.shares[f]) < 2 {
				continue
			}
			parts := words.Each(c.shares[f], func(s share) string { return fmt.Sprintf("%s (%d, first %s)", s.value, s.n, s.first) })
			all = append(all, Issue{
				Path: filepath.Join(dir, recordsDir, filepath.FromSlash(f)),
				What: fmt.Sprintf("the records are not of one %s: %s", c.name, strings.Join(parts, "; ")),
				Mend: c.mend, Mixture: c.name,
			})
		}
	}
	return all
}
