package maxminlcb

import (
	"errors"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/duelling"
	"popbench/internal/math/search"
)

// New returns MaxMinLCB at step 0, or an error that names the wrong argument. It draws one number from setup.Rand. A known
// kernel and a known norm bound replace those that are set.
func New(setup algorithms.Setup, cfg Config) (algorithms.TieBeliefDriver, error) {
	spec := algorithms.Spec{Name: "maxminlcb", Words: 1, Duels: true, Ties: true}
	d, _, err := algorithms.Drive(setup, spec, cfg, begin)
	return algorithms.TieBeliefDriver{TieDriver: algorithms.TieDriver{Driver: d}}, err
}

// method is MaxMinLCB as an algorithms.Method.
type method struct {
	*duelling.Base
	cfg Config
}

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	b, err := duelling.Begin(s, streams, cfg.Duelling, cfg.SelfDuels)
	return &method{b, cfg}, err
}

// delta is the probability that a confidence interval of the theory fails.
const delta = 0.1

func (m *method) beta() float64 {
	b := m.cfg.Beta
	if b.Schedule == "constant" {
		return b.Factor
	}
	return m.Model.MaxMinBeta(delta)
}

// Differences of values of the game that count as none.
var tolerance = map[string]float64{duelling.Random: 1e-4, "first-index": 1e-9}

// Propose returns a duel of leader and follower.
func (m *method) Propose() (algorithms.Proposal, error) {
	if err := m.Model.Fit(); err != nil {
		return algorithms.Proposal{}, err
	}
	t := m.Model.Answers()
	points := m.Model.Candidates(m.Streams.Rand("candidates", t), m.Last...)
	g := &game{
		f: m.Model.Means(points), spread: m.Model.Spread(points, m.cfg.InitialSpread),
		beta: m.beta(), variance: m.cfg.Width == "variance", prune: m.cfg.Candidates == "plausible",
		distinct: m.cfg.SelfDuels != "allow", ties: tolerance[m.cfg.Ties],
	}
	leaders, value := g.play()
	candidates := len(g.candidates)
	if len(leaders) == 0 {
		return algorithms.Proposal{}, errors.New("no point is plausible; raise beta")
	}
	r := m.Streams.Rand("ties", t)
	leader := duelling.Pick(m.cfg.Ties, leaders, r)
	if candidates == 1 && m.cfg.SelfDuels == "forbid" {
		g.prune = false // the follower is then any other point
		g.play()
	}
	follower := duelling.Pick(m.cfg.Ties, g.followersOf(leader), r)
	x, y := points.At(leader), points.At(follower)
	work := 0
	if !m.Model.Finite() && leader != follower {
		better := m.improve(x, y, g.f[leader], g)
		work = better.Evaluations
		if !g.distinct || !slices.Equal(better.X, x) { // the search may end at the leader
			y = better.X
		}
	}
	return algorithms.Duel(x, y, duelMetrics(g.beta, candidates, value, work)...), nil
}

// improve searches for a follower y with a smaller LCB(x, y), near the given one.
func (m *method) improve(x, y []float64, fx float64, g *game) search.Result {
	mean, against := m.Model.Mean(), m.Model.Against(x)
	slope := make([]float64, len(x))
	return m.Model.Improve(func(y, grad []float64) float64 {
		fy := mean.Value(y, grad)
		width := against.Variance(y, slope[:len(grad)])
		byWidth := g.beta
		if !g.variance {
			width = math.Sqrt(width)
			if width > 0 {
				byWidth /= 2 * width
			}
		}
		p := arms.Logistic(fx - fy)
		for j := range grad {
			grad[j] = float64(p*(1-p)*grad[j]) + float64(byWidth*slope[j])
		}
		return float64(g.beta*width) - p
	}, y)
}

// Metrics describes the model; see duelling.Model. The metrics of duelMetrics belong to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	return append(m.Base.Metrics(), duelMetrics(0, 0, 0, 0)...)
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
