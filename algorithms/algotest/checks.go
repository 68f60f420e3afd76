package algotest

import (
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

// scenario is a box, a start and a budget.
type scenario struct {
	name  string
	box   space.Box
	start []float64
	steps int
}

// scenarios cover one to five dimensions, units that differ by a factor of 1e7, and a start at a corner.
var scenarios = []scenario{
	{"a line", space.Cube(1, -2, 3), []float64{0.5}, 20},
	{"a square, start at a corner", space.Cube(2, 0, 1), []float64{0, 1}, 15},
	{"odd units", space.Box{Lo: []float64{0, -1e4}, Hi: []float64{1e-3, 1e4}}, []float64{2e-4, 7e3}, 15},
	{"five dimensions", space.Cube(5, -1, 1), []float64{0.1, -0.2, 0.3, -0.4, 0.5}, 8},
}

func (s scenario) setup() algorithms.Setup {
	return algorithms.Setup{
		Domain: s.box.Bounds(),
		Start:  slices.Clone(s.start),
		Rand:   rand.New(rand.NewPCG(1, 2)),
		Steps:  s.steps,
		Pilot:  algorithms.NewPilot(s.pilot()),
	}
}

// pilot returns a dozen duels of random points.
func (s scenario) pilot() []algorithms.Comparison {
	r := rand.New(rand.NewPCG(3, 4))
	pilot := make([]algorithms.Comparison, 12)
	for i := range pilot {
		points := [][]float64{s.sample(r), s.sample(r)}
		pilot[i] = algorithms.Comparison{Points: points, Winner: s.winner(points, r)}
	}
	return pilot
}

func (s scenario) sample(r *rand.Rand) []float64 {
	return s.box.Sample(make([]float64, s.box.Dim()), r)
}

// winner returns the index of the point with the largest noisy value.
func (s scenario) winner(points [][]float64, r *rand.Rand) int {
	best, winner := math.Inf(-1), 0
	for i, x := range points {
		if value := s.value(x, r); value > best {
			best, winner = value, i
		}
	}
	return winner
}

// value returns the noisy value of a paraboloid with its maximum at 0.3 in every unit coordinate.
func (s scenario) value(x []float64, r *rand.Rand) float64 {
	value := 0.3 * r.NormFloat64()
	for _, u := range s.box.ToUnit(make([]float64, len(x)), x) {
		value -= 4 * (u - 0.3) * (u - 0.3)
	}
	return value
}

// run is an algorithm in a scenario.
type run struct {
	scenario
	factory Factory
	alg     algorithms.Algorithm
	oracle  *rand.Rand
}

func begin(factory Factory, s scenario) (*run, error) {
	alg, err := factory(s.setup())
	return &run{s, factory, alg, rand.New(rand.NewPCG(5, 6))}, err
}

// everywhere applies the check to a new run in every scenario.
func everywhere(factory Factory, check func(*run) error) error {
	for _, s := range scenarios {
		r, err := begin(factory, s)
		if err == nil {
			err = check(r)
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", s.name, err)
		}
	}
	return nil
}

// pairs applies the check to two new runs with equal setups in every scenario.
func pairs(factory Factory, check func(r, plain *run) error) error {
	return everywhere(factory, func(r *run) error {
		plain, err := begin(factory, r.scenario)
		if err != nil {
			return err
		}
		return check(r, plain)
	})
}

// tell passes the query with its winner to the algorithm, or with values, which it returns.
func (r *run) tell(q algorithms.Query) (values []float64, err error) {
	learner, ok := r.alg.(algorithms.ValueLearner)
	if !ok {
		return nil, r.alg.Tell(q, r.winner(q.Points, r.oracle))
	}
	for _, x := range q.Points[len(q.Points)-q.New:] {
		values = append(values, r.value(x, r.oracle))
	}
	return values, learner.TellValues(q, values)
}

// play takes n steps and calls after, unless it is nil, after each.
func (r *run) play(n int, after func(q algorithms.Query, values []float64) error) error {
	for t := 1; t <= n; t++ {
		q, err := r.alg.Ask()
		if err == nil {
			err = r.checkQuery(q)
		}
		if err != nil {
			return fmt.Errorf("Ask of step %d: %w", t, err)
		}
		values, err := r.tell(q)
		if err != nil {
			return fmt.Errorf("Tell of step %d, of the query that Ask proposed: %w", t, err)
		}
		if after != nil {
			if err := after(q, values); err != nil {
				return fmt.Errorf("after step %d: %w", t, err)
			}
		}
	}
	return nil
}

// playBoth takes a step of each run and compares their states.
func playBoth(r, plain *run, why string) error {
	if err := r.play(1, nil); err != nil {
		return err
	}
	if err := plain.play(1, nil); err != nil {
		return err
	}
	return same(r, plain, why)
}

// same compares the states of two runs.
func same(r, plain *run, why string) error {
	if a, b := r.state(), plain.state(); a != b {
		return fmt.Errorf("%s; now they differ:\n%s%s", why, a, b)
	}
	return nil
}

// state is everything that can be seen of the algorithm. %v prints floats such that different bits give
// different text.
func (r *run) state() string {
	q, askErr := r.alg.Ask()
	recs, err := r.alg.Recommend()
	text := fmt.Sprintf("Ask: new %d of %v, error %v\nRecommend: %v, error %v\n", q.New, q.Points, askErr, recs, err)
	if m, ok := r.alg.(algorithms.Instrumented); ok {
		text += fmt.Sprintf("Metrics: %v\n", m.Metrics())
	}
	return text
}

func (s scenario) checkQuery(q algorithms.Query) error {
	if err := algorithms.CheckComparison(s.box, q, 0); err != nil {
		return err
	}
	if q.New < 1 {
		return errors.New("new = 0: a query proposes at least one point")
	}
	return nil
}

func (r *run) checkRecommendations() error {
	recs, err := r.alg.Recommend()
	if err != nil {
		return fmt.Errorf("Recommend: %w", err)
	}
	if len(recs) == 0 {
		return errors.New("Recommend returns nothing")
	}
	rules := map[string]bool{}
	for i, rec := range recs {
		if rec.Rule == "" || rules[rec.Rule] {
			return fmt.Errorf("recommendation %d has rule %q; rules need a name each", i, rec.Rule)
		}
		rules[rec.Rule] = true
		if err := r.box.Check("x", rec.X); err != nil {
			return fmt.Errorf("recommendation %q: %w", rec.Rule, err)
		}
	}
	return nil
}

func refusesBadSetup(factory Factory) error {
	scenario := scenarios[1]
	// spoilPilot replaces the pilot by one with a bad comparison.
	spoilPilot := func(i int, spoil func(c *algorithms.Comparison)) func(*algorithms.Setup) {
		return func(s *algorithms.Setup) {
			all := scenario.pilot()
			spoil(&all[i])
			s.Pilot = algorithms.NewPilot(all)
		}
	}
	box := func(s *algorithms.Setup) space.Box { return s.Domain.(space.Box) }
	for _, c := range []struct {
		what, names string
		spoil       func(s *algorithms.Setup)
	}{
		{"no domain", "domain", func(s *algorithms.Setup) { s.Domain = nil }},
		{"no random stream", "rand", func(s *algorithms.Setup) { s.Rand = nil }},
		{"a box of no dimension", "box", func(s *algorithms.Setup) { s.Domain, s.Start = space.Box{}, nil }},
		{"a box with lo = hi", "box", func(s *algorithms.Setup) { box(s).Hi[1] = box(s).Lo[1]; s.Start[1] = box(s).Lo[1] }},
		{"a box with a NaN bound", "box", func(s *algorithms.Setup) { box(s).Lo[0] = math.NaN() }},
		{"a start outside the box", "start", func(s *algorithms.Setup) { s.Start[0] = 2 }},
		{"a start of another dimension", "start", func(s *algorithms.Setup) { s.Start = []float64{0.5} }},
		{"a NaN start", "start", func(s *algorithms.Setup) { s.Start[1] = math.NaN() }},
		{"a pilot comparison outside the box", "pilot[2]", spoilPilot(2, func(c *algorithms.Comparison) { c.Points[1] = []float64{9, 9} })},
		{"a pilot comparison nobody won", "pilot[3]", spoilPilot(3, func(c *algorithms.Comparison) { c.Winner = 2 })},
	} {
		s := scenario.setup()
		c.spoil(&s)
		if _, err := factory(s); err == nil {
			return fmt.Errorf("%s is accepted", c.what)
		} else if err := named(err, c.names); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return nil
}

// named reports whether err is one line that names the argument.
func named(err error, argument string) error {
	if text := err.Error(); !strings.Contains(strings.ToLower(text), strings.ToLower(argument)) || strings.Contains(text, "\n") {
		return fmt.Errorf("the error %q does not name %q in one line", text, argument)
	}
	return nil
}

func staysInTheBox(factory Factory) error {
	return everywhere(factory, func(r *run) error {
		if err := r.checkRecommendations(); err != nil {
			return fmt.Errorf("before any Tell: %w", err)
		}
		var shown [][]float64
		var metrics []string
		return r.play(r.steps, func(q algorithms.Query, _ []float64) error {
			for i, x := range q.Points[:len(q.Points)-q.New] {
				if shown != nil && !slices.ContainsFunc(shown, func(y []float64) bool { return slices.Equal(x, y) }) {
					return fmt.Errorf("points[%d] = %v is said to be old (new = %d) but was not in the query before", i, x, q.New)
				}
			}
			shown = q.Points
			if err := r.checkRecommendations(); err != nil {
				return err
			}
			m, ok := r.alg.(algorithms.Instrumented)
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
	})
}

// Two algorithms with equal setups stay equal even if one is asked more often.
func isPureAndRepeatable(factory Factory) error {
	return pairs(factory, func(r, plain *run) error {
		for t := 1; t <= min(r.steps, 8); t++ {
			if first, second := r.state(), r.state(); second != first {
				return fmt.Errorf("step %d: asked twice, it returns different results:\n%s%s", t, first, second)
			}
			if err := errors.Join(r.play(1, nil), plain.play(1, nil)); err != nil {
				return err
			}
		}
		return same(r, plain, "equal setups and comparisons, but one was asked more often than the other")
	})
}

// The caller may overwrite what it passes and what it gets.
func copies(factory Factory) error {
	return pairs(factory, func(r, plain *run) error {
		overwrite := func(points ...[]float64) {
			for _, x := range points {
				copy(x, r.box.Hi)
			}
		}
		for range 4 {
			q, err := r.alg.Ask()
			if err != nil {
				return err
			}
			overwrite(q.Points...)
			recs, err := r.alg.Recommend()
			if err != nil {
				return err
			}
			for _, rec := range recs {
				overwrite(rec.X)
			}
			if err := same(r, plain, "what Ask or Recommend returned was overwritten"); err != nil {
				return err
			}
			err = r.play(1, func(q algorithms.Query, values []float64) error {
				overwrite(q.Points...)
				clear(values)
				return nil
			})
			if err := errors.Join(err, plain.play(1, nil)); err != nil {
				return err
			}
			if err := same(r, plain, "the query or its values were overwritten after Tell"); err != nil {
				return err
			}
		}
		return nil
	})
}

// badComparison is a comparison that every Tell refuses. The error must name names.
type badComparison struct {
	what, names string
	tell        func() error
}

// badComparisons returns bad comparisons, or value observations if the algorithm learns from these.
func (r *run) badComparisons() []badComparison {
	inside := r.start
	with := func(v float64) []float64 {
		x := slices.Clone(inside)
		x[len(x)-1] = v
		return x
	}
	duel := func(x, y []float64) algorithms.Query {
		return algorithms.Query{Points: [][]float64{x, y}, New: 1}
	}
	lo, hi := r.box.Lo[len(inside)-1], r.box.Hi[len(inside)-1]
	good := duel(inside, with(lo))
	learner, learns := r.alg.(algorithms.ValueLearner)
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
			return r.alg.Tell(c.q, 0)
		}})
	}
	if !learns {
		for _, winner := range []int{-1, 2, 7} {
			list = append(list, badComparison{fmt.Sprintf("winner %d of two points", winner), "winner", func() error { return r.alg.Tell(good, winner) }})
		}
		return list
	}
	list = append(list,
		badComparison{"a winner, for an algorithm that learns from values", "values", func() error { return r.alg.Tell(good, 0) }},
		badComparison{"no values of no new points", "new", func() error { return learner.TellValues(algorithms.Query{Points: good.Points}, nil) }})
	for _, values := range [][]float64{{}, {1, 2}, {math.NaN()}, {math.Inf(-1)}} {
		list = append(list, badComparison{fmt.Sprintf("values %v of one new point", values), "values", func() error { return learner.TellValues(good, values) }})
	}
	return list
}

