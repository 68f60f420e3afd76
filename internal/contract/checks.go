// Package contract checks that an algorithm keeps the contract of package algorithms: for tests of Go
// code, by package algotest, and for programs of any language, by package conform.
package contract

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/space"
)

// Factory returns an algorithm for a setup; it chooses the settings.
type Factory = func(algorithms.Setup) (algorithms.Algorithm, error)

// A Check returns what the algorithm did wrong. So the checks can be tested themselves, with faulty algorithms.
type Check struct {
	Name string
	Run  func() error
}

// sameAgain is how to mend a Difference.
const sameAgain = "let Learn alone change the method, copy what is kept, and draw from its Streams, by names with the step: no clock, no other source"

// Checks returns all checks of an algorithm in Go, in all Scenarios unless some are named. The checks of a scenario share
// one plain run to compare with.
func Checks(f Factory, names ...string) []Check {
	plain := map[string]*Run{}
	scenarios := slices.DeleteFunc(slices.Clone(Scenarios), func(s Scenario) bool { return len(names) > 0 && !slices.Contains(names, s.Name) })
	everywhere := func(check func(r, plain *Run) error) func() error {
		return func() error {
			if len(names) > 0 && len(scenarios) != len(names) {
				return fmt.Errorf("of the scenarios %q only %d exist", names, len(scenarios))
			}
			for _, s := range scenarios {
				r, err := Begin(f, s)
				if s.OnArms() && algorithms.IsUndefined(err) {
					continue
				}
				if err == nil && plain[s.Name] == nil {
					if plain[s.Name], err = Begin(f, s); err == nil {
						plain[s.Name].remembers = true
					}
				}
				if err == nil {
					err = check(r, plain[s.Name])
				}
				if _, ok := errors.AsType[*Difference](err); ok {
					err = fmt.Errorf("%w\n%s", err, sameAgain)
				}
				if err != nil {
					return fmt.Errorf("on %s: %w", s.Name, err)
				}
			}
			return nil
		}
	}
	return []Check{
		{"refuses a bad setup", func() error { return refusesBadSetup(f) }},
		{"stays in the domain", everywhere(func(_, plain *Run) error { return StaysInTheDomain(plain) })},
		{"is pure and repeatable", everywhere(func(r, plain *Run) error { return IsPureAndRepeatable(plain, r) })},
		{"copies", everywhere(copies)},
		{"refuses a bad comparison", everywhere(refusesBadComparison)},
		{"accepts any comparison", everywhere(func(r, _ *Run) error { return AcceptsAnyComparison(r) })},
		{"is saved and restored", everywhere(func(r, plain *Run) error { return restoredAfterEveryStep(r, plain, min(r.Steps, 10)) })},
	}
}

// Scenario is a box, a start and a budget.
type Scenario struct {
	Name   string
	Domain space.Domain
	Start  []float64
	Steps  int // planned number of queries
}

// Scenarios cover one to five dimensions, units that differ by a factor of 1e7, a start at a corner, and finite sets of
// arms.
var Scenarios = []Scenario{
	{"a line", space.Cube(1, -2, 3), []float64{0.5}, 20},
	{"a square, start at a corner", space.Cube(2, 0, 1), []float64{0, 1}, 15},
	{"odd units", space.Box{Lo: []float64{0, -1e4}, Hi: []float64{1e-3, 1e4}}, []float64{2e-4, 7e3}, 15},
	{"five dimensions", space.Cube(5, -1, 1), []float64{0.1, -0.2, 0.3, -0.4, 0.5}, 8},
	{"twelve arms on a line", arms(12, 1), []float64{2}, 20},
	{"nine arms with three features", arms(9, 3), []float64{4, 3.5, 7}, 12},
}

// arms returns n arms with d features, up to three: the number of the arm, halves of remainders of its square, and one
// that is the same for all.
func arms(n, d int) *space.Arms {
	points := make([][]float64, n)
	for i := range points {
		points[i] = []float64{float64(i), float64(i*i%n) / 2, 7}[:d]
	}
	a, err := space.NewArms(points)
	if err != nil {
		panic(err)
	}
	return a
}

// OnArms reports whether the domain is a finite set.
func (s Scenario) OnArms() bool {
	_, ok := s.Domain.(*space.Arms)
	return ok
}

