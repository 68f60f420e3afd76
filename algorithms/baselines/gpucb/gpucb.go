package gpucb

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// GPUCB is Alg. 1 of the paper as an algorithms.Algorithm that learns from value observations.
type GPUCB struct {
	algorithms.ValueDriver
	m *method
}

var (
	_ algorithms.ValueLearner = (*GPUCB)(nil)
	_ algorithms.Believer     = (*GPUCB)(nil)
)

// New returns GP-UCB at step 0, or an error that names the wrong argument. It draws two numbers from setup.Rand
// and does not use setup.Pilot, which has no values. A known kernel replaces the one that is set or fitted; the
// mean is then zero.
func New(setup algorithms.Setup, cfg Config) (*GPUCB, error) {
	spec := algorithms.Spec{Name: "gpucb", Words: 2, Values: true}
	d, m, err := algorithms.Drive(setup, spec, cfg, begin)
	return &GPUCB{algorithms.ValueDriver{Driver: d}, m}, err
}

// Belief returns the posterior mean at x, and √β_t deviations on both sides.
func (a *GPUCB) Belief(x []float64) (algorithms.Belief, error) {
	if err := a.CheckPoint(x); err != nil {
		return algorithms.Belief{}, err
	}
	mean, variance := a.m.model.Moments(x)
	width := float64(a.m.sqrtBeta() * math.Sqrt(variance))
	return algorithms.Belief{Estimate: mean, Lower: mean - width, Upper: mean + width}, nil
}

// InForce returns the kernel with the current hyper-parameters.
func (m *method) InForce() algorithms.InForce {
	return algorithms.InForce{Kernel: &m.kernel, Refitted: m.fitter != nil}
}

// method is GP-UCB as an algorithms.Method.
type method struct {
	cfg     Config
	known   bool // whether the kernel is known; f then has mean 0
	domain  space.Domain
	box     space.Box // the bounds of the domain
	streams algorithms.Streams
	last    []float64 // the newest point of the last query; before the first, the start

	kernel kernel.Config // of the model
	model  *gp.Regression
	spare  *gp.Regression // the model before, whose memory the next one takes
	fitter *fitter        // nil if nothing is fitted
	cand   *candidates
	search *search.Global

	work work // of the last Learn
}

// work counts the work of a fit of the kernel.
type work struct {
	FitEvaluations int `json:"fit_evaluations"` // of the hyper-parameters' density
	Failures       int `json:"failures"`        // fits in which no local search converged, so that the old kernel stayed
}

var (
	_ algorithms.Rememberer = (*method)(nil)
	_ algorithms.Informed   = (*method)(nil)
)

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	box := s.Domain.Bounds()
	if s.Known.Kernel != nil {
		cfg.Kernel, cfg.Fit = *s.Known.Kernel, "none"
	}
	m := &method{
		cfg: cfg, known: s.Known.Kernel != nil, domain: s.Domain, box: box, streams: streams, last: s.Start,
		search: search.NewGlobal(box, search.Settings{Step: 0.1, Tie: equal}),
	}
	m.search.GiveUp = true
	m.cand = newCandidates(m.domain, streams.Rand("candidates"))
	if err := m.setKernel(cfg.Kernel, nil, nil); err != nil {
		return nil, err
	}
	if cfg.Fit != "none" {
		m.fitter = newFitter(cfg, m.box, gp.NewRegression(m.model.Kernel, m.model.Noise, m.model.Constant))
		m.refit()
	}
	m.cand.Follow(m.model)
	return m, nil
}

// setKernel makes the model of a kernel, given values y at x. After an error the model is unchanged.
func (m *method) setKernel(c kernel.Config, x, y []float64) error {
	k, err := c.New(m.box.Dim())
	if err != nil {
		return err
	}
	model := m.spare
	if model == nil {
		model = gp.NewRegression(k, m.cfg.NoiseVariance, !m.known)
	}
	if err := model.Restart(k, x, y); err != nil {
		return err
	}
	m.kernel, m.model, m.spare = c.WithLengthscale(c.Lengthscale), model, m.model
	return nil
}

// Learn adds the values of the new points of a query, and fits the kernel if a fit is due.
func (m *method) Learn(c algorithms.Comparison) error {
	before := m.model.Len()
	if err := m.model.Add(newPoints(c), c.Values); err != nil {
		return err
	}
	m.last = c.Points[len(c.Points)-1]
	m.work = work{}
	if m.fitter != nil && m.model.Len()/m.cfg.RefitEvery > before/m.cfg.RefitEvery {
		m.refit()
	}
	m.cand.Follow(m.model)
	return nil
}

// newPoints returns the points that have values, row-major.
func newPoints(c algorithms.Comparison) []float64 {
	return slices.Concat(c.Points[len(c.Points)-len(c.Values):]...)
}

// refit fits the hyper-parameters again. If no local search converged the old ones stay.
func (m *method) refit() {
	k, ok := m.fitter.fit(m.kernel, m.model.X, m.model.Y)
	m.work.FitEvaluations = m.fitter.evaluations
	if !ok || m.setKernel(k, m.model.X, m.model.Y) != nil {
		m.work.Failures++
	}
}

