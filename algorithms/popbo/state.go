package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
)

// remembered has what the comparisons alone do not determine: an adaptive norm bound depends on all
// earlier MLEs, and a fitted lengthscale on earlier fits.
type remembered struct {
	NormBound   float64   `json:"norm_bound"`
	Lengthscale []float64 `json:"lengthscale,omitempty"` // in units of x; if it is fitted to the run's comparisons
	Refit       *refit    `json:"refit,omitempty"`
}

// Remember returns the present norm bound and fitted lengthscale.
func (m *method) Remember() any {
	if m.cfg.RefitEvery > 0 {
		return remembered{m.normBound, m.cfg.Kernel.Lengthscale, &m.refit}
	}
	return remembered{NormBound: m.normBound}
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
		if err := m.setKernel(m.cfg.Kernel.WithLengthscale(was.Lengthscale)); err != nil {
			return false, err
		}
		m.learnt, m.refit = slices.Clone(all), *was.Refit
	}
	if m.cfg.AdaptNormBound {
		// The likelihood test solves with twice the bound, and solvers square it.
		if twice := 2 * was.NormBound; !(was.NormBound >= m.cfg.NormBound) || math.IsInf(twice*twice, 1) {
			return false, fmt.Errorf("norm_bound = %g cannot have grown from %g, the norm bound of the settings; leave the memory out", was.NormBound, m.cfg.NormBound)
		}
		m.normBound = was.NormBound
	}
	for _, c := range all {
		m.append(c)
	}
	before := m.Work()
	m.update()
	m.work = m.Work().Since(before)
	return true, nil
}
