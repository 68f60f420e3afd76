package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/strict"
	"popbench/internal/words"
	"popbench/space"
	"popbench/suite"
)

// Experiment is the input of bench suggest: the user's own experiment.
type Experiment struct {
	Algorithm string `json:"algorithm,omitempty" doc:"One of bench list algorithms; popbo by default."`
	Settings  any    `json:"settings,omitempty" doc:"Settings of the algorithm; each has a default."` // a pointer to the catalogue's type
	algorithms.State
	computed
}

// computed hides the keys of algorithms.Progress: a file cannot give them.
type computed struct {
	Learnt, Metrics, Pending, Memory, Fits struct{} `json:"-"`
}

// ReadExperiment reads an experiment. Settings replace the algorithm's defaults. Messages refer to the data as name.
func ReadExperiment(cat suite.Catalogue, name string, data []byte) (*Experiment, error) {
	// The algorithm decides which settings are valid, so read its name first.
	probe := Experiment{Algorithm: "popbo"}
	err := json.Unmarshal(data, &struct{ Algorithm *string }{&probe.Algorithm})
	if err != nil {
		err = strict.Decode(name, data, &probe)
	}
	e := &Experiment{Algorithm: probe.Algorithm, Settings: cat.Settings(probe.Algorithm)}
	if e.Settings == nil {
		if err == nil {
			names := cat.Algorithms()
			hint := words.Hint(probe.Algorithm, names, "give one of "+strings.Join(names, ", "))
			err = fmt.Errorf("suggest: %s: algorithm: %q is unknown; %s", name, words.Cut(probe.Algorithm, 40), hint)
		}
		return nil, err
	}
	return e, strict.Decode(name, data, e)
}

// Resume returns the algorithm of the experiment, after it has learnt all comparisons. It continues from an earlier state
// if that belongs to the experiment. Otherwise it starts from the beginning, and note says why unless the state is nil.
// A text that is no state is an error.
func (e *Experiment) Resume(cat suite.Catalogue, state []byte) (alg suite.Restorable, note string, err error) {
	if state != nil {
		var was saved
		if was, note, err = readState(e.Algorithm, cat.Build(), state); err != nil {
			return nil, "", err
		}
		if note == "" {
			note = e.differsFrom(was)
		}
		if note == "" {
			from := e.State
			from.Progress = was.Progress
			if alg, err = cat.Restore(e.Algorithm, from, e.Settings); err == nil {
				return alg, "", nil
			}
			note = "it cannot be restored: " + err.Error()
		}
	}
	if alg, err = cat.Restore(e.Algorithm, e.State, e.Settings); errors.Is(err, space.ErrOutside) {
		err = fmt.Errorf("%w; leave it out, correct it, or widen the box", err)
	}
	return alg, note, err
}

// differsFrom says why a state of the same algorithm does not belong to the experiment; "" if it does.
func (e *Experiment) differsFrom(was saved) string {
	n := len(was.Comparisons)
	switch {
	case n > len(e.Comparisons):
		return "it has more comparisons"
	case !slices.EqualFunc(was.Comparisons, e.Comparisons[:n], func(a, b algorithms.Comparison) bool {
		return a.Winner == b.Winner && a.Tie == b.Tie && slices.Equal(a.Values, b.Values) && slices.EqualFunc(a.Points, b.Points, slices.Equal)
	}):
		return "its comparisons differ"
	}
	now := saved{State: e.State}
	now.Settings, _ = json.Marshal(e.Settings) // they were read from JSON
	a, b := now.parts(), was.parts()
	for _, key := range []string{"settings", "box", "arms", "start", "steps", "seed", "stream", "known", "pilot"} {
		if !bytes.Equal(a[key], b[key]) {
			return "the " + key + " changed"
		}
	}
	return ""
}

// parts returns what never changes during an experiment, by key.
func (s saved) parts() (by map[string]json.RawMessage) {
	s.Comparisons, s.Progress = nil, algorithms.Progress{}
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &by)
	}
	if err != nil {
		panic(err) // it was read from JSON
	}
	return by
}

// Save returns the state of the experiment's algorithm, as the request state does, but with the domain, the start and the
// pilot in the words of the experiment.
func (e *Experiment) Save(cat suite.Catalogue, alg suite.Restorable) ([]byte, error) {
	now, err := alg.State()
	if err != nil {
		return nil, err
	}
	state := e.State
	state.Progress = now.Progress
	return writeState(e.Algorithm, cat.Build(), e.Settings, state)
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
	logLik := p.LogLikelihood().Value + 0 // without comparisons it is -0
	beta, norm := p.Beta()
	s.LogLik, s.Beta, s.NormBound = &logLik, &beta, &norm
	return nil
}
