// Package random is random search: what any preferential optimiser should beat.
package random

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/space"
)

// Config is the settings of random search.
type Config struct {
	Opponent string `json:"opponent" doc:"What a new point is compared with: last, the point before it; incumbent, the favourite of the last query." enum:"last,incumbent"`
}

// Default returns the default settings: each point meets the one before
// it, as in POP-BO, whose reference point is x_{t-1}.
func Default() Config { return Config{Opponent: "last"} }

// Validate names the setting that is wrong, if any is.
func (c Config) Validate() error {
	switch c.Opponent {
	case "last", "incumbent":
		return nil
	}
	return fmt.Errorf("opponent = %q is unknown; use last or incumbent", c.Opponent)
}

// Search is random search with a judge in place of values: every query
// compares a new uniform point of the box with an old one. It has no model; all
// it knows is which point was the favourite when last asked, and that is what
// it reports. What any method should beat.
//
// With opponent incumbent it climbs: the favourite stays until it loses. With
// opponent last it does not, and reports hardly more than the better of two
// random points, but its duels are spread evenly over the box.
type Search struct {
	box       space.Box
	opponent  string
	seed      [2]uint64
	told      uint64    // outcomes so far; it names the stream of the next point
	last      []float64 // the newest point of the last query
	favourite []float64 // its winner
}

var _ algorithms.Algorithm = (*Search)(nil)

// New returns random search at its first step, or an error that names
// the argument which is wrong. It draws two numbers from setup.Rand.
func New(setup algorithms.Setup, cfg Config) (*Search, error) {
	if err := setup.Validate(); err != nil {
		return nil, fmt.Errorf("random: %w", err)
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("random: %w", err)
	}
	return &Search{
		box:       setup.Box,
		opponent:  cfg.Opponent,
		seed:      [2]uint64{setup.Rand.Uint64(), setup.Rand.Uint64()},
		last:      slices.Clone(setup.Start),
		favourite: slices.Clone(setup.Start),
	}, nil
}

// Ask proposes a uniform point against the opponent.
func (a *Search) Ask() (algorithms.Query, error) {
	old := a.last
	if a.opponent == "incumbent" {
		old = a.favourite
	}
	x := a.box.Sample(make([]float64, a.box.Dim()), a.stream())
	return algorithms.Query{Points: [][]float64{slices.Clone(old), x}, New: 1}, nil
}

// stream is this step's own, so that asking twice draws the same point.
func (a *Search) stream() *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], a.seed[0])
	binary.LittleEndian.PutUint64(key[8:], a.seed[1])
	binary.LittleEndian.PutUint64(key[16:], a.told)
	return rand.New(rand.NewChaCha8(key))
}

// Tell remembers the favourite and the newest point.
func (a *Search) Tell(q algorithms.Query, winner int) error {
	if err := algorithms.CheckOutcome(a.box, q, winner); err != nil {
		return fmt.Errorf("random: %w", err)
	}
	a.told++
	a.last = slices.Clone(q.Points[len(q.Points)-1])
	a.favourite = slices.Clone(q.Points[winner])
	return nil
}

// Recommend returns the favourite of the last query, or the start.
func (a *Search) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "last-winner", X: slices.Clone(a.favourite)}}, nil
}
