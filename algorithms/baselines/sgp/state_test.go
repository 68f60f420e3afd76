package sgp

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func TestRestoredAfterEveryStep(t *testing.T) {
	known := Default()
	known.Fit = FitConfig{}
	for name, cfg := range map[string]Config{"default": Default(), "dim-scaled": dimScaled(), "variance": withVariance(), "not fitted": known} {
		algotest.RunRestored(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, 35)
	}
}

// Restoring a hundred duels fits no lengthscales; fits are what costs.
func TestRestoringDoesNotFit(t *testing.T) {
	cfg := Default()
	cfg.Fit.RefitEvery = 50
	g := newGame(t, 2, 1, cfg)
	for range 106 { // the last one is followed by a fit
		box := space.Cube(2, 0, 1)
		g.tell(algorithms.Query{Points: [][]float64{box.Sample(make([]float64, 2), g.rng), box.Sample(make([]float64, 2), g.rng)}, New: 2})
	}
	state := check.Must(g.alg.State())(t)
	back := check.Must(algorithms.Restore(state, func(s algorithms.Setup) (*SGP, error) { return New(s, cfg) }))(t)
	if w := g.alg.m.fitter.work; w.Evaluations == 0 || g.alg.m.fitWork != w {
		t.Fatalf("the last fit took %+v, the metrics have %+v", w, g.alg.m.fitWork)
	}
	if w := back.m.fitter.work; w != (fitWork{}) || back.m.fitWork != g.alg.m.fitWork {
		t.Errorf("restoring took a fit of %+v; the metrics have %+v", w, back.m.fitWork)
	}
}
