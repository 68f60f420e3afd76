package strict

import (
	"fmt"
	"slices"
	"strings"
)

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

// Err returns an *Error with all issues, or nil if there are none.
func (d *Decoder) Err() error { return asError(d.issues) }

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
