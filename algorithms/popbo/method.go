package popbo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/internal/confset"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

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
	work        confset.Work      // of the last Learn

	learnt []algorithms.Comparison // all, if the lengthscale is fitted to them
	refit  refit                   // of the last Learn
}

// refit describes a fit of the lengthscale to the comparisons of the run.
type refit struct {
	Gradient    float64 `json:"gradient"`    // the certificate: its largest component that does not point out of the range
	Evaluations int     `json:"evaluations"` // of the likelihood
	Failures    int     `json:"failures"`    // climbs that did not end at a maximum
}

func (m *method) sample(r *rand.Rand) []float64 {
	return m.domain.Sample(make([]float64, m.domain.Dim()), r)
}

// setKernel sets the kernel and makes the model of the comparisons learnt so far anew. After an error nothing has
// changed.
func (m *method) setKernel(c kernel.Config) error {
	k, err := c.New(m.box.Dim())
	if err != nil {
		return err
	}
	if arms, ok := m.domain.(*space.Arms); ok {
		finite, err := newFinite(k, arms, m.cfg.Epsilon)
		if err != nil {
			return err
		}
		m.finite, m.inference, m.supSqrtK = finite, finite, finite.supSqrtK(k)
	} else {
		m.model = NewModel(k, m.cfg.Epsilon)
		m.inference, m.supSqrtK = m.model, kernel.Supremum(k, m.box.Lo, m.box.Hi)
		m.opt = newOptimizer(m.model, m.box, m.cfg.Restarts, m.streams.Rand("points", 0))
	}
	m.cfg.Kernel, m.normBound = c, m.cfg.NormBound
	m.uncertainty = duelUncertainties{m: m.inference, lambda: m.cfg.Lambda}
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

func (m *method) append(c algorithms.Comparison) {
	index := m.learn(c)
	if m.opt != nil {
		m.opt.sync()
	}
	m.t++
	m.last = append(m.last[:0], index[max(0, len(index)-m.cfg.Batch):]...)
	m.uncertainty.add(m.t, index, m.cfg.Batch)
}

// proposal returns the query of the model's points ref and the maximisers found, with the
// advantage of the first maximiser and the largest gaps.
func (m *method) proposal(ref []int, found []optimum, work confset.Work) algorithms.Proposal {
	p := algorithms.Proposal{Query: algorithms.Query{New: len(found)}}
	for _, i := range ref {
		p.Points = append(p.Points, m.Point(i))
	}
	var gap, search float64
	for _, o := range found {
		p.Points = append(p.Points, o.x)
		gap, search = max(gap, o.adv.Gap), max(search, o.gap)
	}
	p.Metrics = append([]algorithms.Metric{
		{Name: "optimistic_advantage", Kind: algorithms.KindState, Value: found[0].adv.Value},
		{Name: "duality_gap", Kind: algorithms.KindCertificate, Value: gap},
		{Name: "search_gap", Kind: algorithms.KindCertificate, Value: search},
	}, workMetrics(work)...)
	return p
}

func workMetrics(w confset.Work) []algorithms.Metric {
	return []algorithms.Metric{
		{Name: "solves", Kind: algorithms.KindWork, Value: float64(w.Solves)},
		{Name: "newton", Kind: algorithms.KindWork, Value: float64(w.Newton)},
		{Name: "retries", Kind: algorithms.KindWork, Value: float64(w.Retries)},
		{Name: "failures", Kind: algorithms.KindWork, Value: float64(w.Failures)},
	}
}

// update computes the MLE and the confidence set of the data. If the norm bound adapts, it
// doubles B while the likelihood test of App. "Elaboration on Remark (choice of B)" rejects it.
func (m *method) update() {
	for m.cfg.AdaptNormBound {
		doubled := m.SolveMLE(2 * m.normBound)
		m.mleSolution = m.SolveMLE(m.normBound)
		if !m.rejected(m.mleSolution, doubled) {
			break
		}
		m.normBound *= 2
	}
	if !m.cfg.AdaptNormBound {
		m.mleSolution = m.SolveMLE(m.normBound)
	}
	m.beta = m.cfg.Beta.at(m.t, m.normBound*m.supSqrtK)
	m.SetBeta(m.beta)
}

// rejected reports whether the ball of radius B is too small, given the MLEs for B and 2B. It
// uses both certificates: no f in the small ball is more likely than single.Bound, and some f in
// the large one is at least as likely as doubled.Value.
func (m *method) rejected(single, doubled Solution) bool {
	return single.Status.OK() && doubled.Status.OK() &&
		single.Bound < doubled.Value-m.cfg.Beta.at(m.t, 2*m.normBound*m.supSqrtK)
}

func (m *method) checkMLE() error {
	if m.mleSolution.Status.OK() {
		return nil
	}
	return fmt.Errorf("the maximum likelihood estimate of %d comparisons did not converge (gap %.3g); raise epsilon or lower norm_bound",
		m.t, m.mleSolution.Gap)
}

// radius is the factor 2(2B + λ^{-1/2} sqrt(β)) of Eq. best_sample_report for the duel of step
// t. B is the present one: the data have refuted any smaller one.
func (m *method) radius(t int) float64 {
	return 2 * (float64(2*m.normBound) + math.Sqrt(m.cfg.Beta.elliptical(t, m.normBound*m.supSqrtK)/m.cfg.Lambda))
}

// refitDue reports whether the lengthscale is to be fitted: after the initial duels and then every RefitEvery
// comparisons.
func (m *method) refitDue() bool {
	return m.cfg.RefitEvery > 0 && m.t >= m.cfg.InitialDuels && (m.t-m.cfg.InitialDuels)%m.cfg.RefitEvery == 0
}

// fitKernel fits the lengthscale, and the variance if it has a prior, to all comparisons and makes the model anew with them.
// It reports whether it did: if no climb found a kernel with a likelihood, the kernel stays.
//
// The norm bound begins anew too, since an adaptive one was doubled under another kernel.
func (m *method) fitKernel() bool {
	best := newLengthscaleFit(m.cfg, m.box, m.learnt).mapFit(m.cfg.Kernel)
	m.refit = refit{best.Gradient, best.Evaluations, best.Unfinished}
	return best.Status != search.Undefined && m.setKernel(best.Kernel) == nil
}
