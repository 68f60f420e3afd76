// Package runner runs the cells of a suite in parallel and hands their records
// to a sink. One bad cell is a failed record, never the end of the run.
package runner

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// Sink keeps what a run makes. Put is called from several goroutines, once a
// cell; a *runlog.Folder is a Sink.
type Sink interface {
	Put(*runlog.Record, *runlog.Timing) error
}

var _ Sink = (*runlog.Folder)(nil)

// Options of a run.
type Options struct {
	Workers int           // cells at a time; 0 is GOMAXPROCS
	Timeout time.Duration // of one cell; 0 is none
	// Done, if not nil, is told of each cell once its record is kept, one at a
	// time.
	Done func(suite.Cell, runlog.Footer)
}

// ErrInterrupted is the error of a run whose context was cancelled.
var ErrInterrupted = errors.New("interrupted")

// Run runs the cells and puts a record of each in the sink. The records do not
// depend on the number of workers.
//
// A cell that panics, errs or takes longer than the timeout gets a failed
// record with the steps it made. An algorithm that does not return cannot be
// stopped: its goroutine is left behind and its worker goes on with the next
// cell. When ctx is cancelled the cells in progress are given up without a
// record, and the error is ErrInterrupted. An error of the sink ends the run
// and is returned as it is.
func Run(ctx context.Context, cells []suite.Cell, sink Sink, o Options) error {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	var done sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
	for _, c := range inTurns(cells) {
		g.Go(func() error {
			record, timing := runCell(ctx, c, o.Timeout)
			if record == nil {
				return ErrInterrupted
			}
			timing.Workers = o.Workers
			if err := sink.Put(record, timing); err != nil {
				return err
			}
			if o.Done != nil {
				done.Lock()
				defer done.Unlock()
				o.Done(c, record.Footer)
			}
			return nil
		})
	}
	return g.Wait()
}

// inTurns returns the cells in an order in which those with a pilot take turns: in a
// repetition the first on each problem, then the second. Algorithms on a problem may
// share what is fitted to their pilot comparisons. The first of them fits, and
// another one that begins at the same time would wait.
func inTurns(cells []suite.Cell) []suite.Cell {
	type place struct {
		repetition int
		problem    string
	}
	before := map[place]int{} // cells of the place
	turn := map[suite.Cell]int{}
	for _, c := range cells {
		if p := (place{c.Repetition, c.Template.Problem.Name}); c.Template.PilotComparisons > 0 {
			turn[c] = before[p]
			before[p]++
		}
	}
	return slices.SortedStableFunc(slices.Values(cells), func(a, b suite.Cell) int {
		return cmp.Or(cmp.Compare(a.Repetition, b.Repetition), cmp.Compare(turn[a], turn[b]))
	})
}
