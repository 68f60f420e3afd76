package conform

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/protocol/wire"
)

// The test binary is also the programs that it checks: "program FAULT".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "program" {
		serve(os.Args[2])
		os.Exit(0)
	}
	patience = 2 * time.Second // those that end take less, and the others an hour
	os.Exit(check.SideBySide(m))
}

// subject is a program that keeps all rules but one. It compares the winner with random points; problems
// are served, too.
type subject struct {
	fault string
	draws uint64
	model
}

// model is what it knows.
type model struct {
	Name, Version string
	Start         wire.Start
	Steps         uint64
	Best          []float64
	Last          [][]float64
}

var calls int // of evaluate

func serve(fault string) {
	s := &subject{fault: fault}
	switch fault {
	case "banner":
		fmt.Println("Welcome")
	case "mute":
		time.Sleep(time.Hour)
	case "leaves at once":
		fmt.Fprintln(os.Stderr, "ImportError: no module named zoo")
		os.Exit(3)
	case "sleep":
		time.Sleep(time.Minute)
	case "child":
		if err := exec.Command(os.Args[0], "program", "sleep").Start(); err != nil {
			panic(err)
		}
	}
	if err := wire.Serve(os.Stdin, os.Stdout, s.handle); err != nil {
		panic(err)
	}
	switch fault {
	case "goodbye":
		fmt.Println("Bye")
	case "stays":
		time.Sleep(time.Hour)
	}
}

func (s *subject) problem() bool { return slices.Contains(problemFaults, s.fault) }

func (s *subject) handle(method string, params json.RawMessage) (any, error) {
	if s.problem() {
		return s.objective(method, params)
	}
	switch method {
	case wire.MethodInitialize:
		return s.initialize(wire.KindAlgorithm), nil
	case wire.MethodStart:
		return struct{}{}, s.start(params)
	case wire.MethodRestore:
		return struct{}{}, s.restore(params)
	}
	can := s.capabilities()
	known := slices.Contains([]string{wire.MethodAsk, wire.MethodTell, wire.MethodRecommend}, method) ||
		method == wire.MethodBelief && can.Has(wire.CanBelieve) || method == wire.MethodState && can.Has(wire.CanSave)
	switch {
	case !known && s.fault == "wrong code":
		return nil, fmt.Errorf("what is %s?", method)
	case !known && s.fault == "answers anything":
		return struct{}{}, nil
	case !known:
		return nil, wire.Errorf(wire.CodeMethod, "no method %s", method)
	case s.Best == nil:
		return nil, fmt.Errorf("start comes first")
	}
	switch method {
	case wire.MethodAsk:
		return s.ask(), nil
	case wire.MethodTell:
		return struct{}{}, s.tell(params)
	case wire.MethodRecommend:
		return s.recommend(), nil
	case wire.MethodBelief:
		return s.belief(params)
	}
	if s.fault == "state counts" {
		s.Steps++
	}
	text, err := json.Marshal(s.model)
	if s.fault == "unmarked state" {
		text = []byte(`{"Text":` + strconv.Quote(string(text)) + `}`)
	}
	return wire.State{State: text}, err
}

func (s *subject) capabilities() wire.Capabilities {
	switch s.fault {
	case "values", "values refused", "late refusal of values":
		return wire.Capabilities{wire.CanLearnValues: true}
	case "ties", "ties refused":
		return wire.Capabilities{wire.CanLearnTies: true}
	case "belief learns", "belief short":
		return wire.Capabilities{wire.CanBelieve: true}
	case "state counts", "state forgets", "restores anything", "unmarked state", "restore crashes":
		return wire.Capabilities{wire.CanSave: true}
	case "declared random":
		return wire.Capabilities{wire.KeyDeterministic: false}
	case "good":
		return wire.Capabilities{wire.CanBelieve: true, wire.CanSave: true}
	}
	return wire.Capabilities{}
}

func (s *subject) initialize(kind string) wire.Program {
	p := wire.Program{Protocol: 1, Kind: kind, Name: "subject", Version: "1", Capabilities: s.capabilities()}
	switch s.fault {
	case "other kind":
		p.Kind = "optimizer"
	case "dated":
		p.Provenance = json.RawMessage(fmt.Sprintf(`{"process":%d}`, os.Getpid()))
	}
	return p
}

