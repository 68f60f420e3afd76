package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/problems"
	"popbench/record"
	"popbench/suite"
)

// walker compares a random point with the last one and recommends the last winner. Its hooks, if
// not nil, run before the method's own work at step t, from 1.
type walker struct {
	setup            algorithms.Setup
	last, best, next []float64
	t                int
	rule             string // "winner" by default
	hooks
}

type hooks struct {
	ask, tell, recommend func(w *walker) error
	fresh                func(w *walker) int // the number of new points of a query; 1 by default
	metrics              func(w *walker) []algorithms.Metric
	twice                bool // recommends by one rule twice
}

func (h hooks) run(hook func(*walker) error, w *walker) error {
	if hook == nil {
		return nil
	}
	return hook(w)
}

func (w *walker) Ask() (algorithms.Query, error) {
	w.t++
	if err := w.run(w.ask, w); err != nil {
		return algorithms.Query{}, err
	}
	w.next = w.setup.Domain.Sample(make([]float64, w.setup.Domain.Dim()), w.setup.Rand)
	q := algorithms.Query{Points: [][]float64{w.last, w.next}, New: 1}
	if w.fresh != nil {
		q.New = w.fresh(w)
	}
	return q, nil
}

func (w *walker) Tell(q algorithms.Query, winner int) error {
	w.last, w.best = q.Points[1], q.Points[winner]
	return w.run(w.tell, w)
}

// learner is a walker that learns from values.
type learner struct {
	*walker
	told []float64 // including noise, one per step
}

func (l *learner) Tell(algorithms.Query, int) error { return errors.New("it needs values") }

func (l *learner) TellValues(q algorithms.Query, values []float64) error {
	l.told = append(l.told, values...)
	return l.walker.Tell(q, 1)
}

func (w *walker) Recommend() ([]algorithms.Recommendation, error) {
	x := w.best
	if err := w.run(w.recommend, w); err != nil {
		return nil, err
	}
	if len(w.best) == 0 {
		return nil, nil
	}
	all := []algorithms.Recommendation{{Rule: cmp.Or(w.rule, "winner"), X: x}}
	if w.twice {
		all = append(all, all[0])
	}
	return all, nil
}

func (w *walker) Metrics() []algorithms.Metric {
	if w.metrics == nil {
		return []algorithms.Metric{{Name: "failed_solves", Kind: algorithms.KindWork, Value: float64(w.t)}, {Name: "a", Kind: algorithms.KindState, Value: 0.5}}
	}
	return w.metrics(w)
}

// cells returns n cells of a walker on Beale.
func cells(t *testing.T, n, steps int, h hooks) []suite.Cell {
	t.Helper()
	p := beale(t)
	series := &suite.Series{
		Template: record.Header{
			Suite: "test", Budget: steps, Seed: 1, ConfigHash: "00",
			Problem:   record.Problem{Name: "beale", Lo: p.Box.Lo, Hi: p.Box.Hi, Scale: "std"},
			Algorithm: record.Algorithm{Name: "walker", Label: "walker", Settings: []byte(`{"norm_bound":6,"beta":{"beta0":1}}`), Disclosed: record.DisclosedNone},
		},
		Begin: func(_ context.Context, header record.Header) (*suite.Trial, error) {
			i := strconv.Itoa(header.Repetition)
			header.Problem.Factor, header.Problem.Optimum = p.Factor, &p.Optimum.Value
			return &suite.Trial{
				Header: header, Problem: p,
				Oracle: problems.NewOracle(p, rng.Stream(1, "judge", i)),
				Algorithm: &walker{hooks: h, last: []float64{0, 0}, setup: algorithms.Setup{
					Domain: p.Box, Rand: rng.Stream(1, "algorithm", i),
				}},
			}, nil
		},
	}
	var all []suite.Cell
	for i := range n {
		all = append(all, suite.Cell{Series: series, Repetition: i})
	}
	return all
}

// beginning returns a cell with another Begin function.
func beginning(c suite.Cell, begin func(context.Context, record.Header) (*suite.Trial, error)) suite.Cell {
	series := *c.Series
	series.Begin = begin
	c.Series = &series
	return c
}

