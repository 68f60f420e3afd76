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

// arena is a box, a place to start and how long to play there.
type arena struct {
	name  string
	box   space.Box
	start []float64
	steps int
}

// arenas cover one to five dimensions, units a hundred million times apart, and
// a start at a corner.
var arenas = []arena{
	{"a line", space.Cube(1, -2, 3), []float64{0.5}, 20},
	{"a square, start at a corner", space.Cube(2, 0, 1), []float64{0, 1}, 15},
	{"odd units", space.Box{Lo: []float64{0, -1e4}, Hi: []float64{1e-3, 1e4}}, []float64{2e-4, 7e3}, 15},
	{"five dimensions", space.Cube(5, -1, 1), []float64{0.1, -0.2, 0.3, -0.4, 0.5}, 8},
}

func (a arena) setup() algorithms.Setup {
	return algorithms.Setup{
		Domain: space.Box{Lo: slices.Clone(a.box.Lo), Hi: slices.Clone(a.box.Hi)},
		Start:  slices.Clone(a.start),
		Rand:   rand.New(rand.NewPCG(1, 2)),
		Steps:  a.steps,
		Pilot:  algorithms.NewPilot(a.pilot()),
	}
}

// pilot is a dozen answered duels of random points.
func (a arena) pilot() []algorithms.Comparison {
	r := rand.New(rand.NewPCG(3, 4))
	pilot := make([]algorithms.Comparison, 12)
	for i := range pilot {
		points := [][]float64{a.sample(r), a.sample(r)}
		pilot[i] = algorithms.Comparison{Points: points, Winner: a.judge(points, r)}
	}
	return pilot
}

func (a arena) sample(r *rand.Rand) []float64 {
	return a.box.Sample(make([]float64, a.box.Dim()), r)
}

// judge prefers points near the place that lies at 0.3 in every unit
// coordinate, with some noise.
func (a arena) judge(points [][]float64, r *rand.Rand) int {
	best, winner := math.Inf(-1), 0
	for i, x := range points {
		if value := a.value(x, r); value > best {
			best, winner = value, i
		}
	}
	return winner
}

// value is that of the function which judge prefers by, noise included.
func (a arena) value(x []float64, r *rand.Rand) float64 {
	value := 0.3 * r.NormFloat64()
	for _, u := range a.box.ToUnit(make([]float64, len(x)), x) {
		value -= 4 * (u - 0.3) * (u - 0.3)
	}
	return value
}

// tell answers a query: with the winner, or where the algorithm learns from
// values with these, which it returns.
func (a arena) tell(alg algorithms.Algorithm, q algorithms.Query, r *rand.Rand) (values []float64, err error) {
	learner, ok := alg.(algorithms.ValueLearner)
	if !ok {
		return nil, alg.Tell(q, a.judge(q.Points, r))
	}
	for _, x := range q.Points[len(q.Points)-q.New:] {
		values = append(values, a.value(x, r))
	}
	return values, learner.TellValues(q, values)
}

