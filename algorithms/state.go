package algorithms

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/internal/limits"
	"popbench/space"
)

// State is an experiment of an algorithm as plain data, without its settings: it
// encodes to JSON and back without loss. An experiment can be saved at any time
// and continued by Restore, in another process, to the same bytes. Comparisons may
// be added to a state: those after the first Learnt are learnt when it is restored.
// So are all if its Progress is left out.
//
// Seed and Stream are two ways to give the key of the random streams. Seed is for
// people; Stream has the key of a run whose key is no seed.
type State struct {
	Box         space.Box    `json:"box" doc:"The search box: lo and hi, one bound of each per dimension, 300 at most."`
	Start       []float64    `json:"start,omitempty" max:"300" itemMin:"-1e15" itemMax:"1e15" doc:"x_0, the first point to compare with; the centre of the box by default."`
	Seed        uint64       `json:"seed,omitempty" min:"0" max:"9007199254740991" doc:"Seed of the algorithm's random streams, below 2^53."`
	Stream      string       `json:"stream,omitempty" doc:"Key of the random streams of a saved run, hexadecimal; it takes the place of seed."`
	Known       *Known       `json:"known,omitempty" doc:"What is known of f: its kernel, a bound on its norm."`
	Pilot       []Comparison `json:"pilot,omitempty" max:"1000" doc:"Comparisons that only serve to fit hyper-parameters."`
	Comparisons []Comparison `json:"comparisons,omitempty" max:"2000" doc:"All comparisons so far, in order: the points, oldest first, and the index of the winner."`
	Progress
}

// Progress is the part of a state that an algorithm has computed.
type Progress struct {
	Learnt  int                  `json:"learnt,omitempty" min:"0" max:"2000" doc:"How many of the comparisons metrics, pending and memory belong to."`
	Metrics []Metric             `json:"metrics,omitempty" max:"1000" doc:"What describes the query that the last of these comparisons answered."`
	Pending *Proposal            `json:"pending,omitempty" doc:"The query that was asked after these comparisons."`
	Memory  json.RawMessage      `json:"memory,omitempty" doc:"What the algorithm keeps beside these comparisons, as it wrote it; without it everything is computed again."`
	Fits    map[string][]float64 `json:"fits,omitempty" doc:"What was fitted to the pilot comparisons, as the algorithm wrote it."`
}

// maxDifferences is the largest number of beaten points in a state. The memory of a
// model grows with their square.
const maxDifferences = 2000

// Restore returns the algorithm of a state, which build makes from the state's
// setup: a package's New with the settings that it had.
//
//	alg, err := algorithms.Restore(state, func(s algorithms.Setup) (*popbo.POPBO, error) {
//		return popbo.New(s, settings)
//	})
func Restore[A Resumable](s State, build func(Setup) (A, error)) (A, error) {
	var none A
	setup, err := s.Setup()
	if err != nil {
		return none, err
	}
	a, err := build(setup)
	if err != nil {
		return none, err
	}
	if err := a.Resume(s); err != nil {
		return none, err
	}
	return a, nil
}

// Setup returns the setup of a state. It says what is wrong with the state, if
// anything is.
func (s State) Setup() (Setup, error) {
	if err := limits.Check("", s); err != nil {
		return Setup{}, err
	}
	for i, list := range [][]Comparison{s.Pilot, s.Comparisons} {
		differences := 0
		for _, c := range list {
			differences += len(c.Points) - 1
		}
		if differences > maxDifferences {
			return Setup{}, fmt.Errorf("%s have %d points that were not preferred; give %d at most", [...]string{"pilot", "comparisons"}[i], differences, maxDifferences)
		}
	}
	source, err := s.source()
	if err != nil {
		return Setup{}, err
	}
	setup := Setup{Domain: s.Box.Bounds(), Start: slices.Clone(s.Start), Rand: rand.New(source)}
	if len(s.Pilot) > 0 {
		setup.Pilot = NewPilot(s.Pilot)
		setup.Pilot.adopt(s.Fits)
	}
	if s.Known != nil {
		setup.Known = *s.Known
	}
	if s.Start == nil && s.Box.Validate() == nil {
		setup.Start = slices.Repeat([]float64{0.5}, s.Box.Dim())
		s.Box.FromUnit(setup.Start, setup.Start)
	}
	return setup, setup.Validate()
}

// state returns the state of a setup before the first comparison.
func (s Setup) state(key words) (State, error) {
	box, err := space.AsBox(s.Domain)
	if err != nil {
		return State{}, err
	}
	out := State{Box: box, Start: slices.Clone(s.Start), Pilot: cloneAll(s.Pilot.Comparisons())}
	out.Fits = s.Pilot.fitted()
	if known := s.Known.clone(); known != (Known{}) {
		out.Known = &known
	}
	out.Seed, out.Stream = key.save()
	return out, nil
}

// words is a source of random numbers that gives the key of saved streams.
type words []uint64

// Uint64 returns the next word, 0 after the last.
func (w *words) Uint64() uint64 {
	if len(*w) == 0 {
		return 0
	}
	first := (*w)[0]
	*w = (*w)[1:]
	return first
}

// recorder is a source of random numbers that keeps the words it has given.
type recorder struct {
	from  rand.Source
	words words
}

func (r *recorder) Uint64() uint64 {
	w := r.from.Uint64()
	r.words = append(r.words, w)
	return w
}

// source returns what Spec.Streams draws the key of the state's streams from: the
// seed in the upper 53 bits of the first word, or the words of Stream.
func (s State) source() (rand.Source, error) {
	if s.Stream == "" {
		return &words{s.Seed << seedShift}, nil
	}
	b, err := hex.DecodeString(s.Stream)
	if err != nil || len(b) != 8 && len(b) != 16 {
		return nil, errors.New("stream is not 16 or 32 hexadecimal digits; give the one of a saved state, or a seed in its place")
	}
	if s.Seed != 0 {
		return nil, errors.New("seed and stream are both given; give one of them")
	}
	w := &words{}
	for ; len(b) > 0; b = b[8:] {
		*w = append(*w, binary.BigEndian.Uint64(b))
	}
	return w, nil
}

// seedShift leaves 53 bits of a word, which JSON keeps as a number.
const seedShift = 11

// save returns the seed that gives these words, or else all of them.
func (w words) save() (seed uint64, key string) {
	for i, word := range w {
		if i == 0 && word<<(64-seedShift) != 0 || i > 0 && word != 0 {
			var b []byte
			for _, word := range w {
				b = binary.BigEndian.AppendUint64(b, word)
			}
			return 0, hex.EncodeToString(b)
		}
	}
	return w[0] >> seedShift, ""
}

// decode reads a value that encoding/json wrote, and refuses unknown fields.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
