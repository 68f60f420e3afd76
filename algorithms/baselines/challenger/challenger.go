package challenger

import (
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/search"
)

// Challenger is a champion-challenger rule as an algorithms.Algorithm.
type Challenger struct {
	algorithms.BeliefDriver
	m *method
}

// New returns the rule of the settings at its first step, or an error that names the wrong argument. It draws two
// numbers from setup.Rand. A known kernel, which must be stationary, replaces the fitted one.
func New(setup algorithms.Setup, cfg Config) (*Challenger, error) {
	spec := algorithms.Spec{Name: "challenger", Words: 2, Duels: true}
	d, m, err := algorithms.Drive(setup, spec, cfg, begin)
	return &Challenger{algorithms.BeliefDriver{Driver: d}, m}, err
}

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	b, err := utility.Begin(s, streams, cfg.Utility)
	return &method{b, cfg, streams, cfg.rule()}, err
}

// Propose returns two random points at first, then the champion and its challenger.
func (m *method) Propose() (algorithms.Proposal, error) { return m.Base.Propose(m.duel) }

// duel returns champion and challenger, one after the other, in unit coordinates. The value is the challenger's.
func (m *method) duel() search.Result {
	var first, second search.Result
	switch m.cfg.Rule {
	case SelfSparring:
		d := m.newDraws()
		first = d.maximum(d.next())
		second = d.other(first.X)
	case Thompson:
		first = m.champion()
		second = m.newDraws().other(first.X)
	default:
		first = m.champion()
		second = m.challenger(first.X)
	}
	second.X = slices.Concat(first.X, second.X)
	second.Evaluations += first.Evaluations
	return second
}

// champion returns the point of largest mean: of the duels for expected improvement, of the domain for other rules.
func (m *method) champion() search.Result {
	mean := m.Model.Mean
	if m.cfg.Champion == "conditioned" {
		x0 := make([]float64, m.Model.Dim)
		mean = m.newExpansion(x0, []float64{-m.Model.Mean(x0, nil) / m.Model.Cov(x0, x0)}, true).value
	}
	if n := m.Model.Len(); n > 0 && (m.cfg.Rule == BivariateEI || m.cfg.Rule == BrochuEI) {
		best := search.Result{Value: math.Inf(-1)}
		for i := range n {
			for _, x := range [][]float64{m.Model.Winner(i), m.Model.Loser(i)} {
				if v := mean(x, nil); v > best.Value {
					best = search.Result{X: slices.Clone(x), Value: v}
				}
			}
		}
		return best
	}
	if m.cfg.Champion != "conditioned" {
		return m.Searcher.MaxMean()
	}
	return m.Searcher.MaxPoint(mean, m.Searcher.Candidates().Values(mean))
}

// challenger returns the point other than the champion x1 where the rule is largest.
func (m *method) challenger(x1 []float64) search.Result {
	c := m.newChallenge(x1)
	values := c.values(m.Searcher)
	return m.otherThan(x1, m.Searcher.MaxPoint(c.value, values), values)
}
