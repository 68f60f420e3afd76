package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"popbench/algorithms"
	"popbench/internal/protocol/external"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// result is what a cell leaves. All fields are nil or empty if the run was interrupted.
type result struct {
	record    *record.Record
	timing    *record.Timing
	undefined string // why the cell has no record: its program does not do such cells
}

// runCell runs a cell until its last step or its time limit (0 means none). Unless it is nil, measure makes the calls of
// the algorithm.
func runCell(ctx context.Context, c suite.Cell, limit time.Duration, measure func(step int, call func())) result {
	if ctx.Err() != nil {
		return result{}
	}
	within, cancel := context.WithCancelCause(ctx) // also ends the calls of a cell that is abandoned
	defer cancel(nil)
	a := newAttempt(c)
	a.clock, a.measure = newClock(limit, cancel), measure
	defer a.clock.stop()
	if !c.External {
		a.clock.start()
	}
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the algorithm ended its goroutine") // replaced if steps returns or panics
		defer func() {
			if p := recover(); p != nil {
				err = &panicError{value: p, stack: callers()}
			}
			ended <- err
		}()
		err = a.steps(within, c)
	}()

	// The calls of an external algorithm end with its context, and their error says in which call it was. An algorithm that
	// runs in this process cannot be ended.
	over := within
	if c.Template.Algorithm.Program != nil {
		over = ctx
	}
	var err error
	select {
	case err = <-ended:
		// An evaluation that the clock ended may be noticed before the clock itself.
		if err != nil && context.Cause(over) != nil {
			err = context.Cause(over)
		}
	case <-over.Done():
		err = context.Cause(over)
	}
	rec, timing := a.close(err)
	if ctx.Err() != nil && !rec.OK() {
		return result{}
	}
	if algorithms.IsUndefined(err) {
		return result{undefined: oneLine(err)}
	}
	return result{record: rec, timing: timing}
}

// attempt is a cell in progress. The goroutine that runs the algorithm adds steps until the attempt
// is closed, which may happen before that goroutine ends.
type attempt struct {
	clock   *clock
	measure func(step int, call func())
	mu      sync.Mutex
	closed  bool
	record  record.Record
	timing  record.Timing
}

func newAttempt(c suite.Cell) *attempt {
	return &attempt{
		record: record.Record{Header: c.Header()},
		timing: record.Timing{
			Cell: c.ID(), Host: record.Host(), CPU: record.CPU(),
			Started: time.Now().UTC().Format(time.RFC3339Nano),
		},
	}
}

// errClosed stops the goroutine of an abandoned attempt.
var errClosed = errors.New("abandoned")

// change changes the attempt unless it is closed.
func (a *attempt) change(do func()) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return errClosed
	}
	do()
	return nil
}

func (a *attempt) begin(h record.Header) error {
	return a.change(func() { a.record.Header = h })
}

// wait stops the clock while a program evaluates the objective. The function that it returns starts it
// again.
func (a *attempt) wait(trial *suite.Trial) (resume func()) {
	if !trial.Measures() {
		return func() {}
	}
	a.clock.stop()
	return a.clock.start
}

// timed returns how long a call of step t takes.
func (a *attempt) timed(t int, call func()) time.Duration {
	start := time.Now()
	if a.measure != nil {
		a.measure(t, call)
	} else {
		call()
	}
	return time.Since(start)
}

func (a *attempt) add(s record.Step, ask, tell time.Duration) error {
	return a.change(func() {
		a.record.Steps = append(a.record.Steps, s)
		a.timing.AskSeconds = append(a.timing.AskSeconds, ask.Seconds())
		a.timing.TellSeconds = append(a.timing.TellSeconds, tell.Seconds())
	})
}

