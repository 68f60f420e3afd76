package strict

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/words"
)

// Issue is one mistake in a file.
type Issue struct {
	File  string
	Line  int    // from 1; 0 for the whole file
	Field string // e.g. problems[1].scale; empty for the whole file
	Text  string // what is wrong and how to mend it
}

// Error returns the issue on one line, whatever characters the names in the file have: file:line:
// field: text.
func (i Issue) Error() string {
	at := i.File
	if i.Line > 0 {
		at += fmt.Sprintf(":%d", i.Line)
	}
	if i.Field != "" {
		at += ": " + i.Field
	}
	return words.Quote(at + ": " + i.Text)
}

// Error lists all mistakes in a file, in the order of its lines.
type Error struct{ Issues []Issue }

// maxShown keeps the message readable if the user gave the wrong file.
const maxShown = 20

// Error returns one line per issue.
func (e *Error) Error() string {
	lines := words.Each(e.Issues[:min(len(e.Issues), maxShown)], Issue.Error)
	if n := len(e.Issues) - maxShown; n > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", words.Quote(e.Issues[0].File), n))
	}
	return strings.Join(lines, "\n")
}

// DidYouMean returns a clause that names the nearest known name. Without one it lists the known
// names if they are few, and otherwise returns the given clause.
func DidYouMean(name string, known []string, otherwise string) string {
	if len(known) > 0 && len(known) <= 16 {
		otherwise = "known: " + strings.Join(known, ", ")
	}
	return words.Hint(name, known, otherwise)
}

// Decoder walks a YAML document and a Go value in parallel. It collects the mistakes of the file that it finds itself and
// that later checks report.
type Decoder struct {
	// Lazy: fields of type any keep their *yaml.Node, for Held once their type is known; and Given and FailAt know the lines
	// of fields.
	Lazy bool

	file   string
	issues []Issue
	lines  map[string]int // of each field that the file has, with Lazy
}

// NewDecoder returns a decoder of a file, which messages call by its name.
func NewDecoder(file string) *Decoder {
	return &Decoder{file: file, lines: map[string]int{}}
}

// at records the line of a field of a suite, for checks after it was read.
func (d *Decoder) at(path string, line int) {
	if d.Lazy {
		d.lines[path] = line
	}
}

// Given reports whether the file has the field.
func (d *Decoder) Given(path string) bool { return d.lines[path] > 0 }

// Count is the number of issues.
func (d *Decoder) Count() int { return len(d.issues) }

// Err returns an *Error with all issues by line, or nil if there are none. It drops duplicates, which arise if one settings
// block is read for several problems.
func (d *Decoder) Err() error {
	if len(d.issues) == 0 {
		return nil
	}
	var unique []Issue
	seen := map[Issue]bool{}
	for _, i := range d.issues {
		if !seen[i] {
			seen[i] = true
			unique = append(unique, i)
		}
	}
	slices.SortStableFunc(unique, func(a, b Issue) int { return a.Line - b.Line })
	return &Error{unique}
}

// Fail adds an issue.
func (d *Decoder) Fail(line int, path, format string, args ...any) {
	d.issues = append(d.issues, Issue{d.file, line, path, fmt.Sprintf(format, args...)})
}

// FailAt reports an issue on the line of a field or, if the file does not contain it, of the field
// around it.
func (d *Decoder) FailAt(path, format string, args ...any) {
	p := path
	for d.lines[p] == 0 && p != "" {
		p = p[:max(strings.LastIndexAny(p, ".["), 0)]
	}
	d.Fail(d.lines[p], path, format, args...)
}

// Failed reports whether the field has an issue.
func (d *Decoder) Failed(path string) bool {
	return slices.ContainsFunc(d.issues, func(i Issue) bool { return i.Field == path })
}
