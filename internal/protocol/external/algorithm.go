package external

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
	"popbench/space"
)

// Algorithm is a program that proposes queries, for one cell. It is also an algorithms.ValueLearner,
// an algorithms.TieLearner or an algorithms.Believer if the program declares it; see [Algorithm.Contract].
type Algorithm struct {
	ctx     context.Context // of the cell: the calls of algorithms.Algorithm have none
	session *Session        // nil until Open
	start   wire.Start
	domain  space.Domain

	shown       [][]float64 // points of the last query, of which the next one may keep some; nil before the first
	recommended *wire.Recommended
	rules       []string // of the recommendations, once they are known
	names       []string // of the metrics, once they are known
}

var (
	_ algorithms.Algorithm    = (*Algorithm)(nil)
	_ algorithms.Instrumented = (*Algorithm)(nil)
	_ algorithms.ValueLearner = valueLearner{}
	_ algorithms.TieLearner   = tieLearner{}
	_ algorithms.Believer     = believer{}
)

// Open starts the program or takes one that is ready. ctx is the cell's: its end ends every call, and a cause other than
// context.Canceled says why. Call Close also after an error.
func (p *Pool) Open(ctx context.Context, program Program) (*Algorithm, error) {
	s, err := p.borrow(ctx, program, wire.KindAlgorithm)
	return &Algorithm{ctx: ctx, session: s}, err
}

// Name returns the name that the program reports.
func (a *Algorithm) Name() string { return a.session.Info.Name }

// Record describes the program for a record.
func (a *Algorithm) Record() *record.Program { return a.session.record() }

// Begin begins the cell. Its error is an algorithms.Undefined if the program does not do such a cell.
func (a *Algorithm) Begin(start wire.Start) error {
	domain, err := space.Of(start.Box, start.Arms)
	if err != nil {
		return err
	}
	a.start, a.domain = start, domain
	if start.Arms != nil && !a.session.Info.Capabilities.Has(wire.CanChooseArms) {
		return algorithms.Undefined("it does not declare the capability arms")
	}
	a.session, err = a.session.first(a.ctx, wire.MethodStart, start, nil)
	return err
}

// Restore continues a cell of another process from its state.
func (a *Algorithm) Restore(from *Algorithm, state json.RawMessage) error {
	a.start, a.domain, a.shown, a.rules, a.names = from.start, from.domain, from.shown, from.rules, from.names
	return a.call(wire.MethodRestore, wire.State{State: state}, nil)
}

// Close gives the program back and returns what it has written to standard error for this cell.
func (a *Algorithm) Close() []byte {
	defer func() { a.session = nil }()
	return a.session.done()
}

func (a *Algorithm) call(method string, params, result any) error {
	return a.session.Call(a.ctx, method, params, result)
}

func (a *Algorithm) invalid(method, format string, args ...any) error {
	return a.session.invalid(method, format, args...)
}

// invalid is the failure of an answer that is not a result of the method.
func (s *Session) invalid(method, format string, args ...any) error {
	f := failf(record.Invalid, method, format, args...)
	s.err = f
	return f
}

// remedy says what to do about a point outside the box, which rounding alone may have brought there.
func remedy(err error) string {
	if errors.Is(err, space.ErrOutside) {
		return "; clip what is computed to the box"
	}
	return ""
}

// Ask returns the program's query, which it checks.
func (a *Algorithm) Ask() (algorithms.Query, error) {
	var got wire.Query
	if err := a.call(wire.MethodAsk, nil, &got); err != nil {
		return algorithms.Query{}, err
	}
	if got.New == nil {
		return algorithms.Query{}, a.invalid(wire.MethodAsk, "new is missing; give the number of new points")
	}
	q := algorithms.Query{Points: got.Points, New: *got.New}
	if err := algorithms.CheckComparison(a.domain, q, 0); err != nil {
		return q, a.invalid(wire.MethodAsk, "%v%s", err, remedy(err))
	}
	if q.New < 1 {
		return q, a.invalid(wire.MethodAsk, "new = 0; a query proposes at least one point")
	}
	for i, x := range q.Points[:len(q.Points)-q.New] {
		if a.shown == nil {
			break // the first query may compare with points that it chooses itself
		}
		if !slices.ContainsFunc(a.shown, func(y []float64) bool { return slices.Equal(x, y) }) && !slices.Equal(x, a.start.Start) {
			return q, a.invalid(wire.MethodAsk,
				"points[%d] = %v is not new (new = %d), but it was not in the previous query and is not start; count it as new, or keep its 17 digits", i, x, q.New)
		}
	}
	return q, nil
}

// Tell passes on a comparison.
func (a *Algorithm) Tell(q algorithms.Query, winner int) error {
	return a.tell(wire.Tell{Points: q.Points, New: q.New, Winner: &winner})
}

func (a *Algorithm) tell(t wire.Tell) error {
	if err := a.call(wire.MethodTell, t, nil); err != nil {
		return err // a query that the program refuses changes nothing
	}
	a.shown, a.recommended = t.Points, nil
	return nil
}

