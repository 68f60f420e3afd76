package solve

import (
	"errors"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/sgp"
	"popbench/internal/check"
)

// A result that is infinite is an error, because JSON has no infinity.
func TestInfiniteResult(t *testing.T) {
	infinite := func(string, []byte) (any, error) { return map[string]float64{"value": math.Inf(1)}, nil }
	result, err := File(t.Context(), map[string]Solver{"popbo": infinite}, "file", []byte("{}"))
	check.That(t, errors.Is(err, algorithms.ErrUnsolved), "error %v", err)
	check.Same(t, "result", result, any(unsolved{"not solved: a result is +Inf; scale points and values to about 1"}))
}

// Mistakes in a problem of a list have the line of the file. What a problem leaves out has the default of bench help solve.
func TestProblemsOfAList(t *testing.T) {
	problem := func(queries string) string {
		return "[{\"algorithm\": \"sgp\", \"points\": [[0], [1]], \"comparisons\": [[0, 1]],\n\"queries\": " + queries + "}]"
	}
	solve := func(text string) (algorithms.SolveInput, error) {
		var got algorithms.SolveInput
		solver := Of(sgp.Default, func(in algorithms.SolveInput, _ sgp.Config) (*int, error) { got = in; return new(int), nil })
		results, err := File(t.Context(), map[string]Solver{"sgp": solver}, "a.json", []byte(text))
		if err == nil {
			check.Equal(t, "results", len(results.([]any)), 1)
		}
		return got, err
	}
	in, err := solve(problem("[[0.5], [[0.1], [0.2]]]"))
	check.OK(t, err)
	check.Same(t, "queries", in.Queries, [][][]float64{{{0.5}}, {{0.1}, {0.2}}})
	check.Same(t, "limits", []int{in.Draws, in.MaxSolves, in.MaxPairs}, []int{20_000, 2000, 20_000_000})
	check.Error(t, "a query of three points", check.Err(solve(problem("[[[1], [2], [3]]]"))), "a.json[0]: queries[0] is neither a point")
	check.Error(t, "a query of one", check.Err(solve(problem("[[[1]]]"))), "queries[0] is neither a point")
	check.Error(t, "a misspelt key", check.Err(solve("[\n"+problem("[]")[1:len(problem("[]"))-2]+",\n\"querries\": []}]")), "a.json:4: ")
	for key, want := range map[string][]int{"max_solves": {20_000, -1, 20_000_000}, "max_pairs": {20_000, 2000, -1}} {
		in := check.Must(solve(problem("[], \"" + key + "\": 0")))(t)
		check.Same(t, key+" = 0", []int{in.Draws, in.MaxSolves, in.MaxPairs}, want)
	}
	check.Error(t, "not JSON", check.Err(solve("[{}, nonsense]")), "not JSON: invalid character")
	check.Error(t, "an empty list", check.Err(solve("[]")), "the list of problems is empty")
}
