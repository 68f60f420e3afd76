package popbo

import (
	"popbench/algorithms"
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
	spec := algorithms.Spec{Name: "popbo", Words: 1, Shift: 11}
	d, m, err := algorithms.Drive(setup, spec, cfg, newMethod)
	if err != nil {
		return nil, err
	}
	return &POPBO{d, m}, nil
}

// method is Alg. 1 as an algorithms.Method.
type method struct {
	cfg     Config            // in force
	fitted  *algorithms.Range // where the lengthscale was fitted; nil if it was not
	box     space.Box
	streams algorithms.Streams
	opt     *optimizer

	model       *Model            // D_t, f̂_t^MLE and B_f^{t+1}
	t           int               // number of comparisons
	last        []int             // x_t, an index in the model; for a batch the newest q points
	normBound   float64           // B, as doubled so far
	supSqrtK    float64           // sup sqrt(k(x, x)), so that |f| <= normBound·supSqrtK
	beta        float64           // β_t
	mleSolution Solution          // ℓ_t(f̂_t^MLE)
	uncertainty duelUncertainties // σ_τ of the duels so far
	work        Work              // of the last Learn
}

// newMethod is line 1 of Alg. 1: B_f^1 is the ball of radius B. The paper has one initial point
// x_0. A batch needs q; the others are uniform.
func newMethod(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	box, err := s.Box()
	if err != nil {
		return nil, err
	}
	cfg, fitted, err := cfg.inForce(s, box)
	if err != nil {
		return nil, err
	}
	k, err := cfg.Kernel.New(box.Dim())
	if err != nil {
		return nil, err
	}
	m := &method{cfg: cfg, fitted: fitted, box: box, streams: streams, model: NewModel(k, cfg.Epsilon), normBound: cfg.NormBound, supSqrtK: supSqrtK(k, box)}
	m.uncertainty = newDuelUncertainties(m.model, cfg.Lambda)
	m.opt = newOptimizer(m.model, box, cfg.Restarts, streams.Rand("points", 0))
	x := s.Start
	for i := range cfg.Batch {
		if i > 0 {
			x = box.Sample(make([]float64, box.Dim()), streams.Rand("start", i))
		}
		m.last = append(m.last, m.model.AddPoint(x))
	}
	m.opt.sync()
	m.update()
	return m, nil
}

// Propose is lines 3 and 4 of Alg. 1. A batch has q reference points and q new points.
func (m *method) Propose() (algorithms.Proposal, error) {
	if err := m.checkMLE(); err != nil {
		return algorithms.Proposal{}, err
	}
	before := m.model.Work()

	ref := m.last             // 3: x'_t = x_{t-1}
	x, err := m.maximize(ref) // 4: x_t ∈ argmax_{x ∈ X} max_{f ∈ B_f^t} (f(x) - f(x'_t))

	if err != nil {
		return algorithms.Proposal{}, err
	}
	return m.proposal(ref, x, m.model.Work().Since(before)), nil
}

// Learn is lines 5 and 6 of Alg. 1.
func (m *method) Learn(c algorithms.Comparison) error {
	before := m.model.Work()

	m.append(c) // 5: D_t = D_{t-1} ∪ {(x_t, x'_t, 1_t)}
	m.update()  // 6: f̂_t^MLE and B_f^{t+1}

	m.work = m.model.Work().Since(before)
	return nil
}

// append adds a comparison to the data.
func (m *method) append(c algorithms.Comparison) {
	index := m.model.learn(c)
	m.opt.sync()
	m.t++
	m.last = append(m.last[:0], index[max(0, len(index)-m.cfg.Batch):]...)
	m.uncertainty.add(m.t, index, m.cfg.Batch)
}
