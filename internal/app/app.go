// Package app does what commands ask for. A function takes values and returns results; it tells what happens meanwhile as
// events. It reads no flags, prints nothing and never ends the process.
package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"popbench/internal/run/progress"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// App is what all work has in common. Its functions must not be called concurrently.
type App struct {
	Catalogue suite.Catalogue
	Self      string      // the command that starts this program, for commands that a user is to type
	Program   []string    // this program, for suites that start it again
	Command   []string    // the whole command line, for run.json
	Workers   int         // cells that run at once
	Tell      func(Event) // is told what happens; nil if nobody listens

	fits *suite.Fits // of suites that run in sequence, which may have the same pilots; nil: each suite has its own
}

func (a *App) tell(e Event) {
	if a.Tell != nil {
		a.Tell(e)
	}
}

// note tells what the user should know, if there is anything.
func (a *App) note(texts ...string) {
	for _, text := range texts {
		if text != "" {
			a.tell(Note{text})
		}
	}
}

// results is a results folder, or an archive, as a source of records. Reading it stops between two records once the context
// is cancelled, with the error of the context.
type results struct {
	ctx   context.Context
	dir   string
	timed bool // with the measurements
}

func (r results) Each(visit func(*record.Record, *record.Timing) error) (*record.Contents, error) {
	in, err := record.Open(r.dir)
	if err != nil {
		return nil, err
	}
	in.Timed = r.timed
	return in.Each(func(one *record.Record, t *record.Timing) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		return visit(one, t)
	})
}

// readAny reads a file of a results folder or an archive; nil if it has none of that name.
func readAny(dir, name string) ([]byte, error) {
	data, err := record.ReadIn(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Error is an error of work that was done in part, or that the context ended. Any other error means that the work could not
// be done.
type Error struct {
	Interrupted bool
	Err         error
}

// Partly is the error of work that was done, but of which a check or a part failed; nil if err is nil.
func Partly(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Err: err}
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// IsInterrupted reports whether the context ended the work.
func IsInterrupted(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Interrupted || errors.Is(err, context.Canceled)
}

// prefixed puts the name of a command before an error.
func prefixed(command string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", command, *err)
	}
}

// stopped is the error of work that the context ended; the sentence says what was kept.
func stopped(sentence string) error {
	return &Error{true, fmt.Errorf("interrupted; %s", sentence)}
}

// Until returns the result of work, or an error as soon as ctx is cancelled; sentence then says what was kept. Abandoned
// work continues in the background, so work must only read and compute. Write files after Until returns.
func Until[T any](ctx context.Context, work func() (T, error), sentence string) (T, error) {
	var none T
	if ctx.Err() == nil {
		var value T
		var err error
		done := make(chan struct{})
		go func() {
			value, err = work()
			close(done)
		}()
		select {
		case <-done:
			if !errors.Is(err, context.Canceled) {
				return value, err
			}
		case <-ctx.Done():
		}
	}
	return none, stopped(sentence)
}

// Event is what happens while work goes on: one of the types below.
type Event any

type (
	// Note is something that the user should know.
	Note struct{ Text string }
	// Doing is what is done next.
	Doing struct{ Text string }
	// Said is what a program that failed wrote to standard error.
	Said struct{ Stderr []byte }
	// Kept is a file of an earlier report that was changed since, so that it stays.
	Kept struct{ Path string }
	// Reporting is that the report of a folder is made, the At-th of all.
	Reporting struct {
		Folder string
		At, Of int
	}
	// Reported is that all reports are made, or that no more will be.
	Reported struct{}
)

type (
	// Ahead is that several suites will run, by so many workers.
	Ahead struct {
		Workers int
		Suites  []Left
	}
	// Left is what is left to run of a suite.
	Left struct {
		Folder string
		Groups []progress.Group
	}
	// Paper is that the suites of a paper begin.
	Paper struct{ Name string }
	// Begun is that the cells of a suite begin to run.
	Begun struct {
		Left
		Suite              string
		Run, Kept, Workers int
	}
	// Failed is that a cell failed. A program may have written to standard error.
	Failed struct {
		Cell, Error string
		Stderr      []byte
	}
	// Done is that a cell has ended, and how many seconds it took.
	Done struct {
		Group   string
		Seconds float64
	}
	// Ended is that no more cells of a suite will run.
	Ended struct{ Early bool }
	// Finished is what came of a suite that ran among several, for a look at claims or not.
	Finished struct {
		Suite string
		Ran   *Ran
		Look  bool
	}
	// Counting is that so many alike runs will be counted, each by Done.
	Counting struct{ Runs int }
)

// program names a program of a problem or an algorithm and its command, without a line break.
func program(of string, command []string) string { return of + ": " + words.Command(command) }

// starting tells that a program is about to be started.
func (a *App) starting(program string) {
	a.tell(Doing{words.Cut("starting for "+program, words.MaxLine)})
}

// Ran is the result of a run.
type Ran struct {
	Out     string           // the results folder
	Done    int              // cells that ran
	Kept    int              // complete cells of earlier runs
	Failed  []record.Failure // cells that failed
	LeftOut []record.Part    // cells that cannot be done, one each
	Took    time.Duration
}

// String summarises the run in one line.
func (r *Ran) String() string {
	if r.Done == 0 && len(r.LeftOut) == 0 {
		return fmt.Sprintf("nothing to run: all %s are complete", words.Count(r.Kept, "cell"))
	}
	text := fmt.Sprintf("%s run in %s: %d ok, %d failed; %d kept",
		words.Count(r.Done, "cell"), progress.Round(r.Took), r.Done-len(r.Failed), len(r.Failed), r.Kept)
	if n := len(r.LeftOut); n > 0 {
		text += fmt.Sprintf("; %d left out", n)
	}
	return text
}

// Err returns an error with a line for each cause of failed cells, or nil if there are none. Unless all is set, it has the
// first causes only: progress has shown more of them.
func (r *Ran) Err(all bool) error {
	most := shownCauses
	if all {
		most = len(r.Failed)
	}
	return failure(r.Failed, most, r.Out, "the same command")
}

func (r *Ran) add(other *Ran) {
	r.addNew(other)
	r.Kept += other.Kept
	r.LeftOut = append(r.LeftOut, other.LeftOut...)
}

// addNew adds the cells that another run ran. Cells that it kept are counted already: a look keeps the cells of the looks
// before it.
func (r *Ran) addNew(other *Ran) {
	r.Done += other.Done
	r.Failed = append(r.Failed, other.Failed...)
}

// shownCauses is the number of causes of failures that an error shows.
const shownCauses = 3

// failure returns an error with a line for each of the first causes of failed cells, or nil if no cell failed. The text
// again names the command that repeats these cells.
func failure(failed []record.Failure, most int, out, again string) error {
	if len(failed) == 0 {
		return nil
	}
	causes := record.Causes(failed)
	var lines []error // on a line each
	for _, c := range causes[:min(most, len(causes))] {
		lines = append(lines, fmt.Errorf("%s failed, %s: %s", words.Count(len(c.Cells), "cell"), c.Where(), c.Error))
	}
	if more := len(causes) - most; more > 0 {
		lines = append(lines, errors.New(words.Count(more, "more cause")))
	}
	last := &lines[len(lines)-1]
	*last = fmt.Errorf("%w; the last line of each file in %s has the reason; %s runs them again", *last, filepath.Join(out, "records"), again)
	return Partly(errors.Join(lines...))
}
