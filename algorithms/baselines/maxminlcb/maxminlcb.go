package maxminlcb

import (
	"errors"
	"fmt"
	"math"

	"popbench/algorithms"
	"popbench/internal/duelling"
	"popbench/internal/math/arms"
	"popbench/internal/math/search"
)

// MaxMinLCB is the method as an algorithms.Algorithm.
type MaxMinLCB struct {
	algorithms.TieDriver
	m *method
}

var _ algorithms.Believer = (*MaxMinLCB)(nil)

// New returns MaxMinLCB at step 0, or an error that names the wrong argument. It draws one number from setup.Rand. A known
// kernel and a known norm bound replace those that are set.
func New(setup algorithms.Setup, cfg Config) (*MaxMinLCB, error) {
	spec := algorithms.Spec{Name: "maxminlcb", Words: 1, Duels: true, Ties: true}
	d, m, err := algorithms.Drive(setup, spec, cfg, begin)
	if err != nil {
		return nil, err
	}
	return &MaxMinLCB{algorithms.TieDriver{Driver: d}, m}, nil
}

// Belief returns the estimated utility of x, with two posterior standard deviations on either side.
func (a *MaxMinLCB) Belief(x []float64) (algorithms.Belief, error) {
	if err := a.CheckPoint(x); err != nil {
		return algorithms.Belief{}, err
	}
	if err := a.m.model.Fit(); err != nil {
		return algorithms.Belief{}, fmt.Errorf("maxminlcb: %w", err)
	}
	return a.m.model.Belief(x), nil
}

// method is MaxMinLCB as an algorithms.Method.
type method struct {
	cfg     Config
	streams algorithms.Streams
	model   *duelling.Model
	last    [][]float64 // the points of the last answer
	newton  int         // of the last Learn
}

var (
	_ algorithms.Rememberer = (*method)(nil)
	_ algorithms.Informed   = (*method)(nil)
)

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	m := &method{cfg: cfg, streams: streams}
	var err error
	if m.model, err = duelling.New(s, cfg.Duelling); err != nil {
		return nil, err
	}
	if cfg.SelfDuels == "forbid" && m.model.Single() {
		return nil, errors.New("self_duels = \"forbid\": the domain has one arm; give allow")
	}
	return m, nil
}

// InForce returns the kernel and the norm bound.
func (m *method) InForce() algorithms.InForce { return m.model.InForce() }

// Learn adds a duel and estimates f.
func (m *method) Learn(c algorithms.Comparison) error {
	m.add(c)
	m.fit()
	return nil
}

func (m *method) add(c algorithms.Comparison) {
	m.model.Learn(c)
	m.last = c.Points
}

// fit estimates f. Propose and Recommend return the error of an estimate that cannot be used.
func (m *method) fit() {
	_ = m.model.Fit()
	m.newton = m.model.TakeNewton()
}

// beta returns the factor of the width.
func (m *method) beta() float64 {
	b := m.cfg.Beta
	if b.Schedule == "constant" {
		return b.Factor
	}
	return arms.MaxMinBeta(m.model.NormBound, m.cfg.Lambda, m.model.InfoGain(), b.Delta)
}

// Differences of values of the game that count as none.
var tolerance = map[string]float64{duelling.Random: 1e-4, "first-index": 1e-9}

// Propose returns a duel of leader and follower.
func (m *method) Propose() (algorithms.Proposal, error) {
	if err := m.model.Fit(); err != nil {
		return algorithms.Proposal{}, err
	}
	t := m.model.Answers()
	points := m.model.Candidates(m.streams.Rand("candidates", t), m.last...)
	var spread arms.Spread = duelling.None{}
	if t > 0 || m.cfg.InitialSpread == "prior" {
		spread = m.model.Spread(points)
	}
	f := m.model.Means(points)
	game := &arms.MaxMinLCB{
		Beta: m.beta(), Variance: m.cfg.Width == "variance", Plausible: m.cfg.Candidates == "plausible",
		Distinct: m.cfg.SelfDuels != "allow", Ties: tolerance[m.cfg.Ties],
	}
	candidates, leaders, value := game.Play(f, spread)
	if len(leaders) == 0 {
		return algorithms.Proposal{}, errors.New("no point is plausible; raise beta")
	}
	r := m.streams.Rand("ties", t)
	leader := duelling.Pick(m.cfg.Ties, leaders, r)
	among := game
	if len(candidates) == 1 && m.cfg.SelfDuels == "forbid" {
		among = &arms.MaxMinLCB{Beta: game.Beta, Variance: game.Variance, Distinct: true, Ties: game.Ties}
		among.Play(f, spread)
	}
	follower := duelling.Pick(m.cfg.Ties, among.Followers(leader), r)
	x, y := points.At(leader), points.At(follower)
	work := 0
	if !m.model.Finite() && leader != follower {
		better := m.improve(x, y, f[leader], game)
		y, work = better.X, better.Evaluations
	}
	return algorithms.Proposal{
		Query:   algorithms.Query{Points: [][]float64{x, y}, New: 2},
		Metrics: duelMetrics(game.Beta, len(candidates), value, work),
	}, nil
}

// improve searches for a follower y with a smaller LCB(x, y), near the given one.
func (m *method) improve(x, y []float64, fx float64, game *arms.MaxMinLCB) search.Result {
	mean, against := m.model.Mean(), m.model.Against(x)
	slope := make([]float64, len(x))
	return m.model.Improve(func(y, grad []float64) float64 {
		fy := mean.Value(y, grad)
		width := against.Variance(y, slope[:len(grad)])
		byWidth := game.Beta
		if !game.Variance {
			width = math.Sqrt(width)
			if width > 0 {
				byWidth /= 2 * width
			}
		}
		p := arms.Logistic(fx - fy)
		for j := range grad {
			grad[j] = float64(p*(1-p)*grad[j]) + float64(byWidth*slope[j])
		}
		return float64(game.Beta*width) - p
	}, y)
}

// Recommend returns the point with the largest estimate.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	if err := m.model.Fit(); err != nil {
		return nil, err
	}
	x := m.model.MaxMean(m.streams.Rand("recommend", m.model.Answers()))
	return []algorithms.Recommendation{{Rule: duelling.RuleMaxMean, X: x}}, nil
}

// Metrics describes the model; see duelling.Model. The metrics of duelMetrics belong to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	return append(m.model.Metrics(m.newton), duelMetrics(0, 0, 0, 0)...)
}

// duelMetrics describes a duel: beta, the number of candidates, the value of the game, and the number of evaluations in the
// search on a box.
func duelMetrics(beta float64, candidates int, value float64, evaluations int) []algorithms.Metric {
	return []algorithms.Metric{
		algorithms.KindState.Metric("beta", beta),
		algorithms.KindState.Metric("candidates", float64(candidates)),
		algorithms.KindState.Metric("max_min_lcb", value),
		algorithms.KindWork.Metric("evaluations", float64(evaluations)),
	}
}

// Remember returns nil: the comparisons determine the state.
func (m *method) Remember() any { return nil }

// Recall adds all comparisons, and estimates f once.
func (m *method) Recall(all []algorithms.Comparison, _ func(any) (bool, error)) (bool, error) {
	for _, c := range all {
		m.add(c)
	}
	m.fit()
	return true, nil
}
