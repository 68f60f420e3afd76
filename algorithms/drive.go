package algorithms

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"popbench/space"
)

// A Method is the part of a preferential optimiser that differs between algorithms. Drive turns it into an
// Algorithm. A method may keep its arguments but not change them. Drive copies its results.
type Method interface {
	// Learn updates the model with a comparison, which has passed CheckComparison. If it returns an error, the
	// method is unchanged. If the model cannot be used after learning, Propose and Recommend return the error.
	Learn(Comparison) error
	// Propose returns the next query. It depends only on the comparisons and on random streams named after the
	// step. It does not change later results.
	Propose() (Proposal, error)
	// Recommend returns the current recommendations, the selected rule's first. It does not change later
	// results.
	Recommend() ([]Recommendation, error)
	// Metrics describes the model after the last Learn, and the work of that call. It includes the names of a
	// proposal's metrics, with the value 0.
	Metrics() []Metric
}

// Rememberer is an optional interface of a Method that can be restored without learning the comparisons one by
// one.
type Rememberer interface {
	// Remember returns the part of the method's state that the comparisons alone do not determine, or nil if
	// there is none. encoding/json must write and read the value without loss.
	Remember() any
	// Recall turns a method that has learnt nothing into one that has learnt all the comparisons, equal bit for bit
	// except in its work counts. memory decodes what Remember returned, or returns false if there is no memory.
	// Recall returns false, and changes nothing, if the comparisons have to be learnt one by one.
	Recall(all []Comparison, memory func(v any) (bool, error)) (bool, error)
}

// Spec is what Drive needs to know about a method.
type Spec struct {
	Name string // of the package; errors begin with it
	// Words is the number of words, 1 or 2, drawn from setup.Rand for the key of the random streams. The key
	// leaves out their lowest Shift bits. A new method has 2 and no shift; others keep the streams of their records.
	Words, Shift int
	// Duels says that the method learns from queries of two points only.
	Duels bool
	// Values says that the method learns from Comparison.Values.
	Values bool
	// Ties says that Learn accepts comparisons with Tie. The algorithm then embeds a TieDriver.
	Ties bool
}

// Driver turns a Method into an Algorithm. Its results depend only on the method's settings, the setup, and the
// comparisons in order. Drive makes it; the zero Driver, and an algorithm that embeds none, returns errors.
type Driver struct {
	spec        Spec
	setup       Setup
	drawn       words // from setup.Rand, for the key of the streams
	method      Method
	comparisons []Comparison

	// Computed once after each comparison.
	next        *Proposal
	recommended []Recommendation

	asked []Metric // of the proposal before the last Tell; nil if Ask was not called
}

var (
	_ Algorithm    = (*Driver)(nil)
	_ Instrumented = (*Driver)(nil)
	_ Resumable    = (*Driver)(nil)
	_ Informed     = (*Driver)(nil)
)

// Drive returns an algorithm at its first step and its method, or an error that names the wrong argument. begin
// gets valid settings and a valid copy of the setup, and returns the method before its first comparison. It
// must not use the Rand of the setup. Settings with a method Validate() error are valid if it returns nil, settings
// without it always.
func Drive[C any, M Method](setup Setup, spec Spec, cfg C, begin func(Setup, Streams, C) (M, error)) (*Driver, M, error) {
	var none M
	if err := setup.Validate(); err != nil {
		return nil, none, fmt.Errorf("%s: setup: %w", spec.Name, err)
	}
	if v, ok := any(&cfg).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, none, fmt.Errorf("%s: %w", spec.Name, err)
		}
	}
	if spec.Words < 1 || spec.Words > 2 || spec.Shift < 0 || begin == nil {
		return nil, none, fmt.Errorf("%s: spec: words = %d and shift = %d; give 1 or 2 words, a shift that is not negative, and a function that begins",
			spec.Name, spec.Words, spec.Shift)
	}
	d := &Driver{spec: spec, setup: setup.clone(), drawn: make(words, spec.Words)}
	key := make([]uint64, spec.Words)
	for i := range key {
		d.drawn[i] = setup.Rand.Uint64()
		key[i] = d.drawn[i] >> spec.Shift
	}
	m, err := begin(d.setup, NewStreams(key...), cfg)
	if err != nil {
		return nil, none, d.named(err)
	}
	d.method = m
	return d, m, nil
}

func (d *Driver) made() error {
	if d == nil || d.method == nil {
		return errors.New("this algorithm is empty; make it with New of its package, or with algorithms.Drive")
	}
	return nil
}

// named prefixes an error with the name of the algorithm, unless the error has that prefix already.
func (d *Driver) named(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), d.spec.Name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", d.spec.Name, err)
}

// Ask returns the method's proposal.
func (d *Driver) Ask() (Query, error) {
	if err := d.made(); err != nil {
		return Query{}, err
	}
	if d.next == nil {
		next, err := d.method.Propose()
		if err != nil {
			return Query{}, d.named(err)
		}
		d.next = new(next.clone())
	}
	return d.next.clone().Query, nil
}

