package algorithms_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

func TestStateSetup(t *testing.T) {
	s := algorithms.State{Box: space.Box{Lo: []float64{0, 10}, Hi: []float64{1, 30}}}
	setup := check.Must(s.Setup())(t)
	check.That(t, slices.Equal(setup.Start, []float64{0.5, 20}), "the start is %v, not the centre of the box", setup.Start)
	check.That(t, setup.Pilot == nil && setup.Known == (algorithms.Known{}),
		"pilot %v and known %+v of an empty state", setup.Pilot, setup.Known)
	duels := func(n int) []algorithms.Comparison {
		return slices.Repeat([]algorithms.Comparison{{Points: [][]float64{{0, 10}, {1, 30}}}}, n)
	}
	many := func(n int) []algorithms.Comparison { // of a hundred points each
		return slices.Repeat([]algorithms.Comparison{{Points: slices.Repeat([][]float64{{0, 10}}, 100)}}, n)
	}
	for want, spoil := range map[string]func(s *algorithms.State){
		"box: it is empty":         func(s *algorithms.State) { s.Box = space.Box{} },
		"domain: it has 301":       func(s *algorithms.State) { s.Box = space.Cube(301, 0, 1) },
		"box: it is empty, lo = 1": func(s *algorithms.State) { s.Box = space.Box{Lo: []float64{1}, Hi: []float64{0}} },
		"start[0] = 1e+16":         func(s *algorithms.State) { s.Start = []float64{1e16, 10} },
		"start[1]":                 func(s *algorithms.State) { s.Start = []float64{0, 0} },
		"start has":                func(s *algorithms.State) { s.Start = []float64{0} },
		"seed = 9007199254740992 is out of range":         func(s *algorithms.State) { s.Seed = 1 << 53 },
		"seed and stream are both given":                  func(s *algorithms.State) { s.Seed, s.Stream = 1, "0000000000000001" },
		"stream is not 16 or 32 hexadecimal digits; give": func(s *algorithms.State) { s.Stream = "00" },
		"stream is not 16 or 32 hexadecimal digits":       func(s *algorithms.State) { s.Stream = "xx00000000000001" },
		"known.norm_bound = -1 is out of range":           func(s *algorithms.State) { s.Known = &algorithms.Known{NormBound: -1} },
		"known: norm_bound is given without a kernel":     func(s *algorithms.State) { s.Known = &algorithms.Known{NormBound: 1} },
		"known.kernel.variance = -1 is out of range": func(s *algorithms.State) {
			s.Known = &algorithms.Known{Kernel: &kernel.Config{Family: "se-half", Variance: -1}}
		},
		"pilot has 1001 entries; give 1000 at most":          func(s *algorithms.State) { s.Pilot = duels(1001) },
		"pilot[0].winner = 100 is out of range":              func(s *algorithms.State) { s.Pilot = duels(1); s.Pilot[0].Winner = 100 },
		"pilot[0]: winner = 2":                               func(s *algorithms.State) { s.Pilot = duels(1); s.Pilot[0].Winner = 2 },
		"pilot have 2079 losers":                             func(s *algorithms.State) { s.Pilot = many(21) },
		"comparisons has 2001 entries; give 2000 at most":    func(s *algorithms.State) { s.Comparisons = duels(2001) },
		"comparisons have 2079 losers":                       func(s *algorithms.State) { s.Comparisons = many(21) },
		"comparisons[1].points has 0 entries; give 2 to 100": func(s *algorithms.State) { s.Comparisons = append(duels(1), algorithms.Comparison{}) },
		"comparisons[0].values[0] = 1e+301":                  func(s *algorithms.State) { s.Comparisons = duels(1); s.Comparisons[0].Values = []float64{1e301} },
		"pending.metrics has 1001 entries; give 1000 at most": func(s *algorithms.State) {
			s.Pending = &algorithms.Proposal{Query: algorithms.Query{Points: [][]float64{{0, 10}, {0, 10}}}, Metrics: make([]algorithms.Metric, 1001)}
		},
	} {
		bad := s
		spoil(&bad)
		begins(t, check.Err(bad.Setup()), want)
	}
}

