package conform

import (
	"fmt"
	"io"
	"strings"

	"popbench/internal/junit"
	"popbench/internal/words"
)

const (
	margin = "              " // as wide as the longest verdict and two spaces
	width  = 118
)

// Write writes a result for the terminal: a line, and more of a failure.
func (r Result) Write(w io.Writer) error {
	text := r.Check
	if r.Note != "" {
		text += ": " + r.Note
	}
	_, err := fmt.Fprintf(w, "%-*s%s\n%s", len(margin), r.Verdict, strings.Join(words.Wrap(text, width-len(margin)), "\n"+margin), r.evidence(margin))
	return err
}

// evidence has what a failure shows beside its note, a line each.
func (r Result) evidence(margin string) string {
	var b strings.Builder
	for _, line := range [][2]string{{"sent: ", r.Sent}, {"answer: ", r.Got}, {"what to do: ", r.Remedy}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s%s%s\n", margin, line[0], line[1])
		}
	}
	for line := range strings.Lines(r.Stderr) {
		fmt.Fprintf(&b, "%s  | %s\n", margin, words.Cut(words.Quote(strings.TrimRight(line, "\r\n")), most))
	}
	return b.String()
}

// Write writes the difference for the terminal.
func (r *Replayed) Write(w io.Writer) error {
	if r.Line == 0 {
		_, err := fmt.Fprintf(w, "%s of %s equal those of the trace\n", words.Count(r.Answers, "answer"), words.Count(r.Conversations, "conversation"))
		return err
	}
	_, err := fmt.Fprintf(w, "line %d of the trace: %s\n  sent: %s\n  recorded: %s\n  answer: %s\n%s",
		r.Line, words.Quote(r.Where), r.Sent, r.Recorded, r.Got, Result{Stderr: r.Stderr}.evidence(""))
	return err
}

// Summary counts verdicts in words.
func Summary(results []Result) string {
	count := map[Verdict]int{}
	for _, r := range results {
		count[r.Verdict]++
	}
	var parts []string
	for _, v := range []Verdict{OK, Failed, LeftOut, Undeclared} {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return words.Count(len(results), "check") + ": " + strings.Join(parts, ", ")
}

// WriteJUnit writes the results as a JUnit report: a check is a test.
func WriteJUnit(w io.Writer, command []string, results []Result) error {
	s := junit.Suite{Name: "bench check: " + words.Quote(strings.Join(command, " ")), Output: Summary(results)}
	for _, r := range results {
		c := junit.Case{Class: "protocol", Name: r.Check}
		switch r.Verdict {
		case OK:
			c.Output = r.Note
		case Failed:
			c.Failure = &junit.Message{Message: r.Note, Text: r.evidence("")}
		default:
			c.Skipped = &junit.Message{Message: strings.TrimSuffix(string(r.Verdict)+": "+r.Note, ": ")}
		}
		s.Cases = append(s.Cases, c)
	}
	return junit.Write(w, s)
}
