// Package solve implements bench solve: it solves the inner problems of algorithms on data.
package solve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/baselines/dts"
	"popbench/algorithms/baselines/qeubo"
	"popbench/algorithms/baselines/sgp"
	"popbench/algorithms/popbo"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// File solves the problem in a file, in the schema of bench help solve, or all problems if the file has a list, and returns
// the solution or their list. If a problem could not be solved, or a maximum not proved, it returns an error, too. If the
// data are invalid, it returns only an error.
func File(ctx context.Context, solvers map[string]Solver, name string, data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if err := checkJSON(name, data); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if first, _ := d.Token(); first != json.Delim('[') {
		return solution(solvers, name, name, data)
	}
	all, errs := []any{}, []error(nil)
	for d.More() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var text json.RawMessage
		_ = d.Decode(&text) // it is JSON
		// As many line breaks as in the file come first, so that errors have the right line.
		lines := bytes.Count(data[:int(d.InputOffset())-len(text)], []byte("\n"))
		s, err := solution(solvers, name, fmt.Sprintf("%s[%d]", name, len(all)), append(bytes.Repeat([]byte("\n"), lines), text...))
		if s == nil && err != nil {
			return nil, err
		}
		all, errs = append(all, s), append(errs, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("solve: %s: the list of problems is empty", name)
	}
	return all, errors.Join(errs...)
}

// checkJSON returns an error with the line of the first mistake.
func checkJSON(name string, data []byte) error {
	err := json.Unmarshal(data, new(json.RawMessage))
	syntax, ok := err.(*json.SyntaxError)
	if !ok {
		return err
	}
	if err := strict.Decode(name, data, new(any)); err != nil { // its message is better if the data are not YAML either
		return err
	}
	line := 1 + bytes.Count(data[:syntax.Offset], []byte("\n"))
	return fmt.Errorf("%s:%d: not JSON: %w; bench help solve has examples", name, line, err)
}

// solution returns the solution of a problem at a place in a file, with an error if it could not be solved or not be proved.
// If the data are invalid, it returns only an error.
func solution(solvers map[string]Solver, file, where string, data []byte) (any, error) {
	s, err := solve(solvers, file, data)
	_, fault := json.Marshal(s)
	if value := (*json.UnsupportedValueError)(nil); errors.As(fault, &value) {
		s, err = nil, fmt.Errorf("%w: a result is %s; scale points and values to about 1", algorithms.ErrUnsolved, value.Str)
	}
	if s == nil && err != nil {
		s = unsolved{err.Error()}
	}
	if _, lines := err.(*strict.Error); err != nil && !lines {
		err = fmt.Errorf("solve: %s: %w", where, err)
	}
	if err != nil && !errors.Is(err, algorithms.ErrUnsolved) && !errors.Is(err, algorithms.ErrUnproved) {
		return nil, err
	}
	return s, err
}

// unsolved is printed instead of a solution.
type unsolved struct {
	Status string `json:"status"`
}

func solve(solvers map[string]Solver, file string, data []byte) (any, error) {
	head := struct{ Algorithm any }{"popbo"}
	_ = json.Unmarshal(data, &head) // the solver reports data that are not an object
	name, _ := head.Algorithm.(string)
	solver, ok := solvers[name]
	if !ok {
		text, _ := json.Marshal(head.Algorithm)
		names := strings.Join(slices.Sorted(maps.Keys(solvers)), ", ")
		return nil, fmt.Errorf("algorithm %s has no inner problems to solve; give one of %s", words.Cut(string(text), 40), names)
	}
	return solver(file, data)
}

// Solver solves a problem in a file for an algorithm.
type Solver func(file string, data []byte) (any, error)

// BuiltIn are the solvers by the name of the algorithm. The other algorithms have no inner
// problem with a model of comparisons.
var BuiltIn = map[string]Solver{
	"dts":   Of(dts.Default, dts.Solve),
	"popbo": Of(popbo.Default, popbo.Solve),
	"qeubo": Of(qeubo.Default, qeubo.Solve),
	"sgp":   Of(sgp.Default, sgp.Solve),
}

// schema is a problem for an algorithm with settings of type C.
type schema[C any] struct {
	Algorithm string `json:"algorithm"`
	Settings  C      `json:"settings"`
	algorithms.SolveInput
	Queries []json.RawMessage `json:"queries" max:"1000"`                 // points, or pairs of points
	Moves   int               `json:"draws" min:"50" max:"1000000"`       // of the Markov chain, to average over
	Solves  int               `json:"max_solves" min:"0" max:"1000000"`   // in a proof of the largest advantage over the box; 0 for no proof
	Pairs   int               `json:"max_pairs" min:"0" max:"1000000000"` // in a proof of the largest EUBO over the box; 0 for no proof
}

// Of returns the solver of an algorithm, made from the Solve of its package.
func Of[C, S any](defaults func() C, solve func(algorithms.SolveInput, C) (*S, error)) Solver {
	return func(file string, data []byte) (any, error) {
		in := schema[C]{Settings: defaults(), Moves: 20_000, Solves: 2000, Pairs: 20_000_000}
		if err := strict.Decode(file, data, &in); err != nil {
			return nil, err
		}
		in.Draws, in.MaxSolves, in.MaxPairs = in.Moves, in.Solves, in.Pairs
		if in.Solves == 0 {
			in.MaxSolves = -1
		}
		if in.Pairs == 0 {
			in.MaxPairs = -1
		}
		for i, text := range in.Queries {
			var x []float64
			var pair [][]float64
			if json.Unmarshal(text, &x) == nil {
				pair = [][]float64{x}
			} else if json.Unmarshal(text, &pair) != nil || len(pair) != 2 {
				return nil, fmt.Errorf("queries[%d] is neither a point, [x1, ...], nor a pair of points", i)
			}
			in.SolveInput.Queries = append(in.SolveInput.Queries, pair)
		}
		s, err := solve(in.SolveInput, in.Settings)
		if s == nil { // a nil *S in an interface would not be nil
			return nil, err
		}
		return s, err
	}
}
