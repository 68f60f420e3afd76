package external

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
	"popbench/space"
)

// Objective is a program that evaluates points, for all cells of a problem. It is safe for concurrent use.
type Objective struct {
	pool    *Pool
	program Program
	suite   Told

	mu     sync.Mutex
	known  *Description // nil until a program has described the problem
	values sync.Map     // from a point's bits to its *evaluation
}

// Told is what a suite says about an objective. A nil field is left to the program; where both say something, they agree.
type Told struct {
	Box     *space.Box
	Arms    *space.Arms
	Optimum *float64 // in the program's units
}

// Description joins what the suite and the program state about a problem.
type Description struct {
	Box      space.Box   // the bounds of the domain
	Arms     *space.Arms // the domain if it is a finite set; nil for the box
	Optimum  *float64    // in the program's units; nil if unknown
	OptimumX [][]float64
	Source   string
	Program  *record.Program
}

// Objective returns the objective of a problem of the suite.
func (p *Pool) Objective(program Program, suite Told) *Objective {
	return &Objective{pool: p, program: program, suite: suite}
}

// Evaluator evaluates the objective for one cell.
type Evaluator struct {
	of      *Objective
	session *Session // nil until it is needed
}

// For returns the evaluator of a cell. Close it.
func (o *Objective) For() *Evaluator { return &Evaluator{of: o} }

// call sends a request to the program.
func (e *Evaluator) call(ctx context.Context, method string, params, result any) error {
	if e.session == nil {
		var err error
		if e.session, err = e.of.pool.borrow(ctx, e.of.program, wire.KindProblem); err != nil {
			return err
		}
		e.session, err = e.session.first(ctx, method, params, result)
		return err
	}
	return e.session.Call(ctx, method, params, result)
}

// Close gives the program back and returns what it has written to standard error for this cell. A nil evaluator has none.
func (e *Evaluator) Close() []byte {
	if e == nil {
		return nil
	}
	defer func() { e.session = nil }()
	return e.session.done()
}

// Describe returns the description of the problem. The program is asked once.
func (e *Evaluator) Describe(ctx context.Context) (*Description, error) {
	o := e.of
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known != nil {
		return o.known, nil
	}
	var got wire.Description
	err := e.call(ctx, wire.MethodDescribe, nil, &got)
	var own *Failure
	if err != nil && !(errors.As(err, &own) && own.Code == wire.CodeMethod) { // it may leave describe to the suite
		return nil, err
	}
	d, err := o.agree(got)
	if err != nil {
		return nil, err
	}
	d.Program = e.session.record()
	o.known = d
	return d, nil
}

// agree joins what the suite and the program say.
func (o *Objective) agree(got wire.Description) (*Description, error) {
	wrong := func(format string, args ...any) (*Description, error) {
		return nil, failf(record.Invalid, wire.MethodDescribe, format, args...)
	}
	d := &Description{Source: got.Source, OptimumX: got.OptimumX}
	for _, text := range [][2]string{{"title", got.Title}, {"source", got.Source}} {
		if err := words.CheckText(text[1]); err != nil {
			return wrong("%s %v", text[0], err)
		}
	}
	switch {
	case got.Arms != nil || o.suite.Arms != nil:
		var err error
		if d.Arms, err = agreeArms(got.Arms, o.suite.Arms); err != nil {
			return wrong("%v", err)
		}
		d.Box = d.Arms.Bounds()
	case got.Box == nil && o.suite.Box == nil:
		return wrong("there is no box; give one here or in the suite")
	case got.Box == nil:
		d.Box = o.suite.Box.Bounds()
	default:
		if err := got.Box.Validate(); err != nil {
			return wrong("%v", err)
		}
		d.Box = got.Box.Bounds()
		if b := o.suite.Box; b != nil && !(slices.Equal(b.Lo, d.Box.Lo) && slices.Equal(b.Hi, d.Box.Hi)) {
			return wrong("its box is %v to %v, and the suite's %v to %v; let them agree", d.Box.Lo, d.Box.Hi, b.Lo, b.Hi)
		}
	}
	d.Optimum = got.Optimum
	if v := o.suite.Optimum; v != nil {
		if got.Optimum != nil && *got.Optimum != *v {
			return wrong("its optimum is %v, and the suite's %v; let them agree", *got.Optimum, *v)
		}
		d.Optimum = v
	}
	for i, x := range d.OptimumX {
		if err := d.Domain().Check(fmt.Sprintf("optimum_x[%d]", i), x); err != nil {
			return wrong("%v", err)
		}
	}
	if d.Optimum == nil && d.OptimumX != nil {
		return wrong("optimum_x is given without optimum; give optimum too")
	}
	return d, nil
}

// agreeArms joins the arms of the program and of the suite, of which one may be nil.
func agreeArms(points [][]float64, suites *space.Arms) (*space.Arms, error) {
	if points == nil {
		return suites, nil
	}
	own, err := space.NewArms(points)
	switch {
	case err != nil:
		return nil, err
	case suites != nil && !slices.EqualFunc(own.Points(), suites.Points(), slices.Equal[[]float64]):
		return nil, fmt.Errorf("it has %d arms, and the suite %d others; let them agree", own.Len(), suites.Len())
	}
	return own, nil
}

// Domain returns the set of points that the program evaluates.
func (d *Description) Domain() space.Domain {
	if d.Arms != nil {
		return d.Arms
	}
	return d.Box
}

// evaluation is a value, or one that somebody is computing.
type evaluation struct {
	done  chan struct{} // closed when value and ok are set
	value float64
	ok    bool
}

// Evaluate returns the program's value at x. Points with the same bits are evaluated once.
func (e *Evaluator) Evaluate(ctx context.Context, x []float64) (float64, error) {
	key := bits(x)
	for {
		mine := &evaluation{done: make(chan struct{})}
		there, taken := e.of.values.LoadOrStore(key, mine)
		if !taken {
			v, err := e.evaluate(ctx, x)
			if mine.value, mine.ok = v, err == nil; err != nil {
				e.of.values.Delete(key) // cells that wait for the value then evaluate the point themselves
			}
			close(mine.done)
			return v, err
		}
		other := there.(*evaluation)
		select {
		case <-other.done:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
		if other.ok {
			return other.value, nil
		}
	}
}

func (e *Evaluator) evaluate(ctx context.Context, x []float64) (float64, error) {
	var got wire.Value
	if err := e.call(ctx, wire.MethodEvaluate, wire.Evaluate{X: x}, &got); err != nil {
		return 0, err
	}
	if got.Value == nil {
		return 0, e.session.invalid(wire.MethodEvaluate, "value is missing or null; answer with an error where there is no value")
	}
	return *got.Value, nil
}

// bits returns a text that is equal for points with the same bits. 0 and -0 differ: a program may tell them
// apart, and which of them comes first depends on the workers.
func bits(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}
