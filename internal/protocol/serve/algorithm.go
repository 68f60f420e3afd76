// Package serve answers the requests of the protocol: it lets another program drive an algorithm of
// the catalogue, or evaluate one of its problems. Package wire reads the requests and writes the
// answers. It also suggests the next points of an experiment in a file, for bench suggest.
package serve

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"strconv"

	"popbench/algorithms"
	"popbench/internal/math/rng"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
	"popbench/space"
	"popbench/suite"
)

// Algorithm serves the algorithm of the given name. The stack of a panic goes to notes.
//
// An algorithm that is started without a stream draws from rng.Stream(seed, "serve", name).
func Algorithm(cat suite.Catalogue, name string, notes io.Writer) (wire.Handler, error) {
	if cat.Settings(name) == nil {
		return nil, fmt.Errorf("unknown algorithm %q; %s", name, words.Hint(name, cat.Algorithms(), "bench list algorithms shows the known ones"))
	}
	can, err := cat.Abilities(name)
	if err != nil {
		return nil, err
	}
	s := &server{cat: cat, name: name, can: can, build: cat.Build()}
	return safely(inOrder(s.handle), notes, func() { s.now = nil }), nil
}

// handle answers a request.
func (s *server) handle(method string, params json.RawMessage) (any, error) {
	switch method {
	case wire.MethodInitialize:
		p, err := initialize(params, wire.KindAlgorithm, s.name, s.build)
		for name, has := range map[string]bool{wire.CanLearnValues: s.can.Values, wire.CanBelieve: s.can.Belief, wire.CanSave: s.can.State,
			wire.CanChooseArms: s.can.Arms, wire.CanLearnTies: s.can.Ties} {
			if has {
				p.Capabilities[name] = true
			}
		}
		return p, err
	case wire.MethodStart:
		return done(s.start(params))
	case wire.MethodRestore:
		return done(s.restore(params))
	}
	during := map[string]func() (any, error){
		wire.MethodAsk:       s.now.ask,
		wire.MethodTell:      func() (any, error) { return done(s.now.tell(params)) },
		wire.MethodRecommend: s.now.recommend,
		wire.MethodBelief:    func() (any, error) { return s.now.belief(params, s.name) },
		wire.MethodState:     s.state,
	}[method]
	switch {
	case during == nil:
		return nil, unknown(method, wire.KindAlgorithm)
	case s.now == nil:
		return nil, wire.Errorf(wire.CodeRequest, "%s: there is no experiment; call start first", method)
	}
	return during()
}

// done is the result of a method that returns nothing.
func done(err error) (any, error) { return struct{}{}, err }

// initialize answers the request initialize, without capabilities.
func initialize(params json.RawMessage, kind, name string, build record.Build) (wire.Program, error) {
	p := wire.Program{Protocol: wire.Version, Kind: kind, Name: name, Version: build.Version, Capabilities: wire.Capabilities{}}
	var q wire.Initialize
	if err := wire.Params(params, &q); err != nil {
		return p, err
	}
	if q.Protocol < wire.Version {
		return p, wire.Errorf(wire.CodeNoProtocol, "protocol %d is the highest that the host speaks; this program speaks %d", q.Protocol, wire.Version)
	}
	// A source tree may change from one start to the next. What the program was built from cannot.
	own := record.Built()
	build.Commit, build.Dirty = own.Commit, own.Dirty
	var err error
	p.Provenance, err = json.Marshal(build)
	return p, err
}

// unknown is the error of a method that a program of the kind does not have.
func unknown(method, kind string) error {
	return wire.Errorf(wire.CodeMethod, "%s is not a method of this program, whose kind is %s", words.Cut(strconv.Quote(method), 40), kind)
}

// inOrder refuses an initialize that is not the first, and everything else before it.
func inOrder(handle wire.Handler) wire.Handler {
	initialized := false
	return func(method string, params json.RawMessage) (any, error) {
		if initialized == (method == wire.MethodInitialize) {
			return nil, wire.Errorf(wire.CodeRequest, "%s: initialize comes first, and once", words.Cut(words.Quote(method), 40))
		}
		result, err := handle(method, params)
		initialized = initialized || err == nil
		return result, err
	}
}

// safely turns a panic of a handler into an error, after a call of forget.
func safely(handle wire.Handler, notes io.Writer, forget func()) wire.Handler {
	return func(method string, params json.RawMessage) (result any, err error) {
		defer func() {
			if p := recover(); p != nil {
				stack := debug.Stack()
				fmt.Fprintf(notes, "%s: panic: %v\n%s", method, p, stack)
				data, _ := json.Marshal(string(stack)) // a string is always JSON
				result, err = nil, &wire.Error{Code: wire.CodeFailed, Message: fmt.Sprintf("panic: %v", p), Data: data}
				forget()
			}
		}()
		return handle(method, params)
	}
}

