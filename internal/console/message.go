package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"popbench/internal/app"
	"popbench/internal/strict"
	"popbench/internal/terminal"
	"popbench/internal/words"
)

// Exit codes.
const (
	ExitFailed      = 1   // the work was done, but a check or a part of it failed
	ExitRefused     = 2   // the work could not be done
	ExitInterrupted = 130 // a signal stopped the command; shells use this code too
)

// maxLines is the maximum number of lines of a refusal. A command that did part of its work chooses how many it shows.
const maxLines = 20

// messages returns the lines of an error: one for each joined error, each with the
// prefix that wraps them all. A line break in quoted text does not start a new line.
func messages(err error) []string {
	switch e := err.(type) {
	case *app.Error:
		return messages(e.Err)
	case *strict.Error:
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

// PrintError prints an error: one line for each mistake, prefixed with the program's name. Nil prints nothing.
func PrintError(w io.Writer, err error) {
	if err == nil {
		return
	}
	lines := messages(err)
	// The line "and N more" replaces at least two lines.
	if more := len(lines) - maxLines; more > 1 && ExitCode(err) == ExitRefused {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", more))
	}
	const prefix = "bench: "
	painted := terminal.Of(w).Paint(terminal.Red, prefix)
	for _, line := range lines {
		fmt.Fprintln(w, painted+words.Cut(words.Quote(line), words.MaxLine-len(prefix)))
	}
}

func ExitCode(err error) int {
	e, partly := errors.AsType[*app.Error](err)
	switch {
	case err == nil:
		return 0
	case !partly:
		return ExitRefused
	case e.Interrupted:
		return ExitInterrupted
	}
	return ExitFailed
}

// Output is standard output. It remembers the first error, because most code that prints ignores errors.
type Output struct {
	W   io.Writer
	err error
}

func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.W.Write(p)
	o.err = err
	return n, err
}

// Unwrap returns the writer behind the output, which may be a terminal.
func (o *Output) Unwrap() io.Writer { return o.W }

// Blame returns the error of a command: err, joined with the error of a failed write to standard output.
func (o *Output) Blame(err error) error {
	if o.err == nil {
		return err
	}
	reason := o.err
	if p := (*fs.PathError)(nil); errors.As(reason, &p) {
		reason = p.Err
	}
	lost := fmt.Errorf("standard output cannot be written: %w", reason)
	if err == nil || errors.Is(err, o.err) {
		return lost
	}
	return errors.Join(err, lost) // with the kind of err
}