func (s Scenario) other() []float64 {
	if a, ok := s.Domain.(*space.Arms); ok {
		return slices.Clone(a.At((a.Index(s.Start) + 1) % a.Len()))
	}
	x := slices.Clone(s.Start)
	x[len(x)-1] = s.Domain.Bounds().Lo[len(x)-1]
	return x
}

// Setup returns a new setup, equal to any other of the scenario.
func (s Scenario) Setup() algorithms.Setup {
	return algorithms.Setup{
		Domain: s.Domain,
		Start:  slices.Clone(s.Start),
		Rand:   rand.New(rand.NewPCG(1, 2)),
		Steps:  s.Steps,
		Pilot:  algorithms.NewPilot(s.pilot()),
	}
}

// pilot returns a dozen duels of random points.
func (s Scenario) pilot() []algorithms.Comparison {
	r := rand.New(rand.NewPCG(3, 4))
	pilot := make([]algorithms.Comparison, 12)
	for i := range pilot {
		points := [][]float64{s.sample(r), s.sample(r)}
		pilot[i] = algorithms.Comparison{Points: points, Winner: s.winner(points, r)}
	}
	return pilot
}

func (s Scenario) sample(r *rand.Rand) []float64 {
	return s.Domain.Sample(make([]float64, s.Domain.Dim()), r)
}

// winner returns the index of the point with the largest noisy value.
func (s Scenario) winner(points [][]float64, r *rand.Rand) int {
	best, winner := math.Inf(-1), 0
	for i, x := range points {
		if value := s.value(x, r); value > best {
			best, winner = value, i
		}
	}
	return winner
}

// value returns the noisy value of a paraboloid with its maximum at 0.3 in every unit coordinate.
func (s Scenario) value(x []float64, r *rand.Rand) float64 {
	value := 0.3 * r.NormFloat64()
	for _, u := range s.Domain.Bounds().ToUnit(make([]float64, len(x)), x) {
		value -= 4 * (u - 0.3) * (u - 0.3)
	}
	return value
}

// Run is an algorithm in a scenario.
type Run struct {
	Scenario
	Algorithm algorithms.Algorithm
	// Remote: the algorithm is a program of the protocol. Its errors are texts of their own, which need
	// not name an argument, and any of its queries may have the start among its old points.
	Remote  bool
	factory Factory
	oracle  *rand.Rand
	told    int      // steps taken
	rules   []string // of the last recommendations that were checked
	// The state before each step so far, of a run that remembers them.
	remembers bool
	states    []State
}

// Begin returns a run of a new algorithm.
func Begin(factory Factory, s Scenario) (*Run, error) {
	alg, err := factory(s.Setup())
	return &Run{Scenario: s, Algorithm: alg, factory: factory, oracle: rand.New(rand.NewPCG(5, 6))}, err
}

// Continue returns a run that continues r with another algorithm of equal state: both get equal oracles.
func (r *Run) Continue(alg algorithms.Algorithm) *Run {
	other := *r
	r.oracle, other.oracle = rand.New(rand.NewPCG(7, 8)), rand.New(rand.NewPCG(7, 8))
	other.Algorithm = alg
	return &other
}

// tell passes the query with its winner to the algorithm, or with values, which it returns. An algorithm that learns from
// ties gets a tie in one of three queries.
func (r *Run) tell(q algorithms.Query) (values []float64, err error) {
	learner, ok := r.Algorithm.(algorithms.ValueLearner)
	if !ok {
		winner := r.winner(q.Points, r.oracle)
		if ties, ok := r.Algorithm.(algorithms.TieLearner); ok && r.oracle.IntN(3) == 0 {
			return nil, ties.TellTie(q)
		}
		return nil, r.Algorithm.Tell(q, winner)
	}
	for _, x := range q.Points[len(q.Points)-q.New:] {
		values = append(values, r.value(x, r.oracle))
	}
	return values, learner.TellValues(q, values)
}

