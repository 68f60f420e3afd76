package contract

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/space"
)

// subject is a plain algorithm that keeps the contract except for one fault.
type subject struct {
	fault  string
	setup  algorithms.Setup
	seed   uint64
	learnt []algorithms.Comparison
	asked  int
}

func newSubject(fault string) Factory {
	var made uint64
	return func(s algorithms.Setup) (algorithms.Algorithm, error) {
		err := s.Validate()
		switch {
		case fault == "nil rand" && s.Rand == nil:
			s.Rand = rand.New(rand.NewPCG(0, 0))
		case fault == "empty box" && err != nil && strings.Contains(err.Error(), "box: it is empty"):
		case fault == "any start" && err != nil && strings.Contains(err.Error(), "start"):
		case fault == "any pilot" && err != nil && strings.Contains(err.Error(), "pilot"):
		case fault == "nameless error" && err != nil:
			return nil, fmt.Errorf("bad setup")
		case err != nil:
			return nil, err
		}
		a := &subject{fault: fault, setup: s, seed: s.Rand.Uint64()}
		if fault == "clock" {
			made++
			a.seed = made
		}
		return a, nil
	}
}

func (a *subject) last() []float64 {
	if len(a.learnt) == 0 {
		return a.setup.Start
	}
	points := a.learnt[len(a.learnt)-1].Points
	return points[len(points)-1]
}

func (a *subject) Ask() (algorithms.Query, error) {
	step := uint64(len(a.learnt))
	if a.fault == "ask draws" {
		a.asked++
	}
	if a.fault == "ask draws" || a.fault == "recommend steers" && step > 0 {
		step += uint64(a.asked) << 32
	}
	next := a.setup.Domain.Sample(make([]float64, a.setup.Domain.Dim()), rand.New(rand.NewPCG(a.seed, step)))
	old := slices.Clone(a.last())
	switch a.fault {
	case "ask lends":
		old = a.last()
	case "unit box":
		next[0] = rand.New(rand.NewPCG(a.seed, step)).Float64() * 4
	case "forgets":
		a.setup.Domain.Sample(old, rand.New(rand.NewPCG(a.seed, ^step)))
	case "one point":
		return algorithms.Query{Points: [][]float64{next}, New: 1}, nil
	case "nothing new":
		return algorithms.Query{Points: [][]float64{old, next}}, nil
	case "ask fails":
		if len(a.learnt) == 2 {
			return algorithms.Query{}, fmt.Errorf("tired")
		}
	}
	return algorithms.Query{Points: [][]float64{old, next}, New: 1}, nil
}

func (a *subject) Tell(q algorithms.Query, winner int) error {
	c := algorithms.Comparison{Winner: winner}
	for _, x := range q.Points {
		c.Points = append(c.Points, slices.Clone(x))
	}
	if a.fault == "tell keeps" {
		c.Points = q.Points
	}
	err := algorithms.CheckComparison(a.setup.Domain, q, winner)
	word, lax := map[string]string{"lax winner": "winner", "lax new": "new", "lax box": "outside", "lax finite": "finite"}[a.fault]
	if lax && err != nil && strings.Contains(err.Error(), word) {
		err = nil
	}
	switch {
	case err == nil && a.fault == "own queries only":
		if q.Points[0][0] != a.last()[0] {
			err = fmt.Errorf("not mine")
		}
	case err == nil && a.fault == "no repeats":
		if slices.Equal(q.Points[0], q.Points[1]) {
			err = fmt.Errorf("singular")
		}
	case err != nil && a.fault == "half learnt":
		a.asked++
		if len(c.Points) > 1 && a.setup.Domain.Check("x", c.Points[len(c.Points)-1]) == nil {
			a.learnt = append(a.learnt, c)
		}
	}
	if err == nil {
		a.learnt = append(a.learnt, c)
	}
	return err
}

func (a *subject) Recommend() ([]algorithms.Recommendation, error) {
	rec := algorithms.Recommendation{Rule: "last", X: slices.Clone(a.last())}
	switch a.fault {
	case "recommend lends":
		rec.X = a.last()
	case "recommends outside":
		rec.X[0] *= 1e9
	case "recommends nothing":
		return nil, nil
	case "nothing before tell":
		if len(a.learnt) == 0 {
			return nil, nil
		}
	case "nameless rule":
		rec.Rule = ""
	case "recommend steers":
		a.asked = 1
	case "recommend counts":
		a.asked++
		rec.X[0] = math.Nextafter(rec.X[0], a.setup.Domain.Bounds().Hi[0]*float64(a.asked%2)+a.setup.Domain.Bounds().Lo[0]*float64(1-a.asked%2))
	}
	return []algorithms.Recommendation{rec}, nil
}

