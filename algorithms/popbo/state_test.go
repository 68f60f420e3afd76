package popbo

import (
	"encoding/json"
	"fmt"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// restore returns the POPBO of a state with the given settings.
func restore(s algorithms.State, cfg Config) (*POPBO, error) {
	return algorithms.Restore(s, func(setup algorithms.Setup) (*POPBO, error) { return New(setup, cfg) })
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
	check.Equal(t, "the settings, after the argument of New and the results of Config and InForce were overwritten", fmt.Sprint(p.Config()), want)
}

// A memory that these settings cannot produce is refused.
func TestRestoreRefusesMemory(t *testing.T) {
	cfg := Default()
	cfg.AdaptNormBound = true
	s := algorithms.State{Box: space.Cube(1, 0, 1), Comparisons: []algorithms.Comparison{{Points: [][]float64{{0}, {1}}}}, Progress: algorithms.Progress{Learnt: 1}}
	for _, memory := range []string{`{"norm_bound": 5}`, `{"norm_bound": "6"}`, `{"bound": 6}`} {
		s.Memory = json.RawMessage(memory)
		check.Error(t, memory, check.Err(restore(s, cfg)), "popbo: memory: ")
	}
	s.Memory = json.RawMessage(`{"norm_bound": 12}`)
	check.Equal(t, "B restored", check.Must(restore(s, cfg))(t).InForce().NormBound, 12)
}