func (s *subject) start(params json.RawMessage) error {
	var p wire.Start
	if err := wire.Params(params, &p); err != nil {
		return err
	}
	var keys map[string]any
	if err := json.Unmarshal(params, &keys); err != nil {
		return err
	}
	switch {
	case p.Box == nil || p.Box.Validate() != nil:
		return wire.Errorf(wire.CodeParams, "box is wrong")
	case s.fault == "undefined", s.fault == "not in 5-D" && p.Box.Dim() == 5:
		return wire.Errorf(wire.CodeUndefined, "not implemented")
	case s.fault == "never starts", s.fault == "pilot only" && p.Pilot == nil, s.fault == "no pilot" && p.Pilot != nil,
		s.fault == "no kernel" && p.Known != nil, s.fault == "own keys only" && keys["unknown_key"] != nil:
		return fmt.Errorf("KeyError: these params")
	case s.fault == "settings" && string(p.Settings) != `{"a":1}`:
		return fmt.Errorf("KeyError: a")
	}
	before := s.Steps
	s.draws = 0
	s.model = model{Name: "subject", Version: "1", Start: p, Best: p.Start, Last: [][]float64{p.Start}}
	if s.fault == "remembers" {
		s.Steps = before
	}
	return nil
}

func (s *subject) ask() any {
	step := s.Steps
	switch s.fault {
	case "ask draws", "declared random":
		s.draws++
		if step += s.draws << 32; s.fault == "declared random" {
			step = s.Steps<<32 + uint64(os.Getpid())
		}
	case "clock":
		step += uint64(os.Getpid()) << 32
	case "crash":
		fmt.Fprintln(os.Stderr, "ZeroDivisionError: in ask")
		os.Exit(3)
	}
	next := s.Start.Box.Sample(make([]float64, s.Start.Box.Dim()), rand.New(rand.NewPCG(s.Start.Seed, step)))
	old := slices.Clone(s.Best)
	switch s.fault {
	case "leaves the box":
		next[0] = 2*s.Start.Box.Hi[0] - s.Start.Box.Lo[0]
	case "start again":
		old = s.Start.Start // which a program may show at any time
	case "rounds":
		for i := range old {
			old[i], _ = strconv.ParseFloat(fmt.Sprintf("%.15g", old[i]), 64)
		}
	case "rounds to 4 places":
		for i := range old {
			old[i], _ = strconv.ParseFloat(fmt.Sprintf("%.4f", old[i]), 64)
		}
	}
	one := 1
	return wire.Query{Points: [][]float64{old, next}, New: &one}
}

func (s *subject) tell(params json.RawMessage) error {
	var p wire.Tell
	err := wire.Params(params, &p)
	winner := 0
	switch {
	case err != nil:
	case s.fault == "late refusal of values" && s.Steps == 2:
		return fmt.Errorf("no more values")
	case s.fault == "values", s.fault == "late refusal of values":
		if len(p.Values) != p.New || len(p.Values) == 0 {
			return wire.Errorf(wire.CodeParams, "values are missing")
		}
	case p.Tie && s.fault == "ties":
	case p.Winner == nil:
		err = wire.Errorf(wire.CodeParams, "winner is missing")
	default:
		winner = *p.Winner
	}
	q := algorithms.Query{Points: p.Points, New: p.New}
	if err == nil {
		err = algorithms.CheckComparison(s.Start.Box, q, winner)
	}
	switch {
	case err != nil && s.fault == "half learnt":
		s.Steps++
	case err != nil && s.fault == "dies of bad params":
		os.Exit(4)
	case err != nil && s.fault == "takes anything":
		return nil
	case err == nil && s.fault == "own queries only" && p.Points[1][0] != s.ask().(wire.Query).Points[1][0]:
		return fmt.Errorf("not mine")
	case err == nil && s.fault == "late crash" && s.Steps == 2:
		os.Exit(8)
	case err == nil && s.fault == "prints":
		fmt.Println("Iteration", s.Steps)
	}
	if err != nil {
		return err
	}
	s.Steps++
	s.Best, s.Last = p.Points[winner], p.Points
	return nil
}

