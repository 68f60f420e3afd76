package mrlpf

import (
	"cmp"
	"errors"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/duelling"
	"popbench/internal/math/search"
)

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
	all     *duelling.Model // of all answers; nil if neither the recommendation nor a fit of the kernel needs it
	start   []float64
	points  search.Candidates // all arms
	rounds  []int             // N_r
	cut     bool              // the last round is shorter than planned

	t     int       // number of answers
	round int       // r, from 0
	left  []int     // M, numbers in points
	best  []float64 // of the last complete round; nil before its end
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
	if m.recommendsAll() || cfg.Fit == settings.FitMAP {
		if m.all, err = duelling.New(s, cfg.Duelling, cfg.SelfDuels); err != nil {
			return nil, err
		}
		cfg.Duelling = m.all.Duelling
		cfg.Fit = "none" // a round keeps the kernel of its start, since no query depends on the round's answers
	}
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

func (m *method) recommendsAll() bool { return m.cfg.Recommendation == RuleAllAnswers }

// InForce returns the kernel and the norm bound.
func (m *method) InForce() algorithms.InForce {
	if m.all != nil {
		return m.all.InForce()
	}
	return m.model.InForce()
}

// Learn adds a duel. It estimates f from all answers, if there is such a model; from the answers of a round when it is
// complete, and in the first round if the recommendation has no other estimate. Recommend returns the errors.
func (m *method) Learn(c algorithms.Comparison) error {
	m.add(c)
	if m.all != nil {
		_ = m.all.Fit()
	}
	if !m.recommendsAll() && m.best == nil && m.err == nil {
		_ = m.model.Fit()
	}
	return nil
}

// add adds a duel, and ends the round if it is complete.
func (m *method) add(c algorithms.Comparison) {
	m.model.Learn(c)
	if m.all != nil {
		m.all.Learn(c)
	}
	m.t++
	last := m.round == len(m.rounds)-1
	if m.round == len(m.rounds) || m.model.Answers() < m.rounds[m.round] || last && m.cut {
		return
	}
	m.err = m.end()
	m.round++
	m.model.Forget()
	if m.all != nil {
		m.err = cmp.Or(m.err, m.model.SetKernel(m.all.Kernel))
	}
}

func (m *method) end() error {
	if err := m.model.Fit(); err != nil {
		return err
	}
	f := m.model.Means(m.points)
	m.left = keep(m.left, f, m.model.Spread(m.points, m.cfg.InitialSpread), m.beta())
	m.best = m.largest(m.left, f)
	return nil
}

// laterKappa replaces κ from the second round on.
const laterKappa = 6

// delta is the probability that a round of the theory strikes out the best arm.
const delta = 0.1

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
	spread := m.model.Spread(m.points, m.cfg.InitialSpread)
	pair := m.pair(spread, r)
	return algorithms.Duel(m.points.At(pair[0]), m.points.At(pair[1]), duelMetric(spread(pair[0], pair[1]))), nil
}

func (m *method) pair(spread duelling.Spread, r *rand.Rand) [2]int {
	if m.model.Certain(m.cfg.InitialSpread) && m.cfg.SelfDuels == "allow" {
		return [2]int{duelling.Pick(m.cfg.Ties, m.left, r), duelling.Pick(m.cfg.Ties, m.left, r)}
	}
	if len(m.left) == 1 && m.cfg.SelfDuels == "forbid" {
		a := m.left[0]
		values := make([]float64, m.points.Len())
		for b := range values {
			values[b] = spread(a, b)
		}
		values[a] = -1 // not against itself
		return [2]int{a, duelling.Largest(m.cfg.Ties, values, r)}
	}
	return duelling.Pick(m.cfg.Ties, widest(m.left, spread), r)
}

// Recommend returns the remaining arm with the largest estimate: from all answers, or from the last complete round. Before
// the first round is complete that is the arm with the largest estimate so far.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	x := m.best
	switch {
	case m.err != nil:
		return nil, m.err
	case m.t == 0:
		x = m.start
	case m.recommendsAll():
		if err := m.all.Fit(); err != nil {
			return nil, err
		}
		x = m.largest(m.left, m.all.Means(m.points))
	case x == nil:
		if err := m.model.Fit(); err != nil {
			return nil, err
		}
		x = m.largest(m.left, m.model.Means(m.points)) // in the first round all arms are left
	}
	return []algorithms.Recommendation{{Rule: m.cfg.Recommendation, X: x}}, nil
}

// largest returns one of the given arms with the largest estimate f.
func (m *method) largest(among []int, f []float64) []float64 {
	values := make([]float64, len(among))
	for i, a := range among {
		values[i] = f[a]
	}
	return m.points.At(among[duelling.Largest(m.cfg.Ties, values, m.streams.Rand("recommend", m.t))])
}

// Metrics describes the model of all answers or, if that does not exist, of the round, see duelling.Model; the round,
// from 1; the number of arms that are left; and the beta of the round. The metric of duelMetric belongs to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	model, newton := m.model, m.model.Newton
	if m.all != nil {
		model, newton = m.all, newton+m.all.Newton
	}
	return append(model.Metrics(newton),
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

// Recall adds all comparisons. It estimates f where a round is complete, and after the last one. A fitted kernel has to be
// fitted after each.
func (m *method) Recall(all []algorithms.Comparison, _ func(any) (bool, error)) (bool, error) {
	if m.InForce().Refitted {
		return false, nil
	}
	n := len(all) - 1
	for _, c := range all[:n] {
		m.add(c)
	}
	return true, m.Learn(all[n])
}
