package algorithms

import (
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

// State is an algorithm's experiment as plain data, without the algorithm's name and its settings: keep these beside
// it. It encodes to JSON and back without loss. Restore continues it, also in another process, with the same bits.
// Comparisons may be appended: Restore learns those after the first Learnt, or all of them if Progress is left out.
//
// Seed or Stream is the key of the random streams. Seed is for people; Stream is for a run whose key is not a
// seed.
type State struct {
	Box         space.Box    `json:"box,omitzero" doc:"The search box: lo and hi, one bound of each per dimension, 300 at most."`
	Arms        [][]float64  `json:"arms,omitempty" max:"2048" doc:"In place of box: the only points that may be compared, each a list of features."`
	Start       []float64    `json:"start,omitempty" max:"300" itemMin:"-1e15" itemMax:"1e15" doc:"x_0, the first point to compare with; by default the centre of the box, or the first arm."`
	Steps       int          `json:"steps,omitempty" min:"0" max:"1000000" doc:"Planned number of queries; leave it out if it is unknown."`
	Seed        uint64       `json:"seed,omitempty" min:"0" max:"9007199254740991" doc:"Seed of the algorithm's random streams, below 2^53."`
	Stream      string       `json:"stream,omitempty" doc:"Key of the random streams of a saved run, hexadecimal; it replaces seed."`
	Known       *Known       `json:"known,omitempty" doc:"What is known about f: its kernel, a bound on its norm."`
	Pilot       []Comparison `json:"pilot,omitempty" max:"1000" doc:"Pilot comparisons, for hyper-parameters only."`
	Comparisons []Comparison `json:"comparisons,omitempty" max:"2000" doc:"All comparisons so far, in order: the points, oldest first, and the index of the winner, or tie."`
	Progress
}

// Progress is the part of a state that an algorithm has computed.
type Progress struct {
	Learnt  int                  `json:"learnt,omitempty" min:"0" max:"2000" doc:"Number of comparisons at which metrics, pending and memory were saved."`
	Metrics []Metric             `json:"metrics,omitempty" max:"1000" doc:"Metrics of the query before the last of these comparisons."`
	Pending *Proposal            `json:"pending,omitempty" doc:"The query that was asked after these comparisons."`
	Memory  json.RawMessage      `json:"memory,omitempty" doc:"What the algorithm keeps besides these comparisons, as it wrote it; without it, everything is computed again."`
	Fits    map[string][]float64 `json:"fits,omitempty" doc:"Results of fits to the pilot comparisons, as the algorithm wrote them."`
}

// maxDifferences is the largest number of losers in all comparisons together. The memory of a model grows with
// its square.
const maxDifferences = 2000

// Restore returns the algorithm of a state. build makes it from the state's setup: it calls a package's New
// with the original settings.
//
//	alg, err := algorithms.Restore(state, func(s algorithms.Setup) (*popbo.POPBO, error) {
//		return popbo.New(s, settings)
//	})
func Restore[A Resumable](s State, build func(Setup) (A, error)) (A, error) {
	var none A
	if build == nil {
		return none, errors.New("build is nil; give a function that makes the algorithm")
	}
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

// Setup returns the setup of a state, or an error that names the wrong key.
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
			return Setup{}, fmt.Errorf("%s have %d losers; give at most %d", [...]string{"pilot", "comparisons"}[i], differences, maxDifferences)
		}
	}
	source, err := s.source()
	if err != nil {
		return Setup{}, err
	}
	box := &s.Box
	if s.Arms != nil && s.Box.Dim() == 0 {
		box = nil
	}
	domain, err := space.Of(box, s.Arms)
	if err != nil {
		return Setup{}, err
	}
	setup := Setup{Domain: domain, Start: slices.Clone(s.Start), Rand: rand.New(source), Steps: s.Steps}
	if s.Start == nil {
		setup.Start = space.Centre(domain)
	}
	if len(s.Pilot) > 0 {
		setup.Pilot = NewPilot(s.Pilot)
		setup.Pilot.adopt(s.Fits)
	}
	if s.Known != nil {
		setup.Known = *s.Known
	}
	return setup, setup.Validate()
}

// words is a source of random numbers that returns a key word by word.
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

// source returns the source from which Drive draws the key of the streams: the seed in the upper 53 bits of the
// first word, or the words of Stream.
func (s State) source() (rand.Source, error) {
	if s.Stream == "" {
		return &words{s.Seed << seedShift}, nil
	}
	b, err := hex.DecodeString(s.Stream)
	if err != nil || len(b) != 8 && len(b) != 16 {
		return nil, errors.New("stream is not 16 or 32 hexadecimal digits; give that of a saved state, or give a seed instead")
	}
	if s.Seed != 0 {
		return nil, errors.New("seed and stream are both given; give only one")
	}
	w := &words{}
	for ; len(b) > 0; b = b[8:] {
		*w = append(*w, binary.BigEndian.Uint64(b))
	}
	return w, nil
}

// seedShift leaves the 53 bits of a word that a JSON number can hold exactly.
const seedShift = 11

// save returns the seed that gives these words, or 0 and all words if there is no such seed.
func (w words) save() (seed uint64, stream string) {
	seed = w[0] >> seedShift
	if given := (words{seed << seedShift, 0}); slices.Equal(w, given[:len(w)]) {
		return seed, ""
	}
	var b []byte
	for _, word := range w {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	return 0, hex.EncodeToString(b)
}

// Resumable is an optional interface of an Algorithm whose experiment can be saved and continued; see
// [Restore].
type Resumable interface {
	State() (State, error)
	Resume(State) error
}
