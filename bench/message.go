package bench

import (
	"fmt"
	"strings"

	"popbench/internal/harness/config"
	"popbench/internal/printable"
)

// Limits of an error message: an input file can have any size, a terminal cannot.
const (
	maxLine  = 300 // characters, "bench: " included
	maxLines = 20
)

// message is the text of an error for the user: a line for each mistake, which
// begins with the program's name.
func message(err error) string {
	const prefix = "bench: "
	lines := messages(err)
	// A list that ends with "and N more" may have the full length.
	if more := len(lines) - maxLines; more > 1 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", more))
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(prefix + shorten(printable.Quote(line), maxLine-len(prefix)) + "\n")
	}
	return b.String()
}

// messages are the lines of an error: one for each joined error, after what is said
// before all of them. A line break in quoted text does not begin another line.
func messages(err error) []string {
	switch e := err.(type) {
	case *exitError:
		return messages(e.err)
	case *config.Error:
		return strings.Split(e.Error(), "\n")
	case interface{ Unwrap() []error }:
		var lines, texts []string
		for _, part := range e.Unwrap() {
			lines, texts = append(lines, messages(part)...), append(texts, part.Error())
		}
		if strings.Join(texts, "\n") == err.Error() {
			return lines
		}
	case interface{ Unwrap() error }:
		if lines := messages(e.Unwrap()); len(lines) > 1 {
			if before, ok := strings.CutSuffix(err.Error(), strings.Join(lines, "\n")); ok {
				for i := range lines {
					lines[i] = before + lines[i]
				}
				return lines
			}
		}
	}
	return []string{err.Error()}
}

// shorten cuts a text to most characters. It keeps the beginning, which says
// where, and the end, which says what is wrong and how to mend it.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	r := []rune(strings.ToValidUTF8(text, "�"))
	if len(r) <= most {
		return string(r)
	}
	head := most / 3
	return string(r[:head]) + "…" + string(r[len(r)-(most-1-head):])
}
