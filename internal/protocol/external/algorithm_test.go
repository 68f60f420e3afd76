package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/protocol/wire"
	"popbench/record"
	"popbench/space"
)

// The test binary is also the program that the tests start. It gives the answers of a variable; its name is its process,
// and its values count.
func TestMain(m *testing.M) {
	text := os.Getenv("EXTERNAL_TEST")
	if text == "" {
		os.Exit(m.Run())
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &answers); err != nil {
		panic(err)
	}
	if answers["stubborn"] != nil {
		signal.Ignore(syscall.SIGTERM)
		defer time.Sleep(time.Hour)
	}
	values := 0.0
	wire.Serve(os.Stdin, os.Stdout, func(method string, _ json.RawMessage) (any, error) {
		switch method {
		case wire.MethodInitialize:
			capabilities := wire.Capabilities{wire.CanBelieve: true}
			kind := string(answers["kind"])
			return wire.Program{Protocol: 1, Kind: kind[1 : len(kind)-1], Name: strconv.Itoa(os.Getpid()), Version: "1", Capabilities: capabilities}, nil
		case wire.MethodEvaluate:
			values++
			return wire.Value{Value: &values}, nil
		}
		return answers[method], nil
	})
}

// program returns the test binary as a program with these answers, others apart.
func program(t *testing.T, kind string, others map[string]string) Program {
	t.Helper()
	answers := map[string]json.RawMessage{
		"kind": json.RawMessage(`"` + kind + `"`), "start": json.RawMessage("{}"), "restore": json.RawMessage("{}"), "tell": json.RawMessage("{}"),
		"ask":       json.RawMessage(`{"points":[[0.5],[0.25]],"new":1}`),
		"recommend": json.RawMessage(`{"recommendations":[{"rule":"own","x":[0.5]}],"metrics":[{"name":"a","value":1,"kind":"state"}]}`),
		"belief":    json.RawMessage(`{"estimate":[2],"lower":[1],"upper":[3]}`),
	}
	for method, answer := range others {
		answers[method] = json.RawMessage(answer)
	}
	t.Setenv("EXTERNAL_TEST", string(check.Must(json.Marshal(answers))(t)))
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return Program{Command: []string{check.Must(os.Executable())(t)}}
}

// begun returns an algorithm on [0, 1] of a program with these answers.
func begun(t *testing.T, p *Pool, program Program) *Algorithm {
	t.Helper()
	a := check.Must(p.Open(t.Context(), program))(t)
	check.OK(t, a.Begin(wire.Start{Box: &space.Box{Lo: []float64{0}, Hi: []float64{1}}, Start: []float64{0.5}}))
	return a
}

// Whatever a program answers is checked, and the message below the answer says which part of it is wrong. In the query
// before were 0.5 and 0.25.
func TestAnswersAreChecked(t *testing.T) {
	check.GoldenLines(t, "answers.golden", func(line string) string {
		method, answer, _ := strings.Cut(line, " ")
		pool := new(Pool)
		defer pool.Close()
		a := begun(t, pool, program(t, wire.KindAlgorithm, map[string]string{method: answer}))
		defer a.Close()
		check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{{0.5}, {0.25}}, New: 1}, 1))
		var err error
		switch method {
		case "ask":
			_, err = a.Ask()
		case "recommend":
			_, err = a.Recommend()
		default:
			_, err = a.Contract().(algorithms.Believer).Belief([]float64{0.5})
		}
		if err == nil {
			return ""
		}
		f, ok := errors.AsType[*Failure](err)
		check.Equal(t, line+": outcome", ok && f.Outcome == record.Invalid, true)
		return err.Error()
	})
}

// The answers of a program are those of the algorithm, and metrics belong to the last recommendations.
func TestAlgorithm(t *testing.T) {
	pool := new(Pool)
	defer pool.Close()
	a := begun(t, pool, program(t, wire.KindAlgorithm, nil))
	defer a.Close()
	check.Same(t, "query", check.Must(a.Ask())(t), algorithms.Query{Points: [][]float64{{0.5}, {0.25}}, New: 1})
	check.Same(t, "recommendations", check.Must(a.Recommend())(t), []algorithms.Recommendation{{Rule: "own", X: []float64{0.5}}})
	check.Same(t, "metrics", a.Metrics(), []algorithms.Metric{{Name: "a", Value: 1, Kind: algorithms.KindState}})
	believer := a.Contract().(algorithms.Believer)
	check.Same(t, "belief", check.Must(believer.Belief([]float64{0.5}))(t), algorithms.Belief{Estimate: 2, Lower: 1, Upper: 3})
	check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{{0.5}, {0.25}}, New: 1}, 0))
	check.Equal(t, "metrics after an answer", len(a.Metrics()), 0)

	before := &Algorithm{domain: a.domain, rules: []string{"own", "mean"}} // in another process
	check.OK(t, a.Restore(before, json.RawMessage("1")))
	check.Error(t, "other rules", check.Err(a.Recommend()), `recommend: the rules are ["own"], but were ["own" "mean"] before; give the same rules every time`)
}

// A program that ends neither with its input nor when it is asked to is killed, and that is no failure.
func TestStubbornProgramIsKilled(t *testing.T) {
	before, beforeTerm := patience, afterTerm
	defer func() { patience, afterTerm = before, beforeTerm }()
	patience, afterTerm = 50*time.Millisecond, 50*time.Millisecond
	pool := new(Pool)
	a := begun(t, pool, program(t, wire.KindAlgorithm, map[string]string{"stubborn": "true"}))
	process := a.session.process
	check.OK(t, check.Err(a.Ask()))
	check.Equal(t, "messages", len(a.Close()), 0)
	pool.Close()
	check.Equal(t, "ending", process.Ending(), "stopped by bench (signal KILL)")
	check.Error(t, "after the end", check.Err(pool.Open(t.Context(), Program{Command: []string{"true"}})), "the run has ended")
}

// Without a pool, as where a suite is only read, nothing is started, and nothing panics.
func TestNoPool(t *testing.T) {
	var p *Pool
	program := Program{Command: []string{"true"}}
	e := p.Objective(program, Told{}).For()
	for what, err := range map[string]error{
		"an algorithm": check.Err(p.Open(t.Context(), program)), "a description": check.Err(e.Describe(t.Context())), "a value": check.Err(e.Evaluate(t.Context(), []float64{1})),
	} {
		check.Equal(t, what, errors.Is(err, errNothing), true)
	}
	check.Equal(t, "messages and programs", [2]int{len(e.Close()), p.Programs()}, [2]int{})
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

// A cell that waits for the value of another one says why it stops waiting.
func TestWaitEnds(t *testing.T) {
	x, late := []float64{1}, errors.New("too late")
	o := new(Pool).Objective(Program{}, Told{})
	o.values.Store(bits(x), &evaluation{done: make(chan struct{})})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	check.Equal(t, "error", check.Err(o.For().Evaluate(ctx, x)), late)
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
