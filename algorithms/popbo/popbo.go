package popbo

import (
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/kernel"
	"popbench/space"
)

// POPBO is Alg. 1 of the paper as an algorithms.Algorithm.
type POPBO struct {
	*algorithms.Driver
	method *method
}

var (
	_ algorithms.Believer   = (*POPBO)(nil)
	_ algorithms.Informed   = (*method)(nil)
	_ algorithms.Rememberer = (*method)(nil)
)

// New returns POP-BO at its first step, or an error that names the wrong argument. It draws one
// number from setup.Rand.
func New(setup algorithms.Setup, cfg Config) (*POPBO, error) {
	_, onArms := setup.Domain.(*space.Arms)
	spec := algorithms.Spec{Name: "popbo", Words: 1, Shift: 11, Duels: onArms}
	d, m, err := algorithms.Drive(setup, spec, cfg, newMethod)
	if err != nil {
		return nil, err
	}
	return &POPBO{d, m}, nil
}

// method is Alg. 1 as an algorithms.Method.
type method struct {
	cfg     Config            // in force
	fitted  *algorithms.Range // where the lengthscale was fitted to pilot comparisons; nil if it was not
	domain  space.Domain
	box     space.Box   // the bounds of the domain
	first   [][]float64 // the points before the first query
	streams algorithms.Streams

	inference // D_t, f̂_t^MLE and B_f^{t+1}: model, or finite on a finite set of arms
	model     *Model
	opt       *optimizer // of model
	finite    *finite

	t           int               // number of comparisons
	last        []int             // x_t, an index in the model; for a batch the newest q points
	normBound   float64           // B, as doubled so far
	supSqrtK    float64           // sup sqrt(k(x, x)), so that |f| <= normBound·supSqrtK
	beta        float64           // β_t
	mleSolution Solution          // ℓ_t(f̂_t^MLE)
	uncertainty duelUncertainties // σ_τ of the duels so far
	work        Work              // of the last Learn

	learnt []algorithms.Comparison // all, if the lengthscale is fitted to them
	refit  refit                   // of the last Learn
}

// inference is what comparisons say of f. Points have indices.
type inference interface {
	AddPoint(x []float64) int
	Point(i int) []float64
	kernelAt(i, j int) float64
	learn(c algorithms.Comparison) []int
	SolveMLE(norm float64) Solution
	SetBeta(beta float64)
	Advantage(x []float64, ref int) Solution
	confidence(x []float64) (estimate float64, lower, upper Solution)
	Work() Work
}

// newMethod is line 1 of Alg. 1: B_f^1 is the ball of radius B. The paper has one initial point
// x_0. A batch needs q; the others are uniform.
func newMethod(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	cfg, fitted, err := cfg.inForce(s)
	if err != nil {
		return nil, err
	}
	m := &method{cfg: cfg, fitted: fitted, domain: s.Domain, box: s.Domain.Bounds(), streams: streams, first: [][]float64{s.Start}}
	for i := 1; i < cfg.Batch; i++ {
		m.first = append(m.first, m.sample(streams.Rand("start", i)))
	}
	if err := m.setKernel(cfg.Kernel); err != nil {
		return nil, err
	}
	m.update()
	return m, nil
}

// sample returns a uniformly random point of the domain.
func (m *method) sample(r *rand.Rand) []float64 {
	return m.domain.Sample(make([]float64, m.domain.Dim()), r)
}

// setKernel makes the model of the comparisons learnt so far anew, with the kernel in place of the one in force. After
// an error nothing has changed.
func (m *method) setKernel(c kernel.Config) error {
	k, err := c.New(m.box.Dim())
	if err != nil {
		return err
	}
	if arms, ok := m.domain.(*space.Arms); ok {
		if m.finite, err = newFinite(k, arms, m.cfg.Epsilon); err != nil {
			return err
		}
		m.inference, m.supSqrtK = m.finite, m.finite.supSqrtK(k)
	} else {
		m.model = NewModel(k, m.cfg.Epsilon)
		m.inference, m.supSqrtK = m.model, supSqrtK(k, m.box)
		m.opt = newOptimizer(m.model, m.box, m.cfg.Restarts, m.streams.Rand("points", 0))
	}
	m.cfg.Kernel, m.normBound = c, m.cfg.NormBound
	m.uncertainty = newDuelUncertainties(m.inference, m.cfg.Lambda)
	m.t, m.last = 0, nil
	for _, x := range m.first {
		m.last = append(m.last, m.AddPoint(x))
	}
	if m.opt != nil {
		m.opt.sync()
	}
	for _, c := range m.learnt {
		m.append(c)
	}
	return nil
}

// Propose is lines 3 and 4 of Alg. 1. A batch has q reference points and q new points.
func (m *method) Propose() (algorithms.Proposal, error) {
	if m.t < m.cfg.InitialDuels {
		return algorithms.Proposal{Query: m.random()}, nil
	}
	if err := m.checkMLE(); err != nil {
		return algorithms.Proposal{}, err
	}
	before := m.Work()

	ref := m.last             // 3: x'_t = x_{t-1}
	x, err := m.maximize(ref) // 4: x_t ∈ argmax_{x ∈ X} max_{f ∈ B_f^t} (f(x) - f(x'_t))

	if err != nil {
		return algorithms.Proposal{}, err
	}
	return m.proposal(ref, x, m.Work().Since(before)), nil
}

// random returns a query of random points; the first one has the first points. A batch has 2q points.
func (m *method) random() algorithms.Query {
	r, q := m.streams.Rand("initial", m.t), m.cfg.Batch
	draw := func() (list [][]float64) {
		for range q {
			list = append(list, m.sample(r))
		}
		return list
	}
	points := draw()
	if m.t == 0 {
		return algorithms.Query{Points: append(slices.Clone(m.first), points...), New: q}
	}
	return algorithms.Query{Points: append(points, draw()...), New: 2 * q}
}

// Learn is lines 5 and 6 of Alg. 1. Between them it fits the lengthscale, if that is due.
func (m *method) Learn(c algorithms.Comparison) error {
	if m.cfg.RefitEvery > 0 {
		m.learnt = append(m.learnt, c)
	}
	m.refit = refit{}
	before := m.Work()

	m.append(c) // 5: D_t = D_{t-1} ∪ {(x_t, x'_t, 1_t)}
	if m.refitDue() && m.fitKernel() {
		before = Work{} // the model is a new one
	}
	m.update() // 6: f̂_t^MLE and B_f^{t+1}

	m.work = m.Work().Since(before)
	return nil
}

// append adds a comparison to the data.
func (m *method) append(c algorithms.Comparison) {
	index := m.learn(c)
	if m.opt != nil {
		m.opt.sync()
	}
	m.t++
	m.last = append(m.last[:0], index[max(0, len(index)-m.cfg.Batch):]...)
	m.uncertainty.add(m.t, index, m.cfg.Batch)
}
