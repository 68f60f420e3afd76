package gpucb

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/harness/searchtest"
)

// The search finds the largest upper confidence bound in 1, 2, 3, 4, 6, 7 and 12 dimensions. In states of runs,
// compared with searches from random points and all corners of the box, it falls short by more than 0.1 % in at
// most one state in a hundred. That is the aim: with 60 states in each dimension it falls short in up to four
// of them from 4-D on (docs/performance.md), and the test fails.
//
// The test covers a few states. For N in each dimension with 2,000 restarts (half a second a state):
//
//	SEARCH_STATES=N go test ./algorithms/baselines/gpucb -run SearchAgainstRestarts -v -timeout 0
func TestSearchAgainstRestarts(t *testing.T) {
	err := searchtest.Study[*GPUCB]{
		New: func(in searchtest.Instance, s algorithms.Setup) (*GPUCB, error) {
			return New(s, Default())
		},
		First: func(d int) int { return 1 },
		Value: func(a *GPUCB) float64 { return a.m.maximize(a.m.sqrtBeta()).Value },
		Best: func(a *GPUCB, in searchtest.Instance, restarts int, r *rand.Rand) float64 {
			c := a.m.sqrtBeta()
			f := func(x, grad []float64) float64 { return a.m.model.Bound(x, grad, c) }
			return searchtest.Best(f, in.Box, searchtest.TopCorners(f, in.Box, 16), restarts, r)
		},
		Dims: slices.Concat([]int{1, 2, 3}, searchtest.Dims),
		Log:  t.Logf,
	}.Run(os.Getenv("SEARCH_STATES"))
	if err != nil {
		t.Error(err)
	}
}