// Play takes n steps and calls after, unless it is nil, after each.
func (r *Run) Play(n int, after func(q algorithms.Query, values []float64) error) error {
	for t := 1; t <= n; t++ {
		if r.remembers {
			r.remember()
		}
		q, err := r.Algorithm.Ask()
		if err == nil {
			err = algorithms.CheckComparison(r.Domain, q, 0)
		}
		if err == nil && q.New < 1 {
			err = errors.New("new = 0: a query proposes at least one point")
		}
		if err != nil {
			return fmt.Errorf("Ask of step %d: %w", t, err)
		}
		values, err := r.tell(q)
		if err != nil {
			return fmt.Errorf("Tell of step %d, of the query that Ask proposed: %w", t, err)
		}
		r.told++
		if after != nil {
			if err := after(q, values); err != nil {
				return fmt.Errorf("after step %d: %w", t, err)
			}
		}
	}
	return nil
}

// A Difference is the first difference between two states of algorithms that should be equal.
type Difference struct {
	Why           string
	Call          string // whose results differ: Ask, Recommend or Metrics
	First, Second string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s: %s returns different results:\n%s\n%s", d.Why, d.Call, d.First, d.Second)
}

// State is everything that can be seen of an algorithm. %v prints floats such that different bits give
// different text.
type State struct {
	ask, recommend, metrics string
	Err                     error // the first, if there was one
}

// State calls Ask and Recommend.
func (r *Run) State() (s State) {
	q, err := r.Algorithm.Ask()
	if err != nil {
		return State{Err: err}
	}
	s.ask = fmt.Sprintf("new %d of %v", q.New, q.Points)
	recs, err := r.Algorithm.Recommend()
	if err != nil {
		return State{Err: err}
	}
	s.recommend = fmt.Sprint(recs)
	if m, ok := r.Algorithm.(algorithms.Instrumented); ok {
		s.metrics = fmt.Sprint(m.Metrics())
	}
	return s
}

// Differs returns an error of one of the states, their first difference as a *Difference, or nil.
func (s State) Differs(other State, format string, args ...any) error {
	if s.Err != nil {
		return s.Err
	}
	if other.Err != nil {
		return other.Err
	}
	for _, c := range []struct{ call, a, b string }{
		{"Ask", s.ask, other.ask}, {"Recommend", s.recommend, other.recommend}, {"Metrics", s.metrics, other.metrics},
	} {
		if c.a != c.b {
			return &Difference{fmt.Sprintf(format, args...), c.call, c.a, c.b}
		}
	}
	return nil
}

// remember keeps the present state. It asks twice; the state has an error if that makes a difference.
func (r *Run) remember() {
	if len(r.states) > r.told {
		return
	}
	now := r.State()
	if err := now.Differs(r.State(), "asked twice in step %d", r.told+1); err != nil {
		now.Err = err
	}
	r.states = append(r.states, now)
}

// after returns the state after a number of steps, which a run that remembers takes if it has not taken them yet.
func (r *Run) after(steps int) State {
	for r.told < steps {
		if err := r.Play(1, nil); err != nil {
			return State{Err: err}
		}
	}
	r.remember()
	return r.states[steps]
}

// same compares the state with the plain run's after as many steps.
func (r *Run) same(plain *Run, why string) error {
	return r.State().Differs(plain.after(r.told), "%s", why)
}

// checkRecommendations also checks that the rules are those of the run's last check.
func (r *Run) checkRecommendations() error {
	recs, err := r.Algorithm.Recommend()
	if err != nil {
		return fmt.Errorf("Recommend: %w", err)
	}
	if len(recs) == 0 {
		return errors.New("Recommend returns nothing")
	}
	var rules []string
	for i, rec := range recs {
		if rec.Rule == "" || slices.Contains(rules, rec.Rule) {
			return fmt.Errorf("recommendation %d has rule %q; rules need a name each", i, rec.Rule)
		}
		rules = append(rules, rec.Rule)
		if err := r.Domain.Check("x", rec.X); err != nil {
			return fmt.Errorf("recommendation %q: %w", rec.Rule, err)
		}
	}
	if r.rules != nil && !slices.Equal(rules, r.rules) {
		return fmt.Errorf("the rules are %q, they were %q", rules, r.rules)
	}
	r.rules = rules
	return nil
}

