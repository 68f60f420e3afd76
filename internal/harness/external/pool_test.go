package external

import (
	"context"
	"errors"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/harness/wire"
)

// Without a pool, as where a suite is only read, nothing is started, and nothing panics.
func TestNoPool(t *testing.T) {
	var p *Pool
	program := Program{Command: []string{"true"}}
	_, err := p.Open(context.Background(), program)
	check.Equal(t, "an algorithm", errors.Is(err, errNothing), true)
	e := p.Objective(program, Told{}).For()
	_, err = e.Describe(context.Background())
	check.Equal(t, "a description", errors.Is(err, errNothing), true)
	_, err = e.Evaluate(context.Background(), []float64{1})
	check.Equal(t, "a value", errors.Is(err, errNothing), true)
	check.Equal(t, "its messages", len(e.Close()), 0)
	check.Equal(t, "programs", p.Programs(), 0)
	p.Close()
}

// The limits of a program that has none of its own are those that the keys of a suite state.
func TestDefaultLimits(t *testing.T) {
	own := Program{Initialize: time.Second, Call: time.Hour}
	check.Equal(t, "first answer", Program{}.within(wire.MethodInitialize), time.Minute)
	check.Equal(t, "further answers", Program{}.within(wire.MethodAsk), 10*time.Minute)
	check.Equal(t, "own first answer", own.within(wire.MethodInitialize), time.Second)
	check.Equal(t, "own further answers", own.within(wire.MethodAsk), time.Hour)
}
