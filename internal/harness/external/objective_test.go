package external

import (
	"context"
	"errors"
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/config"
)

// A cell that waits for the value of another one says why it stops waiting.
func TestWaitEnds(t *testing.T) {
	x := []float64{1}
	o := new(Pool).Objective(Program{}, config.Problem{})
	o.values.Store(bits(x), &evaluation{done: make(chan struct{})})
	ctx, cancel := context.WithCancelCause(context.Background())
	late := errors.New("too late")
	cancel(late)
	_, err := o.For().Evaluate(ctx, x)
	check.Equal(t, "error", err, late)
}
