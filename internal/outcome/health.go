package outcome

import "strings"

// Health sums up the solver's metrics of a group's complete runs.
type Health struct {
	Known                     bool // false: the algorithm reports no such metrics
	Solves, Retries, Failures int
	MaxGap                    float64 // largest duality gap of an accepted solve
}

// add adds the metrics of a run. An algorithm with several solvers gives each a prefix, "mle_solves".
func (h *Health) add(totals []Total) {
	for _, m := range totals {
		is := func(name string) bool { return m.Name == name || strings.HasSuffix(m.Name, "_"+name) }
		switch {
		case is("solves"):
			h.Known = true
			h.Solves += int(m.Sum)
		case is("retries"):
			h.Retries += int(m.Sum)
		case is("failures"):
			h.Failures += int(m.Sum)
		case is("duality_gap"):
			h.MaxGap = max(h.MaxGap, m.Max)
		}
	}
}
