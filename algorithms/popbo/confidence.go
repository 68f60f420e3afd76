package popbo

import (
	"fmt"
	"math"

	"popbench/algorithms"
	"popbench/internal/math/search"
)

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

// checkMLE returns an error if the MLE did not converge.
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

func (r refit) metrics() []algorithms.Metric {
	return []algorithms.Metric{
		{Name: "fit_gradient", Kind: algorithms.KindCertificate, Value: r.Gradient},
		{Name: "fit_evaluations", Kind: algorithms.KindWork, Value: float64(r.Evaluations)},
		{Name: "fit_failures", Kind: algorithms.KindWork, Value: float64(r.Failures)},
	}
}
