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
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/config"
	"popbench/space"
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
variable known to be above a number: lower, from -1e6 to 1e6.

Limits: 4 MiB of JSON, at most 100 levels deep, data sets in the first 5 levels.
A data set has at most 1000 points of each kind (300 duels of SGP, 300 points to
predict by qEUBO), 300 dimensions, and coordinates within ±1e15. The limits of
kernel, B, beta, epsilon and noise are those of bench list algorithms. The
status says if a solution did not converge.`,
	min: 1,
	max: 1,
	setup: func(flags *flag.FlagSet) action {
		o := solveOptions{starts: popbo.Default().Starts, draws: 20_000}
		limitedVar(flags, &o.starts, "starts", 1, 1000, "POP-BO: search for the joint optimum from `N` candidates of each relaxation")
		limitedVar(flags, &o.draws, "draws", 50, 1_000_000, "SGP: average `N` moves of each chain")
		return func(ctx context.Context, stdout, _ io.Writer, args []string) error {
			name, data, err := readInput(args[0])
			if err != nil {
				return fmt.Errorf("solve: %w", err)
			}
			if err := checkJSON(data); err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			out, err := solveDocument(ctx, "", 0, data, o)
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

// checkJSON says in which line the text stops being JSON, or is nested too deep,
// if it is.
func checkJSON(data []byte) error {
	lineAt := func(at int) int { return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n")) }
	depth, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			if depth++; depth > config.MaxDepth {
				return fmt.Errorf("line %d: the JSON is nested more than %d deep; is it the right file?", lineAt(i), config.MaxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	err := json.Unmarshal(data, new(any))
	var syntax *json.SyntaxError
	var number *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: not JSON: %w", lineAt(int(syntax.Offset)), err)
	case errors.As(err, &number):
		return fmt.Errorf("line %d: the %s is too large for a floating-point number", lineAt(int(number.Offset)), shorten(number.Value, 40))
	}
	return err
}

// maxNesting is the depth of lists and objects down to which data sets are found.
const maxNesting = 5

// solveDocument solves a data set, each of a list, or those that an object
// holds: these under the keys where they were found. Path is where in the file
// it is: "" for all of it.
func solveDocument(ctx context.Context, path string, nesting int, data json.RawMessage, o solveOptions) (any, error) {
	refuse := func(err error) (any, error) {
		if path != "" {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if nesting > maxNesting {
		return refuse(fmt.Errorf("a data set may be at most %d lists and objects deep", maxNesting))
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		if len(list) == 0 {
			return refuse(errors.New("the list of data sets is empty"))
		}
		return solveList(ctx, path, nesting, list, o)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		return refuse(errors.New("not a data set; " + seeHelp))
	}
	if s := solverOf(object); s != nil {
		out, err := s.solve(data, o)
		if err == nil {
			_, err = json.Marshal(out)
		}
		var value *json.UnsupportedValueError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &value):
			out, err = unsolved{object["id"], "not solved: a result is " + value.Str + "; scale points and values to about 1"}, nil
		case errors.As(err, new(notConverged)):
			out, err = unsolved{object["id"], "not solved: " + err.Error()}, nil
		case errors.As(err, &kind):
			err = fmt.Errorf("want %s, not a %s", jsonKind(kind.Type), shorten(kind.Value, 40))
			if kind.Field != "" {
				err = fmt.Errorf("%s: %w", kind.Field, err)
			}
		}
		if err != nil {
			return refuse(err)
		}
		return out, nil
	}
	found := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var inner []json.RawMessage
		value := object[key]
		if json.Unmarshal(value, &inner) != nil {
			inner = []json.RawMessage{value}
		}
		if !holdsDataSets(inner) {
			continue
		}
		out, err := solveDocument(ctx, path+member(path, key), nesting+1, value, o)
		if err != nil {
			return nil, err
		}
		found[key] = out
	}
	if len(found) == 0 {
		return refuse(errors.New(nearMiss(object)))
	}
	return found, nil
}

// notConverged is an error of a computation, not of the data.
type notConverged struct{ error }

// unsolved is printed for a data set whose solution did not converge, so that the
// other data sets of a list are still printed.
type unsolved struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Status string          `json:"status"`
}

func solveList(ctx context.Context, path string, nesting int, list []json.RawMessage, o solveOptions) ([]any, error) {
	out := make([]any, len(list))
	for i, data := range list {
		var err error
		if out[i], err = solveDocument(ctx, fmt.Sprintf("%s[%d]", path, i), nesting+1, data, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// member is the part of a path that names a key of an object.
func member(path, key string) string {
	switch {
	case strings.ContainsFunc(key, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
		return fmt.Sprintf("[%q]", shorten(key, 40))
	case path == "":
		return shorten(key, 40)
	}
	return "." + shorten(key, 40)
}

// jsonKind is the JSON name of a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.String:
		return "text"
	case reflect.Int:
		return "a whole number"
	}
	return "a number"
}

// holdsDataSets reports whether the first of the list is a data set.
func holdsDataSets(list []json.RawMessage) bool {
	var object map[string]json.RawMessage
	return len(list) > 0 && json.Unmarshal(list[0], &object) == nil && solverOf(object) != nil
}

// solverOf returns the solver whose keys are all there, or nil.
func solverOf(object map[string]json.RawMessage) *solver {
	for i := range solvers {
		if len(solvers[i].missing(object)) == 0 {
			return &solvers[i]
		}
	}
	return nil
}

// missing are the keys of the solver's data sets that the object lacks.
func (s *solver) missing(object map[string]json.RawMessage) []string {
	return slices.DeleteFunc(slices.Clone(s.keys), func(key string) bool {
		_, ok := object[key]
		return ok
	})
}

const seeHelp = "bench help solve has the keys of every kind of data set"

// nearMiss says which keys an object without a data set lacks to be one.
func nearMiss(object map[string]json.RawMessage) string {
	var best *solver
	var lacks []string
	for i := range solvers {
		s := &solvers[i]
		if m := s.missing(object); len(m) < len(s.keys) && (best == nil || len(m) < len(lacks)) {
			best, lacks = s, m
		}
	}
	if best == nil {
		return "no data set found; " + seeHelp
	}
	return fmt.Sprintf("no data set found; for %s add %s; %s", best.name, strings.Join(lacks, ", "), seeHelp)
}

// checkPoints checks the length of points and the range of their coordinates.
func checkPoints(name string, d int, points [][]float64) error {
	for i, x := range points {
		if err := checkPoint(fmt.Sprintf("%s[%d]", name, i), d, x); err != nil {
			return err
		}
	}
	return nil
}

func checkPoint(name string, d int, x []float64) error {
	if len(x) != d {
		return fmt.Errorf("%s has %d coordinates, the first point has %d", name, len(x), d)
	}
	for i, v := range x {
		if math.Abs(v) > space.MaxBound {
			return fmt.Errorf("%s[%d] = %g is out of range; give %g to %g", name, i, v, -space.MaxBound, space.MaxBound)
		}
	}
	return nil
}

// inKeys rewrites an error of settings with the keys of a data set: old, new, ...
func inKeys(err error, names ...string) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.NewReplacer(append(names, "kernel.lengthscale", "lengthscale")...).Replace(err.Error()))
}

// checkDim checks that points of length d are not too long.
func checkDim(d int) error {
	return algorithms.CheckDim(space.Box{Lo: make([]float64, d)})
}