// The state has the source of the random streams: a seed if there is one, else the whole key.
func TestStateKeepsStreams(t *testing.T) {
	for _, source := range []rand.Source{rand.NewPCG(1, 2), rand.NewChaCha8([32]byte{7})} {
		s := line()
		s.Rand = rand.New(source)
		m := &counting{}
		d := check.Must(driveIt(s, algorithms.Spec{}, m))(t)
		state, err := d.State()
		check.That(t, err == nil && len(state.Stream) == 32 && state.Seed == 0, "%v, stream %q", err, state.Stream)
		again := &counting{}
		check.OK(t, check.Err(restore(t, state, algorithms.Spec{}, again)))
		check.Equal(t, "the first number of a restored one", again.streams.Rand("x").Uint64(), m.streams.Rand("x").Uint64())
	}
	for _, seed := range []uint64{0, 1, 1<<53 - 1} {
		m := &counting{}
		d := check.Must(restore(t, algorithms.State{Box: space.Cube(1, 0, 1), Seed: seed}, algorithms.Spec{}, m))(t)
		state := check.Must(d.State())(t)
		check.That(t, state.Seed == seed && state.Stream == "", "seed %d: saved as %d and %q", seed, state.Seed, state.Stream)
		check.Equal(t, "the first number", m.streams.Rand("x").Uint64(), algorithms.NewStreams(seed<<11, 0).Rand("x").Uint64())
	}
}

// A state survives JSON, including the fits to the pilot comparisons, and shares no memory with the algorithm.
func TestStateRoundTrip(t *testing.T) {
	s := line()
	s.Pilot = algorithms.NewPilot([]algorithms.Comparison{duel(0, 1, 1)})
	s.Known = algorithms.Known{Kernel: &kernel.Config{Family: "se-half", Variance: 2, Lengthscale: []float64{0.3}}, NormBound: 3}
	check.OK(t, check.Err(s.Pilot.Fit("key", func() ([]float64, error) { return []float64{0.1, math.Copysign(0, -1), 1e-300}, nil })))
	d := check.Must(driveIt(s, algorithms.Spec{}, &counting{}))(t)
	ask(t, d)
	tell(t, d, duel(0, 0.3, 1))
	ask(t, d)
	state := check.Must(d.State())(t)
	text := check.Must(json.Marshal(state))(t)
	var back algorithms.State
	check.OK(t, json.Unmarshal(text, &back))
	check.Same(t, "the state decoded", back, state)
	for _, key := range []string{"box", "start", "stream", "known", "pilot", "comparisons", "learnt", "metrics", "pending", "memory", "fits"} {
		check.Contains(t, "the state", string(text), `"`+key+`":`)
	}
	setup := check.Must(back.Setup())(t)
	fit, err := setup.Pilot.Fit("key", func() ([]float64, error) { return nil, fmt.Errorf("fitted again") })
	check.That(t, err == nil && slices.Equal(fit, []float64{0.1, 0, 1e-300}), "the fit is %v (%v)", fit, err)

	state.Comparisons[0].Points[0][0], state.Pilot[0].Points[0][0], state.Fits["key"][0], state.Pending.Points[0][0] = 9, 9, 9, 9
	state.Metrics[0].Value = 9
	state.Box.Lo[0], state.Start[0], state.Known.Kernel.Lengthscale[0] = 9, 9, 9
	check.Same(t, "the state, after an earlier one was overwritten", check.Must(d.State())(t), back)
}

// A memory that JSON cannot hold is an error, not a state that cannot be restored.
func TestStateOfNaN(t *testing.T) {
	d, m := drive(t, algorithms.Spec{})
	tell(t, d, duel(0, 1, 1))
	m.sum /= 0 * m.sum
	begins(t, check.Err(d.State()), "counting: json: unsupported value")
}

// The numbers of a stream are part of the meaning of a record.
func TestStreams(t *testing.T) {
	one, two := algorithms.NewStreams(3), algorithms.NewStreams(3, 5)
	got := []uint64{
		one.Rand("").Uint64(), one.Rand("points").Uint64(), one.Rand("points", 2).Uint64(), two.Rand("points").Uint64(), two.Rand("points", 2).Uint64(),
	}
	check.Same(t, "numbers", got, []uint64{2020799097909330374, 2521461562229916348, 10743334523813584059, 661431790363998472, 1199563238306375937})
	// The label is cut to the rest of the key.
	check.That(t, two.Rand("12345678a").Uint64() != two.Rand("12345678b").Uint64(), "other labels give equal numbers")
	check.That(t, two.Rand("12345678a", 1).Uint64() == two.Rand("12345678b", 1).Uint64(), "the label is cut elsewhere")
	for what, f := range map[string]func(){
		"a key of no words":    func() { algorithms.NewStreams() },
		"a key of three words": func() { algorithms.NewStreams(1, 2, 3) },
		"two indices":          func() { one.Rand("points", 1, 2) },
	} {
		func() {
			defer func() { check.That(t, recover() != nil, "%s is accepted", what) }()
			f()
		}()
	}
}
