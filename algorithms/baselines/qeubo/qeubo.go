package qeubo

import (
	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/utility"
)

// Config has the settings of qEUBO.
type Config struct{ settings.Utility }

// Default returns the settings of the authors' program.
func Default() Config { return Config{settings.DefaultUtility()} }

// QEUBO is qEUBO as an algorithms.Algorithm.
type QEUBO struct {
	algorithms.BeliefDriver
	m *method
}

// New returns qEUBO at its first step, or an error that names the wrong argument. It draws two numbers from
// setup.Rand. A known kernel, which must be stationary, replaces the fitted one.
func New(setup algorithms.Setup, cfg Config) (*QEUBO, error) {
	spec := algorithms.Spec{Name: "qeubo", Words: 2, Duels: true}
	d, m, err := algorithms.Drive(setup, spec, cfg, begin)
	return &QEUBO{algorithms.BeliefDriver{Driver: d}, m}, err
}

// method is qEUBO as an algorithms.Method.
type method struct{ *utility.Base }

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	b, err := utility.Begin(s, streams, cfg.Utility)
	return &method{b}, err
}

// Propose returns two random points at first, then the pair with the largest expected utility of the better
// point.
func (m *method) Propose() (algorithms.Proposal, error) { return m.Base.Propose(m.Searcher.MaxEUBO) }
