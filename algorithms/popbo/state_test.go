package popbo

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/space"
)

// seen is all that a POPBO answers, bit for bit.
func seen(t *testing.T, p *POPBO) string {
	t.Helper()
	q := mustAsk(t, p)
	recs, err := p.Recommend()
	if err != nil {
		t.Fatal(err)
	}
	beta, b := p.Beta()
	return fmt.Sprint(q, recs, beta, b, p.m.PointValues(), p.cfg)
}

// saved is a POPBO that was written to JSON and read again.
func saved(t *testing.T, p *POPBO) *POPBO {
	t.Helper()
	data, err := json.Marshal(p.State())
	if err != nil {
		t.Fatal(err)
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	restored, err := Restore(s)
	if err != nil {
		t.Fatal(err)
	}
	return restored
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
				pilot = append(pilot, algorithms.Comparison{Points: points, Winner: judge(f, points, r)})
			}
			p, err := New(algorithms.Setup{Domain: c.box, Start: sample(c.box, r), Rand: stream(7), Pilot: algorithms.NewPilot(pilot)}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			follower := saved(t, p)
			for _, steps := range []int{0, 1, 4, 7} { // 0, 1, 5, 12 in all
				for range steps {
					q := mustAsk(t, p)
					winner := judge(f, q.Points, r)
					for _, a := range []*POPBO{p, follower} { // the follower is told and not asked
						if err := a.Tell(q, winner); err != nil {
							t.Fatal(err)
						}
					}
				}
				want := seen(t, p)
				restored := saved(t, p)
				if got := seen(t, restored); got != want {
					t.Fatalf("t = %d: restored, it answers\n%s\nand not\n%s", p.t, got, want)
				}
				if got := seen(t, follower); got != want {
					t.Fatalf("t = %d: restored at an earlier step and told the rest, it answers\n%s\nand not\n%s", p.t, got, want)
				}
				follower = restored
			}
			if _, b := p.Beta(); cfg.AdaptNormBound && b == cfg.NormBound {
				t.Error("B never changed; the test does not show that it is restored")
			}
			if c.pilot > 0 && slices.Equal(p.cfg.Kernel.Lengthscale, cfg.Kernel.Lengthscale) {
				t.Error("the lengthscale was not fitted")
			}
		})
	}
}

func TestStateSharesNoMemory(t *testing.T) {
	box := space.Cube(2, 0, 1)
	cfg := Default()
	cfg.Kernel = testKernel(box)
	start := []float64{0.5, 0.5}
	lent := space.Box{Lo: slices.Clone(box.Lo), Hi: slices.Clone(box.Hi)}
	p, err := New(algorithms.Setup{Domain: lent, Start: start, Rand: stream(1)}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	play(t, p, bump(box), 3, stream(1))
	want := seen(t, saved(t, p))
	s := p.State()
	s.Box.Lo[0], s.Start[0], s.Settings.Kernel.Lengthscale[0], s.Comparisons[0].Points[0][0] = -9, -9, -9, -9
	lent.Hi[1], start[1], cfg.Kernel.Lengthscale[1] = 9, 9, 9
	p.Config().Kernel.Lengthscale[0] = 9
	if got := seen(t, saved(t, p)); got != want {
		t.Errorf("after its state, its setup and its settings were overwritten it answers\n%s\nand not\n%s", got, want)
	}
}

// Only the box has to be given, over the default settings.
func TestRestoreFillsIn(t *testing.T) {
	s := State{Settings: Default()}
	if err := json.Unmarshal([]byte(`{"box": {"lo": [-1, 0], "hi": [1, 4]}, "settings": {"norm_bound": 3}}`), &s); err != nil {
		t.Fatal(err)
	}
	p, err := Restore(s)
	if err != nil {
		t.Fatal(err)
	}
	if q := mustAsk(t, p); !slices.Equal(q.Points[0], []float64{0, 2}) {
		t.Errorf("it starts at %v, not in the middle", q.Points[0])
	}
	want := Default()
	want.NormBound = 3
	if got := fmt.Sprint(p.Config()); got != fmt.Sprint(want) {
		t.Errorf("settings %s, want the defaults and norm_bound 3", got)
	}
}

func TestRestoreRefuses(t *testing.T) {
	duel := func(x, y float64, winner int) algorithms.Comparison {
		return algorithms.Comparison{Points: [][]float64{{x}, {y}}, Winner: winner}
	}
	for _, c := range []struct {
		names string
		spoil func(*State)
	}{
		{"box", func(s *State) { s.Box.Hi[0] = 0 }},
		{"box", func(s *State) { s.Box = space.Box{} }},
		{"start", func(s *State) { s.Start = []float64{2} }},
		{"start", func(s *State) { s.Start = []float64{0.5, 0.5} }},
		{"start", func(s *State) { s.Start = []float64{math.NaN()} }},
		{"pilot[1]", func(s *State) { s.Pilot = []algorithms.Comparison{duel(0, 1, 0), duel(0, 7, 0)} }},
		{"norm_bound", func(s *State) { s.Settings.NormBound = -1 }},
		{"comparisons[1]", func(s *State) { s.Comparisons[1].Winner = 7 }},
		{"comparisons[0]", func(s *State) { s.Comparisons[0].Points[1][0] = math.Inf(1) }},
		{"comparisons[0]", func(s *State) { s.Comparisons[0].Points = nil }},
	} {
		s := State{Box: space.Cube(1, 0, 1), Settings: Default(), Comparisons: []algorithms.Comparison{duel(0, 1, 0), duel(1, 0, 1)}}
		c.spoil(&s)
		switch _, err := Restore(s); {
		case err == nil:
			t.Errorf("a state with a wrong %s is accepted", c.names)
		case !strings.Contains(err.Error(), c.names) || strings.Contains(err.Error(), "\n"):
			t.Errorf("the error %q does not name %s in one line", err, c.names)
		}
	}
}
