package bench

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
	"popbench/internal/harness/config"
)

var solveCommand = &command{
	name:  "solve",
	args:  "FILE.json",
	short: "solve an algorithm's inner problems on data, with certificates",
	long:  solveHelp,
	min:   1,
	max:   1,
	setup: func(a *app, flags *flag.FlagSet) action {
		e := effort{draws: 20_000, solves: 2000, pairs: 20_000_000}
		starts := oldStarts(flags)
		limitedVar(flags, &e.draws, "draws", 50, 1_000_000, "sgp: average `N` moves of each Markov chain")
		limitedVar(flags, &e.solves, "max-solves", 0, 1_000_000, "popbo: prove the largest advantage over the box by `N` solves and 500 N cells at most; 0: do not try")
		limitedVar(flags, &e.pairs, "max-pairs", 0, 1_000_000_000, "qeubo: prove the largest EUBO over the box by its values at `N` pairs at most; 0: do not try")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			name, data, err := a.readInput(args[0])
			if err != nil {
				return fmt.Errorf("solve: %w", err)
			}
			if data, err = asJSON(name, data); err != nil {
				return err
			}
			problems, list, err := problemsOf(stderr, name, data, *starts)
			if err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			out, err := solveAll(ctx, stderr, a.solvers, problems, e)
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

// asJSON returns the data without a byte order mark, or says where they stop being
// JSON.
func asJSON(name string, data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	err := json.Unmarshal(data, new(json.RawMessage))
	syntax, ok := err.(*json.SyntaxError)
	if !ok {
		return data, err
	}
	if err := config.Decode(name, data, new(any)); err != nil { // it says how to mend what is not YAML, either
		return nil, err
	}
	line := 1 + bytes.Count(data[:syntax.Offset], []byte("\n"))
	return nil, fmt.Errorf("%s:%d: not JSON: %w; compare it with bench help solve", name, line, err)
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
			return nil, false, err
		}
		lines := bytes.Count(data[:int(d.InputOffset())-len(text)], []byte("\n"))
		all = append(all, problem{file: name, where: fmt.Sprintf("%s[%d]", name, len(all)), data: append(bytes.Repeat([]byte("\n"), lines), text...)})
	}
	if len(all) == 0 {
		return nil, false, errors.New("the list of problems is empty")
	}
	return all, true, nil
}

// effort limits what may be done for a problem.
type effort struct{ draws, solves, pairs int }

