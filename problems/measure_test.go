package problems

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// simulator is an objective with Measure, 10 - x on [0, 4], that counts its evaluations and fails on
// purpose.
type simulator struct {
	mu    sync.Mutex
	calls int
	fails func(call int, x float64) error
}

func (s *simulator) measure(ctx context.Context, x []float64) (float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if s.fails != nil {
		if err := s.fails(s.calls, x[0]); err != nil {
			return 0, err
		}
	}
	return 10 - x[0], nil
}

// problem returns the simulator's problem after a change to its function.
func (s *simulator) problem(t *testing.T, scale Scale, change func(*Function)) *Problem {
	t.Helper()
	f := Function{Box: space.Cube(1, 0, 4), Measure: s.measure, Optimum: Optimum{Unknown: true}}
	if change != nil {
		change(&f)
	}
	spec := check.Must(New(Spec{Name: "sim"}, f))(t)
	return check.Must(spec.Instance(scale, nil))(t)
}

// exit is the error of a program.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// Nothing is evaluated but what is asked.
func TestMeasureIsCalledOnlyWhereAsked(t *testing.T) {
	var s simulator
	p := s.problem(t, Std, func(f *Function) { f.DivideBy, f.Minimise = 4, true })
	u, err := p.Uniform(t.Context(), 3, nil)
	check.That(t, u == nil && err == nil, "random points: %v, %v", u, err)
	check.Equal(t, "has a grid", p.HasGrid(), false)
	check.Same(t, "grid", p.Grid(), Grid{})
	check.Equal(t, "evaluations so far", s.calls, 0)
	check.That(t, p.Optimum.Unknown && p.RawOptimum.Unknown && p.Optimum.Value == 0, "the optimum is %v", p.Optimum)

	check.Equal(t, "scaled", check.Must(p.Evaluate(t.Context(), []float64{2}))(t), -2)
	check.Equal(t, "raw", check.Must(p.EvaluateRaw(t.Context(), []float64{2}))(t), 8)
	check.Equal(t, "value", p.Value([]float64{2}), -2)
	check.Equal(t, "evaluations", s.calls, 3)
}

// A value better than the stated optimum is an error in either sense. What is within rounding of a printed optimum is not.
func TestStatedOptimum(t *testing.T) {
	for _, c := range []struct {
		minimise bool
		optimum  float64
		want     string
	}{
		{false, 10, ""}, {false, 9.9999, ""}, {true, 6, ""}, {true, 6.001, ""},
		{false, 9.9, "problem sim is 10 at x = [0], better than its stated optimum 9.9; state the best value over the box, or none"},
		{true, 10.1, "problem sim is 10 at x = [0], better than its stated optimum 10.1; state the best value over the box, or none"},
	} {
		var s simulator
		p := s.problem(t, Raw, func(f *Function) { f.Minimise, f.Optimum = c.minimise, Optimum{Value: c.optimum} })
		_, err := p.Evaluate(t.Context(), []float64{0})
		check.Says(t, fmt.Sprintf("optimum %v", c.optimum), err, c.want)
	}
}

func TestScalesOfMeasure(t *testing.T) {
	var s simulator
	for _, c := range []struct {
		scale    Scale
		divideBy float64
		want     string
	}{
		{Raw, 0, ""},
		{Raw, 2, ""},
		{Std, 2, ""},
		{Std, 0, `problem sim: scale "std" needs a number to divide by, because this function is evaluated only where it is asked; give one, or scale raw`},
		{Standardise, 2, `problem sim: scale "standardise" needs the values at many points, but this function is evaluated only where it is asked; give scale raw or std`},
		{StandardiseUniform, 2, `problem sim: scale "standardise-uniform" needs the values at many points, but this function is evaluated only where it is asked; give scale raw or std`},
	} {
		spec := check.Must(New(Spec{Name: "sim"}, Function{Box: space.Cube(1, 0, 4), Measure: s.measure, DivideBy: c.divideBy}))(t)
		for what, err := range map[string]error{"check": spec.CheckScale(c.scale), "instance": check.Err(spec.Instance(c.scale, nil))} {
			check.Says(t, what, err, c.want)
		}
	}
	check.Equal(t, "evaluations", s.calls, 0)
}

