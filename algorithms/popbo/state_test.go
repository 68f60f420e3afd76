package popbo

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

// restore returns the POPBO of a state with the given settings.
func restore(s algorithms.State, cfg Config) (*POPBO, error) {
	return algorithms.Restore(s, func(setup algorithms.Setup) (*POPBO, error) { return New(setup, cfg) })
}

func TestRestoredAfterEveryStep(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"duel":  func(*Config) {},
		"grid":  func(c *Config) { c.Search, c.Grid = "grid", 20 },
		"batch": func(c *Config) { c.Batch = 2 },
		"pilot": func(c *Config) { c.FitLengthscale = "ard" },
		"refit": func(c *Config) { *c = refitted() },
		"refit, variance": func(c *Config) {
			*c = refitted()
			c.LengthscalePrior, c.VariancePrior = algorithms.Prior{Shape: 3, Rate: 6}, algorithms.Gamma{Shape: 2, Rate: 0.15}
		},
		"refit, adapt": func(c *Config) { *c = refitted(); c.AdaptNormBound, c.NormBound = true, 0.1 },
	} {
		cfg := Default()
		change(&cfg)
		algotest.RunRestored(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, 10)
	}
}

// A norm bound that grew is restored from the memory, and without one from the comparisons.
func TestGrownNormBoundIsRestored(t *testing.T) {
	box := space.Cube(2, 0, 1)
	p := newTest(t, box, 7, func(c *Config) { c.AdaptNormBound, c.NormBound, c.Beta.Beta0 = true, 0.5, 0.02 })
	outputs := func(p *POPBO) string {
		beta, b := p.Beta()
		return fmt.Sprint(mustAsk(t, p), mustRecommend(t, p), beta, b, p.method.model.PointValues())
	}
	for _, steps := range []int{1, 4, 7} {
		play(t, p, bump(box), steps, stream(uint64(steps)))
		want, state := outputs(p), mustState(t, p)
		check.Equal(t, "outputs of a restored one", outputs(check.Must(restore(state, p.method.cfg))(t)), want)
		state.Memory, state.Pending = nil, nil
		check.Equal(t, "outputs of one restored without memory", outputs(check.Must(restore(state, p.method.cfg))(t)), want)
	}
	check.That(t, p.method.normBound > 0.5, "B never changed; the test does not show that it is restored")
}

func TestSettingsAreCopied(t *testing.T) {
	box := space.Cube(2, 0, 1)
	cfg := Default()
	cfg.Kernel = testKernel(box)
	p := check.Must(New(algorithms.Setup{Domain: box, Start: []float64{0.5, 0.5}, Rand: stream(1)}, cfg))(t)
	want := fmt.Sprint(p.Config())
	cfg.Kernel.Lengthscale[1] = 9
	p.Config().Kernel.Lengthscale[0] = 9
	p.InForce().Kernel.Lengthscale[0] = 9
	if got := fmt.Sprint(p.Config()); got != want {
		t.Errorf("after the argument of New and the results of Config and InForce were overwritten, the settings are\n%s\nwant\n%s", got, want)
	}
}

// A memory that these settings cannot produce is refused.
func TestRestoreRefusesMemory(t *testing.T) {
	cfg := Default()
	cfg.AdaptNormBound = true
	s := algorithms.State{Box: space.Cube(1, 0, 1), Comparisons: []algorithms.Comparison{{Points: [][]float64{{0}, {1}}}}, Progress: algorithms.Progress{Learnt: 1}}
	for _, memory := range []string{`{"norm_bound": 5}`, `{"norm_bound": "6"}`, `{"bound": 6}`} {
		t.Run(memory, func(t *testing.T) {
			s.Memory = json.RawMessage(memory)
			if _, err := restore(s, cfg); err == nil || !strings.HasPrefix(err.Error(), "popbo: memory: ") {
				t.Errorf("error %v", err)
			}
		})
	}
	s.Memory = json.RawMessage(`{"norm_bound": 12}`)
	if p, err := restore(s, cfg); err != nil || p.InForce().NormBound != 12 {
		t.Errorf("a memory of B = 12 is not restored: %v", err)
	}
}
