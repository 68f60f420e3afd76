package qeubo

import (
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func TestRestoredAfterEveryStep(t *testing.T) {
	for name, cfg := range map[string]Config{"default": Default(), "pairwise-gp": PairwiseGP()} {
		algotest.RunRestored(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, 35)
	}
}

// Restoring a hundred duels computes no posterior; it factors one matrix.
func TestRestoringCostsOneFactorisation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	box := space.Cube(2, 0, 1)
	build := func(s algorithms.Setup) (*QEUBO, error) { return New(s, Default()) }
	a := check.Must(build(algorithms.Setup{Domain: box, Start: []float64{0.5, 0.5}, Rand: r}))(t)
	for range 100 {
		points := [][]float64{box.Sample(make([]float64, 2), r), box.Sample(make([]float64, 2), r)}
		check.OK(t, a.Tell(algorithms.Query{Points: points, New: 2}, r.IntN(2)))
	}
	state := check.Must(a.State())(t)
	back := check.Must(algorithms.Restore(state, build))(t)
	if n := back.m.Model.Post.Newton; n != 0 || back.m.Model.Work != a.m.Model.Work || a.m.Model.Work.Newton == 0 {
		t.Errorf("restoring takes %d systems; the metrics have %+v, before saving %+v", n, back.m.Model.Work, a.m.Model.Work)
	}
}
