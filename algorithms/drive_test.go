package algorithms_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// counting is a method that counts its calls. Its model is the sum of the winners' first coordinates.
type counting struct {
	streams                                    algorithms.Streams
	n, learnt, recalled, proposed, recommended int
	sum                                        float64
	fail                                       string // the call that fails
	slow                                       bool   // it cannot recall
}

func (m *counting) failing(call string) error {
	if m.fail == call {
		return errors.New(call + " fails")
	}
	return nil
}

func (m *counting) Learn(c algorithms.Comparison) error {
	if err := m.failing("learn"); err != nil {
		return err
	}
	m.n++
	m.learnt++
	m.sum += c.Points[c.Winner][0]
	return nil
}

func (m *counting) Propose() (algorithms.Proposal, error) {
	m.proposed++
	x := m.streams.Rand("next", m.n).Float64()
	return algorithms.Proposal{
		Query:   algorithms.Query{Points: [][]float64{{0.5}, {x}}, New: 1},
		Metrics: []algorithms.Metric{{Name: "work", Value: 10}, {Name: "gap", Value: 0.2}, {Name: "value", Value: x}, {Name: "other", Value: 1}},
	}, m.failing("propose")
}

func (m *counting) Recommend() ([]algorithms.Recommendation, error) {
	m.recommended++
	return []algorithms.Recommendation{{Rule: "a", X: []float64{0.1}}, {Rule: "b", X: []float64{0.2}}}, m.failing("recommend")
}

func (m *counting) Metrics() []algorithms.Metric {
	return []algorithms.Metric{
		{Name: "work", Kind: algorithms.KindWork, Value: 1},
		{Name: "gap", Kind: algorithms.KindCertificate, Value: 0.1},
		{Name: "value", Kind: algorithms.KindState},
		{Name: "sum", Kind: algorithms.KindState, Value: m.sum},
	}
}

type countingMemory struct {
	Sum float64 `json:"sum"`
}

func (m *counting) Remember() any { return countingMemory{m.sum} }

func (m *counting) Recall(all []algorithms.Comparison, memory func(any) (bool, error)) (bool, error) {
	if m.slow {
		return false, nil
	}
	var v countingMemory
	if ok, err := memory(&v); !ok || err != nil {
		return false, err
	}
	m.n, m.sum = len(all), v.Sum
	m.recalled++
	return true, nil
}

// drive returns the driver of a counting method on [0, 1].
func drive(t *testing.T, spec algorithms.Spec) (*algorithms.Driver, *counting) {
	t.Helper()
	m := &counting{}
	return check.Must(driveIt(line(), spec, m))(t), m
}

func driveIt(s algorithms.Setup, spec algorithms.Spec, m *counting) (*algorithms.Driver, error) {
	spec.Name = "counting"
	spec.Words = 2
	d, _, err := algorithms.Drive(s, spec, unset{}, func(_ algorithms.Setup, streams algorithms.Streams, _ unset) (*counting, error) {
		m.streams = streams
		return m, m.failing("begin")
	})
	return d, err
}

// unset has no settings, and no method that validates them.
type unset struct{}

type wrong struct{}

func (*wrong) Validate() error { return errors.New("it is wrong") }

// Settings are validated if they have a method for that, also one of their pointer.
func TestDriverValidates(t *testing.T) {
	_, _, err := algorithms.Drive(line(), algorithms.Spec{Name: "counting", Words: 1}, wrong{}, func(algorithms.Setup, algorithms.Streams, wrong) (*counting, error) {
		t.Error("the method begins")
		return nil, nil
	})
	check.Contains(t, "error", fmt.Sprint(err), "counting: it is wrong")
}

func line() algorithms.Setup {
	s := goodSetup()
	s.Domain, s.Start, s.Pilot = space.Cube(1, 0, 1), []float64{0.5}, nil
	return s
}

func duel(x, y float64, winner int) algorithms.Comparison {
	return algorithms.Comparison{Points: [][]float64{{x}, {y}}, Winner: winner}
}

func tell(t *testing.T, d *algorithms.Driver, c algorithms.Comparison) {
	t.Helper()
	check.OK(t, d.Tell(algorithms.Query{Points: c.Points, New: 1}, c.Winner))
}

func ask(t *testing.T, d *algorithms.Driver) algorithms.Query {
	t.Helper()
	return check.Must(d.Ask())(t)
}

