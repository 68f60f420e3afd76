// Package random is random search: any preferential optimiser should beat it. It is also an example of a method
// (algorithms.Method) in a hundred lines.
//
//	search, err := random.New(algorithms.Setup{Domain: box, Start: x0, Rand: r}, random.Default())
//	for range budget {
//		query, err := search.Ask()
//		err = search.Tell(query, winner) // index in query.Points
//	}
//	best, err := search.Recommend()
package random

import (
	"popbench/algorithms"
	"popbench/internal/limits"
)

// Config has the settings of random search.
type Config struct {
	Opponent string `json:"opponent" doc:"What a new point is compared with: last, the point before it; incumbent, the winner of the last query that had one." enum:"last,incumbent"`
}

// Default returns the default settings: each point is compared with the one before it, as in POP-BO, whose
// reference point is x_{t-1}.
func Default() Config { return Config{Opponent: "last"} }

// Validate returns an error that names the wrong setting.
func (c Config) Validate() error { return limits.Check("", c) }

// New returns random search at its first step, or an error that names the wrong argument. It draws two numbers
// from setup.Rand.
func New(setup algorithms.Setup, cfg Config) (algorithms.TieDriver, error) {
	spec := algorithms.Spec{Name: "random", Words: 2, Ties: true}
	d, _, err := algorithms.Drive(setup, spec, cfg, func(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
		return &method{cfg: cfg, setup: s, streams: streams, last: s.Start, winner: s.Start}, nil
	})
	return algorithms.TieDriver{Driver: d}, err
}

// method compares a new uniform point of the domain with an old one in every query. It has no model, and
// recommends the last winner; a tie changes no winner.
//
// With opponent incumbent the winner stays until it loses. With opponent last the recommendation is hardly
// better than the better of two random points, but the duels are spread evenly over the domain.
type method struct {
	cfg     Config
	setup   algorithms.Setup
	streams algorithms.Streams

	t      int       // number of comparisons learnt
	last   []float64 // the newest point of the last query
	winner []float64 // of the last query that had one
}

// Learn stores the newest point and the winner, if there is one.
func (m *method) Learn(c algorithms.Comparison) error {
	m.t++
	m.last = c.Points[len(c.Points)-1]
	if !c.Tie {
		m.winner = c.Points[c.Winner]
	}
	return nil
}

// Propose returns a uniform point and its opponent.
func (m *method) Propose() (algorithms.Proposal, error) {
	old := m.last
	if m.cfg.Opponent == "incumbent" {
		old = m.winner
	}
	x := m.setup.Domain.Sample(make([]float64, m.setup.Domain.Dim()), m.streams.Rand("", m.t))
	return algorithms.Proposal{Query: algorithms.Query{Points: [][]float64{old, x}, New: 1}}, nil
}

// Recommend returns the winner of the last query that had one; before the first, the start.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "last-winner", X: m.winner}}, nil
}

// Metrics returns none: there is no model.
func (m *method) Metrics() []algorithms.Metric { return nil }
