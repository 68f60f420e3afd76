package dts

import (
	"fmt"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/gp"
	"popbench/space"
)

// RuleCondorcet is the recommendation rule.
const RuleCondorcet = "condorcet-winner"

// DTS is duelling Thompson sampling as an algorithms.Algorithm.
type DTS struct {
	*algorithms.Driver
	m *method
}

// New returns DTS at its first step, or an error that names the wrong argument. It draws one number from
// setup.Rand. A known kernel, which must be stationary, replaces the one that is set or fitted. Its variance is
// doubled, since it is for a difference of two values of f, except with prior: preference.
func New(setup algorithms.Setup, cfg Config) (*DTS, error) {
	spec := algorithms.Spec{Name: "dts", Words: 1, Duels: true}
	d, m, err := algorithms.Drive(setup, spec, cfg, begin)
	return &DTS{d, m}, err
}

// InForce returns the kernel of one point.
func (m *method) InForce() algorithms.InForce {
	if m.cfg.Fit == "none" {
		return algorithms.InForce{Kernel: &m.cfg.Kernel}
	}
	k := m.model.kernel.Kernel.FromUnit(m.frame.Box().Widths())
	return algorithms.InForce{Kernel: &k, Refitted: true}
}

// method is duelling Thompson sampling as an algorithms.Method.
type method struct {
	cfg     Config
	domain  space.Domain
	frame   space.Frame
	start   []float64
	streams algorithms.Streams
	choices choices
	model   *model

	t   int       // number of duels learnt
	phi []float64 // memory of the features of a draw
}

var (
	_ algorithms.Rememberer = (*method)(nil)
	_ algorithms.Informed   = (*method)(nil)
)

func begin(s algorithms.Setup, streams algorithms.Streams, cfg Config) (*method, error) {
	frame := space.NewFrame(s.Domain)
	cfg, k, err := cfg.inForce(s.Known.Kernel, frame.Box().Widths())
	if err != nil {
		return nil, err
	}
	if cfg.InitialDuels < 0 {
		cfg.InitialDuels = paperDuels
	}
	m := &method{
		cfg: cfg, domain: s.Domain, frame: frame, start: s.Start, streams: streams,
		choices: newChoices(cfg, frame, streams.Rand("candidates", 0)),
		model:   newModel(newPairKernel(cfg.Prior, k), cfg.Inference),
	}
	m.model.lengthscale = cfg.lengthscale(frame.Box().Dim())
	m.model.Condition()
	m.model.work = work{} // it counts the last Learn only
	return m, nil
}

func (m *method) unit(x []float64) []float64 { return m.frame.ToUnit(make([]float64, len(x)), x) }

func (m *method) fromUnit(u []float64) []float64 { return m.frame.FromUnit(make([]float64, len(u)), u) }

// Learn adds a duel, and fits the model to all duels.
func (m *method) Learn(c algorithms.Comparison) error {
	m.model.work = work{}
	m.add(c)
	if m.cfg.Fit == "map" && m.t%m.cfg.RefitEvery == 0 {
		m.model.Fit()
	} else {
		m.model.Condition()
	}
	return nil
}

func (m *method) add(c algorithms.Comparison) {
	m.t++
	m.model.AddDuel(m.unit(c.Points[c.Winner]), m.unit(c.Points[1-c.Winner]))
}

func (m *method) usable() error {
	if m.model.post.Converged {
		return nil
	}
	return fmt.Errorf("the posterior of %d duels did not converge (residual %.3g); lower variance or give inference: %s", m.t, m.model.post.Residual, laplace)
}