// close ends the attempt, as failed if err is not nil, and returns its record and timing.
func (a *attempt) close(err error) (*record.Record, *record.Timing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.record.Footer = record.Footer{Status: record.OK}
	if err != nil {
		a.record.Footer = record.Footer{Status: record.Failed, Error: oneLine(err)}
		if p := (*panicError)(nil); errors.As(err, &p) {
			a.record.Footer.Stack = p.stack
		}
		if f := (*external.Failure)(nil); errors.As(err, &f) {
			a.record.Footer.Outcome, a.record.Footer.Error = f.Outcome, oneLine(f)
		}
		if len(a.record.Steps) > 0 {
			a.record.Footer.Error = fmt.Sprintf("after step %d: %s", len(a.record.Steps), a.record.Footer.Error)
		}
	}
	return &a.record, &a.timing
}

// steps prepares the trial of the cell and runs it.
func (a *attempt) steps(ctx context.Context, c suite.Cell) error {
	trial, err := c.Start(ctx)
	if trial != nil {
		defer func() {
			a.clock.stop() // ending programs takes time too
			stderr := trial.Close()
			a.change(func() { a.timing.Stderr = stderr }) // an abandoned cell keeps none
		}()
	}
	if err != nil {
		return err
	}
	declare(&trial.Header.Algorithm, trial.Algorithm)
	if err := trial.Header.Check(); err != nil {
		return err
	}
	if err := a.begin(trial.Header); err != nil {
		return err
	}
	a.clock.start()
	if err := trial.Begin(); err != nil {
		return err
	}
	for t := 1; t <= trial.Header.Budget; t++ {
		if err := a.step(ctx, c, trial, t); err != nil {
			return err
		}
	}
	return nil
}

// step runs step t of the trial.
func (a *attempt) step(ctx context.Context, c suite.Cell, trial *suite.Trial, t int) error {
	if !c.External { // the calls of a program end with the limit, and say in which it was
		if err := a.clock.check(); err != nil {
			return err
		}
	}
	query, ask, err := a.ask(trial, t)
	if err != nil {
		return fmt.Errorf("Ask: %w", err)
	}
	resume := a.wait(trial)
	answer, err := trial.Answer(ctx, query.Points)
	if err != nil {
		return fmt.Errorf("Ask: %w", err)
	}
	tellAnswer, err := observe(ctx, trial, query, answer.Winner, answer.Tie)
	if err != nil {
		return fmt.Errorf("Ask: %w", err)
	}
	resume()
	var recommended []algorithms.Recommendation
	tell := a.timed(t, func() {
		if err = tellAnswer(); err != nil {
			err = fmt.Errorf("Tell: %w", err)
		} else if recommended, err = trial.Algorithm.Recommend(); err != nil {
			err = fmt.Errorf("Recommend: %w", err)
		}
	})
	if err != nil {
		return err
	}
	step := record.Step{
		Kind: "step", T: t, Points: query.Points, New: query.New,
		Utility: answer.Utility, Winner: answer.Winner, Tie: answer.Tie, TrueLogLikelihood: answer.LogLikelihood,
	}
	done := a.record.Steps
	if t > 1 {
		step.TrueLogLikelihood = done[t-2].TrueLogLikelihood + answer.LogLikelihood
	}
	resume = a.wait(trial)
	if step.Recommendations, err = evaluate(ctx, trial, recommended); err != nil {
		return fmt.Errorf("Recommend: %w", err)
	}
	resume()
	if err := a.instrument(ctx, trial, &step); err != nil {
		return err
	}
	if err := step.Check(&trial.Header, t); err != nil {
		return err
	}
	if t > 1 {
		if now, before := rules(&step), rules(&done[0]); !slices.Equal(now, before) {
			return fmt.Errorf("Recommend: the rules are %q, but were %q before; give the same rules every time", now, before)
		}
	}
	return a.add(step, ask, tell)
}

// ask returns the query of step t with points of its own, because the algorithm may reuse its slices, and what asking took.
func (a *attempt) ask(trial *suite.Trial, t int) (query algorithms.Query, took time.Duration, err error) {
	took = a.timed(t, func() { query, err = trial.Ask(t) })
	if err == nil {
		err = algorithms.CheckComparison(trial.Problem.Domain(), query, 0)
	}
	if err == nil && query.New < 1 { // its regret would be 0
		err = errors.New("new = 0: a query proposes at least one point")
	}
	query.Points = clone(query.Points)
	return query, took, err
}

