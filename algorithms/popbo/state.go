package popbo

import (
	"fmt"
	"math"

	"popbench/algorithms"
)

// remembered is what an update leaves in the method that the comparisons alone do not
// give: a norm bound that adapts depends on all earlier estimates.
type remembered struct {
	NormBound float64 `json:"norm_bound"`
}

// Remember returns the norm bound in force.
func (m *method) Remember() any { return remembered{m.bound} }

// Recall adds all comparisons to the data, and updates the model once.
func (m *method) Recall(all []algorithms.Comparison, memory func(v any) (bool, error)) (bool, error) {
	if m.cfg.AdaptNormBound {
		var was remembered
		if ok, err := memory(&was); !ok || err != nil {
			return false, err
		}
		// The likelihood test solves with twice the bound, and solvers square it.
		if twice := 2 * was.NormBound; !(was.NormBound >= m.cfg.NormBound) || math.IsInf(twice*twice, 1) {
			return false, fmt.Errorf("norm_bound = %g has not grown from %g, that of the settings; leave the memory out", was.NormBound, m.cfg.NormBound)
		}
		m.bound = was.NormBound
	}
	last := len(all) - 1
	for _, c := range all[:last] {
		m.append(c)
	}
	return true, m.Learn(all[last])
}