// memory keeps records, or fails.
type memory struct {
	mu      sync.Mutex
	records map[string]*record.Record
	timings map[string]*record.Timing
	fail    func(cell string) error
}

func (m *memory) Put(r *record.Record, t *record.Timing) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(r.Header.Cell); err != nil {
			return err
		}
	}
	if _, err := record.Encode(r); err != nil {
		return err
	}
	if m.records == nil {
		m.records, m.timings = map[string]*record.Record{}, map[string]*record.Timing{}
	}
	m.records[r.Header.Cell], m.timings[r.Header.Cell] = r, t
	return nil
}

func TestRecordOfACell(t *testing.T) {
	sink := &memory{}
	all := cells(t, 1, 4, hooks{})
	check.OK(t, Run(t.Context(), all, sink.Put, Options{Workers: 3}))
	r, timing := sink.records[all[0].ID()], sink.timings[all[0].ID()]
	trial := check.Must(all[0].Start(t.Context()))(t)
	check.That(t, r.OK() && len(r.Steps) == 4 && r.Header.Problem.Factor == trial.Problem.Factor, "%+v", r)
	var likelihood float64 // of the answers under f
	for i, s := range r.Steps {
		for j, x := range s.Points {
			check.Equal(t, "utility", s.Utility[j], trial.Problem.Value(x))
		}
		p := s.Recommendations[0]
		check.That(t, p.Rule == "winner" && p.Utility == s.Utility[s.Winner], "step %d reports %+v", i+1, p)
		v, _ := s.Metrics.Get("failed_solves")
		check.That(t, v == float64(i+1) && s.Metrics[1].Name == "a", "step %d: metrics %v", i+1, s.Metrics)
		check.Equal(t, "winner", s.Winner, check.Must(trial.Oracle.Answer(t.Context(), s.Points))(t).Winner)
		likelihood -= math.Log1p(math.Exp(s.Utility[1-s.Winner] - s.Utility[s.Winner]))
		check.Near(t, s.TrueLogLikelihood, likelihood, 1e-12*math.Abs(likelihood), "likelihood after step %d", s.T)
	}
	check.Equal(t, "steps that are timed, and workers", [3]int{len(timing.AskSeconds), len(timing.TellSeconds), timing.Workers}, [3]int{4, 4, 3})
	check.Equal(t, "the processor is known", timing.CPU != "", true)
	check.Must(time.Parse(time.RFC3339, timing.Started))(t)
}

// The record has the points of queries and recommendations, even if the algorithm changes its slices afterwards.
func TestRecordsAreCopies(t *testing.T) {
	sink := &memory{}
	scramble := hooks{
		tell:      func(w *walker) error { w.next[0] = -4; return nil },
		recommend: func(w *walker) error { w.best[1] = 4; return nil },
		ask:       func(w *walker) error { w.last = slices.Clone(w.last); copy(w.best, []float64{-4}); return nil },
	}
	check.OK(t, Run(t.Context(), cells(t, 1, 3, scramble), sink.Put, Options{}))
	for _, r := range sink.records {
		for _, s := range r.Steps {
			check.That(t, s.Points[1][0] != -4 && s.Points[1][1] != 4 && s.Recommendations[0].X[0] != -4, "step %d: %v, %v", s.T, s.Points, s.Recommendations)
		}
	}
}

// at returns a hook that acts only at step t.
func at(t int, f func(*walker)) func(*walker) error {
	return func(w *walker) error {
		if w.t == t {
			f(w)
		}
		return nil
	}
}

