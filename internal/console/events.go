// Package console is what a person sees of a command: events while it works, a summary at its end, errors, and an exit code.
package console

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"popbench/internal/app"
	"popbench/internal/run/progress"
	"popbench/internal/words"
	"popbench/record"
)

// Screen shows what happens, on standard error.
type Screen struct {
	W       io.Writer
	meter   *progress.Meter  // nil if no suite runs
	several bool             // suites share the meter
	shown   []record.Failure // of the suite that runs: the first of each cause, up to maxCauses
	Whole   bool             // show all causes of failures
}

// out is where lines go, above the line of progress if there is one.
func (s *Screen) out() io.Writer {
	if s.meter != nil {
		return s.meter
	}
	return s.W
}

// Tell shows an event.
func (s *Screen) Tell(e app.Event) {
	switch e := e.(type) {
	case app.Note:
		fmt.Fprintln(s.out(), "note:", words.Quote(e.Text))
	case app.Doing:
		fmt.Fprintln(s.out(), e.Text)
	case app.Said:
		quote(s.out(), e.Stderr)
	case app.Kept:
		progress.Clear(s.W)
		fmt.Fprintln(s.W, words.Quote(e.Path), "is from an earlier report and was changed since; it was kept, but is not part of this report")
	case app.Reporting:
		progress.Show(s.W, fmt.Sprintf("[%d/%d] report of %s", e.At, e.Of, words.Quote(e.Folder)))
	case app.Reported:
		progress.Clear(s.W)
	case app.Ahead:
		s.meter, s.several = progress.New(s.W, e.Workers, len(e.Suites)), true
		for _, left := range e.Suites {
			s.meter.Expect(left.Folder, left.Groups)
		}
	case app.Paper:
		s.meter.Log(e.Name)
	case app.Begun:
		if s.meter == nil {
			s.meter = progress.New(s.W, e.Workers, 1)
		}
		s.shown = nil
		s.meter.Expect(e.Folder, e.Groups)
		s.meter.Begin(e.Folder, e.Suite)
		s.meter.Log(fmt.Sprintf("%s%s: %s to run, %d kept, %s", s.meter.Place(), e.Suite, words.Count(e.Run, "cell"), e.Kept, words.Count(e.Workers, "worker")))
	case app.Counting:
		s.meter = progress.Count(s.W, e.Runs)
	case app.Failed:
		s.failed(e)
	case app.Done:
		s.meter.Done(e.Group, e.Seconds)
	case app.Ended:
		if s.meter.End(); e.Early {
			s.meter.Close()
		}
		if !s.several {
			s.meter = nil
		}
	case app.Finished:
		line := fmt.Sprintf("%s: %s", e.Suite, e.Ran)
		if left := s.meter.ToGo(); left != "" {
			line += "; " + left
		}
		s.meter.Log(line)
		if err := e.Ran.Err(s.Whole); e.Look && err != nil {
			fmt.Fprintln(s.meter, words.Quote(err.Error()))
		}
	}
}

// maxCauses is the maximum number of causes of failures that are printed.
const maxCauses = 10

// failed shows why a cell failed. Another failure of a known cause is only counted.
func (s *Screen) failed(e app.Failed) {
	f := record.Failure{Cell: e.Cell, Error: e.Error}
	if shown := append(s.shown, f); len(shown) <= maxCauses && len(record.Causes(shown)) == len(shown) {
		s.shown = shown
		fmt.Fprintln(s.meter, words.Cut(words.Quote(fmt.Sprintf("failed %s: %s", f.Cell, f.Error)), words.MaxLine))
		quote(s.meter, e.Stderr)
	}
}

// quote prints the end of what a program wrote to standard error: 4 KiB at most, in whole lines.
func quote(w io.Writer, stderr []byte) {
	const most = 4 << 10
	if len(stderr) > most {
		_, stderr, _ = bytes.Cut(stderr[len(stderr)-most:], []byte("\n"))
	}
	for line := range strings.Lines(string(stderr)) {
		fmt.Fprintln(w, "  |", words.Cut(words.Quote(strings.TrimRight(line, "\r\n")), words.MaxLine))
	}
}

// PrintPlan prints what would be run.
func PrintPlan(stdout, stderr io.Writer, plan *app.Planned) {
	for _, id := range plan.Remove {
		fmt.Fprintln(stdout, "remove", id)
	}
	for _, c := range plan.Keep {
		fmt.Fprintln(stdout, "keep", c.ID())
	}
	for _, c := range plan.Run {
		fmt.Fprintln(stdout, "run", c.ID())
	}
	for _, p := range app.Programs(plan.Run) {
		fmt.Fprintln(stderr, words.Cut("would start for "+p, words.MaxLine))
	}
	fmt.Fprintf(stderr, "%s: %s would be run, %d kept, in %s\n",
		words.Quote(plan.Suite), words.Count(len(plan.Run), "cell"), len(plan.Keep), words.Quote(plan.Out))
}
