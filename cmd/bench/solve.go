package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/baselines/dts"
	"popbench/algorithms/baselines/qeubo"
	"popbench/algorithms/baselines/sgp"
	"popbench/algorithms/popbo"
	"popbench/internal/config"
)

var solveCommand = &command{
	name:  "solve",
	args:  "FILE.json",
	short: "solve an algorithm's inner problems on data, with certificates",
	long:  solveHelp,
	min:   1,
	max:   1,
	setup: func(flags *flag.FlagSet) action {
		draws := 20_000
		starts := oldStarts(flags)
		limitedVar(flags, &draws, "draws", 50, 1_000_000, "sgp: average `N` moves of each Markov chain")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			name, data, err := readInput(args[0])
			if err != nil {
				return fmt.Errorf("solve: %w", err)
			}
			problems, list, err := problemsOf(stderr, name, data, *starts)
			if err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			out, err := solveAll(ctx, problems, draws)
			if out == nil {
				return err
			}
			if err != nil {
				err = &exitError{exitFailed, err}
			}
			if list {
				return errors.Join(writeJSON(stdout, out), err)
			}
			return errors.Join(writeJSON(stdout, out[0]), err)
		}
	},
}

// problem is one problem of a file: in the schema that bench help solve shows, as
// text after as many line breaks as stand before it in the file, or already solved.
type problem struct {
	file   string // its name, for messages
	where  string // the same with the place in the file
	data   []byte
	solved any
}

// problemsOf returns the problem in a file, or those of a list.
func problemsOf(stderr io.Writer, name string, data []byte, starts int) (all []problem, list bool, err error) {
	if all, list, err = convertOld(stderr, name, data, starts); all != nil || err != nil {
		return all, list, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return []problem{{file: name, where: name, data: data}}, false, nil
	}
	for d.More() {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return []problem{{file: name, where: name, data: data}}, false, nil // solve says what is wrong with the text
		}
		lines := bytes.Count(data[:int(d.InputOffset())-len(text)], []byte("\n"))
		all = append(all, problem{file: name, where: fmt.Sprintf("%s[%d]", name, len(all)), data: append(bytes.Repeat([]byte("\n"), lines), text...)})
	}
	if len(all) == 0 {
		return nil, false, errors.New("the list of problems is empty")
	}
	return all, true, nil
}