// Any mistake of an algorithm at step 3 gives a failed record of two steps that names the mistake, and affects no other
// cell.
func TestFailures(t *testing.T) {
	boom := errors.New("boom\nover two lines")
	fail := func(w *walker) error {
		if w.t == 3 {
			return boom
		}
		return nil
	}
	proposes := func(n int) hooks {
		return hooks{fresh: func(w *walker) int { return 1 + (n-1)*(w.t/3) }}
	}
	reports := func(metric func(w *walker) algorithms.Metric) hooks {
		return hooks{metrics: func(w *walker) []algorithms.Metric { return []algorithms.Metric{metric(w)} }}
	}
	for name, c := range map[string]struct {
		hooks hooks
		want  string
	}{
		"error in Ask":        {hooks{ask: fail}, "after step 2: Ask: boom over two lines"},
		"error in Tell":       {hooks{tell: fail}, "after step 2: Tell: boom over"},
		"error in Recommend":  {hooks{recommend: fail}, "after step 2: Recommend: boom over"},
		"panic":               {hooks{tell: at(3, func(*walker) { panic(boom) })}, "after step 2: panic: boom over two lines"},
		"runtime panic":       {hooks{tell: at(3, func(w *walker) { w.last[2] = 0 })}, "panic: runtime error: index out of range [2] with length 2"},
		"deep panic":          {hooks{tell: at(3, func(*walker) { deep(2 * maxStack) })}, "after step 2: panic: deep"},
		"end of goroutine":    {hooks{ask: at(3, func(*walker) { runtime.Goexit() })}, "after step 2: the algorithm ended its goroutine"},
		"query outside":       {hooks{ask: func(w *walker) error { w.last = []float64{0, float64(3 * (w.t - 1))}; return nil }}, "after step 2: Ask: points[0][1] = 6 is outside"},
		"query NaN":           {hooks{tell: at(3, func(w *walker) { w.last = []float64{0, math.NaN()} })}, "after step 3: Ask: points[0][1] = NaN is not finite"},
		"nothing new":         {proposes(0), "after step 2: Ask: new = 0: a query proposes at least one point"},
		"fewer than none new": {proposes(-1), "after step 2: Ask: new = -1 is not between 0 and 2"},
		"rule twice":          {hooks{twice: true}, `Recommend: the rule "winner" is given twice`},
		"no recommendation":   {hooks{recommend: at(3, func(w *walker) { w.best = nil })}, "after step 2: recommendations is empty"},
		"other rule":          {hooks{recommend: at(3, func(w *walker) { w.rule = "last" })}, `after step 2: Recommend: the rules are ["last"], but were ["winner"] before`},
		"metric NaN": {reports(func(w *walker) algorithms.Metric {
			return algorithms.Metric{Name: "gap", Kind: algorithms.KindCertificate, Value: 1 / float64(3-w.t)}
		}), `after step 2: metric "gap" = +Inf is not finite`},
		"metric without name": {reports(func(*walker) algorithms.Metric { return algorithms.Metric{} }), `metrics[0].name "" is not a label`},
		"metric without kind": {reports(func(*walker) algorithms.Metric { return algorithms.Metric{Name: "gap"} }), `metric "gap" is of kind ""`},
		"other metrics": {reports(func(w *walker) algorithms.Metric {
			return algorithms.Metric{Name: strings.Repeat("x", 1+w.t/3), Kind: algorithms.KindState}
		}), `after step 2: metric 1 is "xx", the header declares "x"`},
	} {
		sink := &memory{}
		good := cells(t, 3, 5, hooks{})
		all := []suite.Cell{good[0], cells(t, 2, 5, c.hooks)[1], good[2]}
		check.OK(t, Run(t.Context(), all, sink.Put, Options{Workers: 2}))
		for i, want := range []bool{true, false, true} {
			check.Equal(t, name+": "+all[i].ID()+" is complete", sink.records[all[i].ID()].OK(), want)
		}
		footer := sink.records[all[1].ID()].Footer
		check.Contains(t, name+": error", footer.Error, c.want)
		switch {
		case name == "deep panic":
			check.Equal(t, "calls in the stack", len(footer.Stack), maxStack)
		case strings.Contains(name, "panic"):
			check.Contains(t, name+": stack", strings.Join(footer.Stack, "\n"), "runner.(*walker).Tell runner_test.go:")
		default:
			check.Equal(t, name+": calls in the stack", len(footer.Stack), 0)
		}
	}
}

func deep(n int) {
	if n == 0 {
		panic("deep")
	}
	deep(n - 1)
}

