package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"popbench/internal/contract"
	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
	"popbench/space"
)

// Options say what to check.
type Options struct {
	Command  []string
	Self     []string // the running program, for a command that begins with bench
	Timeout  time.Duration
	Steps    int             // queries in a cell
	Settings json.RawMessage // of start; may be nil
	Box      *space.Box      // of a problem that describes none; may be nil
	Trace    io.Writer       // gets the conversations; may be nil
}

// Verdict is the outcome of a check.
type Verdict string

// The verdicts. A check is left out if it needs something that the program does not do.
const (
	OK         Verdict = "ok"
	Failed     Verdict = "FAIL"
	LeftOut    Verdict = "left out"
	Undeclared Verdict = "not declared"
)

// property is one check of a program. Its run returns what is wrong, or may leave a note.
type property struct {
	name   string
	remedy string
	needs  func(*tester) error // returns the verdict if the check cannot be made; may be nil
	run    func(*tester, context.Context) error
	owns   record.Outcome // remedy is the advice for such failures, too
}

// A verdict is an error that says that the check has not failed but has another verdict, and why.
type verdict struct {
	Verdict
	reason string
}

func (v *verdict) Error() string { return v.reason }

func leftOut(format string, args ...any) error {
	return &verdict{LeftOut, fmt.Sprintf(format, args...)}
}

// tester runs the checks on one program.
type tester struct {
	Options
	pool    external.Pool
	program external.Program

	info    wire.Program // of the first start
	starts  int
	changed error               // how a later start differed from the first
	noise   error               // the first line that was no message
	idle    []*external.Session // ready for another cell
	used    []*external.Session // by the present check
	note    string              // of the present check: what was seen
	does    []contract.Scenario // scenarios that it does; none until all have been begun
	piloted bool                // every cell needs a pilot
	seen    map[string]string   // checks by the text of their failures

	description *external.Description // of a problem
	points      [][]float64           // where the problem is evaluated
	values      []float64             // its values at points
}

// take returns a process that is ready for a cell: if possible one that has served others before.
func (t *tester) take(ctx context.Context) (*external.Session, error) {
	if n := len(t.idle); n > 0 {
		p := t.idle[n-1]
		t.idle, t.used = t.idle[:n-1], append(t.used, p)
		return p, nil
	}
	return t.fresh(ctx)
}

// fresh returns a new process.
func (t *tester) fresh(ctx context.Context) (*external.Session, error) {
	p, err := t.pool.Start(t.program)
	if err != nil {
		return nil, err
	}
	t.used = append(t.used, p)
	return p, t.begin(ctx, p)
}

// begin begins the conversation with a process.
func (t *tester) begin(ctx context.Context, p *external.Session) error {
	if err := p.Initialize(ctx, ""); err != nil {
		return err
	}
	t.starts++
	now := p.Info
	if t.starts == 1 {
		t.info = now
		return nil
	}
	for _, part := range []struct {
		name          string
		first, latest any
	}{
		{"kind", t.info.Kind, now.Kind}, {"name", t.info.Name, now.Name}, {"version", t.info.Version, now.Version},
		{"capabilities", t.info.Capabilities, now.Capabilities}, {"provenance", t.info.Provenance, now.Provenance},
	} {
		a, b := encoded(part.first), encoded(part.latest)
		if a != b && t.changed == nil {
			e := t.pool.Trace.Last(p.Number(), wire.MethodInitialize)
			t.changed = &offence{fmt.Errorf("%s was %s at the first start, and is %s now", part.name, words.Cut(a, 100), words.Cut(b, 100)), e}
		}
	}
	return nil
}

// inOne is the run of a property for which one process is enough, which may have served others before.
func inOne(check func(*tester, context.Context, *external.Session) error) func(*tester, context.Context) error {
	return func(t *tester, ctx context.Context) error {
		p, err := t.take(ctx)
		if err != nil {
			return err
		}
		return check(t, ctx, p)
	}
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(text)
}

// most is the maximum length of a quoted line.
const most = 200

var undeclared = &verdict{Undeclared, ""}

// offence is an error that another exchange than the last shows.
type offence struct {
	error
	wire.Exchange
}

func (o *offence) Unwrap() error { return o.error }