// evaluate checks recommendations and returns copies with their utilities.
func evaluate(ctx context.Context, trial *suite.Trial, recommended []algorithms.Recommendation) (all []record.Recommendation, err error) {
	for _, r := range recommended {
		if slices.ContainsFunc(all, func(o record.Recommendation) bool { return o.Rule == r.Rule }) {
			return nil, fmt.Errorf("the rule %q is given twice", r.Rule)
		}
		if err := trial.Problem.Domain().Check(r.Rule, r.X); err != nil {
			return nil, err
		}
		x := slices.Clone(r.X)
		utility, err := trial.Problem.Evaluate(ctx, x)
		if err != nil {
			return nil, err
		}
		all = append(all, record.Recommendation{Rule: r.Rule, X: x, Utility: utility})
	}
	return all, nil
}

// instrument adds to a step the metrics of the algorithm and, where they are due, a snapshot of its belief and the score of
// its predictions.
func (a *attempt) instrument(ctx context.Context, trial *suite.Trial, step *record.Step) (err error) {
	if i, ok := trial.Algorithm.(algorithms.Instrumented); ok {
		if step.T == 1 && trial.Header.Algorithm.Metrics == nil { // a program names them with its first recommendations
			declareMetrics(&trial.Header.Algorithm, i)
			if err := a.begin(trial.Header); err != nil {
				return err
			}
		}
		step.Metrics = words.Each(i.Metrics(), func(m algorithms.Metric) record.Metric { return record.Metric{Name: m.Name, Value: m.Value} })
	}
	due := slices.Contains(trial.Header.Snapshots, step.T)
	if due {
		if step.Belief, err = snapshot(ctx, trial); err != nil {
			return err
		}
	}
	if due || step.T == trial.Header.Budget {
		step.HeldOut, err = a.score(ctx, trial)
	}
	return err
}

func rules(s *record.Step) []string {
	return words.Each(s.Recommendations, func(r record.Recommendation) string { return r.Rule })
}

// declare fills in what the header says about an algorithm before its first step.
func declare(h *record.Algorithm, a algorithms.Algorithm) {
	h.Feedback = record.Comparisons
	if _, ok := a.(algorithms.ValueLearner); ok {
		h.Feedback = record.Values
	}
	if i, ok := a.(algorithms.Informed); ok {
		prior := i.InForce()
		h.InForce = &record.InForce{NormBound: prior.NormBound, Refitted: prior.Refitted}
		if prior.Kernel != nil {
			k := record.Kernel(*prior.Kernel)
			k.Lengthscale = slices.Clone(k.Lengthscale)
			h.InForce.Kernel = &k
		}
		h.InForce.Range = (*record.Range)(prior.Range)
	}
	if i, ok := a.(algorithms.Instrumented); ok {
		declareMetrics(h, i)
	}
}

func declareMetrics(h *record.Algorithm, a algorithms.Instrumented) {
	h.Metrics = words.Each(a.Metrics(), func(m algorithms.Metric) record.MetricType {
		return record.MetricType{Name: m.Name, Kind: record.Kind(m.Kind)}
	})
}

// observe returns the function that tells the algorithm the answer to a query. For an algorithm
// that learns from values, it draws value observations at the new points of the query. The oracle
// has answered in either case, so that its random numbers are the same for all algorithms.
func observe(ctx context.Context, trial *suite.Trial, query algorithms.Query, winner int, tie bool) (tell func() error, err error) {
	query.Points = clone(query.Points)
	if learner, ok := trial.Algorithm.(algorithms.ValueLearner); ok {
		values, err := trial.Observer.Values(ctx, query.Points[len(query.Points)-query.New:])
		return func() error { return learner.TellValues(query, values) }, err
	}
	if !tie {
		return func() error { return trial.Algorithm.Tell(query, winner) }, nil
	}
	learner, ok := trial.Algorithm.(algorithms.TieLearner)
	if !ok {
		return nil, algorithms.Undefined("the oracle answers with a tie, from which it does not learn")
	}
	return func() error { return learner.TellTie(query) }, nil
}