func TestStartFails(t *testing.T) {
	sink := &memory{}
	all := cells(t, 3, 2, hooks{})
	all[0] = beginning(all[0], func(context.Context, record.Header) (*suite.Trial, error) { return nil, errors.New("norm_bound = -1") })
	all[1] = beginning(all[1], func(context.Context, record.Header) (*suite.Trial, error) { panic("no instance") })
	check.OK(t, Run(t.Context(), all, sink.Put, Options{}))
	for i, want := range []string{"norm_bound = -1", "panic: no instance", ""} {
		check.Equal(t, "error", sink.records[all[i].ID()].Footer.Error, want)
	}
}

// An algorithm that never returns costs its time limit and affects no other cell. What evaluates the objective for a cell
// whose time is over is told to stop.
func TestTimeout(t *testing.T) {
	release, told := make(chan struct{}), make(chan struct{})
	defer close(release)
	sink := &memory{}
	all := cells(t, 6, 3, hooks{})
	all[2] = cells(t, 3, 3, hooks{ask: at(2, func(*walker) { <-release })})[2]
	all[4] = beginning(all[4], func(ctx context.Context, h record.Header) (*suite.Trial, error) {
		<-ctx.Done()
		close(told)
		<-release
		return all[0].Begin(ctx, h)
	})
	check.OK(t, Run(t.Context(), all, sink.Put, Options{Workers: 1, Timeout: 500 * time.Millisecond}))
	<-told
	for i, c := range all {
		want := map[int]string{2: "after step 1: time limit of 500ms", 4: "time limit of 500ms"}[i]
		check.Equal(t, c.ID()+": error", sink.records[c.ID()].Footer.Error, want)
	}
}

// Cancelling ends the run immediately, leaves only complete records, and does not wait for an
// algorithm that is stuck.
func TestInterrupt(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	sink := &memory{}
	all := cells(t, 40, 3, hooks{})
	all[1] = cells(t, 2, 3, hooks{ask: at(2, func(*walker) { <-release })})[1]
	var done int
	err := Run(ctx, all, sink.Put, Options{Workers: 2, Done: func(suite.Cell, *record.Record, *record.Timing) {
		if done++; done == 5 {
			cancel()
		}
	}})
	check.Equal(t, "interrupted", errors.Is(err, ErrInterrupted), true)
	check.Equal(t, "records", len(sink.records), 5)
	for id, r := range sink.records {
		check.Equal(t, id+" is complete", r.OK(), true)
	}
}

// An error of the sink ends the run and is returned.
func TestSinkFails(t *testing.T) {
	full := fmt.Errorf("results/x/records/beale/walker/007.jsonl: no space left on device")
	started := 0
	sink := &memory{fail: func(cell string) error {
		if strings.HasSuffix(cell, "007") {
			return full
		}
		return nil
	}}
	count := hooks{ask: func(*walker) error { started++; return nil }}
	check.Equal(t, "error", Run(t.Context(), cells(t, 500, 1, count), sink.Put, Options{Workers: 1}), full)
	check.Equal(t, "cells that were started: the eighth could not be kept", started, 8)
}

// An abandoned algorithm cannot change the record.
func TestGivenUpIsClosed(t *testing.T) {
	a := newAttempt(cells(t, 1, 3, hooks{})[0])
	check.OK(t, a.add(record.Step{T: 1}, 0, 0))
	rec, timing := a.close(errors.New("time limit"))
	before := fmt.Sprint(*rec, *timing)
	check.Equal(t, "a step after the end", a.add(record.Step{T: 2}, 0, 0), errClosed)
	check.Equal(t, "a beginning after the end", a.begin(record.Header{}), errClosed)
	check.Equal(t, "the record", fmt.Sprint(*rec, *timing), before)
}