// sqrtBeta returns √β_t for the next point.
func (m *method) sqrtBeta() float64 {
	return math.Sqrt(m.cfg.Beta.at(m.model.Len()+1, m.box.Dim()))
}

// Propose returns the last point and the point of the largest upper confidence bound.
func (m *method) Propose() (algorithms.Proposal, error) {
	var best search.Result
	if m.model.Len() == 0 {
		best.X = m.domain.Sample(make([]float64, m.box.Dim()), m.streams.Rand("first point"))
	} else if best = m.maximize(m.sqrtBeta()); best.Status == search.Undefined {
		return algorithms.Proposal{}, fmt.Errorf("the upper confidence bound of step %d has no value anywhere", m.model.Len()+1)
	}
	mean, variance := m.model.Moments(best.X)
	return algorithms.Proposal{
		Query:   algorithms.Query{Points: [][]float64{m.last, best.X}, New: 1},
		Metrics: pointMetrics(mean, math.Sqrt(variance), best.Evaluations),
	}, nil
}

// maximize returns the point of the largest mean + c times deviation. Its Evaluations do not count the
// candidates.
func (m *method) maximize(c float64) search.Result {
	objective := func(x, grad []float64) float64 { return m.model.Bound(x, grad, c) }
	if m.cand.arms {
		return m.cand.Candidates.Maximize(objective)
	}
	starts := append([][]float64{m.model.Point(m.bestVisited())}, m.cand.best(c, m.cfg.Restarts)...)
	return m.search.Maximize(objective, starts)
}

// equal is the relative difference up to which values count as equal, so that the first start wins: after one
// value the mean is the same everywhere except for rounding.
const equal = 1e-12

// bestVisited returns the index of the value whose point has the largest posterior mean, the first of equals.
func (m *method) bestVisited() int {
	at := 0
	for i := range m.model.Len() {
		if m.model.PointMean(i) > m.model.PointMean(at) {
			at = i
		}
	}
	return at
}

// Recommend returns the points of both rules. Before the first value both are the start.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	anywhere, visited := m.last, m.last
	if n := m.model.Len(); n > 0 {
		best := m.maximize(0)
		if best.Status == search.Undefined {
			return nil, fmt.Errorf("the posterior mean of %d values has no value anywhere", n)
		}
		anywhere, visited = best.X, m.model.Point(m.bestVisited())
	}
	all := []algorithms.Recommendation{{Rule: settings.RuleMaxMean, X: anywhere}, {Rule: settings.RuleMaxMeanVisited, X: visited}}
	return algorithms.Select(all, m.cfg.Recommendation), nil
}

// Metrics describes the model: the newest value observation, so that a record has it, and β_t; evaluations of
// the density in the last fit of hyper-parameters, failed fits, and the hyper-parameters, with lengthscales in
// units of x. The metrics of pointMetrics belong to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	n, observed := m.model.Len(), 0.0
	if n > 0 {
		observed = m.model.Y[n-1]
	}
	return slices.Concat([]algorithms.Metric{
		algorithms.KindState.Metric("value_observation", observed),
		algorithms.KindState.Metric("beta", m.cfg.Beta.at(max(n, 1), m.box.Dim())),
	}, pointMetrics(0, 0, 0), []algorithms.Metric{
		algorithms.KindWork.Metric("fit_evaluations", float64(m.work.FitEvaluations)),
		algorithms.KindWork.Metric("failures", float64(m.work.Failures)),
		algorithms.KindState.Metric("variance", m.kernel.Variance),
	}, algorithms.LengthscaleMetrics(m.kernel.Lengthscale))
}

// pointMetrics describes the proposed point: mean and standard deviation of f there, and evaluations of the
// bound.
func pointMetrics(mean, sd float64, evaluations int) []algorithms.Metric {
	return []algorithms.Metric{
		algorithms.KindState.Metric("posterior_mean", mean),
		algorithms.KindState.Metric("posterior_sd", sd),
		algorithms.KindWork.Metric("evaluations", float64(evaluations)),
	}
}

// remembered is the state of a method that the values alone do not determine.
type remembered struct {
	Kernel kernel.Config `json:"kernel"`
	work
}

// Remember returns the kernel.
func (m *method) Remember() any { return remembered{m.kernel, m.work} }

// Recall conditions the model on all values with the remembered kernel.
func (m *method) Recall(all []algorithms.Comparison, memory func(any) (bool, error)) (bool, error) {
	var was remembered
	if ok, err := memory(&was); !ok || err != nil {
		return false, err
	}
	var x, y []float64
	for _, c := range all {
		x, y, m.last = append(x, newPoints(c)...), append(y, c.Values...), c.Points[len(c.Points)-1]
	}
	if err := m.setKernel(was.Kernel, x, y); err != nil {
		return false, err
	}
	m.cand.Follow(m.model)
	m.work = was.work
	return true, nil
}