func (a *subject) Metrics() []algorithms.Metric {
	m := []algorithms.Metric{{Name: "learnt", Value: float64(len(a.learnt))}, {Name: "two", Value: 2}}
	switch {
	case a.fault == "metric names" && len(a.learnt)%2 == 0:
		slices.Reverse(m)
	case a.fault == "NaN metric":
		m[1].Value = math.NaN()
	}
	return m
}

// valued learns from values, and keeps the contract except for the fault of its subject. That of a comparison
// is whether the last value is positive.
type valued struct {
	*subject
	values []float64 // of the last query
}

func newValued(fault string) Factory {
	factory := newSubject(fault)
	return func(s algorithms.Setup) (algorithms.Algorithm, error) {
		a, err := factory(s)
		if err != nil {
			return nil, err
		}
		return &valued{subject: a.(*subject)}, nil
	}
}

func (a *valued) Tell(q algorithms.Query, winner int) error {
	if a.fault == "takes comparisons" {
		return a.subject.Tell(q, winner)
	}
	return fmt.Errorf("it needs values")
}

func (a *valued) TellValues(q algorithms.Query, values []float64) error {
	err := algorithms.CheckValues(a.setup.Domain, q, values)
	switch {
	case err == nil, !strings.Contains(err.Error(), "values"):
		err = a.subject.Tell(q, 0)
	case a.fault == "lax count" && strings.Contains(err.Error(), "values:"),
		a.fault == "lax value" && strings.Contains(err.Error(), "values["):
		err = nil
	}
	if err == nil {
		a.values = slices.Clone(values)
		if a.fault == "keeps values" {
			a.values = values
		}
	}
	return err
}

func (a *valued) Metrics() []algorithms.Metric {
	var sum float64
	for _, v := range a.values {
		sum += v
	}
	return append(a.subject.Metrics(), algorithms.Metric{Name: "value", Value: sum})
}

// tied learns from ties, and keeps the contract except for the fault of its subject.
type tied struct{ *subject }

func newTied(fault string) Factory {
	factory := newSubject(fault)
	return func(s algorithms.Setup) (algorithms.Algorithm, error) {
		a, err := factory(s)
		if err != nil {
			return nil, err
		}
		return tied{a.(*subject)}, nil
	}
}

func (a tied) TellTie(q algorithms.Query) error {
	switch {
	case a.fault == "no ties":
		return fmt.Errorf("a tie")
	case a.fault == "no repeated ties" && len(a.learnt) > 0 && slices.EqualFunc(q.Points, a.learnt[0].Points, slices.Equal):
		return fmt.Errorf("told before")
	case a.fault == "lax ties" && len(q.Points) != 2:
		q = algorithms.Query{Points: [][]float64{a.setup.Start, a.setup.Start}}
	}
	return a.Tell(q, 0)
}

// driven is a method that keeps the contract except for one fault. Its model is how often each point of a duel
// won.
type driven struct {
	fault   string
	setup   algorithms.Setup
	streams algorithms.Streams
	n       int
	asked   int
	wins    [2]int
	last    []float64
}

type settings struct{ fault string }

func (settings) Validate() error { return nil }

func newDriven(fault string) Factory {
	return func(s algorithms.Setup) (algorithms.Algorithm, error) {
		spec := algorithms.Spec{Name: "driven", Words: 2, Duels: true}
		d, _, err := algorithms.Drive(s, spec, settings{fault}, func(s algorithms.Setup, streams algorithms.Streams, cfg settings) (*driven, error) {
			return &driven{fault: cfg.fault, setup: s, streams: streams, last: s.Start}, nil
		})
		if err != nil {
			return nil, err
		}
		return faultyState{d, fault}, nil
	}
}

func (m *driven) Learn(c algorithms.Comparison) error {
	m.n++
	m.wins[c.Winner]++
	m.last = c.Points[1]
	return nil
}

func (m *driven) Propose() (algorithms.Proposal, error) {
	m.asked++
	t := m.n
	if m.fault == "draws on" {
		t = m.asked
	}
	x := m.setup.Domain.Sample(make([]float64, m.setup.Domain.Dim()), m.streams.Rand("next", t))
	return algorithms.Proposal{Query: algorithms.Query{Points: [][]float64{m.last, x}, New: 1}}, nil
}

func (m *driven) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "last", X: m.last}}, nil
}

func (m *driven) Metrics() []algorithms.Metric {
	return []algorithms.Metric{{Name: "wins", Kind: algorithms.KindState, Value: float64(m.wins[1])}}
}

func (m *driven) Remember() any {
	if m.fault == "memory does not encode" {
		return func() {}
	}
	return m.wins
}

func (m *driven) Recall(all []algorithms.Comparison, memory func(any) (bool, error)) (bool, error) {
	last := all[len(all)-1].Points[1]
	switch m.fault {
	case "recalls the past":
		last = all[0].Points[1]
	case "recalls and learns":
		m.wins[1]++
		return false, nil
	case "recalls no memory":
		m.n, m.last = len(all), last
		return true, nil
	case "recall fails":
		return false, fmt.Errorf("forgotten")
	}
	ok, err := memory(&m.wins)
	if ok && err == nil {
		m.n, m.last = len(all), last
	}
	return ok, err
}

