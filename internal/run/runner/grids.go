package runner

import (
	"context"
	"sync"

	"popbench/record"
	"popbench/suite"
)

// grids makes the grid of each instance that the cells of a run are about, once.
type grids struct {
	put func(*record.Grid) error // nil: none are wanted
	of  sync.Map                 // from an instance to a function that puts its grid, once
}

// instance is a problem or, if each repetition has its own function, one repetition of a problem.
type instance struct {
	problem    string
	repetition int // -1 if all have the same function
}

// leave puts the grid of the instance of a record, unless another cell has done so, and returns when the grid is stored. A
// function that fails at one of the points has no grid; the run continues, because no step needs it. The error comes from
// put, or is ErrInterrupted.
func (g *grids) leave(ctx context.Context, c suite.Cell, h *record.Header) error {
	if g.put == nil || c.Grid == nil {
		return nil
	}
	key := instance{h.Problem.Name, -1}
	if c.OwnFunctions {
		key.repetition = h.Repetition
	}
	once, _ := g.of.LoadOrStore(key, sync.OnceValue(func() error {
		grid := gridOf(ctx, c, h)
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case grid == nil:
			return nil
		}
		return g.put(grid)
	}))
	return once.(func() error)()
}

// gridOf returns nil if the function fails or panics at a point.
func gridOf(ctx context.Context, c suite.Cell, h *record.Header) (grid *record.Grid) {
	defer func() {
		if recover() != nil {
			grid = nil
		}
	}()
	grid, err := c.Grid(ctx, h)
	if err != nil {
		return nil
	}
	return grid
}
