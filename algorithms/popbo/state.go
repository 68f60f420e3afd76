package popbo

import (
	"fmt"
	"math"

	"popbench/algorithms"
)

// remembered has what the comparisons alone do not determine: an adaptive norm bound depends on all
// earlier MLEs.
type remembered struct {
	NormBound float64 `json:"norm_bound"`
}

// Remember returns the present norm bound.
func (m *method) Remember() any { return remembered{m.normBound} }

// Recall adds all comparisons to the data and updates the model once.
func (m *method) Recall(all []algorithms.Comparison, memory func(v any) (bool, error)) (bool, error) {
	if m.cfg.AdaptNormBound {
		var was remembered
		if ok, err := memory(&was); !ok || err != nil {
			return false, err
		}
		// The likelihood test solves with twice the bound, and solvers square it.
		if twice := 2 * was.NormBound; !(was.NormBound >= m.cfg.NormBound) || math.IsInf(twice*twice, 1) {
			return false, fmt.Errorf("norm_bound = %g cannot have grown from %g, the norm bound of the settings; leave the memory out", was.NormBound, m.cfg.NormBound)
		}
		m.normBound = was.NormBound
	}
	last := len(all) - 1
	for _, c := range all[:last] {
		m.append(c)
	}
	return true, m.Learn(all[last])
}
