package pfts

import (
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/duelling"
	"popbench/internal/math/fmath"
	"popbench/internal/math/rng"
	"popbench/internal/math/search"
)

// New returns PF-TS at step 0, or an error that names the wrong argument. It draws one number from setup.Rand. A known
// kernel and a known norm bound replace those that are set.
func New(setup algorithms.Setup, cfg Config) (algorithms.TieBeliefDriver, error) {
	spec := algorithms.Spec{Name: "pfts", Words: 1, Duels: true, Ties: true}
	d, _, err := algorithms.Drive(setup, spec, cfg, begin)
	return algorithms.TieBeliefDriver{TieDriver: algorithms.TieDriver{Driver: d}}, err
}

// method is PF-TS as an algorithms.Method.
type method struct {
	*duelling.Base
	cfg   Config
	start []float64
}

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	b, err := duelling.Begin(s, streams, cfg.Duelling, cfg.SelfDuels)
	return &method{b, cfg, s.Start}, err
}

// last returns the newest point of the last answer; before the first, the start.
func (m *method) last() []float64 {
	if m.Last == nil {
		return m.start
	}
	return m.Last[1]
}

// delta is the probability in scale, as in the authors' program.
const delta = 0.05

func (m *method) scale() float64 {
	switch m.cfg.Scale {
	case "program":
		return sampleScale(m.Model.Answers())
	case "theory":
		beta := m.Model.MaxMinBeta(delta)
		return beta * beta
	}
	return 1
}

// sampleScale returns √(2(t + 1 + log(2/δ))), by which the authors' program multiplies the covariance of its draws after t
// answers.
func sampleScale(t int) float64 {
	return math.Sqrt(2 * (float64(t) + 1 + fmath.Log(2/delta)))
}

// Propose returns a duel by the rule of the settings. The first duel has uniform points, or with rule ucb the start and
// a uniform point.
func (m *method) Propose() (algorithms.Proposal, error) {
	if err := m.Model.Fit(); err != nil {
		return algorithms.Proposal{}, err
	}
	t := m.Model.Answers()
	choice := &choice{method: m, r: m.Streams.Rand("duel", t)}
	q := algorithms.Query{New: 2}
	switch {
	case m.cfg.Rule == "ucb":
		x := choice.uniform(m.last())
		if t > 0 {
			x = choice.ucb()
		}
		q = algorithms.Query{Points: [][]float64{m.last(), x}, New: 1}
	case t == 0:
		x := choice.uniform(nil)
		q.Points = [][]float64{x, choice.uniform(x)}
	default:
		q.Points = choice.draws()
	}
	return algorithms.Proposal{Query: q, Metrics: duelMetrics(m.scale(), choice.best.Evaluations, choice.best.Unfinished)}, nil
}

// choice is the choice of one duel.
type choice struct {
	*method
	r    *rand.Rand
	best search.Result // work of the searches over a box
}

// uniform returns a uniform point, not the given one if self-duels are forbidden.
func (c *choice) uniform(not []float64) []float64 {
	for {
		x := c.Model.Sample(c.r)
		if c.cfg.SelfDuels == "allow" || !slices.Equal(x, not) {
			return x
		}
	}
}

func (c *choice) draws() [][]float64 {
	scale, points := c.scale(), c.candidates()
	if !c.Model.Finite() {
		d := c.Model.Draws(points)
		x := c.maximum(points, d.Next(scale, c.r).Value, nil)
		return [][]float64{x, c.maximum(points, d.Next(scale, c.r).Value, x)}
	}
	f := c.Model.Means(points)
	sigma := c.Model.Posterior
	sigma.Factor()
	draw, z := make([]float64, len(f)), make([]float64, len(f))
	next := func(not []float64) []float64 {
		for i := range z {
			z[i] = rng.Normal(c.r)
		}
		sigma.Draw(draw, f, scale, z)
		return c.largest(points, draw, not)
	}
	x := next(nil)
	return [][]float64{x, next(x)}
}

// candidates returns all arms, or the candidates of a box with the points that were compared.
func (c *choice) candidates() search.Candidates {
	return c.Model.CandidatesAndVisited(c.Streams.Rand("candidates", c.Model.Answers()))
}

// ucb returns the point with the largest upper bound of its advantage over the last point.
func (c *choice) ucb() []float64 {
	points := c.candidates()
	if c.Model.Finite() {
		values, spread, last := c.Model.Means(points), c.Model.Posterior, c.Model.Arm(c.last())
		for i := range values {
			values[i] += math.Sqrt(spread.Variance(i, last))
		}
		return c.largest(points, values, c.last())
	}
	mean, against := c.Model.Mean(), c.Model.Against(c.last())
	slope := make([]float64, points.Dim)
	return c.maximum(points, func(x, grad []float64) float64 {
		f, sd := mean.Value(x, grad), math.Sqrt(against.Variance(x, slope[:len(grad)]))
		for j := range grad {
			if sd > 0 {
				grad[j] += float64(1 / (2 * sd) * slope[j])
			}
		}
		return f + sd
	}, c.last())
}

// largest returns the arm with the largest value, not the given one if self-duels are forbidden.
func (c *choice) largest(points search.Candidates, values []float64, not []float64) []float64 {
	if not != nil && c.cfg.SelfDuels == "forbid" {
		values[c.Model.Arm(not)] = math.Inf(-1)
	}
	return points.At(duelling.Largest(c.cfg.Ties, values, c.r))
}

// maximum maximises a function over a box. If it finds the given point and self-duels are forbidden, it returns the best
// other candidate.
func (c *choice) maximum(points search.Candidates, f search.Objective, not []float64) []float64 {
	values := points.Values(f)
	best := c.Model.Climb(f, points, values)
	c.best.Evaluations += best.Evaluations + len(values)
	c.best.Unfinished += best.Unfinished
	if c.cfg.SelfDuels == "forbid" && slices.Equal(best.X, not) {
		for i := range values {
			if slices.Equal(points.At(i), not) {
				values[i] = math.Inf(-1)
			}
		}
		return points.Best(values, 1, nil)[0]
	}
	return best.X
}

// Metrics describes the model; see duelling.Model. The metrics of duelMetrics belong to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	return append(m.Base.Metrics(), duelMetrics(0, 0, 0)...)
}

// duelMetrics describes a duel: the scale of the draws, and the searches over a box.
func duelMetrics(scale float64, evaluations, unfinished int) []algorithms.Metric {
	return []algorithms.Metric{
		algorithms.KindState.Metric("scale", scale),
		algorithms.KindWork.Metric("evaluations", float64(evaluations)),
		algorithms.KindCertificate.Metric("unfinished_climbs", float64(unfinished)),
	}
}
