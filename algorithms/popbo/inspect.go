package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
)

// Config returns the settings in force. They include a known kernel and norm bound, or a fitted
// lengthscale, in place of those given to New.
func (p *POPBO) Config() Config {
	if p.method == nil {
		return Config{}
	}
	c := p.method.cfg
	c.Kernel = c.Kernel.WithLengthscale(c.Kernel.Lengthscale)
	return c
}

// InForce returns the kernel, the range in which its lengthscale was fitted to pilot comparisons or whether it
// is fitted as the run goes on, and the present norm bound.
func (m *method) InForce() algorithms.InForce {
	return algorithms.InForce{Kernel: &m.cfg.Kernel, NormBound: m.normBound, Range: m.fitted, Refitted: m.cfg.RefitEvery > 0}
}

// Model returns the model of the comparisons so far, for confidence bounds and the MLE. The
// caller must not change it. On a finite set of arms it is empty.
func (p *POPBO) Model() *Model {
	if p.method == nil || p.method.model == nil {
		return new(Model)
	}
	return p.method.model
}

// Beta returns β_t and the norm bound B in force.
func (p *POPBO) Beta() (beta, normBound float64) {
	if p.method == nil {
		return 0, 0
	}
	return p.method.beta, p.method.normBound
}

// Belief returns the value of the minimum-norm MLE at x and the range of f(x) over the confidence
// set.
func (p *POPBO) Belief(x []float64) (algorithms.Belief, error) {
	estimate, lower, upper, err := p.Confidence(x)
	if err != nil {
		return algorithms.Belief{}, err
	}
	return algorithms.Belief{Estimate: estimate, Lower: lower.Value, Upper: upper.Value}, nil
}

// Confidence is Belief with the certificates of both ends of the range. The Bound of lower is a
// lower bound of the minimum.
func (p *POPBO) Confidence(x []float64) (estimate float64, lower, upper Solution, err error) {
	if err = p.CheckPoint(x); err != nil {
		return 0, lower, upper, err
	}
	if err = p.method.checkMLE(); err != nil {
		return 0, lower, upper, fmt.Errorf("popbo: %w", err)
	}
	estimate, lower, upper = p.method.confidence(x)
	if !lower.Status.OK() || !upper.Status.OK() {
		err = fmt.Errorf("popbo: the confidence range at %v did not converge (gaps %.3g, %.3g); raise epsilon or lower norm_bound", x, lower.Gap, upper.Gap)
	}
	return estimate, lower, upper, err
}

// LogLikelihood returns the log-likelihood of the MLE, ℓ_t(f̂_t^MLE), with its certificate.
func (p *POPBO) LogLikelihood() Solution {
	if p.method == nil {
		return Solution{}
	}
	return p.method.mleSolution
}

// Metrics returns β, the norm bound, the log-likelihood of the MLE and its duality gap, the work
// of the last update, and the lengthscales. A proposal replaces the optimistic advantage, the gaps
// and the work by its own. The work counts solves, Newton systems, solves retried another way, and
// solves that failed and were not used. If the lengthscale is fitted to the run's comparisons, there are the
// certificate and the work of the last fit, zero in steps without one, and the variance if that is fitted.
func (m *method) Metrics() []algorithms.Metric {
	list := append([]algorithms.Metric{
		{Name: "beta", Kind: algorithms.KindState, Value: m.beta},
		{Name: "norm_bound", Kind: algorithms.KindState, Value: m.normBound},
		{Name: "log_likelihood", Kind: algorithms.KindState, Value: m.mleSolution.Value},
		{Name: "optimistic_advantage", Kind: algorithms.KindState},
		{Name: "duality_gap", Kind: algorithms.KindCertificate, Value: m.mleSolution.Gap},
		{Name: "search_gap", Kind: algorithms.KindCertificate},
	}, workMetrics(m.work)...)
	if m.cfg.RefitEvery > 0 {
		list = append(list, algorithms.KindCertificate.Metric("fit_gradient", m.refit.Gradient),
			algorithms.KindWork.Metric("fit_evaluations", float64(m.refit.Evaluations)),
			algorithms.KindWork.Metric("fit_failures", float64(m.refit.Failures)))
	}
	if m.cfg.fitsVariance() {
		list = append(list, algorithms.KindState.Metric("variance", m.cfg.Kernel.Variance))
	}
	return append(list, algorithms.LengthscaleMetrics(m.cfg.Kernel.Lengthscale)...)
}

// remembered has what the comparisons alone do not determine: an adaptive norm bound depends on all
// earlier MLEs, and a fitted lengthscale on earlier fits.
type remembered struct {
	NormBound   float64   `json:"norm_bound"`
	Lengthscale []float64 `json:"lengthscale,omitempty"` // in units of x; if it is fitted to the run's comparisons
	Variance    float64   `json:"variance,omitempty"`    // if it is fitted
	Refit       *refit    `json:"refit,omitempty"`
}

// Remember returns the present norm bound and the fitted hyper-parameters.
func (m *method) Remember() any {
	if m.cfg.RefitEvery == 0 {
		return remembered{NormBound: m.normBound}
	}
	r := remembered{NormBound: m.normBound, Lengthscale: m.cfg.Kernel.Lengthscale, Refit: &m.refit}
	if m.cfg.fitsVariance() {
		r.Variance = m.cfg.Kernel.Variance
	}
	return r
}

// Recall adds all comparisons to the data and updates the model once.
func (m *method) Recall(all []algorithms.Comparison, memory func(v any) (bool, error)) (bool, error) {
	var was remembered
	if m.cfg.AdaptNormBound || m.cfg.RefitEvery > 0 {
		if ok, err := memory(&was); !ok || err != nil {
			return false, err
		}
	}
	if m.cfg.RefitEvery > 0 {
		if was.Refit == nil || len(was.Lengthscale) != len(m.cfg.Kernel.Lengthscale) {
			return false, fmt.Errorf("lengthscale has %d values, and %d are fitted; leave the memory out", len(was.Lengthscale), len(m.cfg.Kernel.Lengthscale))
		}
		k := m.cfg.Kernel.WithLengthscale(was.Lengthscale)
		if m.cfg.fitsVariance() {
			k.Variance = was.Variance
		}
		if err := m.setKernel(k); err != nil {
			return false, err
		}
		m.learnt, m.refit = slices.Clone(all), *was.Refit
	}
	if m.cfg.AdaptNormBound {
		// The likelihood test solves with twice the bound, and solvers square it.
		if twice := 2 * was.NormBound; !(was.NormBound >= m.cfg.NormBound) || math.IsInf(twice*twice, 1) {
			return false, fmt.Errorf("norm_bound = %g cannot have grown from %g, the norm bound of the settings; leave the memory out",
				was.NormBound, m.cfg.NormBound)
		}
		m.normBound = was.NormBound
	}
	for _, c := range all {
		m.append(c)
	}
	before := m.spent()
	m.update()
	m.work = m.spent().Since(before)
	return true, nil
}
