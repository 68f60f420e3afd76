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

	"popbench/algorithms/popbo"
)

var solveCommand = &command{
	name:  "solve",
	args:  "FILE.json",
	short: "solve an algorithm's inner problems on data, with certificates",
	long: `
Reads a data set, a list of them, or an object that holds some, and prints the
same as JSON, solved. FILE is - for standard input. Whose problem a data set is
follows from its keys; keys that are not listed here are ignored.

POP-BO: the maximum likelihood estimate, at each query point the optimistic
advantage over the last point and the upper and lower confidence bound, and the
optimum of the advantage over the whole box. Every value comes with a bound from
duality, their gap, and a status.

  x            [x_0, x_1, ...], each compared with the one before it
  one          [1, 0, ...], 1 where x_t was preferred to x_(t-1)
  kernel       SE, v exp(-r²/2), Matern52, or a family of bench list algorithms
  variance     v
  lengthscale  one, or one per dimension
  bounds       [[lo, hi], ...], the box
  B            norm bound
  beta         the confidence set has the functions at most this less likely
               than the estimate
  epsilon      added to the diagonal of the kernel matrix; 1e-6 by default
  queries      points, or objects with a key x; may be left out

Points are taken as they come: two equal ones are tied by the kernel but for
epsilon.

DTS: the classifier of duels z = [x; x'] by Laplace's approximation, with the
logistic and with the probit link, and by expectation propagation; the
soft-Copeland score of a grid on [0,1]^d, for d = 1 and 2.

  X            [[x; x'], ...], a row for each duel
  y            [1, 0, ...], 1 where x won
  X_test       pairs [x; x'] to predict
  kernel       se, over all 2d coordinates, v exp(-r²/2); or pref, that of
               g(x) - g(x') where g has the kernel se
  variance     v
  lengthscale  one, one per coordinate of x, or these twice
  grid_points  of the grid, per dimension; 33 in 1-D, 9 in 2-D by default

A soft-Copeland score of latent values: F, a row for each x, in it f([x; x']).

qEUBO: the posterior of the utility by Laplace's approximation, its evidence and
gradient, the expected utility of the better of two points, and its optimum and
that of the posterior mean over [0,1]^d; the variational posterior; or the
hyper-parameters of greatest evidence times prior.

  X                          points
  comparisons_winner_loser   [[i, j], ...], point i was preferred to j, from 0;
                             or comparisons, for the mode alone
  link                       probit, Φ(δ/√2), or logit
  queries                    [[x, x'], ...], pairs of points, in place of X, and
  responses_index_of_winner  0 or 1 each, for the variational posterior; or
                             responses, for the hyper-parameters
  lengthscale                one, or one per dimension
  outputscale                the variance
  X_test                     points to predict, with
                             eubo_pairs_index_into_X_test
                             or eubo_pairs, [[i, j], ...]

SGP: the posterior of f given duels as inequalities, by two samplers, with
standard errors; by Laplace's approximation and expectation propagation; and a
step of the hallucination believer.

  winners      points; numbers in one dimension
  losers       points
  lengthscale  one, or one per dimension, of the kernel v exp(-r²/2)
  noise_std    standard deviation of the noise on each option's value
  test_points  points to predict; or x, for the sampled moments alone
  hb_step      {v, incumbent}, differences to believe in, all below 0, and the
               point to improve on; else a draw, and the last winner

A single duel of numbers: winner, loser, lengthscale, noise_std and x. A normal
variable known to be above a number: lower.`,
	min: 1,
	max: 1,
	setup: func(flags *flag.FlagSet) action {
		var o solveOptions
		flags.IntVar(&o.starts, "starts", popbo.Default().Starts, "POP-BO: how many candidates of each relaxation the joint optimum is sought from, `N` at least 1")
		flags.IntVar(&o.draws, "draws", 20_000, "SGP: how many moves of each chain are averaged, `N` at least 50")
		return func(ctx context.Context, stdout, _ io.Writer, args []string) error {
			name, data, err := readInput(args[0])
			if err != nil {
				return fmt.Errorf("solve: %w", err)
			}
			if o.starts < 1 {
				return fmt.Errorf("solve: --starts %d must be at least 1", o.starts)
			}
			if o.draws < 50 {
				return fmt.Errorf("solve: --draws %d must be at least 50", o.draws)
			}
			if err := checkJSON(data); err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			out, err := solveDocument(ctx, data, o)
			if err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			return writeJSON(stdout, out)
		}
	},
}

// solvers are in the order in which they are tried.
var solvers = []solver{
	popboSolver,
	sgpSolver,
	duelSolver,
	truncatedSolver,
	dtsSolver,
	copelandSolver,
	scoresSolver,
	qeuboLaplaceSolver,
	qeuboModeSolver,
	qeuboVariationalSolver,
	qeuboHyperSolver,
}

// solver solves the data sets of one schema.
type solver struct {
	name string
	keys []string // a data set of this schema has them all
	// solve returns what is printed of a data set, as JSON.
	solve func(data json.RawMessage, o solveOptions) (any, error)
}

type solveOptions struct {
	starts int
	draws  int
}

// checkJSON says in which line the text stops being JSON, if it does.
func checkJSON(data []byte) error {
	err := json.Unmarshal(data, new(any))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(data[:min(syntax.Offset, int64(len(data)))], []byte("\n"))
		return fmt.Errorf("line %d: it is not JSON: %w", line, err)
	}
	return err
}

// solveDocument solves a data set, each of a list, or those that an object
// holds: these under the keys where they were found.
func solveDocument(ctx context.Context, data json.RawMessage, o solveOptions) (any, error) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		return solveList(ctx, list, o)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		return nil, fmt.Errorf("it is no data set; %s", schemas())
	}
	if s := solverOf(object); s != nil {
		return s.solve(data, o)
	}
	found := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var inner []json.RawMessage
		out, err := any(nil), error(nil)
		value := object[key]
		if json.Unmarshal(value, &inner) == nil && holdsDataSets(inner) {
			out, err = solveList(ctx, inner, o)
		} else if holdsDataSets([]json.RawMessage{value}) {
			out, err = solveDocument(ctx, value, o)
		} else {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		found[key] = out
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no data set in it; %s", schemas())
	}
	return found, nil
}

func solveList(ctx context.Context, list []json.RawMessage, o solveOptions) ([]any, error) {
	if len(list) == 0 {
		return nil, errors.New("the list of data sets is empty")
	}
	out := make([]any, len(list))
	for i, data := range list {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var err error
		if out[i], err = solveDocument(ctx, data, o); err != nil {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
	}
	return out, nil
}

// holdsDataSets reports whether the first of the list is a data set.
func holdsDataSets(list []json.RawMessage) bool {
	var object map[string]json.RawMessage
	return len(list) > 0 && json.Unmarshal(list[0], &object) == nil && solverOf(object) != nil
}

// solverOf returns the solver whose keys are all there, or nil.
func solverOf(object map[string]json.RawMessage) *solver {
next:
	for i := range solvers {
		for _, key := range solvers[i].keys {
			if _, ok := object[key]; !ok {
				continue next
			}
		}
		return &solvers[i]
	}
	return nil
}

// schemas says what makes a data set one.
func schemas() string {
	var all []string
	for _, s := range solvers {
		all = append(all, fmt.Sprintf("%s has the keys %s", s.name, strings.Join(s.keys, ", ")))
	}
	return "one of " + strings.Join(all, ", of ")
}