// solveAll returns the solutions of all problems. Where a problem could not be
// solved, or a maximum not be proved, which is no fault of the data, the error says so,
// and there are solutions all the same.
func solveAll(ctx context.Context, stderr io.Writer, solvers map[string]solver, problems []problem, e effort) (all []any, err error) {
	var errs []error
	for _, p := range problems {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := p.solve(stderr, solvers, e)
		_, fault := json.Marshal(s)
		if value := (*json.UnsupportedValueError)(nil); errors.As(fault, &value) {
			s, err = nil, fmt.Errorf("%w: a result is %s; scale points and values to about 1", algorithms.ErrUnsolved, value.Str)
		}
		if s == nil && err != nil {
			s = unsolved{err.Error()}
		}
		if _, lines := err.(*config.Error); err != nil && !lines {
			err = fmt.Errorf("solve: %s: %w", p.where, err)
		}
		if err != nil && !errors.Is(err, algorithms.ErrUnsolved) && !errors.Is(err, algorithms.ErrUnproved) {
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

func (p problem) solve(stderr io.Writer, solvers map[string]solver, e effort) (any, error) {
	if p.solved != nil {
		return p.solved, nil
	}
	head := struct{ Algorithm any }{"popbo"}
	_ = json.Unmarshal(p.data, &head) // the solver says what is wrong with a text that is no object
	name, _ := head.Algorithm.(string)
	solve, ok := solvers[name]
	if !ok {
		text, _ := json.Marshal(head.Algorithm)
		names := strings.Join(slices.Sorted(maps.Keys(solvers)), ", ")
		return nil, fmt.Errorf("algorithm %s has no inner problems to solve; give one of %s", shorten(string(text), 40), names)
	}
	return solve(stderr, p, e)
}

// solver solves a problem for an algorithm. It writes a note on each key with an
// earlier name.
type solver func(stderr io.Writer, p problem, e effort) (any, error)

// builtInSolvers are by the name of the algorithm. The others have no inner problem, or
// none with a model of comparisons.
var builtInSolvers = map[string]solver{
	"dts":   solverOf("dts", dts.Default, dts.Solve),
	"popbo": solverOf("popbo", popbo.Default, popbo.Solve),
	"qeubo": solverOf("qeubo", qeubo.Default, qeubo.Solve),
	"sgp":   solverOf("sgp", sgp.Default, sgp.Solve),
}

// schema is a problem for an algorithm with settings of type C.
type schema[C any] struct {
	Algorithm string `json:"algorithm"`
	Settings  C      `json:"settings"`
	algorithms.SolveInput
	Queries []json.RawMessage `json:"queries" max:"1000"` // points, or pairs of points
}

func solverOf[C, S any](algorithm string, defaults func() C, solve func(algorithms.SolveInput, C) (*S, error)) solver {
	return func(stderr io.Writer, p problem, e effort) (any, error) {
		in := schema[C]{Settings: defaults()}
		notes, err := config.DecodeSettings(p.file, p.data, algorithm, &in)
		if err != nil {
			return nil, err
		}
		writeNotes(stderr, notes)
		in.Draws, in.MaxSolves, in.MaxPairs = e.draws, e.solves, e.pairs
		if e.solves == 0 {
			in.MaxSolves = -1
		}
		if e.pairs == 0 {
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
		if s == nil { // not an interface that holds nil
			return nil, err
		}
		return s, err
	}
}

const solveHelp = `
Reads a problem, or a list of them, and prints its solution as JSON, or a list.
FILE is - for standard input. A problem is an object:

  algorithm    popbo (the default), qeubo, sgp or dts
  settings     as in bench list algorithms; what is left out has its default
  points       [[x1, ...], ...]
  comparisons  [[winner, loser, ...], ...], indices of points, from 0; qeubo and
               dts take one loser
  queries      where to evaluate the model: points; for dts pairs of points; for
               qeubo either
  box          {"lo": [...], "hi": [...]}, to find optima over the box
  known        {"kernel": {...}, "norm_bound": B}, instead of set or fitted ones
  reference    popbo, sgp: the point to improve on, as an index; the last point
               by default
  beta         popbo: size of the confidence set; from the settings by default
  epsilon      popbo: added to the diagonal of the kernel matrix; likewise
  differences  sgp: noisy f(loser) - f(winner) of each duel, all below 0, to
               condition on; a draw by default

popbo: the maximum likelihood estimate; at each query the optimistic advantage
over the reference point and the bounds of f; the largest advantage over the
box. Each value has a bound from duality, their gap, and a status. In one and
two dimensions no point of the box has more than maximum.proof.upper, which is
proved to a gap of 1e-3 of the advantage, or of 1e-6 B max ‖k(x,·) - k(x',·)‖
where that is more; x' is the reference point, B the norm bound.

  {
    "settings": {
      "kernel": {"family": "se-half", "lengthscale": [0.3]}, "norm_bound": 2
    },
    "box": {"lo": [0], "hi": [1]}, "beta": 1,
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 0, 2]],
    "queries": [[0.4]], "reference": 1
  }

qeubo: the posterior of f by settings.inference; its evidence and the gradient;
the moments of f at points, the expected utility of the better option (EUBO) at
pairs; the optima of EUBO and of the mean over the box. An unknown kernel is
fitted. In one and two dimensions no pair of the box has a larger EUBO than
maximum.proof.upper, which is proved to a gap of 1e-3 of the largest, or of
1e-6 sqrt(2 variance) where that is more.

  {
    "algorithm": "qeubo",
    "settings": {"inference": "laplace", "link": "probit"},
    "known": {
      "kernel": {"family": "se-half", "variance": 1, "lengthscale": [0.3]}
    },
    "box": {"lo": [0], "hi": [1]},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 2]],
    "queries": [[0.4], [[0.4], [0.6]]]
  }

sgp: the posterior of f by two samplers, with standard errors, by Laplace's
approximation and by expectation propagation; the expected improvement on the
reference point given the differences. By default it fits the lengthscales, in
units of the box; with settings.fit.refit_every = 0 it takes the kernel's.

  {
    "algorithm": "sgp",
    "settings": {
      "kernel": {"lengthscale": [0.3]}, "noise_std": 0.1,
      "fit": {"refit_every": 0}
    },
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0, 2]],
    "queries": [[0.4]], "reference": 1, "differences": [-0.5, -1]
  }

dts: the posterior of the duels by Laplace's approximation, with the logistic
and the probit link, and by expectation propagation; the probability that the
first point of a query wins; in one and two dimensions the soft-Copeland scores
of a grid over the box. By default it fits the kernel; with settings.fit = none
it takes the one that is set.

  {
    "algorithm": "dts",
    "settings": {
      "prior": "preference", "fit": "none", "kernel": {"lengthscale": [0.3]},
      "grid": 5
    },
    "box": {"lo": [0], "hi": [1]},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 2]],
    "queries": [[[0.4], [0.1]]]
  }

The exit code is 1 if a computation did not converge, as its status says, or if
a proof did not succeed within --max-solves or --max-pairs, as proof.why and
the error say; all the rest is printed. Proofs are quick where the kernel has
bounded second derivatives: for all but matern12, matern32 and matern with a nu
of 2 or less.

random has no model and gpucb learns from values: both are refused.

Limits: 4 MiB of JSON, 300 dimensions, coordinates within ±1e15, 2000 points,
1000 comparisons with 2000 losers in all, 1000 queries; 300 losers for sgp, 300
queries of one point for qeubo.

Data sets in the forms before this schema are accepted for one more release,
with a note that names the keys to give instead.`
