package popbo

import (
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/internal/limits"
	"popbench/space"
)

// State is all that a POPBO knows, as plain data that encodes to JSON and back
// without loss: an experiment can be saved after any Tell and taken up by
// Restore, in another process, to the same proposals bit for bit. To leave out
// settings, decode over State{Settings: Default()}.
type State struct {
	Box         space.Box               `json:"box" doc:"The search box: lo and hi, one bound of each per dimension, 300 at most."`
	Settings    Config                  `json:"settings,omitempty" doc:"Settings of POP-BO; what is left out has its default."`
	Start       []float64               `json:"start,omitempty" max:"300" itemMin:"-1e15" itemMax:"1e15" doc:"x_0, the point that the first proposal is compared with; the centre of the box by default."`
	Seed        uint64                  `json:"seed,omitempty" min:"0" max:"9007199254740991" doc:"Seed of the search's candidate points, below 2^53."`
	Pilot       []algorithms.Comparison `json:"pilot,omitempty" max:"1000" doc:"Comparisons that only serve to fit the lengthscale, where the settings ask for it."`
	Comparisons []algorithms.Comparison `json:"comparisons,omitempty" max:"2000" doc:"All answers so far, in order: the points compared, oldest first, and the index of the winner."`
}

// State returns the state; it shares no memory with p.
func (p *POPBO) State() State {
	s := State{
		Box:      space.Box{Lo: slices.Clone(p.box.Lo), Hi: slices.Clone(p.box.Hi)},
		Settings: p.Config(),
		Start:    slices.Clone(p.m.Point(0)),
		Seed:     p.seed,
	}
	for _, c := range p.told {
		points := make([][]float64, len(c.Points))
		for i, x := range c.Points {
			points[i] = slices.Clone(x)
		}
		s.Comparisons = append(s.Comparisons, algorithms.Comparison{Points: points, Winner: c.Winner})
	}
	return s
}

// maxDifferences is the largest number of differences in a model, whose memory grows
// with their square.
const maxDifferences = 2000

// Restore returns the POPBO of a state, or an error that names what is wrong in
// it.
func Restore(s State) (*POPBO, error) {
	if err := limits.Check("", s); err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	if err := s.Box.Validate(); err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	if err := algorithms.CheckDim(s.Box); err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	for name, list := range map[string][]algorithms.Comparison{"pilot": s.Pilot, "comparisons": s.Comparisons} {
		differences := 0
		for _, c := range list {
			differences += len(c.Points) - 1
		}
		if differences > maxDifferences {
			return nil, fmt.Errorf("popbo: %s have %d points that were not preferred; give %d at most", name, differences, maxDifferences)
		}
	}
	if s.Start == nil {
		s.Start = make([]float64, s.Box.Dim())
		for i := range s.Start {
			s.Start[i] = 0.5
		}
		s.Box.FromUnit(s.Start, s.Start)
	}
	if err := s.Box.Check("start", s.Start); err != nil {
		return nil, fmt.Errorf("popbo: %w", err)
	}
	for i, c := range s.Pilot {
		if err := algorithms.CheckOutcome(s.Box, algorithms.Query{Points: c.Points}, c.Winner); err != nil {
			return nil, fmt.Errorf("popbo: pilot[%d]: %w", i, err)
		}
	}
	p, err := build(algorithms.Setup{Domain: s.Box, Start: s.Start, Pilot: algorithms.NewPilot(s.Pilot)}, s.Settings, s.Seed)
	if err != nil {
		return nil, err
	}
	last := len(s.Comparisons) - 1
	for i, c := range s.Comparisons {
		q := algorithms.Query{Points: c.Points}
		// Only B, if it adapts, remembers the estimates on the way.
		tell := p.take
		if i == last || p.cfg.AdaptNormBound {
			tell = p.Tell
		}
		if err := tell(q, c.Winner); err != nil {
			return nil, fmt.Errorf("comparisons[%d]: %w", i, err)
		}
	}
	return p, nil
}
