package sgp

import (
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// SGP is the hallucination believer as an algorithms.Algorithm.
type SGP struct {
	*algorithms.Driver
	m *method
}

// New returns SGP at step 0, or an error that names the wrong argument. It draws one number from setup.Rand. A
// known kernel replaces the one that is set, and then nothing is fitted. The comparisons of setup.Pilot count
// for the lengthscales.
func New(setup algorithms.Setup, cfg Config) (*SGP, error) {
	spec := algorithms.Spec{Name: "sgp", Words: 1}
	d, m, err := algorithms.Drive(setup, spec, cfg, begin)
	return &SGP{d, m}, err
}

// InForce returns the kernel with the current lengthscales.
func (m *method) InForce() algorithms.InForce {
	k := m.prior
	return algorithms.InForce{Kernel: &k, Refitted: m.fitter != nil}
}

// method is the hallucination believer as an algorithms.Method.
type method struct {
	cfg     Config
	domain  space.Domain
	box     space.Box // the bounds of the domain
	start   []float64
	streams algorithms.Streams

	t     int         // number of comparisons learnt
	model *model      // of these comparisons
	seen  *model      // of these and the pilot comparisons, for the lengthscales
	last  [][]float64 // points of the last query; before the first, the start
	won   int         // index in last

	fitter  *fitter       // nil if nothing is fitted
	prior   kernel.Config // of f, in force
	kernel  kernel.Kernel // prior
	fitWork fitWork       // of the last Learn

	draw *draw // at this state, nil until needed
}

var (
	_ algorithms.Rememberer = (*method)(nil)
	_ algorithms.Informed   = (*method)(nil)
)

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	d := s.Domain.Dim()
	if cfg.InitialDuels < 0 {
		cfg.InitialDuels = 3 * d
	}
	cfg.InitialDuels = max(1, cfg.InitialDuels) // without duels any point maximises the acquisition function
	if s.Known.Kernel != nil {
		cfg.Kernel, cfg.Fit = *s.Known.Kernel, FitConfig{}
	}
	m := &method{
		cfg: cfg, domain: s.Domain, box: s.Domain.Bounds(), start: s.Start, streams: streams,
		model: newModel(d, cfg.noise()), seen: newModel(d, cfg.noise()), last: [][]float64{s.Start},
	}
	for _, c := range s.Pilot.Comparisons() {
		add(m.seen, c)
	}
	prior := cfg.Kernel
	if cfg.Fit.RefitEvery > 0 {
		var err error
		if m.fitter, err = newFitter(m.seen, m.box, cfg); err != nil {
			return nil, err
		}
		prior = cfg.startIn(m.box)
	}
	if err := m.setKernel(prior); err != nil {
		return nil, err
	}
	m.refit()
	return m, nil
}

// add adds a comparison as duels of the winner with each of the others.
func add(m *model, c algorithms.Comparison) {
	for i, x := range c.Points {
		if i != c.Winner {
			m.Add(c.Points[c.Winner], x)
		}
	}
}

func (m *method) setKernel(c kernel.Config) (err error) {
	m.prior = c
	m.kernel, err = c.New(m.box.Dim())
	return err
}

// Learn adds duels of the winner with each of the others, and fits the kernel if a fit is due.
func (m *method) Learn(c algorithms.Comparison) error {
	m.add(c)
	m.refit()
	return nil
}

func (m *method) add(c algorithms.Comparison) {
	m.t++
	m.draw = nil
	add(m.model, c)
	add(m.seen, c)
	m.last, m.won = c.Points, c.Winner
}

func (m *method) refit() {
	m.fitWork = fitWork{}
	after := m.t - m.cfg.InitialDuels
	if m.fitter == nil || m.seen.Len() == 0 || after < 0 || after%m.cfg.Fit.RefitEvery != 0 {
		return
	}
	fitted := m.fitter.fit(m.prior)
	m.fitWork = m.fitter.work
	if err := m.setKernel(fitted); err != nil {
		panic(err) // it is within checked limits
	}
}

// hallucinate conditions the model and returns the draw of the differences at this state.
func (m *method) hallucinate() (*draw, error) {
	if m.draw == nil {
		m.model.Condition(m.kernel)
		d, err := m.model.Draw(m.cfg.Sampler, m.cfg.BurnIn, m.cfg.BurnIn, m.streams.Rand("differences", m.t))
		if err != nil {
			return nil, err
		}
		m.draw = d
	}
	return m.draw, nil
}

// bestVisited returns the compared point with the largest mean.
func (m *method) bestVisited(g *given) []float64 {
	best, value := m.start, g.Mean(m.start)
	for i, mean := range g.PointMeans() {
		if mean > value {
			best, value = m.model.at(i), mean
		}
	}
	return best
}