func refusesBadComparison(factory Factory) error {
	return pairs(factory, func(r, plain *run) error {
		for range 3 {
			for _, bad := range r.badComparisons() {
				before := r.state()
				if err := bad.tell(); err == nil {
					return fmt.Errorf("%s is accepted", bad.what)
				} else if err := named(err, bad.names); err != nil {
					return fmt.Errorf("%s: %w", bad.what, err)
				}
				if after := r.state(); after != before {
					return fmt.Errorf("%s was refused but changed the state:\n%s%s", bad.what, before, after)
				}
			}
			if err := playBoth(r, plain, "equal comparisons, but one refused bad ones too"); err != nil {
				return err
			}
		}
		return nil
	})
}

// The algorithm accepts comparisons of queries that it did not propose: points that it has never seen, a point
// against itself, the same duel several times with both winners. It may refuse a query of more than two points.
func acceptsAnyComparison(factory Factory) error {
	return everywhere(factory, func(r *run) error {
		learner, learns := r.alg.(algorithms.ValueLearner)
		tell := func(winner int, points ...[]float64) error {
			q := algorithms.Query{Points: points, New: 1}
			if learns {
				return learner.TellValues(q, []float64{float64(winner)})
			}
			return r.alg.Tell(q, winner)
		}
		x, y := r.sample(r.oracle), r.sample(r.oracle)
		for i := range 4 {
			if err := tell(i%2, x, y); err != nil {
				return fmt.Errorf("a duel again with another winner: %w", err)
			}
			if err := tell(i%2, x, x); err != nil {
				return fmt.Errorf("a point against itself: %w", err)
			}
			if err := tell(i%2, slices.Clone(r.start), r.sample(r.oracle)); err != nil {
				return fmt.Errorf("a duel of the start with a point that Ask did not propose: %w", err)
			}
		}
		before := r.state()
		if err := tell(2, x, y, r.sample(r.oracle), r.sample(r.oracle)); err != nil {
			if err := named(err, "points"); err != nil {
				return fmt.Errorf("a query of four points: %w", err)
			}
			if r.state() != before {
				return errors.New("a query of four points was refused but changed the state")
			}
		}
		return r.play(3, func(algorithms.Query, []float64) error { return r.checkRecommendations() })
	})
}

