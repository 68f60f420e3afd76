package exactkg

import (
	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/utility"
)

// Config has the settings of the exact knowledge gradient, the same as qEUBO's.
type Config struct{ settings.Utility }

// Default returns the settings of qEUBO.
func Default() Config { return Config{settings.DefaultUtility()} }

// New returns the exact knowledge gradient at its first step, or an error that names the wrong argument. It draws two
// numbers from setup.Rand. A known kernel, which must be stationary, replaces the fitted one.
func New(setup algorithms.Setup, cfg Config) (algorithms.BeliefDriver, error) {
	spec := algorithms.Spec{Name: "exactkg", Words: 2, Duels: true}
	d, _, err := algorithms.Drive(setup, spec, cfg, begin)
	return algorithms.BeliefDriver{Driver: d}, err
}

// method is the exact knowledge gradient as an algorithms.Method.
type method struct {
	*utility.Base
	searcher *searcher
}

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	b, err := utility.Begin(s, streams, cfg.Utility)
	if err != nil {
		return nil, err
	}
	return &method{b, newSearcher(b.Searcher, cfg.Utility)}, nil
}

// Propose returns two random points at first, then the pair with the largest knowledge gradient.
func (m *method) Propose() (algorithms.Proposal, error) { return m.Base.Propose(m.searcher.Max) }