// An error reaches the caller with its chain, and costs no random number.
func TestMeasureFails(t *testing.T) {
	s := simulator{fails: func(_ int, x float64) error {
		if x == 3 {
			return exit{7}
		}
		return nil
	}}
	p := s.problem(t, Raw, nil)
	r, same := stream(1), stream(1)
	oracle, observer := NewOracle(p, r), NewObserver(p, r)
	for _, err := range []error{check.Err(oracle.Answer(t.Context(), query(1, 3))), check.Err(observer.Values(t.Context(), query(1, 3)))} {
		e := (exit{})
		check.That(t, errors.As(err, &e) && e.code == 7 && err.Error() == "problem sim: exit code 7; at points[1] = [3]", "got %v", err)
	}
	check.That(t, r.Uint64() == same.Uint64(), "a refused query drew a random number")
	for want, x := range map[string][]float64{
		"problem sim: exit code 7; at x = [3]": {3}, "x has 2 coordinates": {1, 2}, "x[0] = 5 is outside the box": {5}, "x[0] = NaN": {math.NaN()},
	} {
		check.Error(t, fmt.Sprint(x), check.Err(p.Evaluate(t.Context(), x)), want)
	}
	check.That(t, math.IsNaN(p.Value([]float64{3})), "the value of a failed evaluation is %g", p.Value([]float64{3}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.That(t, errors.Is(check.Err(oracle.Answer(ctx, query(1, 2))), context.Canceled), "the objective is not told when to stop")
}

func TestMeasureIsFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e308, 1e306} {
		p := new(simulator).problem(t, Std, func(f *Function) {
			f.DivideBy, f.Measure = 0.1, func(context.Context, []float64) (float64, error) { return bad, nil }
		})
		check.Error(t, "scaled", check.Err(p.Evaluate(t.Context(), []float64{1})), "at x = [1]; it has to be finite in its box")
		check.Error(t, "raw", check.Err(p.EvaluateRaw(t.Context(), []float64{1})), "at x = [1]; it has to be finite in its box")
	}
}

// The statistics of a few points are those of the values there. They are the same after a failure,
// evaluate each point once, and depend on the stream and not on who asked before.
func TestRandomPoints(t *testing.T) {
	const n = 5
	s := simulator{fails: func(call int, _ float64) error {
		if call == 3 {
			return exit{1}
		}
		return nil
	}}
	p := s.problem(t, Std, func(f *Function) { f.RandomPoints, f.DivideBy = n, 2 })
	check.Error(t, "a failure", check.Err(p.Uniform(t.Context(), 2, stream(4))), "problem sim: exit code 1; at random point 3 = [")
	u := check.Must(p.Uniform(t.Context(), 2, stream(4)))(t)
	check.Equal(t, "evaluations, one of them failed", s.calls, n+1)
	r, mean, squares, best := stream(4), 0.0, 0.0, 0.0
	var values []float64
	for range n {
		values = append(values, (10-p.Box.Sample(make([]float64, 1), r)[0])/2)
	}
	for _, a := range values {
		mean += a / n
		squares += a * a / n
		for _, b := range values {
			best += max(a, b) / (n * n)
		}
	}
	for what, pair := range map[string][2]float64{"mean": {u.Mean, -mean}, "std": {u.Std, math.Sqrt(squares - mean*mean)}, "best of 2": {u.BestMean, -best}} {
		check.Near(t, pair[0], pair[1], 1e-12, "%s", what)
	}
	other, err := p.Uniform(t.Context(), 2, stream(5))
	check.That(t, err == nil && *other != *u, "another stream gives %+v, too (%v)", other, err)
	again, err := p.Uniform(t.Context(), 2, stream(4))
	check.That(t, err == nil && *again == *u, "the first stream gives %+v now, not %+v (%v)", again, u, err)
}

func TestUniformRefuses(t *testing.T) {
	p := new(simulator).problem(t, Raw, func(f *Function) { f.RandomPoints = 3 })
	check.Error(t, "no point", check.Err(p.Uniform(t.Context(), 0, stream(1))), "k = 0")
	check.Error(t, "no stream", check.Err(p.Uniform(t.Context(), 1, nil)), "rand is nil")
}

// Workers that ask at once share the evaluations; who waits can stop.
func TestRandomPointsAreShared(t *testing.T) {
	const n = 20
	started, release := make(chan struct{}), make(chan struct{})
	s := simulator{fails: func(call int, _ float64) error {
		if call == 1 {
			close(started)
			<-release
		}
		return nil
	}}
	p := s.problem(t, Raw, func(f *Function) { f.RandomPoints = n })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { check.Says(t, "statistics", check.Err(p.Uniform(t.Context(), 2, stream(4))), "") })
	}
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.That(t, errors.Is(check.Err(p.Uniform(ctx, 2, stream(4))), context.Canceled), "waiting was not ended")
	close(release)
	wg.Wait()
	check.Equal(t, "evaluations", s.calls, n)
}

// With an unknown optimum the statistics are minus those of the values, in every scale.
func TestUniformOfAnUnknownOptimum(t *testing.T) {
	for _, minimise := range []bool{false, true} {
		spec := func(o Optimum) *Spec {
			return check.Must(New(Spec{Name: "line"}, Function{Box: space.Cube(1, 1, 3), Minimise: minimise, Eval: func(x []float64) float64 { return x[0] }, Optimum: o}))(t)
		}
		best := 3.0
		if minimise {
			best = 1
		}
		known, unknown := spec(Optimum{Value: best}), spec(Optimum{Unknown: true})
		for _, scale := range Scales() {
			p, q := check.Must(known.Instance(scale, nil))(t), check.Must(unknown.Instance(scale, nil))(t)
			u, v := uniform(t, p, 7), uniform(t, q, 7)
			for i, pair := range [][2]float64{{v.Mean, u.Mean - p.Optimum.Value}, {v.BestMean, u.BestMean - p.Optimum.Value}, {v.Std, u.Std}, {v.BestStd, u.BestStd}} {
				nearly(t, pair[0], pair[1], 1e-12, "%s, minimised %t: number %d of the means, then the deviations", scale, minimise, i)
			}
		}
	}
}