func refusesBadSetup(factory Factory) error {
	scenario := Scenarios[1]
	// spoilPilot replaces the pilot by one with a bad comparison.
	spoilPilot := func(i int, spoil func(c *algorithms.Comparison)) func(*algorithms.Setup) {
		return func(s *algorithms.Setup) {
			all := scenario.pilot()
			spoil(&all[i])
			s.Pilot = algorithms.NewPilot(all)
		}
	}
	bounds := func(spoil func(lo, hi []float64)) func(*algorithms.Setup) {
		return func(s *algorithms.Setup) {
			b := s.Domain.Bounds()
			spoil(b.Lo, b.Hi)
			s.Domain = b
		}
	}
	for _, c := range []struct {
		what, names string
		spoil       func(s *algorithms.Setup)
	}{
		{"no domain", "domain", func(s *algorithms.Setup) { s.Domain = nil }},
		{"no random stream", "rand", func(s *algorithms.Setup) { s.Rand = nil }},
		{"a box of no dimension", "box", func(s *algorithms.Setup) { s.Domain, s.Start = space.Box{}, nil }},
		{"a box with lo = hi", "box", bounds(func(lo, hi []float64) { hi[1] = lo[1] })},
		{"a box with a NaN bound", "box", bounds(func(lo, _ []float64) { lo[0] = math.NaN() })},
		{"a start outside the box", "start", func(s *algorithms.Setup) { s.Start[0] = 2 }},
		{"arms that are none", "arms", func(s *algorithms.Setup) { s.Domain = new(space.Arms) }},
		{"a start of another dimension", "start", func(s *algorithms.Setup) { s.Start = []float64{0.5} }},
		{"a NaN start", "start", func(s *algorithms.Setup) { s.Start[1] = math.NaN() }},
		{"a pilot comparison outside the box", "pilot[2]", spoilPilot(2, func(c *algorithms.Comparison) { c.Points[1] = []float64{9, 9} })},
		{"a pilot comparison nobody won", "pilot[3]", spoilPilot(3, func(c *algorithms.Comparison) { c.Winner = 2 })},
	} {
		s := scenario.Setup()
		c.spoil(&s)
		if _, err := factory(s); err == nil {
			return fmt.Errorf("%s is accepted", c.what)
		} else if err := Named(err, c.names); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return nil
}

// Named reports whether err is one line that names the argument.
func Named(err error, argument string) error {
	if text := err.Error(); !strings.Contains(strings.ToLower(text), strings.ToLower(argument)) || strings.Contains(text, "\n") {
		return fmt.Errorf("the error %q does not name %q in one line", text, argument)
	}
	return nil
}

// StaysInTheDomain takes all steps of the scenario. Every query and every recommendation must be valid there.
func StaysInTheDomain(r *Run) error {
	if err := r.checkRecommendations(); err != nil {
		return fmt.Errorf("before any Tell: %w", err)
	}
	var shown [][]float64
	var metrics []string
	return r.Play(r.Steps, func(q algorithms.Query, _ []float64) error {
		for i, x := range q.Points[:len(q.Points)-q.New] {
			if shown != nil && !(r.Remote && slices.Equal(x, r.Start)) && !slices.ContainsFunc(shown, func(y []float64) bool { return slices.Equal(x, y) }) {
				return fmt.Errorf("points[%d] = %v counts as old (new = %d) but was not in the previous query", i, x, q.New)
			}
		}
		shown = q.Points
		if err := r.checkRecommendations(); err != nil {
			return err
		}
		m, ok := r.Algorithm.(algorithms.Instrumented)
		if !ok {
			return nil
		}
		names := []string{}
		for _, v := range m.Metrics() {
			if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
				return fmt.Errorf("metric %q is %g", v.Name, v.Value)
			}
			names = append(names, v.Name)
		}
		if metrics != nil && !slices.Equal(names, metrics) {
			return fmt.Errorf("the metrics are %q, they were %q", names, metrics)
		}
		metrics = names
		return nil
	})
}

// IsPureAndRepeatable tells two algorithms with equal setups the same. They stay equal even if r is asked more often, and
// asked for recommendations. With a nil quiet there is no other algorithm: two answers to the same question are compared.
func IsPureAndRepeatable(r, quiet *Run) error {
	r.remembers = true
	steps := min(r.Steps, 8)
	for t := range steps {
		if err := r.after(t).Err; err != nil {
			return err
		}
		if quiet == nil {
			continue
		}
		if err := quiet.Play(1, nil); err != nil {
			return err
		}
	}
	if quiet == nil {
		return nil
	}
	return quiet.same(r, "equal setups and comparisons, but one was asked more often than the other")
}

