// Package suggest proposes the next points of an experiment that somebody else runs, and
// keeps the state of the algorithm in between.
package suggest

import (
	"encoding/json"
	"fmt"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
	"popbench/internal/printable"
)

// Experiment is what bench suggest reads: an experiment of the user's own.
type Experiment struct {
	Program   string `json:"program,omitempty" doc:"Version that wrote the state."`
	Algorithm string `json:"algorithm,omitempty" doc:"One of bench list algorithms; popbo by default."`
	Settings  any    `json:"settings,omitempty" doc:"Settings of the algorithm; what is left out has its default."` // a pointer to the catalogue's type
	algorithms.State
}

// Read reads an experiment, its settings over the algorithm's defaults. It returns a note on
// each key with an earlier name. Messages call the data name.
func Read(cat suite.Catalogue, name string, data []byte) (*Experiment, []string, error) {
	// Which settings there are depends on the algorithm. JSON is quick to read for it.
	probe := Experiment{Algorithm: "popbo"}
	err := json.Unmarshal(data, &struct{ Algorithm *string }{&probe.Algorithm})
	if err != nil {
		err = config.Decode(name, data, &probe)
	}
	e := &Experiment{Algorithm: probe.Algorithm, Settings: cat.Settings(probe.Algorithm)}
	if e.Settings == nil {
		if err == nil {
			names := cat.Algorithms()
			err = fmt.Errorf("suggest: %s: algorithm: %q is unknown; give one of %s", name, printable.Cut(probe.Algorithm, 40), strings.Join(names, ", "))
		}
		return nil, nil, err
	}
	notes, err := config.DecodeSettings(name, data, e.Algorithm, e)
	if err != nil {
		return nil, nil, err
	}
	if e.Program != thisProgram(cat) {
		e.forget()
	}
	return e, notes, nil
}

// Suggestion is what bench suggest prints.
type Suggestion struct {
	Algorithm   string                      `json:"algorithm"`
	Compare     [][]float64                 `json:"compare"` // oldest first
	New         [][]float64                 `json:"new"`     // those that were not shown in the last query
	Recommended Recommended                 `json:"recommended"`
	Others      []algorithms.Recommendation `json:"other_rules"`
	Comparisons int                         `json:"comparisons"`

	// POP-BO's confidence set.
	LogLik    *float64 `json:"log_likelihood,omitempty"` // of the estimate
	Beta      *float64 `json:"beta,omitempty"`
	NormBound *float64 `json:"norm_bound,omitempty"`
}

// Recommended is the point to use now and, if the algorithm has a model, its belief
// there. POP-BO's range comes with the duality gap of each end.
type Recommended struct {
	algorithms.Recommendation
	*algorithms.Belief
	LowerGap *float64 `json:"lower_gap,omitempty"`
	UpperGap *float64 `json:"upper_gap,omitempty"`
}

// Suggest returns what an algorithm that has learnt n comparisons proposes.
func Suggest(name string, alg algorithms.Algorithm, n int) (*Suggestion, error) {
	q, err := alg.Ask()
	if err != nil {
		return nil, err
	}
	all, err := alg.Recommend()
	if err != nil {
		return nil, err
	}
	s := &Suggestion{
		Algorithm:   name,
		Compare:     q.Points,
		New:         q.Points[len(q.Points)-q.New:],
		Recommended: Recommended{Recommendation: all[0]},
		Others:      all[1:],
		Comparisons: n,
	}
	switch alg := alg.(type) {
	case *popbo.POPBO:
		err = s.certify(alg)
	case algorithms.Believer:
		var b algorithms.Belief
		b, err = alg.Belief(all[0].X)
		s.Recommended.Belief = &b
	}
	return s, err
}

// certify adds what POP-BO knows of the recommended point, with its certificates.
func (s *Suggestion) certify(p *popbo.POPBO) error {
	r, m := &s.Recommended, p.Model()
	lower, upper := m.Lower(r.X), m.Upper(r.X)
	if !lower.Status.OK() || !upper.Status.OK() {
		return fmt.Errorf("the confidence range at %v did not converge; raise settings.epsilon", r.X)
	}
	r.Belief = &algorithms.Belief{Estimate: m.MLE().Value(r.X), Lower: lower.Value, Upper: upper.Value}
	r.LowerGap, r.UpperGap = &lower.Gap, &upper.Gap
	logLik := m.MLESolution().Value
	beta, norm := p.Beta()
	s.LogLik, s.Beta, s.NormBound = &logLik, &beta, &norm
	return nil
}
