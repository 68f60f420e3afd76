package external

import (
	"context"
	"errors"
	"time"

	"popbench/internal/protocol/wire"
)

// This file has what only checks of programs need of a session; runs use Algorithm and Evaluator.

// Number returns the number of the conversation in the trace.
func (s *Session) Number() int { return s.conn.Number() }

// Broken reports whether the conversation cannot go on.
func (s *Session) Broken() bool { return s.err != nil }

// Algorithm returns the program as an algorithm that has not begun. Do not close it.
func (s *Session) Algorithm(ctx context.Context) *Algorithm {
	return &Algorithm{ctx: ctx, session: s}
}

// Describe returns the description of a problem.
func (s *Session) Describe(ctx context.Context, suite Told) (*Description, error) {
	e := Evaluator{of: s.pool.Objective(s.program, suite), session: s}
	return e.Describe(ctx)
}

// Evaluate returns the value at x.
func (s *Session) Evaluate(ctx context.Context, x []float64) (float64, error) {
	e := Evaluator{session: s}
	return e.evaluate(ctx, x)
}

// Exchange sends a line as it is and returns the line that the program writes next.
func (s *Session) Exchange(ctx context.Context, line []byte) ([]byte, error) {
	within, cancel := s.limited(ctx, wire.MethodAsk)
	defer cancel()
	answer, err := s.conn.Exchange(within, line)
	if err != nil {
		s.err = s.explain(ctx, "bad request", err)
	}
	return answer, s.err
}

// Stderr returns the last lines, up to n bytes, that the program wrote to standard error.
func (s *Session) Stderr(n int) []byte { return s.process.Stderr().Tail(n) }

// ErrStays is the error of a program that does not end.
var ErrStays = errors.New("it goes on")

// End closes the program's standard input, after the request shutdown if that is wanted, and waits. It returns the lines
// that the program still writes. Its error is ErrStays, a *Failure of shutdown, or the error of ctx.
func (s *Session) End(ctx context.Context, shutdown bool, wait time.Duration) (rest []byte, err error) {
	if shutdown {
		if err := s.Call(ctx, wire.MethodShutdown, nil, nil); err != nil {
			return nil, err
		}
	} else {
		s.process.Stdin().Close()
	}
	within, cancel := context.WithTimeoutCause(ctx, wait, ErrStays)
	defer cancel()
	for {
		line, err := s.conn.Next(within)
		if err == wire.ErrClosed {
			break
		}
		if err != nil {
			s.err = err
			return rest, err
		}
		if rest == nil {
			rest = line
		}
	}
	select {
	case <-s.process.Exited():
	case <-within.Done():
		s.err = context.Cause(within)
		return rest, s.err
	}
	return rest, nil
}

// Left waits until the program has ended and reports whether it left running what it had started.
func (s *Session) Left() bool { return s.process.Left() }

// Close ends the process, whatever it does.
func (s *Session) Close() {
	s.program.Fresh = true
	s.giveBack()
}