// Propose returns a duel of the last winner with the point of largest acquisition value, given one draw of the
// differences. The first queries are duels of random points.
func (m *method) Propose() (algorithms.Proposal, error) {
	if m.t < m.cfg.InitialDuels {
		return m.random(), nil
	}
	d, err := m.hallucinate()
	if err != nil {
		return algorithms.Proposal{}, err
	}
	given := m.model.Given(d.V)
	x1 := m.last[m.won]
	if m.t == m.cfg.InitialDuels { // the random duels have no incumbent
		x1 = m.bestVisited(given)
	}
	acq := &acquisition{given: given}
	if m.cfg.Acquisition == "ei" {
		acq.improvement, acq.incumbent = true, given.Mean(x1)
	}
	starts, best := m.maximize(acq, x1)
	if best.Status == search.Undefined {
		return algorithms.Proposal{}, fmt.Errorf("the acquisition function of step %d has no value anywhere; raise noise_std", m.t+1)
	}
	p := algorithms.Duel(x1, best.X, searchMetrics(acq.evaluations, starts, best, d.Work)...)
	if slices.ContainsFunc(m.last, func(x []float64) bool { return slices.Equal(x, x1) }) {
		p.New = 1
	}
	return p, nil
}

// random returns a duel of random points. The first duel of a run begins with the start.
func (m *method) random() algorithms.Proposal {
	r, d := m.streams.Rand("initial", m.t), m.box.Dim()
	y := m.domain.Sample(make([]float64, d), r)
	if m.t == 0 {
		p := algorithms.Duel(m.start, y)
		p.New = 1
		return p
	}
	return algorithms.Duel(m.domain.Sample(make([]float64, d), r), y)
}

// maximize searches the acquisition function from x1 and from the best of quasi-random points and corners.
// starts is the number of starts. Among arms it takes the best without a search.
func (m *method) maximize(acq *acquisition, x1 []float64) (starts int, best search.Result) {
	if arms, ok := m.domain.(*space.Arms); ok {
		return 0, search.Candidates{Dim: arms.Dim(), X: arms.Rows()}.Maximize(acq.value)
	}
	points := search.NewCandidates(m.box, m.cfg.CandidatesPerCoordinate*m.box.Dim(), m.streams.Rand("points", m.t))
	points.X = append(points.X, search.Corners(m.box, corners)...)
	from := append([][]float64{x1}, points.Best(acq.values(points), m.cfg.Restarts, nil)...)
	g := search.NewGlobal(m.box, search.Settings{GradTol: 1e-6, Step: 0.1})
	g.GiveUp = true
	return len(from), g.Maximize(acq.value, from)
}

// corners is the largest number of corners of the box among the candidates.
const corners = 128

// Recommend returns the points of all rules. For the largest posterior mean it uses the mean of the
// differences. That is exact, since the mean of f is linear in them.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	d, err := m.hallucinate()
	if err != nil {
		return nil, err
	}
	return algorithms.Select([]algorithms.Recommendation{
		{Rule: "first-of-duel", X: m.last[0]},
		{Rule: "last-winner", X: m.last[m.won]},
		{Rule: "max-mean-visited", X: m.bestVisited(m.model.Given(d.Mean))},
	}, m.cfg.Recommendation), nil
}

// Metrics describes the model: evaluations of the evidence in the last fit of the kernel, failures there, the variance if
// that is fitted, and the lengthscales in units of x. The metrics of searchMetrics belong to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	list := append(searchMetrics(0, 0, search.Result{}, gp.OrthantWork{}),
		algorithms.KindWork.Metric("fit_evaluations", float64(m.fitWork.Evaluations)),
		algorithms.KindWork.Metric("fit_failures", float64(m.fitWork.Failures)))
	if m.cfg.fitsVariance() {
		list = append(list, algorithms.KindState.Metric("variance", m.prior.Variance))
	}
	return append(list, algorithms.LengthscaleMetrics(m.prior.Lengthscale)...)
}

// searchMetrics describes the second point of a duel: its acquisition value, the number of evaluations and
// local searches, the number of searches that did not end at a maximum; moves of the chain for the draw, their
// reflections, and the number of refused moves.
func searchMetrics(evaluations, climbs int, best search.Result, chain gp.OrthantWork) []algorithms.Metric {
	return []algorithms.Metric{
		algorithms.KindState.Metric("acquisition", best.Value),
		algorithms.KindWork.Metric("evaluations", float64(evaluations)),
		algorithms.KindWork.Metric("climbs", float64(climbs)),
		algorithms.KindCertificate.Metric("unfinished_climbs", float64(best.Unfinished)),
		algorithms.KindWork.Metric("moves", float64(chain.Moves)),
		algorithms.KindWork.Metric("bounces", float64(chain.Bounces)),
		algorithms.KindCertificate.Metric("refused_moves", float64(chain.Refused)),
	}
}

// remembered is the state of a method that the comparisons alone do not determine.
type remembered struct {
	Lengthscale []float64 `json:"lengthscale"`        // in units of x
	Variance    float64   `json:"variance,omitempty"` // if it is fitted
	fitWork
}

// Remember returns the hyper-parameters.
func (m *method) Remember() any {
	r := remembered{Lengthscale: m.prior.Lengthscale, fitWork: m.fitWork}
	if m.cfg.fitsVariance() {
		r.Variance = m.prior.Variance
	}
	return r
}

// Recall adds all comparisons without a fit.
func (m *method) Recall(all []algorithms.Comparison, memory func(any) (bool, error)) (bool, error) {
	var was remembered
	if ok, err := memory(&was); !ok || err != nil {
		return false, err
	}
	k := m.prior.WithLengthscale(was.Lengthscale)
	if m.cfg.fitsVariance() {
		k.Variance = was.Variance
	}
	if err := m.setKernel(k); err != nil {
		return false, err
	}
	for _, c := range all {
		m.add(c)
	}
	m.fitWork = was.fitWork
	return true, nil
}
