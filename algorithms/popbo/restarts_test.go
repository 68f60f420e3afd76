package popbo

import (
	"math/rand/v2"
	"os"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/searchtest"
)

// The joint search finds the greatest advantage in 4, 6, 7 and 12 dimensions. On states of runs, compared
// with climbs from random points and all corners of the box, it falls short by more than 0.1 % in at most
// one state in a hundred.
//
// The test covers a few states. For N in each dimension with 2,000 restarts (two seconds a state):
//
//	SEARCH_STATES=N go test ./algorithms/popbo -run SearchAgainstRestarts -v -timeout 0
func TestSearchAgainstRestarts(t *testing.T) {
	newton := 0
	searchtest.Study[*POPBO]{
		New: func(in searchtest.Instance, s algorithms.Setup) (*POPBO, error) {
			cfg := Default()
			cfg.Kernel = in.Kernel
			return New(s, cfg)
		},
		First: func(d int) int { return 0 },
		Value: func(p *POPBO) float64 {
			if n := p.method.model.spent().Failures; n != 0 {
				t.Errorf("%d solves failed", n)
			}
			before := p.method.model.spent()
			v := p.method.opt.joint(p.method.model.s.Surrogate(), p.method.last[0]).adv.Value
			newton += p.method.model.spent().Since(before).Newton
			return v
		},
		Best: func(p *POPBO, in searchtest.Instance, restarts int, r *rand.Rand) float64 {
			a := advantageOver(p, p.method.last[0])
			return searchtest.Best(a.value, in.Box, searchtest.TopCorners(a.value, in.Box, 16), restarts, r)
		},
	}.Run(t, os.Getenv("SEARCH_STATES"))
	check.That(t, os.Getenv("SEARCH_STATES") != "" || newton <= 650, "the searches take %d Newton systems; they took 617", newton)
}
