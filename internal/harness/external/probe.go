package external

import (
	"context"
	"errors"
	"time"

	"popbench/internal/harness/wire"
)

// Probe is a conversation with a process of its own, outside of any run.
type Probe struct {
	pool    *Pool
	session *session
}

// Start starts a process. Close it. An error is the system's; the program has not run then.
func (p *Pool) Start(program Program) (*Probe, error) {
	s, err := p.open(program, "", true)
	return &Probe{p, s}, err
}

// Initialize begins the conversation, with a program of any kind. Its error, as of all methods here, is a *Failure or the
// error of a cancelled ctx.
func (b *Probe) Initialize(ctx context.Context) error { return b.session.initialize(ctx, "") }

// Info is the program's result of initialize.
func (b *Probe) Info() wire.Program { return b.session.info }

// Number returns the number of the conversation in the trace.
func (b *Probe) Number() int { return b.session.conn.Number() }

// Broken reports whether the conversation cannot go on.
func (b *Probe) Broken() bool { return b.session.err != nil }

// Algorithm returns the program as an algorithm that has not begun. Do not close it.
func (b *Probe) Algorithm(ctx context.Context) *Algorithm {
	return &Algorithm{ctx: ctx, pool: b.pool, session: b.session}
}

// Call sends a request. See wire.Conn.Call for params and result.
func (b *Probe) Call(ctx context.Context, method string, params, result any) error {
	return b.session.call(ctx, method, params, result)
}

// Describe returns the description of a problem.
func (b *Probe) Describe(ctx context.Context, suite Told) (*Description, error) {
	e := Evaluator{of: b.pool.Objective(b.session.program, suite), session: b.session}
	return e.Describe(ctx)
}

// Evaluate returns the value at x.
func (b *Probe) Evaluate(ctx context.Context, x []float64) (float64, error) {
	e := Evaluator{session: b.session}
	return e.evaluate(ctx, x)
}

// Exchange sends a line as it is and returns the line that the program writes next.
func (b *Probe) Exchange(ctx context.Context, line []byte) ([]byte, error) {
	within, cancel := b.session.limited(ctx, wire.MethodAsk)
	defer cancel()
	answer, err := b.session.conn.Exchange(within, line)
	if err != nil {
		b.session.err = b.session.explain(ctx, "bad request", err)
	}
	return answer, b.session.err
}

// Stderr returns the last lines, up to n bytes, that the program wrote to standard error.
func (b *Probe) Stderr(n int) []byte { return b.session.process.Stderr().Tail(n) }

// ErrStays is the error of a program that does not end.
var ErrStays = errors.New("it goes on")

// End closes the program's standard input, after the request shutdown if that is wanted, and waits. It returns the lines
// that the program still writes. Its error is ErrStays, a *Failure of shutdown, or the error of ctx.
func (b *Probe) End(ctx context.Context, shutdown bool, wait time.Duration) (rest []byte, err error) {
	s := b.session
	if shutdown {
		if err := b.Call(ctx, wire.MethodShutdown, nil, nil); err != nil {
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
func (b *Probe) Left() bool { return b.session.process.Left() }

// Close ends the process, whatever it does.
func (b *Probe) Close() {
	if b.session == nil {
		return
	}
	b.session.program.Fresh = true
	b.pool.giveBack(b.session)
}