// faultyState is a driver with a fault in what it saves.
type faultyState struct {
	*algorithms.Driver
	fault string
}

func (d faultyState) State() (algorithms.State, error) {
	s, err := d.Driver.State()
	switch d.fault {
	case "saves no stream":
		s.Stream = ""
	case "saves no start":
		s.Start = nil
	case "saves one comparison less":
		if n := len(s.Comparisons); n > 0 {
			s.Comparisons, s.Learnt, s.Memory, s.Pending = s.Comparisons[:n-1], n-1, nil, nil
		}
	case "saves another pending query":
		if s.Pending != nil {
			s.Pending.Points[1] = s.Start
		}
	case "state fails":
		err = fmt.Errorf("no state")
	}
	return s, err
}

// failing returns the names of the checks that the algorithm fails.
func failing(f Factory) []string {
	var names []string
	for _, c := range Checks(f) {
		if c.Run() != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

func TestAGoodAlgorithmPasses(t *testing.T) {
	for name, f := range map[string]Factory{"subject": newSubject(""), "valued": newValued(""), "tied": newTied(""), "driven": newDriven("")} {
		for _, c := range Checks(f) {
			if err := c.Run(); err != nil {
				t.Errorf("%s: %s: %v", name, c.Name, err)
			}
		}
	}
}

// Named scenarios are the only ones, and exist.
func TestScenarios(t *testing.T) {
	var on []space.Domain
	factory := func(s algorithms.Setup) (algorithms.Algorithm, error) {
		on = append(on, s.Domain)
		return newSubject("")(s)
	}
	domain := Checks(factory, Scenarios[3].Name)[1]
	if err := domain.Run(); err != nil || len(on) == 0 || slices.ContainsFunc(on, func(d space.Domain) bool { return d.Dim() != 5 }) {
		t.Errorf("%s: on %v, %v", domain.Name, on, err)
	}
	if err := Checks(factory, "a cube")[1].Run(); err == nil {
		t.Error("a scenario that does not exist is accepted")
	}
}

func TestEveryFaultIsFound(t *testing.T) {
	find := func(build func(fault string) Factory, checks map[string]string) {
		for fault, check := range checks {
			if got := failing(build(fault)); !slices.Contains(got, check) {
				t.Errorf("the fault is not found by the check %q, only by %q", check, got)
			}
		}
	}
	find(newSubject, map[string]string{
		"nil rand":            "refuses a bad setup",
		"empty box":           "refuses a bad setup",
		"any start":           "refuses a bad setup",
		"any pilot":           "refuses a bad setup",
		"nameless error":      "refuses a bad setup",
		"unit box":            "stays in the domain",
		"forgets":             "stays in the domain",
		"one point":           "stays in the domain",
		"nothing new":         "stays in the domain",
		"ask fails":           "stays in the domain",
		"recommends outside":  "stays in the domain",
		"recommends nothing":  "stays in the domain",
		"nothing before tell": "stays in the domain",
		"nameless rule":       "stays in the domain",
		"metric names":        "stays in the domain",
		"NaN metric":          "stays in the domain",
		"clock":               "is pure and repeatable",
		"ask draws":           "is pure and repeatable",
		"recommend counts":    "is pure and repeatable",
		"recommend steers":    "is pure and repeatable",
		"ask lends":           "copies",
		"recommend lends":     "copies",
		"tell keeps":          "copies",
		"lax winner":          "refuses a bad comparison",
		"lax new":             "refuses a bad comparison",
		"lax box":             "refuses a bad comparison",
		"lax finite":          "refuses a bad comparison",
		"half learnt":         "refuses a bad comparison",
		"own queries only":    "accepts any comparison",
		"no repeats":          "accepts any comparison",
	})
	find(newValued, map[string]string{
		"lax new":           "refuses a bad comparison",
		"lax box":           "refuses a bad comparison",
		"half learnt":       "refuses a bad comparison",
		"takes comparisons": "refuses a bad comparison",
		"lax count":         "refuses a bad comparison",
		"lax value":         "refuses a bad comparison",
		"keeps values":      "copies",
		"no repeats":        "accepts any comparison",
	})
	find(newTied, map[string]string{
		"lax ties":         "refuses a bad comparison",
		"no ties":          "stays in the domain",
		"no repeated ties": "accepts any comparison",
	})
	for _, fault := range []string{
		"draws on", "memory does not encode", "recalls the past", "recalls and learns", "recalls no memory", "recall fails",
		"saves no stream", "saves no start", "saves one comparison less", "saves another pending query", "state fails",
	} {
		if got := failing(newDriven(fault)); !slices.Equal(got, []string{"is saved and restored"}) {
			t.Errorf("fault %q is not found by the check of saving and restoring alone, but by %q", fault, got)
		}
	}
}
