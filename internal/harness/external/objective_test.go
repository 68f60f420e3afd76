package external

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/wire"
)

// A cell that waits for the value of another one says why it stops waiting.
func TestWaitEnds(t *testing.T) {
	x := []float64{1}
	o := new(Pool).Objective(Program{}, Told{})
	o.values.Store(bits(x), &evaluation{done: make(chan struct{})})
	ctx, cancel := context.WithCancelCause(context.Background())
	late := errors.New("too late")
	cancel(late)
	_, err := o.For().Evaluate(ctx, x)
	check.Equal(t, "error", err, late)
}

// Points with the same bits are evaluated once, whoever asks.
func TestValuesAreKept(t *testing.T) {
	pool := new(Pool)
	defer pool.Close()
	o := pool.Objective(program(t, wire.KindProblem, map[string]string{"describe": `{"box":{"lo":[-1],"hi":[1]}}`}), Told{})
	a, b := o.For(), o.For()
	defer a.Close()
	defer b.Close()
	check.Must(a.Describe(t.Context()))(t)
	for i, c := range []struct {
		of   *Evaluator
		x    float64
		want float64
	}{{a, 0, 1}, {a, 0.5, 2}, {a, 0, 1}, {b, 0.5, 2}, {a, math.Copysign(0, -1), 3}} {
		check.Equal(t, fmt.Sprint("value ", i), check.Must(c.of.Evaluate(t.Context(), []float64{c.x}))(t), c.want)
	}
}
