package popbo_test

import (
	"math"
	"os"
	"strconv"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

// The maximum of a step is proved to the aim in a few solves, and the proof rarely finds a better
// one.
//
// The test covers the first steps of a few runs. For every step of whole runs, with N seeds each:
//
//	POPBO_RUNS=N go test ./algorithms/popbo -run ProofsOfRuns -v -timeout 0
func TestProofsOfRuns(t *testing.T) {
	seeds, steps := uint64(1), check.Few(6, 8)
	if v := os.Getenv("POPBO_RUNS"); v != "" {
		n, err := strconv.ParseUint(v, 10, 32)
		if err != nil {
			t.Fatalf("POPBO_RUNS = %q is not a number of seeds", v)
		}
		seeds, steps = n, 1000
	}
	for _, c := range hardSearches(t) {
		var count, proved, better, solves, most, cells int
		for seed := range seeds {
			r := c.run(seed)
			p, rng := r.start(t, seed)
			for i := range min(r.steps, steps) {
				if cells > check.Few(20_000, math.MaxInt) {
					break
				}
				r.step(t, p, rng, func(algorithms.Query) {
					more, proof := p.Proven(2000)
					count++
					if proof.Proved {
						proved++
					} else {
						t.Logf("%s, seed %d, step %d: %+v, %+v", c.name, seed, i+1, proof, *proof.Enclosure)
					}
					if more > 1e-6*(proof.Upper-proof.Gap) {
						t.Logf("%s, seed %d, step %d: better by %.3g than %.6g", c.name, seed, i+1, more, proof.Upper-proof.Gap-more)
						better++
					}
					solves, cells, most = solves+proof.Solves, cells+proof.Cells, max(most, proof.Solves)
				})
			}
		}
		t.Logf("%-28s %5d steps, %d proved, %d better, %5.1f solves (%d at most) and %6.0f cells each", c.name, count, proved, better, float64(solves)/float64(count), most, float64(cells)/float64(count))
		if 10*proved < 9*count || 50*better > count || solves > 8*count {
			t.Errorf("%s: %d of %d steps proved by %d solves, %d better maxima met", c.name, proved, count, solves, better)
		}
	}
}
