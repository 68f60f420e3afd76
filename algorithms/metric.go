package algorithms

import "fmt"

// Kind says what a metric is, and so what a reader of records may do with it.
type Kind string

const (
	// KindWork counts something that takes time, and unlike time does not vary from one
	// run to another: solves, factorisations, evaluations. Changes of it are gated.
	KindWork Kind = "work"
	// KindCertificate says how far a computation is from exact: a duality gap, a residual,
	// the norm of a gradient, searches that ended early. Less is better.
	KindCertificate Kind = "certificate"
	// KindState describes the model or the proposal: the level of a confidence set, a
	// lengthscale, the value of an acquisition function.
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

// LengthscaleMetrics returns a state for each coordinate, lengthscale_1 and on.
func LengthscaleMetrics(l []float64) []Metric {
	all := make([]Metric, len(l))
	for j, v := range l {
		all[j] = KindState.Metric(fmt.Sprintf("lengthscale_%d", j+1), v)
	}
	return all
}

// merge adds what a proposal has to say to the metrics of a method, by name:
// work is added up, of certificates the larger counts, and a state of the proposal
// takes the place of the method's. Names that the method does not have are left
// out, so that the names never change.
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
