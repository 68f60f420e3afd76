// Package runner runs the cells of a suite in parallel and passes their records on. A cell that goes
// wrong becomes a failed record and never ends the run.
package runner

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"popbench/record"
	"popbench/suite"
)

// Options are the options of a run.
type Options struct {
	Workers int           // cells at a time; 0 means GOMAXPROCS
	Timeout time.Duration // of one cell; 0 means none
	Plan    string        // of the Timing of each cell
	// PutGrid, if not nil, stores the values of f on each instance of a problem of one or two dimensions, before the first
	// record about it that has steps. It is called once per instance, from several goroutines.
	PutGrid func(*record.Grid) error
	// Measure, if not nil, makes the two calls of each step of a cell: Ask, then Tell with Recommend.
	Measure func(step int, call func())
	// Done, if not nil, is called after each cell's record is stored, one call at a time.
	Done func(suite.Cell, *record.Record, *record.Timing)
	// Undefined, if not nil, is called in the same way for each cell that has no record because its
	// program does not do such cells.
	Undefined func(c suite.Cell, reason string)
}

// Run runs the cells and puts a record of each with put, once per cell, from several goroutines. The
// records do not depend on the number of workers.
//
// A cell that panics, returns an error or exceeds the timeout gets a failed record with the steps
// it made. An algorithm that does not return cannot be stopped: its goroutine keeps running, and
// its worker continues with the next cell. If ctx is cancelled, Run abandons the cells in progress
// without a record and returns ErrInterrupted. An error of put or of PutGrid ends the run, and Run
// returns it unchanged.
func Run(ctx context.Context, cells []suite.Cell, put func(*record.Record, *record.Timing) error, o Options) error {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	var done sync.Mutex
	grids := grids{put: o.PutGrid}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
	for _, c := range inTurns(cells) {
		g.Go(func() error {
			r := runCell(ctx, c, o.Timeout, o.Measure)
			if r.record == nil && r.undefined == "" {
				return ErrInterrupted
			}
			if r.record != nil {
				if len(r.record.Steps) > 0 {
					if err := grids.leave(ctx, c, &r.record.Header); err != nil {
						return err
					}
				}
				r.timing.Workers, r.timing.Plan = o.Workers, o.Plan
				if err := put(r.record, r.timing); err != nil {
					return err
				}
			}
			done.Lock()
			defer done.Unlock()
			switch {
			case r.record == nil && o.Undefined != nil:
				o.Undefined(c, r.undefined)
			case r.record != nil && o.Done != nil:
				o.Done(c, r.record, r.timing)
			}
			return nil
		})
	}
	return g.Wait()
}

// inTurns reorders cells with a pilot: in each repetition first one cell of every problem, then a
// second one, and so on. Algorithms on a problem may share what is fitted to their pilot
// comparisons. The first cell fits; another cell of the same problem that starts at the same time
// would have to wait.
func inTurns(cells []suite.Cell) []suite.Cell {
	before := map[instance]int{} // cells so far with the pilot comparisons of the instance
	turn := map[suite.Cell]int{}
	for _, c := range cells {
		if p := (instance{c.Template.Problem.Name, c.Repetition}); c.Template.PilotComparisons > 0 {
			turn[c] = before[p]
			before[p]++
		}
	}
	return slices.SortedStableFunc(slices.Values(cells), func(a, b suite.Cell) int {
		return cmp.Or(cmp.Compare(a.Repetition, b.Repetition), cmp.Compare(turn[a], turn[b]))
	})
}