// play runs the algorithm for n steps and calls after, if it is not nil, behind each.
func (a arena) play(alg algorithms.Algorithm, n int, r *rand.Rand, after func(q algorithms.Query, values []float64) error) error {
	for t := 1; t <= n; t++ {
		q, err := alg.Ask()
		if err != nil {
			return fmt.Errorf("Ask of step %d: %w", t, err)
		}
		if err := a.checkQuery(q); err != nil {
			return fmt.Errorf("Ask of step %d: %w", t, err)
		}
		values, err := a.tell(alg, q, r)
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

func (a arena) checkQuery(q algorithms.Query) error {
	if err := algorithms.CheckOutcome(a.box, q, 0); err != nil {
		return err
	}
	if q.New < 1 {
		return errors.New("new = 0: a query proposes at least one point")
	}
	return nil
}

func (a arena) checkRecommendations(recs []algorithms.Recommendation) error {
	if len(recs) == 0 {
		return errors.New("Recommend returns nothing")
	}
	rules := map[string]bool{}
	for i, r := range recs {
		if r.Rule == "" || rules[r.Rule] {
			return fmt.Errorf("recommendation %d has rule %q; rules need a name each", i, r.Rule)
		}
		rules[r.Rule] = true
		if err := a.box.Check("x", r.X); err != nil {
			return fmt.Errorf("recommendation %q: %w", r.Rule, err)
		}
	}
	return nil
}

// everywhere runs f with a new algorithm on every arena.
func everywhere(factory Factory, f func(a arena, alg algorithms.Algorithm) error) error {
	for _, a := range arenas {
		alg, err := factory(a.setup())
		if err == nil {
			err = f(a, alg)
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", a.name, err)
		}
	}
	return nil
}

// state is all that can be seen of an algorithm. %v prints floats so that other
// bits are another text.
func state(alg algorithms.Algorithm) (string, error) {
	text, err := answers(alg)
	if m, ok := alg.(algorithms.Instrumented); ok && err == nil {
		text += fmt.Sprintf("Metrics: %v\n", m.Metrics())
	}
	return text, err
}

// answers is what Ask and Recommend say.
func answers(alg algorithms.Algorithm) (string, error) {
	q, err := alg.Ask()
	if err != nil {
		return "", fmt.Errorf("Ask: %w", err)
	}
	recs, err := alg.Recommend()
	if err != nil {
		return "", fmt.Errorf("Recommend: %w", err)
	}
	return fmt.Sprintf("Ask: new %d of %v\nRecommend: %v\n", q.New, q.Points, recs), nil
}

func refusesBadSetup(factory Factory) error {
	a := arenas[1]
	// spoilPilot replaces the pilot by one with a bad comparison.
	spoilPilot := func(i int, spoil func(c *algorithms.Comparison)) func(*algorithms.Setup) {
		return func(s *algorithms.Setup) {
			all := a.pilot()
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
		s := a.setup()
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
	if text := err.Error(); !strings.Contains(strings.ToLower(text), argument) || strings.Contains(text, "\n") {
		return fmt.Errorf("the error %q does not name %q in one line", text, argument)
	}
	return nil
}

func staysInTheBox(factory Factory) error {
	return everywhere(factory, func(a arena, alg algorithms.Algorithm) error {
		shown := [][]float64(nil)
		metrics := []string(nil)
		after := func(q algorithms.Query, _ []float64) error {
			if shown != nil {
				for i, x := range q.Points[:len(q.Points)-q.New] {
					if !slices.ContainsFunc(shown, func(y []float64) bool { return slices.Equal(x, y) }) {
						return fmt.Errorf("points[%d] = %v is said to be old (new = %d) but was not in the query before", i, x, q.New)
					}
				}
			}
			shown = q.Points
			recs, err := alg.Recommend()
			if err != nil {
				return fmt.Errorf("Recommend: %w", err)
			}
			if err := a.checkRecommendations(recs); err != nil {
				return err
			}
			m, ok := alg.(algorithms.Instrumented)
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
		}
		recs, err := alg.Recommend()
		if err != nil {
			return fmt.Errorf("Recommend before any Tell: %w", err)
		}
		if err := a.checkRecommendations(recs); err != nil {
			return fmt.Errorf("before any Tell: %w", err)
		}
		return a.play(alg, a.steps, rand.New(rand.NewPCG(5, 6)), after)
	})
}

// Two algorithms of equal setups stay equal though one is looked at more often.
func isPureAndRepeatable(factory Factory) error {
	return everywhere(factory, func(a arena, watched algorithms.Algorithm) error {
		plain, err := factory(a.setup())
		if err != nil {
			return err
		}
		r, same := rand.New(rand.NewPCG(7, 8)), rand.New(rand.NewPCG(7, 8))
		for t := 1; t <= min(a.steps, 8); t++ {
			first, err := state(watched)
			if err != nil {
				return err
			}
			if second, err := state(watched); err != nil || second != first {
				return fmt.Errorf("step %d: asked twice, it answers differently (error %v):\n%s%s", t, err, first, second)
			}
			if err := a.play(watched, 1, r, nil); err != nil {
				return err
			}
			if err := a.play(plain, 1, same, nil); err != nil {
				return err
			}
		}
		return sameState(watched, plain, "equal setups and outcomes, but one was asked more often than the other")
	})
}

func sameState(a, b algorithms.Algorithm, why string) error { return same(state, a, b, why) }

// sameAnswers leaves out the metrics, which describe a step that a restored
// algorithm did not take.
func sameAnswers(a, b algorithms.Algorithm, why string) error { return same(answers, a, b, why) }

func same(of func(algorithms.Algorithm) (string, error), a, b algorithms.Algorithm, why string) error {
	sa, err := of(a)
	if err != nil {
		return err
	}
	sb, err := of(b)
	if err != nil {
		return err
	}
	if sa != sb {
		return fmt.Errorf("%s; now they differ:\n%s%s", why, sa, sb)
	}
	return nil
}

// What it hands out and what it was handed may be overwritten by the caller.
func copies(factory Factory) error {
	return everywhere(factory, func(a arena, alg algorithms.Algorithm) error {
		plain, err := factory(a.setup())
		if err != nil {
			return err
		}
		scribble := func(points ...[]float64) {
			for _, x := range points {
				copy(x, a.box.Hi)
			}
		}
		r, same := rand.New(rand.NewPCG(9, 10)), rand.New(rand.NewPCG(9, 10))
		for range 4 {
			q, err := alg.Ask()
			if err != nil {
				return err
			}
			scribble(q.Points...)
			recs, err := alg.Recommend()
			if err != nil {
				return err
			}
			for _, rec := range recs {
				scribble(rec.X)
			}
			if err := sameState(alg, plain, "what Ask or Recommend returned was overwritten"); err != nil {
				return err
			}
			overwrite := func(q algorithms.Query, values []float64) error {
				scribble(q.Points...)
				clear(values)
				return nil
			}
			if err := a.play(alg, 1, r, overwrite); err != nil {
				return err
			}
			if err := a.play(plain, 1, same, nil); err != nil {
				return err
			}
			if err := sameState(alg, plain, "the query or its values were overwritten after Tell"); err != nil {
				return err
			}
		}
		return nil
	})
}

// badOutcome is one that every Tell refuses, and what the error names.
type badOutcome struct {
	what, names string
	tell        func() error
}

// badOutcomes are told to the algorithm in the way it learns.
func (a arena) badOutcomes(alg algorithms.Algorithm) []badOutcome {
	inside := a.start
	with := func(v float64) []float64 {
		x := slices.Clone(inside)
		x[len(x)-1] = v
		return x
	}
	duel := func(x, y []float64) algorithms.Query {
		return algorithms.Query{Points: [][]float64{x, y}, New: 1}
	}
	hi := a.box.Hi[len(inside)-1]
	good := duel(inside, with(a.box.Lo[len(inside)-1]))
	var list []badOutcome
	learner, learns := alg.(algorithms.ValueLearner)
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
		list = append(list, badOutcome{c.what, c.names, func() error {
			if learns {
				return learner.TellValues(c.q, make([]float64, max(c.q.New, 0)))
			}
			return alg.Tell(c.q, 0)
		}})
	}
	if learns {
		list = append(list, badOutcome{"a comparison, told to one that learns from values", "values", func() error { return alg.Tell(good, 0) }})
		for _, values := range [][]float64{{}, {1, 2}, {math.NaN()}, {math.Inf(-1)}} {
			list = append(list, badOutcome{fmt.Sprintf("values %v of one new point", values), "values", func() error { return learner.TellValues(good, values) }})
		}
		return list
	}
	for _, winner := range []int{-1, 2, 7} {
		list = append(list, badOutcome{fmt.Sprintf("winner %d of two points", winner), "winner", func() error { return alg.Tell(good, winner) }})
	}
	return list
}

func refusesBadOutcome(factory Factory) error {
	return everywhere(factory, func(a arena, alg algorithms.Algorithm) error {
		plain, err := factory(a.setup())
		if err != nil {
			return err
		}
		r, same := rand.New(rand.NewPCG(11, 12)), rand.New(rand.NewPCG(11, 12))
		for range 3 {
			for _, bad := range a.badOutcomes(alg) {
				before, err := state(alg)
				if err != nil {
					return err
				}
				if err := bad.tell(); err == nil {
					return fmt.Errorf("%s is accepted", bad.what)
				} else if err := named(err, bad.names); err != nil {
					return fmt.Errorf("%s: %w", bad.what, err)
				}
				if after, err := state(alg); err != nil || after != before {
					return fmt.Errorf("%s was refused but changed the state (error %v):\n%s%s", bad.what, err, before, after)
				}
			}
			if err := a.play(alg, 1, r, nil); err != nil {
				return err
			}
			if err := a.play(plain, 1, same, nil); err != nil {
				return err
			}
		}
		return sameState(alg, plain, "equal outcomes, but one was told bad ones too, which it refused")
	})
}

// Outcomes of queries it did not propose: points it has never seen, a point
// against itself, the same duel over and over with both outcomes. A query of
// more than two points it may refuse.
func takesAnyOutcome(factory Factory) error {
	return everywhere(factory, func(a arena, alg algorithms.Algorithm) error {
		r := rand.New(rand.NewPCG(13, 14))
		x, y := a.sample(r), a.sample(r)
		learner, learns := alg.(algorithms.ValueLearner)
		tell := func(winner int, points ...[]float64) error {
			q := algorithms.Query{Points: points, New: 1}
			if learns {
				return learner.TellValues(q, []float64{float64(winner)})
			}
			return alg.Tell(q, winner)
		}
		for i := range 4 {
			if err := tell(i%2, x, y); err != nil {
				return fmt.Errorf("a duel told again with another outcome: %w", err)
			}
			if err := tell(i%2, x, x); err != nil {
				return fmt.Errorf("a point against itself: %w", err)
			}
			if err := tell(i%2, slices.Clone(a.start), a.sample(r)); err != nil {
				return fmt.Errorf("a duel of the start with a point that Ask did not propose: %w", err)
			}
		}
		before, err := state(alg)
		if err != nil {
			return err
		}
		if err := tell(2, x, y, a.sample(r), a.sample(r)); err != nil {
			if err := named(err, "points"); err != nil {
				return fmt.Errorf("a query of four points: %w", err)
			}
			if after, err := state(alg); err != nil || after != before {
				return fmt.Errorf("a query of four points was refused but changed the state (error %v)", err)
			}
		}
		return a.play(alg, 3, r, func(algorithms.Query, []float64) error {
			recs, err := alg.Recommend()
			if err != nil {
				return fmt.Errorf("Recommend: %w", err)
			}
			return a.checkRecommendations(recs)
		})
	})
}

// An experiment that is saved and restored after every step, in turn before and
// after the next query was asked, goes on like one that is not.
func isSavedAndRestored(factory Factory) error {
	return everywhere(factory, func(a arena, alg algorithms.Algorithm) error {
		if _, ok := alg.(algorithms.Resumable); !ok {
			return nil
		}
		return restoredAfterEveryStep(factory, a, min(a.steps, 10))
	})
}

// restored returns what is restored from the state of alg, by way of JSON: one in
// which the next query was asked, or was not.
func restored(factory Factory, alg algorithms.Algorithm, asked bool) (algorithms.Algorithm, error) {
	if asked {
		if _, err := alg.Ask(); err != nil {
			return nil, err
		}
	}
	state, err := alg.(algorithms.Resumable).State()
	if err != nil {
		return nil, fmt.Errorf("State: %w", err)
	}
	if !asked {
		state.Pending = nil
	}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("the state does not encode: %w", err)
	}
	var read algorithms.State
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("the state does not decode: %w", err)
	}
	back, err := algorithms.Restore(read, func(s algorithms.Setup) (algorithms.Resumable, error) {
		alg, err := factory(s)
		if err != nil {
			return nil, err
		}
		return alg.(algorithms.Resumable), nil
	})
	if err != nil {
		return nil, fmt.Errorf("Restore: %w", err)
	}
	return back.(algorithms.Algorithm), nil
}
