package gpucb

import (
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func TestRestoredAfterEveryStep(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default": func(*Config) {},
		"seldom":  func(c *Config) { c.Fit, c.RefitEvery = "isotropic", 7 },
		"fixed":   func(c *Config) { c.Fit = "none" },
	} {
		cfg := Default()
		change(&cfg)
		algotest.RunRestored(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, 35)
	}
}

// Restoring a hundred values does no fit besides that of New.
func TestRestoringDoesNotFit(t *testing.T) {
	cfg := Default()
	cfg.RefitEvery = 50
	s := setup(space.Cube(2, 0, 1), 3)
	p, fresh := mustNew(t, s, cfg), mustNew(t, s, cfg)
	play(t, p, 100, wave, 0.5, rand.New(rand.NewPCG(1, 1)))
	state := check.Must(p.State())(t)
	back := check.Must(algorithms.Restore(state, func(s algorithms.Setup) (*GPUCB, error) { return New(s, cfg) }))(t)
	if got, want := back.m.fitter.evaluations, fresh.m.fitter.evaluations; got != want || p.m.fitter.evaluations == want {
		t.Errorf("the last fit took %d evaluations after restoring, in New %d, at step 100 %d", got, want, p.m.fitter.evaluations)
	}
	check.That(t, back.m.work.FitEvaluations == p.m.work.FitEvaluations,
		"the metrics have %d evaluations, before saving %d", back.m.work.FitEvaluations, p.m.work.FitEvaluations)
}
