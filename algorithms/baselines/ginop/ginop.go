package ginop

import (
	"fmt"
	"math"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/confset"
	"popbench/algorithms/internal/utility"
	"popbench/kernel"
	"popbench/space"
)

var (
	_ algorithms.Believer   = (*method)(nil)
	_ algorithms.Informed   = (*method)(nil)
	_ algorithms.Rememberer = (*method)(nil)
)

// New returns GINOP at step 0, or an error that names the wrong argument. It draws one number from setup.Rand. A known
// kernel and a known norm bound replace those that are set.
func New(setup algorithms.Setup, cfg Config) (algorithms.TieBeliefDriver, error) {
	spec := algorithms.Spec{Name: "ginop", Words: 1, Duels: true, Ties: true}
	d, _, err := algorithms.Drive(setup, spec, cfg, begin)
	return algorithms.TieBeliefDriver{TieDriver: algorithms.TieDriver{Driver: d}}, err
}

// method is GINOP as an algorithms.Method.
type method struct {
	cfg     Config // in force
	streams algorithms.Streams
	t       int // number of comparisons
	model
	work confset.Work // of the last Learn

	hyper *utility.KernelFit // nil if the kernel is given
	setup algorithms.Setup   // to make models of other kernels
	all   []algorithms.Comparison
	spent confset.Work // of models of earlier kernels
}

// model has the estimate and the confidence set of the comparisons, on arms or on a box.
type model interface {
	// add adds a comparison; fit then computes the estimate and the confidence set for the given β.
	add(c algorithms.Comparison)
	fit(beta float64)
	// fitted returns the estimate of the last fit.
	fitted() arms.Estimate
	// choose returns the pair of the largest value.
	choose(r func(label string) *rand.Rand) choice
	// best returns a point of the largest estimate.
	best(r *rand.Rand) []float64
	belief(x []float64) algorithms.Belief
	// total returns the work so far.
	total() confset.Work
}

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	m := &method{cfg: cfg, streams: streams, setup: s}
	m.cfg.Kernel, m.hyper = utility.NewKernelFit(s, cfg.Fit, cfg.Kernel)
	if s.Known.NormBound > 0 {
		m.cfg.NormBound = s.Known.NormBound
	}
	return m, m.newModel(m.cfg.Kernel)
}

// newModel makes the model of the comparisons so far with a kernel, and sets the kernel, unless there is an error.
func (m *method) newModel(c kernel.Config) error {
	k, err := c.New(m.setup.Domain.Dim())
	if err != nil {
		return err
	}
	var made model
	if a, ok := m.setup.Domain.(*space.Arms); ok {
		made, err = newFinite(a, k, m.cfg)
	} else {
		made = newBox(m.setup.Domain.Bounds(), m.setup.Start, k, m.cfg)
	}
	if err != nil {
		return err
	}
	if m.model != nil {
		m.spent = m.total()
	}
	m.model, m.cfg.Kernel = made, c
	for _, c := range m.all {
		m.add(c)
	}
	return nil
}

func (m *method) total() confset.Work { return m.model.total().Plus(m.spent) }

// InForce returns the kernel and the norm bound.
func (m *method) InForce() algorithms.InForce {
	return algorithms.InForce{Kernel: &m.cfg.Kernel, NormBound: m.cfg.NormBound, Refitted: m.hyper != nil}
}

// Belief returns the belief of the model at x.
func (m *method) Belief(x []float64) (algorithms.Belief, error) {
	if err := m.check(); err != nil {
		return algorithms.Belief{}, err
	}
	return m.belief(x), nil
}

// Learn adds a comparison, and fits the kernel if that is due. If the new kernel has no model, the old one stays.
func (m *method) Learn(c algorithms.Comparison) error {
	before := m.total()
	m.t++
	m.add(c)
	if m.hyper != nil {
		m.all = append(m.all, c)
		if m.hyper.Learn(c) {
			_ = m.newModel(m.hyper.Kernel)
		}
	}
	m.fit(m.beta())
	m.work = m.total().Since(before)
	return nil
}