// Tell passes a comparison to the method.
func (d *Driver) Tell(q Query, winner int) error {
	if d.made() == nil && d.spec.Values {
		return d.named(errors.New("it learns from values, not from comparisons; call TellValues with one value for each new point"))
	}
	return d.tell(Comparison{Points: q.Points, Winner: winner}, q.New)
}

// tell checks a comparison and passes it to the method. Its last n points are new.
func (d *Driver) tell(c Comparison, n int) error {
	if err := d.made(); err != nil {
		return err
	}
	if err := d.check(c, n); err != nil {
		return d.named(err)
	}
	return d.learn(c)
}

// check returns an error if the method cannot learn a comparison whose last n points are new.
func (d *Driver) check(c Comparison, n int) error {
	q := Query{c.Points, n}
	switch {
	case d.spec.Values && c.Winner != 0:
		return fmt.Errorf("winner = %d: it learns from values; leave the winner out", c.Winner)
	case d.spec.Values && n == 0 && len(c.Values) == 0: // such as a winner, 0, in a file of bench suggest
		return errors.New("no values, new = 0: it learns from values; give those of the last points")
	case c.Tie && !d.spec.Ties:
		return errors.New("tie: it does not learn from ties; leave the query out")
	case c.Tie && c.Winner != 0:
		return fmt.Errorf("winner = %d of a tie; leave the winner out", c.Winner)
	case d.spec.Values:
		return CheckValues(d.setup.Domain, q, c.Values)
	case len(c.Values) > 0:
		return errors.New("values: it learns from comparisons; give the index of the winner")
	}
	return d.checkComparison(q, c.Winner)
}

// checkComparison is CheckComparison, and also requires a duel if the method needs one.
func (d *Driver) checkComparison(q Query, winner int) error {
	err := CheckComparison(d.setup.Domain, q, winner)
	if err == nil && d.spec.Duels && len(q.Points) != 2 {
		err = fmt.Errorf("points: it learns from duels, and this query has %d points; give two", len(q.Points))
	}
	return err
}

func (d *Driver) learn(c Comparison) error {
	c = c.clone()
	if err := d.method.Learn(c); err != nil {
		return d.named(err)
	}
	d.comparisons = append(d.comparisons, c)
	d.asked = nil
	if d.next != nil {
		d.asked = d.next.Metrics
	}
	d.next, d.recommended = nil, nil
	return nil
}

// Recommend returns the method's recommendations.
func (d *Driver) Recommend() ([]Recommendation, error) {
	if err := d.made(); err != nil {
		return nil, err
	}
	if d.recommended == nil {
		all, err := d.method.Recommend()
		if err != nil {
			return nil, d.named(err)
		}
		d.recommended = cloneAll(all, Recommendation.clone)
	}
	return cloneAll(d.recommended, Recommendation.clone), nil
}

// Metrics describes the last Tell and the Ask before it.
func (d *Driver) Metrics() []Metric {
	if d.made() != nil {
		return nil
	}
	return merge(slices.Clone(d.method.Metrics()), d.asked)
}

// InForce returns a copy of the prior of a method that is Informed, else the zero value.
func (d *Driver) InForce() InForce {
	if d.made() != nil {
		return InForce{}
	}
	if m, ok := d.method.(Informed); ok {
		in := m.InForce()
		in.Kernel = cloneKernel(in.Kernel)
		if r := in.Range; r != nil {
			in.Range = &Range{slices.Clone(r.Lo), slices.Clone(r.Hi)}
		}
		return in
	}
	return InForce{}
}

// Comparisons returns the number of comparisons learnt.
func (d *Driver) Comparisons() int {
	if d == nil {
		return 0
	}
	return len(d.comparisons)
}

// CheckPoint returns an error if x is not a point of the domain.
func (d *Driver) CheckPoint(x []float64) error {
	if err := d.made(); err != nil {
		return err
	}
	return d.named(d.setup.Domain.Check("x", x))
}

// BeliefDriver is a Driver of a method that is a Believer.
type BeliefDriver struct{ *Driver }

var _ Believer = BeliefDriver{}

// Belief checks x and returns the method's belief.
func (d BeliefDriver) Belief(x []float64) (Belief, error) {
	if err := d.CheckPoint(x); err != nil {
		return Belief{}, err
	}
	m, ok := d.method.(Believer)
	if !ok {
		return Belief{}, d.named(errors.New("belief: its method has none"))
	}
	b, err := m.Belief(x)
	return b, d.named(err)
}

// ValueDriver is a Driver of a method that learns from value observations.
type ValueDriver struct{ *Driver }

var _ ValueLearner = ValueDriver{}

// TellValues passes noisy values of f at the new points of a query to the method.
func (d ValueDriver) TellValues(q Query, values []float64) error {
	return d.tell(Comparison{Points: q.Points, Values: values}, q.New)
}

// TieDriver is a Driver of a method that learns from ties.
type TieDriver struct{ *Driver }

var _ TieLearner = TieDriver{}

