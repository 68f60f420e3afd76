package popbo

import (
	"fmt"
	"math"

	"popbench/kernel"
	"popbench/space"
)

// update computes the estimate and the confidence set of the data, doubling B while
// the likelihood test of App. "Elaboration on Remark (choice of B)" rejects it.
func (m *method) update() {
	for m.cfg.AdaptNormBound {
		wide := m.model.Fit(2 * m.bound)
		m.fit = m.model.Fit(m.bound)
		if !m.rejected(m.fit, wide) {
			break
		}
		m.bound *= 2
	}
	if !m.cfg.AdaptNormBound {
		m.fit = m.model.Fit(m.bound)
	}
	m.beta = m.cfg.Beta.at(m.t, m.bound*m.top)
	m.model.SetBeta(m.beta)
}

// rejected reports whether the ball of B is too small, by the estimates for B and
// 2B. Both certificates count: no f in the ball is likely enough, and the one
// outside is as likely as it is said to be.
func (m *method) rejected(fit, wide Solution) bool {
	return fit.Status.OK() && wide.Status.OK() &&
		fit.Bound < wide.Value-m.cfg.Beta.at(m.t, 2*m.bound*m.top)
}

// usable returns an error if the estimate did not converge.
func (m *method) usable() error {
	if m.fit.Status.OK() {
		return nil
	}
	return fmt.Errorf("the maximum likelihood estimate of %d comparisons did not converge (gap %.3g); raise epsilon or lower norm_bound", m.t, m.fit.Gap)
}

// radius is the factor 2(2B + λ^{-1/2} sqrt(β)) of Eq. best_sample_report for the
// duel of step t, with the B in force now: a smaller one was found wrong.
func (m *method) radius(t int) float64 {
	return 2 * (float64(2*m.bound) + math.Sqrt(m.cfg.Beta.elliptical(t, m.bound*m.top)/m.cfg.Lambda))
}

// supremum bounds sup_x sqrt(k(x, x)) over the box: the kernels here attain it
// at a corner, a stationary one everywhere.
func supremum(k kernel.Kernel, box space.Box) float64 {
	x := make([]float64, box.Dim())
	for i := range x { // the corner farthest from the origin
		x[i] = box.Lo[i]
		if math.Abs(box.Hi[i]) > math.Abs(box.Lo[i]) {
			x[i] = box.Hi[i]
		}
	}
	return math.Sqrt(k.Eval(x, x))
}
