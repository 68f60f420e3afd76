package external

import (
	"context"
	"errors"
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/config"
)

// Without a pool, as where a suite is only read, nothing is started, and nothing panics.
func TestNoPool(t *testing.T) {
	var p *Pool
	program := Program{Program: config.Program{Command: []string{"true"}}}
	_, err := p.Open(context.Background(), program)
	check.Equal(t, "an algorithm", errors.Is(err, errNothing), true)
	e := p.Objective(program, config.Problem{}).For()
	_, err = e.Describe(context.Background())
	check.Equal(t, "a description", errors.Is(err, errNothing), true)
	_, err = e.Evaluate(context.Background(), []float64{1})
	check.Equal(t, "a value", errors.Is(err, errNothing), true)
	check.Equal(t, "its messages", len(e.Close()), 0)
	check.Equal(t, "programs", p.Programs(), 0)
	p.Close()
}