// TellTie passes a query that was answered with a tie to the method.
func (d TieDriver) TellTie(q Query) error {
	return d.tell(Comparison{Points: q.Points, Tie: true}, q.New)
}

// TieBeliefDriver is a TieDriver of a method that is a Believer too.
type TieBeliefDriver struct{ TieDriver }

var _ Believer = TieBeliefDriver{}

// Belief checks x and returns the method's belief.
func (d TieBeliefDriver) Belief(x []float64) (Belief, error) { return BeliefDriver{d.Driver}.Belief(x) }

// Select returns the recommendations with the named rule's moved to the front.
func Select(all []Recommendation, rule string) []Recommendation {
	for i, r := range all {
		if r.Rule == rule {
			return slices.Insert(slices.Delete(slices.Clone(all), i, i+1), 0, r)
		}
	}
	return all
}

// State returns the state, which shares no memory with the algorithm.
func (d *Driver) State() (State, error) {
	if err := d.made(); err != nil {
		return State{}, err
	}
	s := State{
		Start: slices.Clone(d.setup.Start), Steps: d.setup.Steps,
		Pilot: cloneAll(d.setup.Pilot.Comparisons(), Comparison.clone), Comparisons: cloneAll(d.comparisons, Comparison.clone),
		Progress: Progress{Learnt: len(d.comparisons), Metrics: slices.Clone(d.asked), Fits: d.setup.Pilot.fitted()},
	}
	switch domain := d.setup.Domain.(type) {
	case space.Box:
		s.Box = domain.Bounds()
	case *space.Arms:
		s.Arms = domain.Points()
	default:
		return State{}, d.named(fmt.Errorf("domain: a %T cannot be saved; a space.Box and *space.Arms can", domain))
	}
	s.Seed, s.Stream = d.drawn.save()
	if known := d.setup.Known.clone(); known != (Known{}) {
		s.Known = &known
	}
	if d.next != nil {
		s.Pending = new(d.next.clone())
	}
	if m, ok := d.method.(Rememberer); ok && len(d.comparisons) > 0 {
		if memory := m.Remember(); memory != nil {
			var err error
			if s.Memory, err = json.Marshal(memory); err != nil {
				return State{}, d.named(err)
			}
		}
	}
	return s, nil
}

// Resume brings an algorithm that has learnt nothing, made from the state's setup, into the given state; see
// Restore.
func (d *Driver) Resume(s State) error {
	if err := d.made(); err != nil {
		return err
	}
	if len(d.comparisons) > 0 {
		return errors.New("algorithms: only an algorithm that has learnt nothing can be resumed")
	}
	for i, c := range s.Comparisons {
		if err := d.check(c, len(c.Values)); err != nil {
			return fmt.Errorf("comparisons[%d]: %w", i, d.named(err))
		}
	}
	n := s.Learnt
	if n < 0 || n > len(s.Comparisons) {
		return fmt.Errorf("learnt = %d is not between 0 and %d, the number of comparisons", n, len(s.Comparisons))
	}
	if s.Memory == nil && s.Pending == nil {
		n = len(s.Comparisons)
	}
	recalled, err := d.recall(s.Comparisons[:n], s.Memory)
	if err != nil {
		return fmt.Errorf("%s: memory: %w", d.spec.Name, err)
	}
	if !recalled {
		n = 0
	}
	for i := n; ; i++ {
		if i == s.Learnt {
			if err := d.resumeStep(s.Progress); err != nil {
				return fmt.Errorf("%s: pending: %w", d.spec.Name, err)
			}
		}
		if i == len(s.Comparisons) {
			return nil
		}
		if err := d.learn(s.Comparisons[i]); err != nil {
			return fmt.Errorf("comparisons[%d]: %w", i, err)
		}
	}
}

// recall lets the method recall the comparisons, and reports whether it did.
func (d *Driver) recall(all []Comparison, memory json.RawMessage) (bool, error) {
	m, ok := d.method.(Rememberer)
	if !ok || len(all) == 0 {
		return false, nil
	}
	all = cloneAll(all, Comparison.clone)
	recalled, err := m.Recall(all, func(v any) (bool, error) {
		if memory == nil || string(memory) == "null" {
			return false, nil
		}
		decoder := json.NewDecoder(bytes.NewReader(memory))
		decoder.DisallowUnknownFields()
		return true, decoder.Decode(v)
	})
	if recalled && err == nil {
		d.comparisons = all
	}
	return recalled, err
}

// resumeStep restores the pending query after the learnt comparisons, and the metrics of the query before it.
// It returns an error if the pending query is invalid.
func (d *Driver) resumeStep(p Progress) error {
	d.asked = slices.Clone(p.Metrics)
	if p.Pending == nil {
		return nil
	}
	if err := d.checkComparison(p.Pending.Query, 0); err != nil {
		return err
	}
	if p.Pending.New < 1 {
		return errors.New("new = 0: a query proposes at least one point")
	}
	d.next = new(p.Pending.clone())
	return nil
}
