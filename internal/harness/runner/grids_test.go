package runner

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// events lists what a run puts, in order.
type events struct {
	memory
	mu  sync.Mutex
	all []string
}

func (e *events) add(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, what)
}

func (e *events) Put(r *record.Record, t *record.Timing) error {
	e.add(r.Header.Cell)
	return e.memory.Put(r, t)
}

// gridding returns n cells whose repetitions have their own functions, or all the same one.
func gridding(t *testing.T, n int, own bool, grid func() (*record.Grid, error)) []suite.Cell {
	all := cells(t, n, 2, hooks{})
	series := *all[0].Series
	series.OwnFunctions = own
	series.Grid = func(_ context.Context, h *record.Header) (*record.Grid, error) {
		g, err := grid()
		if g != nil && own {
			g.Header.Repetition = &h.Repetition
		}
		return g, err
	}
	for i := range all {
		all[i].Series = &series
	}
	return all
}

// Each instance has one grid, which is there before its records.
func TestOneGridPerInstance(t *testing.T) {
	for _, workers := range []int{1, 4} {
		for own, want := range map[bool]int{true: 6, false: 1} {
			var e events
			all := gridding(t, 6, own, func() (*record.Grid, error) { return &record.Grid{}, nil })
			all = append(all, all...) // another algorithm
			put := func(g *record.Grid) error {
				name := "grid"
				if g.Header.Repetition != nil {
					name = record.CellID("grid", "of", *g.Header.Repetition)
				}
				e.add(name)
				return nil
			}
			check.OK(t, Run(t.Context(), all, &e, Options{Workers: workers, PutGrid: put}))
			grids := 0
			for i, what := range e.all {
				if what == "grid" || filepath.Dir(what) == "grid/of" {
					grids++
					continue
				}
				before := "grid"
				if own {
					before = "grid/of/" + filepath.Base(what)
				}
				check.That(t, slices.Contains(e.all[:i], before), "%s comes before its grid: %v", what, e.all)
			}
			check.Equal(t, "grids", grids, want)
		}
	}
}

// A function without a value at a point of the grid has no grid, and loses no record.
func TestFailingGrid(t *testing.T) {
	put := func(*record.Grid) error { t.Error("a grid is put"); return nil }
	for _, grid := range []func() (*record.Grid, error){
		func() (*record.Grid, error) { return nil, errors.New("it is not finite at 1") },
		func() (*record.Grid, error) { panic("index out of range") },
		func() (*record.Grid, error) { return nil, nil },
	} {
		var m memory
		check.OK(t, Run(t.Context(), gridding(t, 3, false, grid), &m, Options{Workers: 2, PutGrid: put}))
		check.Equal(t, "records", len(m.records), 3)
	}
}

// A grid that cannot be written ends the run, as a record does; and a cell without a step leaves none.
func TestGridCannotBeWritten(t *testing.T) {
	full := errors.New("no space left on device")
	grid := func() (*record.Grid, error) { return &record.Grid{}, nil }
	put := func(*record.Grid) error { return full }
	var m memory
	check.Equal(t, "error", Run(t.Context(), gridding(t, 3, false, grid), &m, Options{Workers: 1, PutGrid: put}), full)
	check.Equal(t, "records", len(m.records), 0)
	failing := gridding(t, 1, false, grid)
	failing[0] = beginning(failing[0], func(context.Context, record.Header) (*suite.Trial, error) { return nil, errors.New("no instance") })
	check.OK(t, Run(t.Context(), failing, &m, Options{Workers: 1, PutGrid: put})) // without a step
}

// A run that is interrupted while a program evaluates the grid leaves no record without it.
func TestInterruptedGrid(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var m memory
	all := gridding(t, 2, false, func() (*record.Grid, error) { cancel(); return nil, ctx.Err() })
	err := Run(ctx, all, &m, Options{Workers: 1, PutGrid: func(*record.Grid) error { return nil }})
	check.That(t, errors.Is(err, ErrInterrupted) && len(m.records) == 0, "%v, records %v", err, m.records)
}
