package solve

import (
	"errors"
	"math"
	"testing"

	"popbench/algorithms"
)

// A result that is infinite is an error, because JSON has no infinity.
func TestInfiniteResult(t *testing.T) {
	infinite := func(Problem) (any, error) { return map[string]float64{"value": math.Inf(1)}, nil }
	problems := []Problem{{where: "file", Data: []byte("{}")}}
	all, err := All(t.Context(), map[string]Solver{"popbo": infinite}, problems)
	if !errors.Is(err, algorithms.ErrUnsolved) || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if want := any(unsolved{"not solved: a result is +Inf; scale points and values to about 1"}); all[0] != want {
		t.Errorf("got %v, want %v", all[0], want)
	}
}