// Remember returns nil: the comparisons suffice.
func (m *method) Remember() any { return nil }

// Recall adds all comparisons and fits once, unless the rule keeps tangents or the kernel is fitted.
func (m *method) Recall(all []algorithms.Comparison, _ func(any) (bool, error)) (bool, error) {
	if f, ok := m.model.(*finite); ok && f.rule != nil || m.hyper != nil {
		return false, nil
	}
	m.t = len(all) - 1
	for _, c := range all[:m.t] {
		m.add(c)
	}
	return true, m.Learn(all[m.t])
}

func (m *method) beta() float64 { return m.cfg.Beta.at(m.t) }

func (m *method) check() error {
	if e := m.fitted(); !e.Status.OK() {
		return fmt.Errorf("the estimate from %d comparisons ended with %v (gap %.3g); raise epsilon or lower norm_bound", m.t, e.Status, e.Gap)
	}
	return nil
}

// Propose returns the pair of the largest value.
func (m *method) Propose() (algorithms.Proposal, error) {
	if err := m.check(); err != nil {
		return algorithms.Proposal{}, err
	}
	before := m.total()
	c := m.choose(func(label string) *rand.Rand { return m.streams.Rand(label, m.t) })
	if math.IsInf(c.value, -1) {
		return algorithms.Proposal{}, fmt.Errorf("no pair of step %d could be solved for; raise epsilon or lower norm_bound", m.t+1)
	}
	return algorithms.Duel(c.x, c.y, append(m.choiceMetrics(c), workMetrics(m.total().Since(before))...)...), nil
}

// RuleMaxMLE recommends the point with the largest f̂.
const RuleMaxMLE = "max-mle"

// Recommend returns the point with the largest f̂.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return []algorithms.Recommendation{{Rule: RuleMaxMLE, X: m.best(m.streams.Rand("recommend", m.t))}}, nil
}

// Metrics describes the estimate: β_t, ‖f̂‖, and its duality gap; the chosen pair, with a certificate of the choice; and the
// work: solves, one for each end of a pair, Newton systems, and solves that did not converge. A fit of the kernel has its
// own; see utility.KernelFit.
func (m *method) Metrics() []algorithms.Metric {
	e := m.fitted()
	all := []algorithms.Metric{
		algorithms.KindState.Metric("beta", m.beta()),
		algorithms.KindState.Metric("norm", e.Norm),
		algorithms.KindCertificate.Metric("duality_gap", e.Gap),
	}
	if m.hyper != nil {
		all = append(all, m.hyper.Metrics()...)
	}
	return append(append(all, m.choiceMetrics(choice{})...), workMetrics(m.work)...)
}

func (m *method) choiceMetrics(c choice) []algorithms.Metric {
	all := []algorithms.Metric{
		algorithms.KindState.Metric("choice_value", c.value),
		algorithms.KindState.Metric("choice_width", c.width),
	}
	if name := m.certificate(); name != "" {
		all = append(all, algorithms.KindCertificate.Metric(name, c.gap))
	}
	return all
}

// certificate names what choice.gap bounds. choice_gap: by how much the value of another pair may exceed the value of the
// choice. width_gap: the error of ω at the chosen pair.
func (m *method) certificate() string {
	_, onArms := m.model.(*finite)
	switch {
	case m.cfg.Width == "laplace":
		return ""
	case onArms:
		return "choice_gap"
	}
	return "width_gap"
}

func workMetrics(w confset.Work) []algorithms.Metric {
	return []algorithms.Metric{
		algorithms.KindWork.Metric("solves", float64(w.Solves)),
		algorithms.KindWork.Metric("newton", float64(w.Newton)),
		algorithms.KindWork.Metric("failures", float64(w.Failures)),
	}
}