// Propose returns random duels at first. Then it returns the Condorcet winner x of a draw from the posterior,
// and the x' for which the probability that x beats x' is least certain.
func (m *method) Propose() (algorithms.Proposal, error) {
	if m.t < m.cfg.InitialDuels {
		return m.random(), nil
	}
	if err := m.usable(); err != nil {
		return algorithms.Proposal{}, err
	}
	f := newFeatures(m.model.kernel.k, slices.Concat(m.choices.both, m.model.duels.points), m.phi)
	m.phi = f.phi
	x, score := m.choices.winner(m.model.draw(f, m.streams.Rand("sample", m.t)), m.model.link)

	other, variance := m.model.opponent(m.choices, x)
	return algorithms.Duel(m.fromUnit(m.choices.candidate(x)), m.fromUnit(m.choices.candidate(other)), duelMetrics(score, variance, f.rank)...), nil
}

// random returns a duel of uniform points. The first duel of a run begins with the start.
func (m *method) random() algorithms.Proposal {
	r := m.streams.Rand("duel", m.t)
	x := m.start
	if m.t > 0 {
		x = m.domain.Sample(make([]float64, m.choices.d), r)
	}
	return algorithms.Duel(x, m.domain.Sample(make([]float64, m.choices.d), r))
}

// Recommend returns the Condorcet winner of the posterior, the candidate with the largest expected score;
// before the first duel, the start.
func (m *method) Recommend() ([]algorithms.Recommendation, error) {
	if err := m.usable(); err != nil {
		return nil, err
	}
	x := m.start
	if m.t > 0 {
		x = m.fromUnit(m.choices.candidate(m.model.condorcet(m.choices)))
	}
	return []algorithms.Recommendation{{Rule: RuleCondorcet, X: x}}, nil
}

// Metrics describes the model: log evidence and certificate of the posterior; in the last Learn the number of
// posteriors computed, of systems factored for them, and of posteriors that did not converge and were not used;
// and the hyper-parameters, with lengthscales in box widths. The metrics of duelMetrics belong to a proposal.
func (m *method) Metrics() []algorithms.Metric {
	fit, w, k := m.model.post, m.model.work, m.model.kernel.Kernel
	return slices.Concat([]algorithms.Metric{
		algorithms.KindState.Metric("log_evidence", fit.Evidence),
		algorithms.KindCertificate.Metric("residual", fit.Residual),
	}, duelMetrics(0, 0, 0), []algorithms.Metric{
		algorithms.KindWork.Metric("posteriors", float64(w.Posteriors)),
		algorithms.KindWork.Metric("newton", float64(w.Newton)),
		algorithms.KindWork.Metric("failures", float64(w.Failures)),
		algorithms.KindState.Metric("variance", k.Variance),
	}, algorithms.LengthscaleMetrics(k.Lengthscale))
}

// duelMetrics describes a duel: the score of the first point under the draw, the variance of the probability
// that it beats the second, and the number of features of the draw.
func duelMetrics(score, variance float64, features int) []algorithms.Metric {
	return []algorithms.Metric{
		algorithms.KindState.Metric("soft_copeland_score", score),
		algorithms.KindState.Metric("duel_variance", variance),
		algorithms.KindState.Metric("features", float64(features)),
	}
}

// remembered is the state of a method that the duels alone do not determine.
type remembered struct {
	Lengthscale []float64 `json:"lengthscale"` // in box widths
	Variance    float64   `json:"variance"`
	Posterior   gp.Saved  `json:"posterior"`
	work
}

// Remember returns hyper-parameters and posterior, or nil if the posterior did not converge.
func (m *method) Remember() any {
	if m.usable() != nil {
		return nil
	}
	k := m.model.kernel.Kernel
	return remembered{k.Lengthscale, k.Variance, m.model.post.Save(), m.model.work}
}

// Recall conditions the model on all duels at the remembered hyper-parameters.
func (m *method) Recall(all []algorithms.Comparison, memory func(any) (bool, error)) (bool, error) {
	var was remembered
	if ok, err := memory(&was); !ok || err != nil {
		return false, err
	}
	k := m.model.kernel.Kernel
	k.Lengthscale, k.Variance = was.Lengthscale, was.Variance
	for _, c := range all {
		m.add(c)
	}
	if err := m.model.restore(k, was.Posterior); err != nil {
		return false, err
	}
	m.model.work = was.work
	return true, nil
}
