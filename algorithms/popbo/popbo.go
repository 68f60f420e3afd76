package popbo

import (
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/confset"
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
	return &POPBO{d, m}, err
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

// Propose is lines 3 and 4 of Alg. 1. A batch has q reference points and q new points.
func (m *method) Propose() (algorithms.Proposal, error) {
	if m.t < m.cfg.InitialDuels {
		return algorithms.Proposal{Query: m.random()}, nil
	}
	if err := m.checkMLE(); err != nil {
		return algorithms.Proposal{}, err
	}
	before := m.spent()

	ref := m.last             // 3: x'_t = x_{t-1}
	x, err := m.maximize(ref) // 4: x_t ∈ argmax_{x ∈ X} max_{f ∈ B_f^t} (f(x) - f(x'_t))

	if err != nil {
		return algorithms.Proposal{}, err
	}
	return m.proposal(ref, x, m.spent().Since(before)), nil
}

// random returns a query of random points; the first query begins with the first points. A batch has 2q points.
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
	before := m.spent()

	m.append(c) // 5: D_t = D_{t-1} ∪ {(x_t, x'_t, 1_t)}
	if m.refitDue() && m.fitKernel() {
		before = confset.Work{} // the model is a new one
	}
	m.update() // 6: f̂_t^MLE and B_f^{t+1}

	m.work = m.spent().Since(before)
	return nil
}

// maximize is line 4 of Alg. 1. It returns the new points of greatest optimistic advantage over
// the model's points ref: one, or the q of a batch.
func (m *method) maximize(ref []int) ([]optimum, error) {
	if m.model != nil {
		m.model.s.ResetFactors() // the proposal must not depend on earlier calls of Ask
	}
	var found []optimum
	switch {
	case m.cfg.Search == "random":
		x := m.sample(m.streams.Rand("random", m.t))
		found = []optimum{{x: x, adv: m.Advantage(x, ref[0])}}
	case m.finite != nil:
		found = []optimum{m.finite.maximize(ref[0], m.streams.Rand("ties", m.t))}
	case m.cfg.Batch > 1:
		found = m.opt.batch(ref, m.cfg.Batch)
	case m.cfg.Search == "grid":
		found = []optimum{m.opt.grid(ref[0], m.cfg.Grid)}
	default:
		found = []optimum{m.opt.joint(m.model.s.Surrogate(), ref[0])}
	}
	for _, o := range found {
		if o.x == nil || !o.adv.Status.OK() {
			return nil, fmt.Errorf("no solve of step %d converged; raise epsilon or lower norm_bound", m.t+1)
		}
	}
	return found, nil
}