// snapshotPoints is the size of a snapshot's grid. It is odd, so that the grid contains the middle
// of the box.
const snapshotPoints = 201

// snapshot returns what the algorithm believes now at all arms in order, or on a grid; nil if it has no beliefs or the
// problem is not 1-D or has a single arm.
func snapshot(ctx context.Context, trial *suite.Trial) (*record.Belief, error) {
	believer, ok := trial.Algorithm.(algorithms.Believer)
	if !ok || trial.Problem.Box.Dim() != 1 {
		return nil, nil
	}
	b := &record.Belief{}
	if arms := trial.Problem.Arms; arms != nil {
		b.X = slices.Sorted(slices.Values(slices.Concat(arms.Points()...)))
	} else {
		b.X = trial.Problem.Box.Grid(snapshotPoints)
	}
	if len(b.X) < 2 { // nothing to compare a single arm with
		return nil, nil
	}
	for i := range b.X {
		x := b.X[i : i+1 : i+1]
		at, err := believer.Belief(slices.Clone(x))
		if err != nil {
			return nil, fmt.Errorf("Belief: %w", err)
		}
		utility, err := trial.Problem.Evaluate(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("Belief: %w", err)
		}
		b.Utility = append(b.Utility, utility)
		b.Estimate = append(b.Estimate, at.Estimate)
		b.Lower = append(b.Lower, at.Lower)
		b.Upper = append(b.Upper, at.Upper)
	}
	return b, nil
}

func clone(points [][]float64) [][]float64 { return words.Each(points, slices.Clone[[]float64]) }

// panicError is a panic of an algorithm or a problem.
type panicError struct {
	value any
	stack []string
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// maxStack is the number of calls recorded, enough to locate a panic.
const maxStack = 12

// callers returns the stack of a panic, innermost call first: functions, files and lines, without
// the addresses, which vary from run to run. The deferred function that recovers must call it.
func callers() []string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	var stack []string
	for len(stack) < maxStack {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, ".(*attempt).steps") {
			break
		}
		if !strings.HasPrefix(f.Function, "runtime.") {
			stack = append(stack, fmt.Sprintf("%s %s:%d", f.Function, filepath.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return stack
}

// oneLine returns an error's message on one line of at most 500 characters.
func oneLine(err error) string {
	s := strings.Join(strings.Fields(err.Error()), " ")
	if r := []rune(s); len(r) > 500 {
		s = string(r[:500]) + "…"
	}
	return s
}

// score says how well the algorithm's estimate predicts the held-out duels now, and orders the held-out points; nil without
// held-out duels, or if the algorithm has no model of f.
func (a *attempt) score(ctx context.Context, trial *suite.Trial) (*record.HeldOut, error) {
	believer, ok := trial.Algorithm.(algorithms.Believer)
	if !ok || trial.Header.HeldOut == nil {
		return nil, nil
	}
	resume := a.wait(trial)
	held, err := trial.HeldOut(ctx)
	resume()
	if err != nil {
		return nil, err
	}
	estimate := make([]float64, len(held.Points))
	for i, x := range held.Points {
		at, err := believer.Belief(slices.Clone(x))
		if err != nil {
			return nil, fmt.Errorf("Belief: %w", err)
		}
		estimate[i] = at.Estimate
	}
	s := &record.HeldOut{Duels: len(held.Duels), Tau: kendall(estimate, held.Utility)}
	for _, d := range held.Duels {
		s.LogLoss += logLoss(estimate[d.Winner]-estimate[d.Loser]) / float64(s.Duels)
		s.TrueLogLoss -= d.LogLikelihood / float64(s.Duels)
	}
	return s, nil
}

// ErrInterrupted is the error of Run after ctx was cancelled.
var ErrInterrupted = errors.New("interrupted")