// begins fails the test unless the error begins with the given text.
func begins(t *testing.T, err error, want string) {
	t.Helper()
	check.That(t, strings.HasPrefix(fmt.Sprint(err), want), "got %v, should begin with %q", err, want)
}

// Results are computed once for each state, and a failed call is repeated.
func TestDriverComputesOnce(t *testing.T) {
	d, m := drive(t, algorithms.Spec{})
	for range 3 {
		ask(t, d)
		check.OK(t, check.Err(d.Recommend()))
	}
	check.That(t, m.proposed == 1 && m.recommended == 1, "%d proposals and %d recommendations", m.proposed, m.recommended)
	tell(t, d, duel(0, 1, 1))
	ask(t, d)
	check.That(t, m.proposed == 2 && d.Comparisons() == 1, "%d proposals after %d comparisons", m.proposed, d.Comparisons())
	tell(t, d, duel(0, 1, 1))
	m.fail = "propose"
	check.Equal(t, "error", fmt.Sprint(check.Err(d.Ask())), "counting: propose fails")
	m.fail = ""
	ask(t, d)
}

// Errors have the name of the method once, and leave the state unchanged.
func TestDriverErrors(t *testing.T) {
	check.Equal(t, "error", fmt.Sprint(check.Err(driveIt(line(), algorithms.Spec{}, &counting{fail: "begin"}))), "counting: begin fails")
	begins(t, check.Err(driveIt(algorithms.Setup{}, algorithms.Spec{}, &counting{})), "counting: setup: domain")
	begin := func(algorithms.Setup, algorithms.Streams, unset) (*counting, error) { return &counting{}, nil }
	_, _, err := algorithms.Drive(line(), algorithms.Spec{Words: 1}, unset{}, begin)
	check.OK(t, err)
	for _, spec := range []algorithms.Spec{{}, {Words: 3}, {Words: 1, Shift: -1}} {
		_, _, err := algorithms.Drive(line(), spec, unset{}, begin)
		check.Error(t, fmt.Sprintf("%+v", spec), err, "give 1 or 2 words")
	}
	_, _, err = algorithms.Drive[unset, *counting](line(), algorithms.Spec{Words: 1}, unset{}, nil)
	check.Error(t, "nothing begins", err, "a function that begins")
	d, m := drive(t, algorithms.Spec{Duels: true})
	before := ask(t, d)
	m.fail = "learn"
	q := algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}
	check.Equal(t, "error", fmt.Sprint(d.Tell(q, 0)), "counting: learn fails")
	m.fail = "recommend"
	check.Equal(t, "error", fmt.Sprint(check.Err(d.Recommend())), "counting: recommend fails")
	m.fail = ""
	begins(t, d.Tell(algorithms.Query{Points: [][]float64{{0}, {1}, {0.5}}}, 0), "counting: points: it learns from duels, and this query has 3")
	begins(t, d.CheckPoint([]float64{2}), "counting: x[0] = 2 is outside")
	begins(t, check.Err(algorithms.BeliefDriver{Driver: d}.Belief([]float64{2})), "counting: x[0] = 2 is outside")
	check.Equal(t, "error", fmt.Sprint(check.Err(algorithms.BeliefDriver{Driver: d}.Belief([]float64{1}))), "counting: belief: its method has none")
	check.That(t, d.Comparisons() == 0 && m.learnt == 0, "a refused comparison is learnt: %d by the driver, %d by the method", d.Comparisons(), m.learnt)
	check.Same(t, "the proposal after a refused comparison", ask(t, d), before)
	check.Equal(t, "proposals", m.proposed, 1)
}

// Values go to a method that learns from them, winners to other methods.
func TestDriverValues(t *testing.T) {
	d, m := drive(t, algorithms.Spec{Values: true})
	v := algorithms.ValueDriver{Driver: d}
	q := algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}
	begins(t, v.Tell(q, 0), "counting: it learns from values")
	begins(t, v.TellValues(q, []float64{1, 2}), "counting: values: 2 given for new = 1")
	check.OK(t, v.TellValues(q, []float64{3}))
	check.Equal(t, "learnt", m.learnt, 1)
	check.Same(t, "values in the state", check.Must(v.State())(t).Comparisons[0].Values, []float64{3})
}