func (s *subject) recommend() any {
	x := slices.Clone(s.Best)
	if s.fault == "recommend counts" {
		s.draws++
		x = s.Start.Box.Sample(x, rand.New(rand.NewPCG(s.draws, 1)))
	}
	return wire.Recommended{Recommendations: []algorithms.Recommendation{{Rule: "best", X: x}}}
}

func (s *subject) belief(params json.RawMessage) (any, error) {
	var p wire.Points
	if err := wire.Params(params, &p); err != nil {
		return nil, err
	}
	var b wire.Beliefs
	for _, x := range p.Points {
		b.Estimate, b.Lower, b.Upper = append(b.Estimate, x[0]), append(b.Lower, x[0]-1), append(b.Upper, x[0]+1)
	}
	switch s.fault {
	case "belief learns":
		s.Steps++
	case "belief short":
		b.Upper = nil
	}
	return b, nil
}

func (s *subject) restore(params json.RawMessage) error {
	if !s.capabilities().Has(wire.CanSave) {
		return wire.Errorf(wire.CodeMethod, "no method restore")
	}
	var p wire.State
	var m model
	if err := wire.Params(params, &p); err != nil {
		return err
	}
	if s.fault == "unmarked state" {
		var whole struct{ Text string }
		if err := json.Unmarshal(p.State, &whole); err != nil {
			return err
		}
		p.State = json.RawMessage(whole.Text)
	}
	if err := json.Unmarshal(p.State, &m); err != nil {
		return err
	}
	if m.Start.Box == nil || s.fault != "restores anything" && (m.Name != "subject" || m.Version != "1") {
		return wire.Errorf(wire.CodeParams, "the state is of another program")
	}
	switch s.fault {
	case "state forgets":
		m.Steps = 0
	case "restore crashes":
		os.Exit(5)
	}
	s.model = m
	return nil
}

// problemFaults are those of objectives.
var problemFaults = []string{
	"good problem", "no box", "bad box", "no values", "counts", "of its process", "optimum too low", "optimum elsewhere", "smallest",
	"unknown optimum", "dies outside", "dies of a text", "broken by a text",
}

func (s *subject) objective(method string, params json.RawMessage) (any, error) {
	box := json.RawMessage(`{"lo":[-1,0],"hi":[2,1]}`)
	switch method {
	case wire.MethodInitialize:
		return s.initialize(wire.KindProblem), nil
	case wire.MethodDescribe:
		d := map[string]any{"box": box, "optimum": 3, "optimum_x": [][]float64{{0, 0}}}
		switch s.fault {
		case "no box":
			delete(d, "box")
		case "bad box":
			d["box"] = json.RawMessage(`{"lo":[2,0],"hi":[-1,1]}`)
		case "optimum too low":
			d["optimum"] = 2.5
			delete(d, "optimum_x")
		case "optimum elsewhere":
			d["optimum_x"] = [][]float64{{0, 0}, {1, 0}}
		case "smallest":
			d["optimum"] = -3
		case "unknown optimum":
			delete(d, "optimum")
			delete(d, "optimum_x")
		}
		return d, nil
	case wire.MethodEvaluate:
		var p wire.Evaluate
		if err := wire.Params(params, &p); err != nil {
			switch s.fault {
			case "dies of a text":
				os.Exit(6)
			case "broken by a text":
				calls++
			}
			return nil, err
		}
		if len(p.X) != 2 {
			return nil, wire.Errorf(wire.CodeParams, "x is not of two numbers")
		}
		if s.fault == "dies outside" && p.X[0] > 2 {
			os.Exit(7)
		}
		v := 3 - p.X[0]*p.X[0] - p.X[1]
		switch s.fault {
		case "no values":
			return nil, fmt.Errorf("ValueError: %v", p.X)
		case "counts":
			calls++
		case "of its process":
			v += float64(os.Getpid())
		case "smallest":
			v = -v
		}
		v += float64(calls)
		return wire.Value{Value: &v}, nil
	}
	return nil, wire.Errorf(wire.CodeMethod, "no method %s", method)
}
