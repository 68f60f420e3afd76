package popbo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// outputs returns all outputs of a POPBO, for comparison bit for bit.
func outputs(t *testing.T, p *POPBO) string {
	t.Helper()
	q := mustAsk(t, p)
	recs := check.Must(p.Recommend())(t)
	beta, b := p.Beta()
	return fmt.Sprint(q, recs, beta, b, p.method.model.PointValues(), p.method.cfg)
}

// restore returns the POPBO of a state with the given settings.
func restore(s algorithms.State, cfg Config) (*POPBO, error) {
	return algorithms.Restore(s, func(setup algorithms.Setup) (*POPBO, error) { return New(setup, cfg) })
}

// saved returns a POPBO written to JSON and read again. Without its memory it learns from the comparisons
// alone.
func saved(t *testing.T, p *POPBO, cfg Config, memory bool) *POPBO {
	t.Helper()
	data := check.Must(json.Marshal(mustState(t, p)))(t)
	var s algorithms.State
	check.OK(t, json.Unmarshal(data, &s))
	if !memory {
		s.Memory, s.Pending = nil, nil
	}
	return check.Must(restore(s, cfg))(t)
}

func TestRestoreGoesOnBitForBit(t *testing.T) {
	for _, c := range []struct {
		name   string
		box    space.Box
		change func(*Config)
		pilot  int
	}{
		{"duel", space.Cube(2, 0, 1), func(*Config) {}, 0},
		{"grid", space.Cube(1, 0, 1), func(c *Config) { c.Search = "grid" }, 0},
		{"five dimensions", space.Cube(5, -1, 1), func(*Config) {}, 0},
		{"adapting B", space.Cube(2, 0, 1), func(c *Config) { c.AdaptNormBound, c.NormBound, c.Beta.Beta0 = true, 0.5, 0.02 }, 0},
		{"fitted lengthscales", space.Box{Lo: []float64{0, -1e3}, Hi: []float64{1e-2, 1e3}}, func(c *Config) { c.FitLengthscale = "ard" }, 20},
		{"batch", space.Cube(1, 0, 1), func(c *Config) { c.Batch = 2 }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			cfg.Kernel = testKernel(c.box)
			c.change(&cfg)
			f, r := bump(c.box), stream(1)
			var pilot []algorithms.Comparison
			for range c.pilot {
				points := [][]float64{sample(c.box, r), sample(c.box, r)}
				pilot = append(pilot, algorithms.Comparison{Points: points, Winner: oracle(f, points, r)})
			}
			p := check.Must(New(algorithms.Setup{Domain: c.box, Start: sample(c.box, r), Rand: stream(7), Pilot: algorithms.NewPilot(pilot)}, cfg))(t)
			follower := saved(t, p, cfg, true)
			for _, steps := range []int{0, 1, 4, 7} { // 0, 1, 5, 12 in all
				for range steps {
					q := mustAsk(t, p)
					winner := oracle(f, q.Points, r)
					for _, a := range []*POPBO{p, follower} { // the follower learns without a call of Ask
						check.OK(t, a.Tell(q, winner))
					}
				}
				want := outputs(t, p)
				for _, memory := range []bool{false, true} {
					if got := outputs(t, saved(t, p, cfg, memory)); got != want {
						t.Fatalf("t = %d: restored (with its memory: %t), its outputs are\n%s\nwant\n%s", p.method.t, memory, got, want)
					}
				}
				if got := outputs(t, follower); got != want {
					t.Fatalf("t = %d: restored at an earlier step, having learnt the rest, its outputs are\n%s\nwant\n%s", p.method.t, got, want)
				}
				follower = saved(t, p, cfg, true)
			}
			if _, b := p.Beta(); cfg.AdaptNormBound && b == cfg.NormBound {
				t.Error("B never changed; the test does not show that it is restored")
			}
			if c.pilot > 0 && slices.Equal(p.method.cfg.Kernel.Lengthscale, cfg.Kernel.Lengthscale) {
				t.Error("the lengthscale was not fitted")
			}
		})
	}
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
