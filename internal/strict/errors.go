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
	var lines []string
	for _, i := range e.Issues[:min(len(e.Issues), maxShown)] {
		lines = append(lines, i.Error())
	}
	if n := len(e.Issues) - maxShown; n > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", words.Quote(e.Issues[0].File), n))
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find each Issue.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Issues))
	for i, issue := range e.Issues {
		errs[i] = issue
	}
	return errs
}

// asError sorts the issues by line and drops duplicates, which arise if one settings block is read
// for several problems.
func asError(issues []Issue) error {
	if len(issues) == 0 {
		return nil
	}
	var unique []Issue
	seen := map[Issue]bool{}
	for _, i := range issues {
		if !seen[i] {
			seen[i] = true
			unique = append(unique, i)
		}
	}
	slices.SortStableFunc(unique, func(a, b Issue) int { return a.Line - b.Line })
	return &Error{unique}
}

// DidYouMean returns a clause that names the nearest known name. Without one it lists the known
// names if they are few, and otherwise returns the given clause.
func DidYouMean(name string, known []string, otherwise string) string {
	if len(known) > 0 && len(known) <= 16 {
		otherwise = "known: " + strings.Join(known, ", ")
	}
	return words.Hint(name, known, otherwise)
}