// The caller may overwrite what it passes and what it gets.
func copies(r, plain *Run) error {
	overwrite := func(points ...[]float64) {
		for _, x := range points {
			copy(x, r.Domain.Bounds().Hi)
		}
	}
	for range 4 {
		q, err := r.Algorithm.Ask()
		if err != nil {
			return err
		}
		overwrite(q.Points...)
		recs, err := r.Algorithm.Recommend()
		if err != nil {
			return err
		}
		for _, rec := range recs {
			overwrite(rec.X)
		}
		if err := r.same(plain, "what Ask or Recommend returned was overwritten"); err != nil {
			return err
		}
		err = r.Play(1, func(q algorithms.Query, values []float64) error {
			overwrite(q.Points...)
			clear(values)
			return nil
		})
		if err != nil {
			return err
		}
		if err := r.same(plain, "the query or its values were overwritten after Tell"); err != nil {
			return err
		}
	}
	return nil
}

// badComparison is a comparison that every Tell refuses. The error must name names.
type badComparison struct {
	what, names string
	tell        func() error
}

// badComparisons returns bad comparisons, or value observations if the algorithm learns from these.
func (r *Run) badComparisons() []badComparison {
	inside := r.Start
	with := func(v float64) []float64 {
		x := slices.Clone(inside)
		x[len(x)-1] = v
		return x
	}
	duel := func(x, y []float64) algorithms.Query {
		return algorithms.Query{Points: [][]float64{x, y}, New: 1}
	}
	hi := r.Domain.Bounds().Hi[len(inside)-1]
	good := duel(inside, r.other())
	learner, learns := r.Algorithm.(algorithms.ValueLearner)
	var list []badComparison
	for _, c := range []struct {
		what, names string
		q           algorithms.Query
	}{
		{"no points", "points", algorithms.Query{}},
		{"one point", "points", algorithms.Query{Points: [][]float64{inside}, New: 1}},
		{"a point of another dimension", "points[1]", duel(inside, append(slices.Clone(inside), 0))},
		{"a point of no dimension", "points[0]", duel(nil, inside)},
		{"a NaN coordinate", "points[1]", duel(inside, with(math.NaN()))},
		{"an infinite coordinate", "points[0]", duel(with(math.Inf(1)), inside)},
		{"a point just outside the box", "points[1]", duel(inside, with(math.Nextafter(hi, math.Inf(1))))},
		{"new = -1", "new", algorithms.Query{Points: good.Points, New: -1}},
		{"new = 3 of two points", "new", algorithms.Query{Points: good.Points, New: 3}},
	} {
		list = append(list, badComparison{c.what, c.names, func() error {
			if learns {
				return learner.TellValues(c.q, make([]float64, max(c.q.New, 0)))
			}
			return r.Algorithm.Tell(c.q, 0)
		}})
		if ties, ok := r.Algorithm.(algorithms.TieLearner); ok {
			list = append(list, badComparison{"a tie: " + c.what, c.names, func() error { return ties.TellTie(c.q) }})
		}
	}
	if !learns {
		for _, winner := range []int{-1, 2, 7} {
			list = append(list, badComparison{fmt.Sprintf("winner %d of two points", winner), "winner", func() error { return r.Algorithm.Tell(good, winner) }})
		}
		return list
	}
	list = append(list,
		badComparison{"a winner, for an algorithm that learns from values", "values", func() error { return r.Algorithm.Tell(good, 0) }},
		badComparison{"no values of no new points", "new", func() error { return learner.TellValues(algorithms.Query{Points: good.Points}, nil) }})
	for _, values := range [][]float64{{}, {1, 2}, {math.NaN()}, {math.Inf(-1)}} {
		list = append(list, badComparison{fmt.Sprintf("values %v of one new point", values), "values",
			func() error { return learner.TellValues(good, values) }})
	}
	return list
}

func refusesBadComparison(r, plain *Run) error {
	for range 3 {
		for _, bad := range r.badComparisons() {
			before := r.State()
			if err := bad.tell(); err == nil {
				return fmt.Errorf("%s is accepted", bad.what)
			} else if err := Named(err, bad.names); err != nil {
				return fmt.Errorf("%s: %w", bad.what, err)
			}
			if err := before.Differs(r.State(), "%s was refused but changed the state", bad.what); err != nil {
				return err
			}
		}
		if err := r.Play(1, nil); err != nil {
			return err
		}
		if err := r.same(plain, "equal comparisons, but one refused bad ones too"); err != nil {
			return err
		}
	}
	return nil
}

