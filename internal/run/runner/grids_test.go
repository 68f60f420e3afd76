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
				if g.Header.Repetition == nil {
					e.add("grid")
				} else {
					e.add(record.CellID("grid", "of", *g.Header.Repetition))
				}
				return nil
			}
			check.OK(t, Run(t.Context(), all, e.Put, Options{Workers: workers, PutGrid: put}))
			grids := 0
			for i, what := range e.all {
				before := "grid"
				if own {
					before = "grid/of/" + filepath.Base(what)
				}
				if what == before {
					grids++
				} else {
					check.That(t, slices.Contains(e.all[:i], before), "%s comes before its grid: %v", what, e.all)
				}
			}
			check.Equal(t, "grids", grids, want)
		}
	}
}

// A function without a value at a point of the grid has no grid, and loses no record. A grid that cannot be written ends
// the run, as a record does. A run that is interrupted while a program evaluates the grid leaves no record without it.
func TestGridsThatFail(t *testing.T) {
	full := errors.New("no space left on device")
	ctx, cancel := context.WithCancel(t.Context())
	none := func(*record.Grid) error { t.Error("a grid is put"); return nil }
	for _, c := range []struct {
		grid    func() (*record.Grid, error)
		put     func(*record.Grid) error
		records int
		want    error
	}{
		{func() (*record.Grid, error) { return nil, errors.New("it is not finite at 1") }, none, 3, nil},
		{func() (*record.Grid, error) { panic("index out of range") }, none, 3, nil},
		{func() (*record.Grid, error) { return nil, nil }, none, 3, nil},
		{func() (*record.Grid, error) { return &record.Grid{}, nil }, func(*record.Grid) error { return full }, 0, full},
		{func() (*record.Grid, error) { cancel(); return nil, ctx.Err() }, none, 0, ErrInterrupted},
	} {
		var m memory
		err := Run(ctx, gridding(t, 3, false, c.grid), m.Put, Options{Workers: 1, PutGrid: c.put})
		check.That(t, errors.Is(err, c.want), "error %v, want %v", err, c.want)
		check.Equal(t, "records", len(m.records), c.records)
	}
	// A cell without a step leaves no grid.
	failing := gridding(t, 1, false, func() (*record.Grid, error) { return &record.Grid{}, nil })
	failing[0] = beginning(failing[0], func(context.Context, record.Header) (*suite.Trial, error) { return nil, errors.New("no instance") })
	check.OK(t, Run(t.Context(), failing, new(memory).Put, Options{Workers: 1, PutGrid: none}))
}
