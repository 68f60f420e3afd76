package solve

import (
	"errors"
	"io"
	"math"
	"testing"

	"popbench/algorithms"
)

// A result that is infinite is an error, because JSON has no infinity.
func TestInfiniteResult(t *testing.T) {
	problems := []Problem{{where: "file", solved: map[string]float64{"value": math.Inf(1)}}}
	all, err := All(t.Context(), io.Discard, BuiltIn, problems, Effort{Draws: 50})
	if !errors.Is(err, algorithms.ErrUnsolved) || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if want := any(unsolved{"not solved: a result is +Inf; scale points and values to about 1"}); all[0] != want {
		t.Errorf("got %v, want %v", all[0], want)
	}
}