// AcceptsAnyComparison tells comparisons of queries that it did not propose: points that it has never seen, a point against
// itself, the same duel several times with both winners, and as a tie if it learns from ties. It may refuse a query of more
// than two points.
func AcceptsAnyComparison(r *Run) error {
	learner, learns := r.Algorithm.(algorithms.ValueLearner)
	tell := func(winner int, points ...[]float64) error {
		q := algorithms.Query{Points: points, New: 1}
		if learns {
			return learner.TellValues(q, []float64{float64(winner)})
		}
		return r.Algorithm.Tell(q, winner)
	}
	ties, learnsTies := r.Algorithm.(algorithms.TieLearner)
	x, y := r.sample(r.oracle), r.sample(r.oracle)
	for i := range 4 {
		if err := tell(i%2, x, y); err != nil {
			return fmt.Errorf("a duel again with another winner: %w", err)
		}
		if err := tell(i%2, x, x); err != nil {
			return fmt.Errorf("a point against itself: %w", err)
		}
		if learnsTies {
			if err := ties.TellTie(algorithms.Query{Points: [][]float64{x, y}, New: 1}); err != nil {
				return fmt.Errorf("a duel again that is a tie: %w", err)
			}
		}
		if err := tell(i%2, slices.Clone(r.Start), r.sample(r.oracle)); err != nil {
			return fmt.Errorf("a duel of the start with a point that Ask did not propose: %w", err)
		}
	}
	before := r.State()
	if err := tell(2, x, y, r.sample(r.oracle), r.sample(r.oracle)); err != nil {
		if err := Named(err, "points"); err != nil && !r.Remote {
			return fmt.Errorf("a query of four points: %w", err)
		}
		if err := before.Differs(r.State(), "a query of four points was refused but changed the state"); err != nil {
			return err
		}
	}
	return r.Play(3, func(algorithms.Query, []float64) error { return r.checkRecommendations() })
}

// RestoredAfterEveryStep checks the given number of steps with an algorithm that is saved as JSON and
// restored after every step.
func RestoredAfterEveryStep(factory Factory, steps int) error {
	r, err := Begin(factory, Scenarios[1])
	plain, again := Begin(factory, Scenarios[1])
	if err := cmp.Or(err, again); err != nil {
		return err
	}
	plain.remembers = true
	return restoredAfterEveryStep(r, plain, steps)
}

// restoredAfterEveryStep saves and restores r after every step, alternately after and before the next Ask. r
// must continue exactly like plain, which is never restored. An algorithm that cannot be saved passes.
func restoredAfterEveryStep(r, plain *Run, steps int) error {
	if _, ok := r.Algorithm.(algorithms.Resumable); !ok {
		return nil
	}
	for t := range steps {
		if err := r.restore(t%2 == 0); err != nil {
			return fmt.Errorf("after %d steps: %w", t, err)
		}
		if err := r.same(plain, fmt.Sprintf("saved and restored after %d steps", t)); err != nil {
			return err
		}
		if err := r.Play(1, nil); err != nil {
			return err
		}
		if err := r.same(plain, fmt.Sprintf("saved and restored after %d steps, then one more", t)); err != nil {
			return err
		}
	}
	return nil
}

// restore replaces the algorithm by one restored from its state by way of JSON. asked says whether Ask has been
// called before saving.
func (r *Run) restore(asked bool) error {
	if asked {
		if _, err := r.Algorithm.Ask(); err != nil {
			return err
		}
	}
	state, err := r.Algorithm.(algorithms.Resumable).State()
	if err != nil {
		return fmt.Errorf("State: %w", err)
	}
	if !asked {
		state.Pending = nil
	}
	text, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("the state does not encode: %w", err)
	}
	var read algorithms.State
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("the state does not decode: %w", err)
	}
	_, err = algorithms.Restore(read, func(s algorithms.Setup) (algorithms.Resumable, error) {
		if r.Algorithm, err = r.factory(s); err != nil {
			return nil, err
		}
		return r.Algorithm.(algorithms.Resumable), nil
	})
	if err != nil {
		return fmt.Errorf("Restore: %w", err)
	}
	return nil
}