// solveAll returns the solutions of all problems. Where a problem could not be
// solved, which is no fault of the data, the error says so, and there are solutions
// all the same.
func solveAll(ctx context.Context, problems []problem, draws int) (all []any, err error) {
	var errs []error
	for _, p := range problems {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := p.solve(draws)
		if err == nil {
			_, err = json.Marshal(s)
		}
		if value := (*json.UnsupportedValueError)(nil); errors.As(err, &value) {
			s, err = nil, fmt.Errorf("%w: a result is %s; scale points and values to about 1", algorithms.ErrUnsolved, value.Str)
		}
		if s == nil && err != nil {
			s = unsolved{err.Error()}
		}
		if _, lines := err.(*config.Error); err != nil && !lines {
			err = fmt.Errorf("solve: %s: %w", p.where, err)
		}
		if err != nil && !errors.Is(err, algorithms.ErrUnsolved) {
			return nil, err
		}
		all, errs = append(all, s), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// unsolved is printed in the place of a solution.
type unsolved struct {
	Status string `json:"status"`
}

func (p problem) solve(draws int) (any, error) {
	if p.solved != nil {
		return p.solved, nil
	}
	names := slices.Sorted(maps.Keys(solvers))
	var head struct{ Algorithm string }
	_ = json.Unmarshal(p.data, &head) // the solver says what is wrong with the text
	if head.Algorithm == "" {
		head.Algorithm = "popbo"
	}
	solve, ok := solvers[head.Algorithm]
	if !ok {
		return nil, fmt.Errorf("algorithm %q has no inner problems to solve; give one of %s", head.Algorithm, strings.Join(names, ", "))
	}
	return solve(p, draws)
}

// solvers are by the name of the algorithm. The others have no inner problem, or none
// with a model of comparisons.
var solvers = map[string]func(p problem, draws int) (any, error){
	"dts":   solver(dts.Default, dts.Solve),
	"popbo": solver(popbo.Default, popbo.Solve),
	"qeubo": solver(qeubo.Default, qeubo.Solve),
	"sgp":   solver(sgp.Default, sgp.Solve),
}

// schema is a problem for an algorithm with settings of type C.
type schema[C any] struct {
	Algorithm string `json:"algorithm"`
	Settings  C      `json:"settings"`
	algorithms.SolveInput
	Queries []json.RawMessage `json:"queries" max:"1000"` // points, or pairs of points
}

func solver[C, S any](defaults func() C, solve func(algorithms.SolveInput, C) (*S, error)) func(problem, int) (any, error) {
	return func(p problem, draws int) (any, error) {
		in := schema[C]{Settings: defaults()}
		if err := config.Decode(p.file, p.data, &in); err != nil {
			return nil, err
		}
		in.Draws = draws
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
		if s == nil { // not an interface that holds nil
			return nil, err
		}
		return s, err
	}
}

const solveHelp = `
Reads a problem, or a list of them, and prints the solution, or the list of them,
as JSON. FILE is - for standard input. A problem is an object with the keys:

  algorithm    popbo (the default), qeubo, sgp or dts
  settings     of the algorithm, as in bench list algorithms; defaults if left out
  points       [[x1, ...], ...]
  comparisons  [[winner, loser, ...], ...], indices of points, from 0; one loser
               each for qeubo and dts
  queries      points at which to evaluate the model; pairs of points for dts;
               points or pairs for qeubo
  box          {"lo": [...], "hi": [...]}; with it, optima over the box are found
  known        {"kernel": {...}, "norm_bound": B}, in place of what is set or fitted
  reference    popbo, sgp: index of the point to compare queries with; by default
               the last
  beta         popbo: size of the confidence set; by default from the settings
  epsilon      popbo: added to the diagonal of the kernel matrix; likewise
  differences  sgp: noisy f(loser) - f(winner) of each duel, to believe in; by
               default a draw

popbo finds the maximum likelihood estimate; at each query the optimistic advantage
over the reference point and the bounds of f; and the largest advantage over the
box. Each value comes with a bound, the duality gap and a status.

  {
    "settings": {"kernel": {"family": "se-half", "lengthscale": [0.3]}, "norm_bound": 2},
    "box": {"lo": [0], "hi": [1]}, "beta": 1,
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 0, 2]],
    "queries": [[0.4]], "reference": 1
  }

qeubo finds the posterior of f by the settings' model, its evidence and the gradient
of that; mean, deviation and covariance at the queries that are points, and the
expected utility of the better option (EUBO) at pairs; and the optima of EUBO and of
the mean over the box. If no kernel is known, one is fitted.

  {
    "algorithm": "qeubo",
    "settings": {"model": "laplace", "link": "probit"},
    "known": {"kernel": {"family": "se-half", "variance": 1, "lengthscale": [0.3]}},
    "box": {"lo": [0], "hi": [1]},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 2]],
    "queries": [[0.4], [[0.4], [0.6]]]
  }

sgp finds the posterior of f by two samplers, with standard errors, by Laplace's
approximation and by expectation propagation; and the expected improvement on the
reference point, given the differences. With settings.fit.every above 0, which is
the default, it fits the lengthscales and needs the box.

  {
    "algorithm": "sgp",
    "settings": {"kernel": {"lengthscale": [0.3]}, "noise": 0.1, "fit": {"every": 0}},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0, 2]],
    "queries": [[0.4]], "reference": 1, "differences": [-0.5, -1]
  }

dts finds the posterior of the duels by Laplace's approximation, with the logistic
and with the probit link, and by expectation propagation; the probability that the
first point of a query wins; and in one and two dimensions the soft-Copeland scores
of a grid over the box. With settings.fit = map, the default, it fits the kernel.

  {
    "algorithm": "dts",
    "settings": {"prior": "preference", "fit": "none", "kernel": {"lengthscale": [0.3]}, "grid": 5},
    "box": {"lo": [0], "hi": [1]},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 2]],
    "queries": [[[0.4], [0.1]]]
  }

The exit code is 1 if a computation did not converge. Its status says so, and all
else is printed. gpucb learns from values, and random has no model: both are refused.

Limits: 4 MiB of JSON, 300 dimensions, coordinates within ±1e15, 2000 points, 1000
comparisons with 2000 losers, 1000 queries. 300 losers for sgp; 300 queries that are
points for qeubo.

Data sets in the forms before this schema are accepted for one more release, with a
note that says which keys to give instead. They are printed as a list if a file has
several.`
