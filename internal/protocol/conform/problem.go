package conform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/record"
)

var ofProblems = []property{
	{name: "describes itself", remedy: "answer describe with box, optimum, optimum_x, title and source, as far as they are known; or give the box with --box",
		run: inOne(describes), owns: record.Invalid},
	{name: "has a value everywhere in the box", remedy: "answer evaluate with a finite number, also at the corners of the box",
		needs: box, run: inOne(hasValues), owns: record.Invalid},
	{name: "a value depends on x alone", remedy: "compute a value from x: no random numbers, no counters, nothing left by earlier calls",
		needs: values, run: inOne(dependsOnXAlone)},
	{name: "the optimum is correct", remedy: "correct optimum and optimum_x, or leave out what is not known", needs: optimum, run: inOne(optimumIsOne)},
	{name: "survives points outside the box", remedy: "refuse such x with error -32602, or answer a value, and go on",
		needs: box, run: inOne(survivesOutside), owns: record.Crash},
	{name: "refused calls change nothing", remedy: "answer bad params with error -32602, before anything changes, and go on",
		needs: values, run: inOne(refusesAndGoesOn), owns: record.Crash},
}

// box, values and optimum are what checks need.

func box(t *tester) error {
	if t.description == nil {
		return leftOut("it has no box; give one with --box")
	}
	return nil
}

func values(t *tester) error {
	if t.values == nil {
		return leftOut("it has no values")
	}
	return nil
}

func optimum(t *tester) error {
	if err := values(t); err != nil {
		return err
	}
	if t.description.Optimum == nil {
		return undeclared
	}
	return nil
}

func describes(t *tester, ctx context.Context, p *external.Session) error {
	d, err := p.Describe(ctx, external.Told{Box: t.Box})
	if err != nil {
		return err
	}
	t.description = d
	r := rand.New(rand.NewPCG(11, 12))
	t.note = words.Count(d.Box.Dim(), "dimension")
	if d.Arms != nil {
		t.points = d.Arms.Points()
		t.note = words.Count(d.Arms.Len(), "arm") + " with " + words.Count(d.Box.Dim(), "feature")
	} else {
		t.points = [][]float64{d.Box.Lo, d.Box.Hi, d.Box.FromUnit(make([]float64, d.Box.Dim()), slices.Repeat([]float64{0.5}, d.Box.Dim()))}
	}
	for range 2 * t.Steps {
		t.points = append(t.points, d.Domain().Sample(make([]float64, d.Box.Dim()), r))
	}
	if d.Optimum == nil {
		t.note += ", optimum unknown"
	} else {
		t.note += fmt.Sprintf(", optimum %v", *d.Optimum)
	}
	return nil
}

// evaluated returns the values at points, in the given order.
func evaluated(ctx context.Context, p *external.Session, points [][]float64) ([]float64, error) {
	values := make([]float64, len(points))
	for i, x := range points {
		v, err := p.Evaluate(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("at %v: %w", x, err)
		}
		values[i] = v
	}
	return values, nil
}

func hasValues(t *tester, ctx context.Context, p *external.Session) (err error) {
	if t.values, err = evaluated(ctx, p, t.points); err != nil {
		return err
	}
	t.note = words.Count(len(t.values), "value") + fmt.Sprintf(" from %.6g to %.6g", slices.Min(t.values), slices.Max(t.values))
	if slices.Min(t.values) == slices.Max(t.values) {
		t.note += ": all are equal"
	}
	return nil
}

func dependsOnXAlone(t *tester, ctx context.Context, p *external.Session) error {
	compare := func(p *external.Session, where string) error {
		order := slices.Clone(t.points)
		slices.Reverse(order)
		got, err := evaluated(ctx, p, order)
		if err != nil {
			return err
		}
		slices.Reverse(got)
		for i, v := range got {
			if v != t.values[i] {
				return fmt.Errorf("at %v the value was %v, and is %v %s", t.points[i], t.values[i], v, where)
			}
		}
		return nil
	}
	if err := compare(p, "again, in another order"); err != nil {
		return err
	}
	p, err := t.fresh(ctx)
	if err != nil {
		return err
	}
	return compare(p, "in another process")
}

// tolerance is how far rounding may take a value from the optimum, in units of the spread of values.
const tolerance = 1e-6

func optimumIsOne(t *tester, ctx context.Context, p *external.Session) error {
	optimum := *t.description.Optimum
	low, high := slices.Min(t.values), slices.Max(t.values)
	allowed := tolerance * (high - low + math.Abs(optimum)*1e-6)
	values, err := evaluated(ctx, p, t.description.OptimumX)
	if err != nil {
		return err
	}
	for i, v := range values {
		if math.Abs(v-optimum) > allowed {
			return fmt.Errorf("the value at optimum_x[%d] = %v is %v, and optimum is %v", i, t.description.OptimumX[i], v, optimum)
		}
	}
	switch {
	case high > optimum+allowed && low < optimum-allowed:
		i := slices.Index(t.values, high)
		return fmt.Errorf("the value at %v is %v, above the optimum %v, and others are below", t.points[i], high, optimum)
	case high > optimum+allowed:
		t.note = "it is the smallest value: a suite has to say minimize: true"
	}
	return nil
}

func survivesOutside(t *tester, ctx context.Context, p *external.Session) error {
	lo, hi := t.description.Box.Lo, t.description.Box.Hi
	outside := slices.Clone(hi)
	outside[0] = 2*hi[0] - lo[0]
	_, err := p.Evaluate(ctx, outside)
	f, failed := errors.AsType[*external.Failure](err)
	switch {
	case err == nil:
		t.note = "it answers a value there"
	case failed && f.Outcome == record.Invalid:
		t.note = "its answer there is no number"
	case !external.Refused(err):
		return fmt.Errorf("at %v: %w", outside, err)
	}
	return nil
}

func refusesAndGoesOn(t *tester, ctx context.Context, p *external.Session) error {
	for _, bad := range []badCall{
		{"evaluate without params", wire.MethodEvaluate, nil},
		{"a text for x", wire.MethodEvaluate, map[string]any{"x": "here"}},
		{"x of another dimension", wire.MethodEvaluate, wire.Evaluate{X: append(slices.Clone(t.points[0]), 0)}},
	} {
		err := p.Call(ctx, bad.method, bad.params, nil)
		if err != nil && !external.Refused(err) {
			return fmt.Errorf("%s: %w", bad.what, err)
		}
		v, err := p.Evaluate(ctx, t.points[0])
		if err != nil {
			return fmt.Errorf("after %s: %w", bad.what, err)
		}
		if v != t.values[0] {
			return fmt.Errorf("after %s the value at %v is %v, it was %v", bad.what, t.points[0], v, t.values[0])
		}
	}
	return nil
}