// Recommend returns the program's recommendations, which it checks, as it does the metrics with them.
func (a *Algorithm) Recommend() ([]algorithms.Recommendation, error) {
	var got wire.Recommended
	method := wire.MethodRecommend
	if err := a.call(method, nil, &got); err != nil {
		return nil, err
	}
	if len(got.Recommendations) == 0 {
		return nil, a.invalid(method, "recommendations is empty; give one or more")
	}
	for i, r := range got.Recommendations {
		at := fmt.Sprintf("recommendations[%d]", i)
		if err := words.CheckLabel(r.Rule); err != nil {
			return nil, a.invalid(method, "%s.rule %q %v", at, words.Cut(r.Rule, 40), err)
		}
		if slices.ContainsFunc(got.Recommendations[:i], func(o algorithms.Recommendation) bool { return o.Rule == r.Rule }) {
			return nil, a.invalid(method, "%s.rule %q is given twice", at, r.Rule)
		}
		if err := a.domain.Check(at+".x", r.X); err != nil {
			return nil, a.invalid(method, "%v%s", err, remedy(err))
		}
	}
	rules := words.Each(got.Recommendations, func(r algorithms.Recommendation) string { return r.Rule })
	if a.rules != nil && !slices.Equal(a.rules, rules) {
		return nil, a.invalid(method, "the rules are %q, but were %q before; give the same rules every time", rules, a.rules)
	}
	var names []string
	for i, m := range got.Metrics {
		at := fmt.Sprintf("metrics[%d]", i)
		if err := words.CheckLabel(m.Name); err != nil {
			return nil, a.invalid(method, "%s.name %q %v", at, words.Cut(m.Name, 40), err)
		}
		if m.Kind != algorithms.KindWork && m.Kind != algorithms.KindCertificate && m.Kind != algorithms.KindState {
			return nil, a.invalid(method, "%s.kind is %q; give work, certificate or state", at, words.Cut(string(m.Kind), 40))
		}
		if slices.Contains(names, m.Name) {
			return nil, a.invalid(method, "%s.name %q is given twice", at, m.Name)
		}
		names = append(names, m.Name)
	}
	if a.names != nil && !slices.Equal(a.names, names) {
		return nil, a.invalid(method, "the metrics are %q, but were %q before; give the same names every time", names, a.names)
	}
	a.rules, a.names = rules, append([]string{}, names...)
	a.recommended = &got
	return got.Recommendations, nil
}

// Metrics returns the metrics that came with the last recommendations.
func (a *Algorithm) Metrics() []algorithms.Metric {
	if a.recommended == nil {
		return nil
	}
	return a.recommended.Metrics
}

// Contract returns the algorithm with the optional interfaces that the program has.
func (a *Algorithm) Contract() algorithms.Algorithm {
	can := a.session.Info.Capabilities
	values, beliefs := can.Has(wire.CanLearnValues), can.Has(wire.CanBelieve)
	ties := can.Has(wire.CanLearnTies) && !values
	switch {
	case ties && beliefs:
		return struct {
			tieLearner
			believer
		}{tieLearner{a}, believer{a}}
	case ties:
		return tieLearner{a}
	case values && beliefs:
		return struct {
			valueLearner
			believer
		}{valueLearner{a}, believer{a}}
	case values:
		return valueLearner{a}
	case beliefs:
		return struct {
			*Algorithm
			believer
		}{a, believer{a}}
	}
	return a
}

type valueLearner struct{ *Algorithm }

// TellValues passes on noisy values of the new points of a query.
func (v valueLearner) TellValues(q algorithms.Query, values []float64) error {
	return v.tell(wire.Tell{Points: q.Points, New: q.New, Values: values})
}

type tieLearner struct{ *Algorithm }

// TellTie passes on a tie.
func (t tieLearner) TellTie(q algorithms.Query) error {
	return t.tell(wire.Tell{Points: q.Points, New: q.New, Tie: true})
}

type believer struct{ of *Algorithm }

// Belief asks for the estimate at one point.
func (b believer) Belief(x []float64) (algorithms.Belief, error) {
	var got wire.Beliefs
	if err := b.of.call(wire.MethodBelief, wire.Points{Points: [][]float64{x}}, &got); err != nil {
		return algorithms.Belief{}, err
	}
	if len(got.Estimate) != 1 || len(got.Lower) != 1 || len(got.Upper) != 1 {
		return algorithms.Belief{}, b.of.invalid(wire.MethodBelief, "estimate, lower and upper have %d, %d and %d numbers; give one for each point, here 1",
			len(got.Estimate), len(got.Lower), len(got.Upper))
	}
	return algorithms.Belief{Estimate: got.Estimate[0], Lower: got.Lower[0], Upper: got.Upper[0]}, nil
}

// StartOf returns the params of start for a setup, without a cell and settings. The seed is the first 53 bits of the key of
// the cell's random stream.
func StartOf(setup algorithms.Setup, key [32]byte) wire.Start {
	box, arms := space.Parts(setup.Domain)
	start := wire.Start{
		Box: box, Arms: arms, Start: setup.Start, Steps: setup.Steps, Pilot: setup.Pilot.Comparisons(),
		Seed: binary.BigEndian.Uint64(key[:]) >> (64 - 53), Stream: hex.EncodeToString(key[:]),
	}
	if setup.Known.Kernel != nil {
		start.Known = &setup.Known
	}
	return start
}