func isSavedAndRestored(factory Factory) error {
	return pairs(factory, func(r, plain *run) error {
		if _, ok := r.alg.(algorithms.Resumable); !ok {
			return nil
		}
		return restoredAfterEveryStep(r, plain, min(r.steps, 10))
	})
}

// restoredAfterEveryStep saves and restores r after every step, alternately after and before the next Ask. r
// must continue exactly like plain, which is never restored.
func restoredAfterEveryStep(r, plain *run, steps int) error {
	for t := range steps {
		if err := r.restore(t%2 == 0); err != nil {
			return fmt.Errorf("after %d steps: %w", t, err)
		}
		if err := same(r, plain, fmt.Sprintf("saved and restored after %d steps", t)); err != nil {
			return err
		}
		if err := playBoth(r, plain, fmt.Sprintf("saved and restored after %d steps, then one more", t)); err != nil {
			return err
		}
	}
	return nil
}

// restore replaces the algorithm by one restored from its state by way of JSON. asked says whether Ask has been
// called before saving.
func (r *run) restore(asked bool) error {
	if asked {
		if _, err := r.alg.Ask(); err != nil {
			return err
		}
	}
	state, err := r.alg.(algorithms.Resumable).State()
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
		if r.alg, err = r.factory(s); err != nil {
			return nil, err
		}
		return r.alg.(algorithms.Resumable), nil
	})
	if err != nil {
		return fmt.Errorf("Restore: %w", err)
	}
	return nil
}