// Ties go to a method that learns from them, and are saved and restored.
func TestDriverTies(t *testing.T) {
	q := algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}
	d, m := drive(t, algorithms.Spec{})
	begins(t, algorithms.TieDriver{Driver: d}.TellTie(q), "counting: tie: it does not learn from ties")
	check.Equal(t, "learnt", m.learnt, 0)
	d, m = drive(t, algorithms.Spec{Ties: true})
	ties := algorithms.TieDriver{Driver: d}
	check.OK(t, errors.Join(ties.TellTie(q), ties.Tell(q, 1)))
	check.Equal(t, "learnt", m.learnt, 2)
	check.Error(t, "a tie of a point outside the box", ties.TellTie(algorithms.Query{Points: [][]float64{{0}, {2}}, New: 1}), "points[1]")
	s := check.Must(ties.State())(t)
	text := check.Must(json.Marshal(s.Comparisons))(t)
	check.Equal(t, "comparisons", string(text), `[{"points":[[0],[1]],"winner":0,"tie":true},{"points":[[0],[1]],"winner":1}]`)
	restored := func(s algorithms.State, spec algorithms.Spec) error {
		return check.Err(restore(t, s, spec, &counting{slow: true}))
	}
	check.OK(t, restored(s, algorithms.Spec{Ties: true}))
	check.Error(t, "restored without ties", restored(s, algorithms.Spec{}), "comparisons[0]: counting: tie: it does not learn from ties")
	s.Comparisons[0].Winner = 1
	check.Error(t, "a tie with a winner", restored(s, algorithms.Spec{Ties: true}), "comparisons[0]: counting: winner = 1 of a tie")
}

// A proposal's metrics are merged into those of the method by their kind: work adds up, the larger certificate
// is kept, a state replaces the method's. A name that the method does not have is dropped. They belong to the
// last query told.
func TestDriverMetrics(t *testing.T) {
	d, _ := drive(t, algorithms.Spec{})
	values := func() string {
		var list []string
		for _, m := range d.Metrics() {
			list = append(list, fmt.Sprintf("%s %s %.4g", m.Name, m.Kind, m.Value))
		}
		return strings.Join(list, ", ")
	}
	const none = "work work 1, gap certificate 0.1, value state 0, sum state "
	check.Equal(t, "before the first step", values(), none+"0")
	x := ask(t, d).Points[1][0]
	check.Equal(t, "asked, but not told", values(), none+"0")
	tell(t, d, duel(0, 1, 1))
	check.Equal(t, "after a step", values(), fmt.Sprintf("work work 11, gap certificate 0.2, value state %.4g, sum state 1", x))
	tell(t, d, duel(0, 1, 1))
	check.Equal(t, "told without being asked", values(), none+"2")
}

func TestSelect(t *testing.T) {
	all := []algorithms.Recommendation{{Rule: "a"}, {Rule: "b"}, {Rule: "c"}}
	for rule, want := range map[string]string{"a": "[{a []} {b []} {c []}]", "b": "[{b []} {a []} {c []}]", "c": "[{c []} {a []} {b []}]", "d": "[{a []} {b []} {c []}]"} {
		check.Equal(t, "first "+rule, fmt.Sprint(algorithms.Select(all, rule)), want)
	}
	check.Equal(t, "the argument", fmt.Sprint(all), "[{a []} {b []} {c []}]")
}

// restore restores a driver from a state by way of JSON.
func restore(t *testing.T, s algorithms.State, spec algorithms.Spec, m *counting) (*algorithms.Driver, error) {
	t.Helper()
	text := check.Must(json.Marshal(s))(t)
	var read algorithms.State
	check.OK(t, json.Unmarshal(text, &read))
	return algorithms.Restore(read, func(s algorithms.Setup) (*algorithms.Driver, error) { return driveIt(s, spec, m) })
}

