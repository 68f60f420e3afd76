package popbo

import (
	"popbench/algorithms"
	"popbench/internal/math/search"
)

// refit describes a fit of the lengthscale to the comparisons of the run.
type refit struct {
	Gradient    float64 `json:"gradient"`    // the certificate: its largest component that does not point out of the range
	Evaluations int     `json:"evaluations"` // of the likelihood
	Failures    int     `json:"failures"`    // climbs that did not end at a maximum
}

// refitDue reports whether the lengthscale is to be fitted: after the initial duels and then every RefitEvery
// comparisons.
func (m *method) refitDue() bool {
	return m.cfg.RefitEvery > 0 && m.t >= m.cfg.InitialDuels && (m.t-m.cfg.InitialDuels)%m.cfg.RefitEvery == 0
}

// fitKernel fits the lengthscale to all comparisons and makes the model anew with it. It reports whether it did:
// if no climb found a lengthscale with a likelihood, the kernel stays.
//
// The norm bound begins anew too, since an adaptive one was doubled under another kernel.
func (m *method) fitKernel() bool {
	best := newLengthscaleFit(m.cfg, m.box, m.learnt).mapFit(m.cfg.Kernel.Lengthscale)
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