// start begins an experiment. If it fails, the earlier one goes on.
func (s *server) start(params json.RawMessage) error {
	var p wire.Start
	if err := wire.Params(params, &p); err != nil {
		return err
	}
	domain, err := space.Of(p.Box, p.Arms)
	if err != nil {
		return refuse(err)
	}
	stream, err := randomness(s.name, p.Seed, p.Stream)
	if err != nil {
		return refuse(err)
	}
	setup := algorithms.Setup{Domain: domain, Start: p.Start, Rand: stream, Steps: p.Steps}
	if p.Known != nil {
		setup.Known = *p.Known
	}
	if len(p.Pilot) > 0 {
		setup.Pilot = algorithms.NewPilot(p.Pilot)
	}
	if len(p.Start) == 0 {
		setup.Start = space.Centre(domain)
	}
	if err := setup.Validate(); err != nil {
		return refuse(err)
	}
	settings, err := s.settings(p.Settings)
	if err != nil {
		return err
	}
	alg, err := s.cat.New(s.name, setup, settings)
	if algorithms.IsUndefined(err) {
		return wire.Errorf(wire.CodeUndefined, "%v", err)
	}
	if err != nil {
		return refuse(err)
	}
	s.now = &experiment{alg, domain, settings}
	return nil
}

// maxSeed is the largest whole number that every language keeps in a floating-point number.
const maxSeed = 1<<53 - 1

// randomness returns the stream with a key of 64 hexadecimal digits, or without a key the stream of the seed.
func randomness(name string, seed uint64, key string) (*rand.Rand, error) {
	if key == "" {
		if seed > maxSeed {
			return nil, fmt.Errorf("seed = %d is too large; give at most 2^53 - 1", seed)
		}
		return rng.Stream(seed, "serve", name), nil
	}
	b, err := hex.DecodeString(key)
	if err != nil || len(b) != 32 {
		return nil, errors.New("stream is not 64 hexadecimal digits; give the key of a stream, or only a seed")
	}
	return rand.New(rand.NewChaCha8([32]byte(b))), nil
}

func (e *experiment) ask() (any, error) {
	q, err := e.Ask()
	if err != nil {
		return nil, err
	}
	return wire.Query{Points: q.Points, New: &q.New}, nil
}

func (e *experiment) tell(params json.RawMessage) error {
	var p wire.Tell
	if err := wire.Params(params, &p); err != nil {
		return err
	}
	q := algorithms.Query{Points: p.Points, New: p.New}
	if learner, ok := e.Algorithm.(algorithms.ValueLearner); ok {
		if p.Winner != nil || p.Tie {
			return wire.Errorf(wire.CodeParams, "winner: this algorithm learns from values; give values of the new points instead")
		}
		if err := algorithms.CheckValues(e.domain, q, p.Values); err != nil {
			return refuse(err)
		}
		return learner.TellValues(q, p.Values)
	}
	switch {
	case len(p.Values) > 0:
		return wire.Errorf(wire.CodeParams, "values: this algorithm learns from comparisons; give the index of the winner instead")
	case p.Tie:
		learner, ok := e.Algorithm.(algorithms.TieLearner)
		if !ok {
			return wire.Errorf(wire.CodeParams, "winner: this algorithm does not learn from ties; give the index of the preferred point, from 0")
		}
		if err := algorithms.CheckComparison(e.domain, q, 0); err != nil {
			return refuse(err)
		}
		return learner.TellTie(q)
	case p.Winner == nil:
		return wire.Errorf(wire.CodeParams, "winner: it is missing; give the index of the preferred point, from 0")
	}
	if err := algorithms.CheckComparison(e.domain, q, *p.Winner); err != nil {
		return refuse(err)
	}
	return e.Tell(q, *p.Winner)
}

func (e *experiment) recommend() (any, error) {
	all, err := e.Recommend()
	if err != nil {
		return nil, err
	}
	r := wire.Recommended{Recommendations: all}
	if i, ok := e.Algorithm.(algorithms.Instrumented); ok {
		r.Metrics = i.Metrics()
	}
	return r, nil
}

func (e *experiment) belief(params json.RawMessage, name string) (any, error) {
	believer, ok := e.Algorithm.(algorithms.Believer)
	if !ok {
		return nil, wire.Errorf(wire.CodeMethod, "belief: %s has no model of f", name)
	}
	var p wire.Points
	if err := wire.Params(params, &p); err != nil {
		return nil, err
	}
	n := len(p.Points)
	b := wire.Beliefs{Estimate: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
	for i, x := range p.Points {
		if err := e.domain.Check(fmt.Sprintf("points[%d]", i), x); err != nil {
			return nil, refuse(err)
		}
		at, err := believer.Belief(x)
		if err != nil {
			return nil, err
		}
		b.Estimate[i], b.Lower[i], b.Upper[i] = at.Estimate, at.Lower, at.Upper
	}
	return b, nil
}
