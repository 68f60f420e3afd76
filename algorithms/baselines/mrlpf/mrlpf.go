package mrlpf

import (
	"errors"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/internal/duelling"
	"popbench/internal/math/arms"
	"popbench/internal/math/search"
)

// RuleLastRound recommends the arm with the largest estimate of the last complete round.
const RuleLastRound = "last-round"

// New returns MR-LPF at step 0, or an error that names the wrong argument. It draws one number from setup.Rand. setup.Steps
// is the number of queries, which it has to know. A known kernel and a known norm bound replace those that are set.
func New(setup algorithms.Setup, cfg Config) (algorithms.TieDriver, error) {
	spec := algorithms.Spec{Name: "mrlpf", Words: 1, Duels: true, Ties: true}
	d, _, err := algorithms.Drive(setup, spec, cfg, begin)
	return algorithms.TieDriver{Driver: d}, err
}

// method is MR-LPF as an algorithms.Method.
type method struct {
	cfg     Config
	streams algorithms.Streams
	model   *duelling.Model // of the answers of this round
	start   []float64
	points  search.Candidates // all arms
	rounds  []int             // N_r
	cut     bool              // the last round is shorter than planned
	newton  int               // of the last Learn

	t     int       // number of answers
	round int       // r, from 0
	left  []int     // M, numbers in points
	best  []float64 // of the last complete round; nil if there is none
	err   error     // why the estimate of a complete round cannot be used
}

var (
	_ algorithms.Rememberer = (*method)(nil)
	_ algorithms.Informed   = (*method)(nil)
)

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	if s.Steps == 0 {
		return nil, errors.New("setup: steps = 0: the rounds depend on the number of queries; give it")
	}
	m := &method{cfg: cfg, streams: streams, start: s.Start}
	var err error
	if m.model, err = duelling.New(s, cfg.Duelling, cfg.SelfDuels); err != nil {
		return nil, err
	}
	m.points = m.model.Candidates(streams.Rand("candidates", 0))
	for i := range m.points.Len() {
		m.left = append(m.left, i)
	}
	m.rounds, m.cut = roundsOf(s.Steps)
	return m, nil
}

// InForce returns the kernel and the norm bound.
func (m *method) InForce() algorithms.InForce { return m.model.InForce() }

// Learn adds a duel. It estimates f when a round is complete, and in the first round, which has no other estimate to
// recommend an arm.
func (m *method) Learn(c algorithms.Comparison) error {
	m.add(c)
	if m.best == nil && m.err == nil {
		_ = m.model.Fit() // Recommend returns the error
	}
	m.newton += m.model.TakeNewton()
	return nil
}

// add adds a duel, and ends the round if it is complete.
func (m *method) add(c algorithms.Comparison) {
	m.model.Learn(c)
	m.t++
	m.newton = 0
	last := m.round == len(m.rounds)-1
	if m.round == len(m.rounds) || m.model.Answers() < m.rounds[m.round] || last && m.cut {
		return
	}
	m.err = m.end()
	m.newton = m.model.TakeNewton()
	m.round++
	m.model.Forget()
}

// end strikes out arms after a complete round.
func (m *method) end() error {
	if err := m.model.Fit(); err != nil {
		return err
	}
	f := m.model.Means(m.points)
	m.left = keep(nil, m.left, f, m.model.Spread(m.points), m.beta())
	values := make([]float64, len(m.left))
	for i, a := range m.left {
		values[i] = f[a]
	}
	m.best = m.points.At(m.left[duelling.Largest(m.cfg.Ties, values, m.streams.Rand("recommend", m.t))])
	return nil
}

// laterKappa replaces κ from the second round on.
const laterKappa = 6

// delta is the probability that a round of the theory strikes out the best arm.
const delta = 0.1

// beta returns the factor of the spread of this round.
func (m *method) beta() float64 {
	b, kappa := m.cfg.Beta, arms.Kappa(m.model.NormBound)
	if b.Schedule == "constant" {
		return b.Factor
	}
	if m.round > 0 {
		kappa = laterKappa
	}
	return roundBeta(m.model.NormBound, kappa, m.cfg.Lambda, len(m.rounds), m.points.Len(), delta)
}

// Propose returns the pair of arms whose difference is least certain.
func (m *method) Propose() (algorithms.Proposal, error) {
	if m.err != nil {
		return algorithms.Proposal{}, m.err
	}
	r := m.streams.Rand("ties", m.t)
	var spread arms.Spread = duelling.None{}
	if m.model.Answers() > 0 || m.cfg.InitialSpread == "prior" {
		spread = m.model.Spread(m.points)
	}
	pair := m.pair(spread, r)
	return algorithms.Proposal{
		Query:   algorithms.Query{Points: [][]float64{m.points.At(pair[0]), m.points.At(pair[1])}, New: 2},
		Metrics: []algorithms.Metric{duelMetric(spread.Variance(pair[0], pair[1]))},
	}, nil
}

// pair returns the next query.
func (m *method) pair(spread arms.Spread, r *rand.Rand) [2]int {
	if _, none := spread.(duelling.None); none && m.cfg.SelfDuels == "allow" {
		return [2]int{duelling.Pick(m.cfg.Ties, m.left, r), duelling.Pick(m.cfg.Ties, m.left, r)}
	}
	if len(m.left) == 1 && m.cfg.SelfDuels == "forbid" {
		a := m.left[0]
		values := make([]float64, m.points.Len())
		for b := range values {
			values[b] = spread.Variance(a, b)
		}
		values[a] = -1 // not against itself
		return [2]int{a, duelling.Largest(m.cfg.Ties, values, r)}
	}
	return duelling.Pick(m.cfg.Ties, widest(nil, m.left, spread), r)
}

// Recommend returns the best arm of the last complete round; before that, the arm with the largest estimate so far.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	x := m.best
	switch {
	case m.err != nil:
		return nil, m.err
	case x == nil && m.t == 0:
		x = m.start
	case x == nil:
		if err := m.model.Fit(); err != nil {
			return nil, err
		}
		x = m.points.At(duelling.Largest(m.cfg.Ties, m.model.Means(m.points), m.streams.Rand("recommend", m.t)))
	}
	return []algorithms.Recommendation{{Rule: RuleLastRound, X: x}}, nil
}

// Metrics describes the model, see duelling.Model; the round, from 1; the number of arms that are left; and the beta of the
// round. The metric of duelMetric belongs to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	return append(m.model.Metrics(m.newton),
		algorithms.KindState.Metric("round", float64(min(m.round+1, len(m.rounds)))),
		algorithms.KindState.Metric("arms_left", float64(len(m.left))),
		algorithms.KindState.Metric("beta", m.beta()),
		duelMetric(0))
}

// duelMetric is the variance of the difference of the two arms of a duel.
func duelMetric(variance float64) algorithms.Metric {
	return algorithms.KindState.Metric("duel_variance", variance)
}

// Remember returns nil: the comparisons determine the state.
func (m *method) Remember() any { return nil }

// Recall adds all comparisons. It estimates f where a round is complete, and in the first round after the last one.
func (m *method) Recall(all []algorithms.Comparison, _ func(any) (bool, error)) (bool, error) {
	n := len(all) - 1
	for _, c := range all[:n] {
		m.add(c)
	}
	return true, m.Learn(all[n])
}