// POP-BO's beliefs are recorded after the snapshot steps, over the whole box, ends included, but
// not on a problem with more dimensions.
func TestSnapshots(t *testing.T) {
	all := cellsOf(t, "{name: s, steps: 4, repetitions: 1, snapshots: [2, 4], problems: [forrester, beale], algorithms: [popbo]}")
	r, two := runCell(t.Context(), all[0], 0, nil).record, runCell(t.Context(), all[1], 0, nil).record
	check.That(t, r.OK() && two.OK(), "they fail: %s, %s", r.Footer.Error, two.Footer.Error)
	for i, step := range r.Steps {
		b := step.Belief
		check.Equal(t, "a snapshot of a 2-D problem", two.Steps[i].Belief == nil, true)
		if check.Equal(t, fmt.Sprint("step ", step.T, " has a belief"), b != nil, step.T%2 == 0); b == nil {
			continue
		}
		check.That(t, len(b.X) == snapshotPoints && b.X[0] == r.Header.Problem.Lo[0] && b.X[len(b.X)-1] == r.Header.Problem.Hi[0], "grid of %v", b.X)
		for i := range b.X {
			check.That(t, b.Lower[i] <= b.Estimate[i]+1e-8 && b.Upper[i] >= b.Estimate[i]-1e-8,
				"step %d, x = %g: estimate %g outside [%g, %g]", step.T, b.X[i], b.Estimate[i], b.Lower[i], b.Upper[i])
		}
	}
}

// A snapshot on arms has them in order, each with the belief and the utility there. A belief that fails fails the run.
func TestSnapshotOfArms(t *testing.T) {
	const text = "{name: s, problems: [{name: forrester, label: five, arms: {points: [[0.7], [0], [1], [0.2], [0.4]]}}], algorithms: [{name: random}]}"
	trial := check.Must(cellsOf(t, text)[0].Start(t.Context()))(t)
	defer trial.Close()
	trial.Algorithm = knowing{&walker{}, func(x []float64) (float64, error) { return trial.Problem.Value(x), nil }}
	b := check.Must(snapshot(t.Context(), trial))(t)
	check.Same(t, "points", b.X, []float64{0, 0.2, 0.4, 0.7, 1})
	for i, x := range b.X {
		f := trial.Problem.Value([]float64{x})
		check.Equal(t, fmt.Sprint("utility and estimate at ", x), [2]float64{b.Utility[i], b.Estimate[i]}, [2]float64{f, 5 + f})
	}
	trial.Algorithm = knowing{&walker{}, func([]float64) (float64, error) { return 0, errors.New("no belief") }}
	_, err := snapshot(t.Context(), trial)
	check.Error(t, "snapshot", err, "Belief: no belief")

	sink := &memory{}
	alone := cellsOf(t, "{name: s, steps: 1, repetitions: 1, snapshots: [1], problems: [{name: forrester, scale: raw, arms: {grid: [1]}}], algorithms: [pfts]}")
	check.OK(t, Run(t.Context(), alone, sink.Put, Options{Workers: 1}))
	r := sink.records[alone[0].ID()]
	check.That(t, r.OK() && r.Steps[0].Belief == nil, "a single arm: %+v", r.Footer)
}

// An algorithm that learns from values gets one for each new point, with the observer's noise. The
// oracle's random numbers and the record are as without it.
func TestValuesForThoseWhoLearnFromThem(t *testing.T) {
	const steps = 6
	plain, valued := cells(t, 1, steps, hooks{})[0], cells(t, 1, steps, hooks{})[0]
	var l *learner
	begin := valued.Begin
	valued = beginning(valued, func(ctx context.Context, h record.Header) (*suite.Trial, error) {
		trial, err := begin(ctx, h)
		if err == nil {
			l = &learner{walker: trial.Algorithm.(*walker)}
			trial.Algorithm, trial.Observer = l, problems.NewObserver(trial.Problem, rng.Stream(1, "observer"))
		}
		return trial, err
	})
	a, b := runCell(t.Context(), plain, 0, nil).record, runCell(t.Context(), valued, 0, nil).record
	check.Ensure(t, a.OK() && b.OK() && len(l.told) == steps, "told %v; ended with %+v and %+v", l.told, a.Footer, b.Footer)
	twin := problems.NewObserver(beale(t), rng.Stream(1, "observer"))
	for i, s := range b.Steps {
		// The walker's points do not depend on the answers, so these do not either.
		p := a.Steps[i]
		check.That(t, s.Winner == p.Winner && s.Utility[1] == p.Utility[1] && s.TrueLogLikelihood == p.TrueLogLikelihood,
			"step %d: winner %d and utility %v, but with comparisons winner %d and %v", s.T, s.Winner, s.Utility, p.Winner, p.Utility)
		check.Equal(t, "told", l.told[i], check.Must(twin.Values(t.Context(), s.Points[1:]))(t)[0])
	}
}

