// Package suggest suggests the next points of an experiment outside the harness, and saves
// the state of the algorithm between calls.
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

// Experiment is the input of bench suggest: the user's own experiment.
type Experiment struct {
	Program   string `json:"program,omitempty" doc:"Version that wrote the state."`
	Algorithm string `json:"algorithm,omitempty" doc:"One of bench list algorithms; popbo by default."`
	Settings  any    `json:"settings,omitempty" doc:"Settings of the algorithm; each has a default."` // a pointer to the catalogue's type
	algorithms.State
}

// Read reads an experiment. Settings replace the algorithm's defaults. Messages refer to
// the data as name.
func Read(cat suite.Catalogue, name string, data []byte) (*Experiment, error) {
	// The algorithm decides which settings are valid, so read its name first.
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
		return nil, err
	}
	if err := config.Decode(name, data, e); err != nil {
		return nil, err
	}
	if e.Program != thisProgram(cat) {
		e.forget()
	}
	return e, nil
}

// Suggestion is the output of bench suggest.
type Suggestion struct {
	Algorithm   string                      `json:"algorithm"`
	Compare     [][]float64                 `json:"compare"` // oldest first
	New         [][]float64                 `json:"new"`     // the points that the last query did not show
	Recommended Recommended                 `json:"recommended"`
	Others      []algorithms.Recommendation `json:"other_rules"`
	Comparisons int                         `json:"comparisons"`

	// POP-BO's confidence set.
	LogLik    *float64 `json:"log_likelihood,omitempty"` // of the estimate
	Beta      *float64 `json:"beta,omitempty"`
	NormBound *float64 `json:"norm_bound,omitempty"`
}

// Recommended is the point to use now and, if the algorithm has a model, its belief there.
// POP-BO adds the duality gap of each end of the range.
type Recommended struct {
	algorithms.Recommendation
	*algorithms.Belief
	LowerGap *float64 `json:"lower_gap,omitempty"`
	UpperGap *float64 `json:"upper_gap,omitempty"`
}

// Suggest returns the suggestion of an algorithm that has learnt n comparisons.
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

// certify adds POP-BO's estimate and range at the recommended point, with certificates.
func (s *Suggestion) certify(p *popbo.POPBO) error {
	r := &s.Recommended
	estimate, lower, upper, err := p.Confidence(r.X)
	if err != nil {
		return err
	}
	r.Belief = &algorithms.Belief{Estimate: estimate, Lower: lower.Value, Upper: upper.Value}
	r.LowerGap, r.UpperGap = &lower.Gap, &upper.Gap
	logLik := p.LogLikelihood().Value
	beta, norm := p.Beta()
	s.LogLik, s.Beta, s.NormBound = &logLik, &beta, &norm
	return nil
}
