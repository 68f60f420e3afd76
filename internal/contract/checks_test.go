package contract

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

// subject is a plain algorithm that keeps the contract except for one fault.
type subject struct {
	fault  string
	setup  algorithms.Setup
	seed   uint64
	learnt []algorithms.Comparison
	asked  int
}

// faulty returns what makes subjects with a fault, in the form of another kind of algorithm.
func faulty(form func(*subject) algorithms.Algorithm) func(fault string) Factory {
	return func(fault string) Factory {
		var made uint64
		return func(s algorithms.Setup) (algorithms.Algorithm, error) {
			err := s.Validate()
			lax := map[string]string{"empty box": "box: it is empty", "any start": "start", "any pilot": "pilot"}[fault]
			switch {
			case fault == "nil rand" && s.Rand == nil:
				s.Rand = rand.New(rand.NewPCG(0, 0))
			case err != nil && lax != "" && strings.Contains(err.Error(), lax):
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
			return form(a), nil
		}
	}
}

var (
	newSubject = faulty(func(a *subject) algorithms.Algorithm { return a })
	newValued  = faulty(func(a *subject) algorithms.Algorithm { return &valued{subject: a} })
	newTied    = faulty(func(a *subject) algorithms.Algorithm { return tied{a} })
)

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
	case "rule names":
		rec.Rule += strings.Repeat("!", len(a.learnt)/2)
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
func failing(f Factory) (names []string) {
	for _, c := range Checks(f) {
		if c.Run() != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

func TestAGoodAlgorithmPasses(t *testing.T) {
	for name, build := range map[string]func(string) Factory{"subject": newSubject, "valued": newValued, "tied": newTied, "driven": newDriven} {
		for _, c := range Checks(build("")) {
			check.That(t, c.Run() == nil, "%s: %s: %v", name, c.Name, c.Run())
		}
	}
}

// Named scenarios are the only ones, and exist.
func TestScenarios(t *testing.T) {
	dims := map[int]bool{}
	factory := func(s algorithms.Setup) (algorithms.Algorithm, error) {
		dims[s.Domain.Dim()] = true
		return newSubject("")(s)
	}
	check.OK(t, Checks(factory, Scenarios[3].Name)[1].Run())
	check.Same(t, "dimensions", dims, map[int]bool{5: true})
	check.That(t, Checks(factory, "a cube")[1].Run() != nil, "a scenario that does not exist is accepted")
}

func TestEveryFaultIsFound(t *testing.T) {
	const setup, domain, pure, bad, any = "refuses a bad setup", "stays in the domain", "is pure and repeatable", "refuses a bad comparison", "accepts any comparison"
	for _, c := range []struct {
		build  func(fault string) Factory
		check  string
		faults []string
	}{
		{newSubject, setup, []string{"nil rand", "empty box", "any start", "any pilot", "nameless error"}},
		{newSubject, domain, []string{
			"unit box", "forgets", "one point", "nothing new", "ask fails", "recommends outside", "recommends nothing", "nothing before tell", "nameless rule",
			"rule names", "metric names", "NaN metric",
		}},
		{newSubject, pure, []string{"clock", "ask draws", "recommend counts", "recommend steers"}},
		{newSubject, "copies", []string{"ask lends", "recommend lends", "tell keeps"}},
		{newSubject, bad, []string{"lax winner", "lax new", "lax box", "lax finite", "half learnt"}},
		{newSubject, any, []string{"own queries only", "no repeats"}},
		{newValued, bad, []string{"lax new", "lax box", "half learnt", "takes comparisons", "lax count", "lax value"}},
		{newValued, "copies", []string{"keeps values"}},
		{newValued, any, []string{"no repeats"}},
		{newTied, bad, []string{"lax ties"}},
		{newTied, domain, []string{"no ties"}},
		{newTied, any, []string{"no repeated ties"}},
	} {
		for _, fault := range c.faults {
			got := failing(c.build(fault))
			check.That(t, slices.Contains(got, c.check), "the fault %q is not found by the check %q, only by %q", fault, c.check, got)
			if c.check == pure {
				check.Error(t, fault, Checks(c.build(fault))[2].Run(), "different results", sameAgain)
			}
		}
	}
	for _, fault := range []string{
		"draws on", "memory does not encode", "recalls the past", "recalls and learns", "recalls no memory", "recall fails",
		"saves no stream", "saves no start", "saves one comparison less", "saves another pending query", "state fails",
	} {
		check.Same(t, "the checks that find: "+fault, failing(newDriven(fault)), []string{"is saved and restored"})
	}
}