func beale(t *testing.T) *problems.Problem {
	t.Helper()
	return check.Must(check.Must(problems.Lookup("beale"))(t).Instance(problems.Std, nil))(t)
}

// Cells with a pilot take turns, repetition by repetition; the others keep their order.
func TestInTurns(t *testing.T) {
	var cells []suite.Cell
	for rep := range 2 {
		for _, problem := range []string{"a", "b"} {
			for label, pilot := range []int{9, 0, 9} {
				h := record.Header{Problem: record.Problem{Name: problem}, Algorithm: record.Algorithm{Label: fmt.Sprint(label)}, PilotComparisons: pilot}
				cells = append(cells, suite.Cell{Series: &suite.Series{Template: h}, Repetition: rep})
			}
		}
	}
	before := ids(cells)
	const want = "a/0/000 a/1/000 b/0/000 b/1/000 a/2/000 b/2/000 a/0/001 a/1/001 b/0/001 b/1/001 a/2/001 b/2/001"
	check.Equal(t, "order", strings.Join(ids(inTurns(cells)), " "), want)
	check.Same(t, "the list of the caller", ids(cells), before)
}

// On an oracle with ties, cells of methods that cannot use them are left out, with the reason. A record has its ties, and
// its likelihood skips them.
func TestTies(t *testing.T) {
	sink := &memory{}
	var reasons []string
	all := cellsOf(t, `{name: ties, steps: 40, repetitions: 2, oracle: {scale: 0.5, jnd: 0.5}, problems: [branin], algorithms: [random, popbo, gpucb]}`)
	check.OK(t, Run(t.Context(), all, sink.Put, Options{Workers: 1, Undefined: func(c suite.Cell, reason string) {
		reasons = append(reasons, c.Template.Algorithm.Label+": "+reason)
	}}))
	slices.Sort(reasons)
	check.Equal(t, "reasons and records", [2]int{len(slices.Compact(reasons)), len(sink.records)}, [2]int{2, 2})
	check.Contains(t, "reasons", strings.Join(reasons, "; "), "popbo: the oracle's answers may be ties", "gpucb: value observations have the noise")
	for _, r := range sink.records {
		ties, last := 0, 0.0
		for _, s := range r.Steps {
			if s.Tie {
				ties++
				check.Equal(t, "likelihood after a tie", s.TrueLogLikelihood, last)
			}
			last = s.TrueLogLikelihood
		}
		check.That(t, r.OK() && ties > 0 && ties < 40 && last != 0, "%s: %d ties of 40, likelihood %g: %s", r.Header.Cell, ties, last, r.Footer.Error)
	}
}

// An algorithm that says nothing of ties never gets one, whatever the oracle answers.
func TestATieThatNobodyLearns(t *testing.T) {
	w := &walker{last: []float64{0, 0}}
	_, err := observe(t.Context(), &suite.Trial{Algorithm: w}, algorithms.Query{Points: [][]float64{{0, 0}, {1, 1}}, New: 1}, 0, true)
	check.That(t, algorithms.IsUndefined(err), "error %v", err)
}

// A clock counts the time in which it runs, and knows that it is over before its timer does.
func TestClock(t *testing.T) {
	c := newClock(time.Hour, func(error) { t.Error("the timer fired") })
	after := func(minutes int, want error) {
		t.Helper()
		c.since = c.since.Add(-time.Duration(minutes) * time.Minute)
		check.Equal(t, fmt.Sprint("after another ", minutes, " minutes"), c.check(), want)
	}
	c.start()
	after(50, nil)
	c.stop()
	after(50, nil) // it does not run
	c.start()
	after(9, nil)
	after(1, c.over)
	c.stop()
	none := newClock(0, nil)
	none.start()
	check.Equal(t, "without a limit", none.check(), nil)
}
