package dts

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
)

func TestRestoredAfterEveryStep(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":  func(*Config) {},
		"mirrored": func(c *Config) { c.Prior, c.RefitEvery = mirrored, 4 },
		"ep":       func(c *Config) { c.Inference, c.Fit = ep, "none" },
	} {
		cfg := Default()
		cfg.Candidates, cfg.Landmarks = 60, 40
		change(&cfg)
		algotest.RunRestored(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, 32)
	}
}

// Restoring a hundred duels computes no posterior; it factors one matrix.
func TestRestoringComputesNoPosterior(t *testing.T) {
	cfg := Default()
	cfg.RefitEvery = 100 // the first 99 are not worth the time here
	a := learnt(t, cfg, 100)
	state := check.Must(a.State())(t)
	back := check.Must(algorithms.Restore(state, func(s algorithms.Setup) (*DTS, error) { return New(s, cfg) }))(t)
	if n := back.m.model.post.Newton; n != 0 {
		t.Errorf("restoring takes %d Newton steps", n)
	}
	check.That(t, a.m.model.work.Posteriors >= 2 && back.m.model.work.Newton == a.m.model.work.Newton,
		"the metrics have %+v, after restoring %+v", a.m.model.work, back.m.model.work)
}
