package algorithms

import "fmt"

// Kind says what a metric measures, and so how a reader of records may use it.
type Kind string

const (
	// KindWork counts solves, factorisations or evaluations. Unlike times, these counts are the same in every
	// run. bench compare gates on their changes.
	KindWork Kind = "work"
	// KindCertificate says how far a computation is from exact: a duality gap, a residual, a gradient norm, the
	// number of searches that stopped early. Smaller is better.
	KindCertificate Kind = "certificate"
	// KindState describes the model or the proposal: the level of a confidence set, a lengthscale, the value of
	// an acquisition function.
	KindState Kind = "state"
)

// Metric is one named number that describes a step. Value is finite.
type Metric struct {
	Name  string  `json:"name"`
	Kind  Kind    `json:"kind"`
	Value float64 `json:"value" min:"-1.7e308" max:"1.7e308"`
}

// Metric returns a metric of this kind.
func (k Kind) Metric(name string, value float64) Metric { return Metric{name, k, value} }

// LengthscaleMetrics returns a state metric for each coordinate, from lengthscale_1 on.
func LengthscaleMetrics(l []float64) []Metric {
	all := make([]Metric, len(l))
	for j, v := range l {
		all[j] = KindState.Metric(fmt.Sprintf("lengthscale_%d", j+1), v)
	}
	return all
}

// merge merges the metrics of a proposal into those of a method; see Proposal. It drops names that the method
// does not have, so that the names never change.
func merge(all, proposal []Metric) []Metric {
	for _, p := range proposal {
		for i := range all {
			m := &all[i]
			if m.Name != p.Name {
				continue
			}
			switch m.Kind {
			case KindWork:
				m.Value += p.Value
			case KindCertificate:
				m.Value = max(m.Value, p.Value)
			default:
				m.Value = p.Value
			}
		}
	}
	return all
}