// Restoring after a hundred steps, plus one more step, costs the work of one step: nothing is learnt or
// proposed twice.
func TestRestoreWork(t *testing.T) {
	d, _ := drive(t, algorithms.Spec{})
	var state algorithms.State
	for step := range 100 {
		ask(t, d)
		state = check.Must(d.State())(t)
		tell(t, d, duel(0, 1, step%2))
	}
	want := ask(t, d)

	state.Comparisons = append(state.Comparisons, duel(0, 1, 1))
	m := &counting{}
	back := check.Must(restore(t, state, algorithms.Spec{}, m))(t)
	check.Same(t, "the proposal", ask(t, back), want)
	check.That(t, m.recalled == 1 && m.learnt == 1 && m.proposed == 1,
		"recalled %d times, learnt %d comparisons, proposed %d times", m.recalled, m.learnt, m.proposed)
	check.Same(t, "metrics", back.Metrics(), d.Metrics())

	// A pending query is not proposed again.
	state = check.Must(d.State())(t)
	m = &counting{}
	back = check.Must(restore(t, state, algorithms.Spec{}, m))(t)
	check.Same(t, "the pending query", ask(t, back), want)
	check.That(t, m.proposed == 0 && m.learnt == 0, "%d proposals, %d learnt", m.proposed, m.learnt)

	// Without a memory, or if the method cannot recall, everything is learnt again.
	for what, m := range map[string]*counting{"without a memory": {}, "slow": {slow: true}} {
		s := state
		if !m.slow {
			s.Memory, s.Pending = nil, nil
		}
		back := check.Must(restore(t, s, algorithms.Spec{}, m))(t)
		check.Equal(t, what+": comparisons learnt by the method", m.learnt, 100)
		check.Equal(t, what+": comparisons learnt by the driver", back.Comparisons(), 100)
		check.Same(t, what+": the next query", ask(t, back), want)
	}
}

func TestResumeRefuses(t *testing.T) {
	d, _ := drive(t, algorithms.Spec{Duels: true})
	tell(t, d, duel(0, 1, 1))
	ask(t, d)
	good := check.Must(d.State())(t)
	check.Error(t, "nothing builds", check.Err(algorithms.Restore[*algorithms.Driver](good, nil)), "build is nil")
	check.Error(t, "resuming after a comparison", d.Resume(good), "only an algorithm that has learnt nothing")
	pending := func(q algorithms.Query) func(s *algorithms.State) {
		return func(s *algorithms.State) { s.Pending = &algorithms.Proposal{Query: q} }
	}
	for want, spoil := range map[string]func(s *algorithms.State){
		"learnt = 2 is not between 0 and 1":    func(s *algorithms.State) { s.Learnt = 2 },
		"learnt = -1 is out of range":          func(s *algorithms.State) { s.Learnt = -1 },
		"comparisons[0]: counting: winner = 5": func(s *algorithms.State) { s.Comparisons[0].Winner = 5 },
		"comparisons[1]: counting: points: it learns": func(s *algorithms.State) {
			s.Comparisons = append(s.Comparisons, algorithms.Comparison{Points: [][]float64{{0}, {0}, {1}}})
		},
		"comparisons[0]: counting: values: it learns":     func(s *algorithms.State) { s.Comparisons[0].Values = []float64{1} },
		"counting: memory: json":                          func(s *algorithms.State) { s.Memory = json.RawMessage(`{"sum": "x"}`) },
		"counting: memory: json: unknown field":           func(s *algorithms.State) { s.Memory = json.RawMessage(`{"total": 1}`) },
		"counting: pending: points[1][0] = 7 is outside":  pending(algorithms.Query{Points: [][]float64{{0}, {7}}, New: 1}),
		"counting: pending: points[0] has 2 coordinates":  pending(algorithms.Query{Points: [][]float64{{0, 0}, {1}}, New: 1}),
		"counting: pending: points: it learns from duels": pending(algorithms.Query{Points: [][]float64{{0}, {1}, {1}}, New: 1}),
		"counting: pending: new = 0":                      pending(algorithms.Query{Points: [][]float64{{0}, {1}}}),
		"pending.points has 0 entries":                    pending(algorithms.Query{New: 1}),
		"pending.new = 101 is out of range":               pending(algorithms.Query{Points: [][]float64{{0}, {1}}, New: 101}),
	} {
		s := good
		s.Comparisons = slices.Clone(good.Comparisons)
		spoil(&s)
		begins(t, check.Err(restore(t, s, algorithms.Spec{Duels: true}, &counting{})), want)
	}
	value := good
	value.Pending, value.Comparisons = nil, slices.Clone(good.Comparisons[:1])
	for winner, want := range []string{"no values, new = 0: it learns from values; give those of the last points", "winner = 1: it learns from values"} {
		value.Comparisons[0].Winner = winner
		check.Error(t, "values", check.Err(restore(t, value, algorithms.Spec{Values: true}, &counting{})), want)
	}
}
