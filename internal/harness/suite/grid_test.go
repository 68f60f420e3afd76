package suite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/config"
	"popbench/internal/runlog"
	"popbench/problems"
	"popbench/space"
)

// gridOf returns the grid of the problem, and the problem.
func gridOf(t *testing.T, spec *problems.Spec, scale problems.Scale) (*runlog.Grid, *problems.Problem, error) {
	t.Helper()
	h := &runlog.Header{Seed: 5, Repetition: 2}
	p, err := Instance(spec, scale, h.Seed, h.Repetition)
	if err != nil {
		t.Fatal(err)
	}
	if h.Problem, err = describe(t.Context(), spec, p, *h); err != nil {
		t.Fatal(err)
	}
	g, err := experiment{source: source{spec: spec, entry: config.Problem{}}}.grid(t.Context(), h)
	return g, p, err
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		own   bool
	}{{"gp1", []int{257}, true}, {"gp2", []int{65, 65}, true}, {"branin", []int{65, 65}, false}, {"hartmann6", nil, false}} {
		spec, err := problems.Lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		g, p, err := gridOf(t, spec, problems.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if check.Equal(t, c.name+": has a grid", g != nil, c.shape != nil); g == nil {
			continue
		}
		check.Equal(t, c.name+": shape", fmt.Sprint(g.Header.Shape), fmt.Sprint(c.shape))
		check.Equal(t, c.name+": each repetition has its own", g.Header.Repetition != nil, c.own)
		points := p.Box.Grid(c.shape[0])
		for _, row := range g.Values {
			for _, f := range row {
				x := points[:p.Box.Dim()]
				points = points[p.Box.Dim():]
				if want := p.Value(x); math.Abs(f-want) > 5e-5*math.Abs(want) {
					t.Errorf("%s at %v: %g, want %g", c.name, x, f, want)
				}
			}
		}
		if _, err := runlog.EncodeGrid(g); err != nil {
			t.Error(err)
		}
	}
}

// On a finite domain the grid has the arms.
func TestGridOfArms(t *testing.T) {
	arms, err := space.NewArms([][]float64{{1, 2}, {0.123456789, 4}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := problems.Table(arms, []float64{1, 123.456789, -3})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := problems.New(problems.Spec{Name: "arms", Title: "Arms"}, f)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := gridOf(t, spec, problems.Raw)
	if err != nil {
		t.Fatal(err)
	}
	check.Equal(t, "rows", fmt.Sprint(g.Values), "[[1 2 1] [0.123456789 4 123.46] [3 4 -3]]")
}

// An objective that is measured is evaluated only as often as it allows, and has no grid if it fails.
func TestGridOfMeasured(t *testing.T) {
	for _, c := range []struct {
		allowed, d int
		shape      []int
	}{{0, 1, nil}, {8, 1, nil}, {9, 1, []int{9}}, {256, 1, []int{129}}, {1000, 1, []int{257}}, {80, 2, nil}, {81, 2, []int{9, 9}}, {4224, 2, []int{33, 33}}, {4225, 2, []int{65, 65}}} {
		calls, fail := 0, false
		spec, err := problems.New(problems.Spec{Name: "mine", Title: "Mine"}, problems.Function{
			Box: space.Cube(c.d, 0, 1), RandomPoints: c.allowed, Optimum: problems.Optimum{Unknown: true},
			Measure: func(_ context.Context, x []float64) (float64, error) {
				if fail {
					return 0, errors.New("the machine is off")
				}
				calls++
				return x[0], nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := gridOf(t, spec, problems.Raw)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d points allowed in %d-D", c.allowed, c.d)
		if check.Equal(t, name+": has a grid", g != nil, c.shape != nil); g == nil {
			continue
		}
		check.Equal(t, name, slices.Equal(g.Header.Shape, c.shape), true)
		check.Equal(t, name+": evaluations", calls, c.allowed+power(c.shape[0], c.d))
		fail = true
		h := &runlog.Header{Problem: runlog.Problem{Scale: string(problems.Raw)}}
		if _, err := (experiment{source: source{spec: spec}}).grid(t.Context(), h); err == nil {
			t.Errorf("%s: no error of a function that fails", name)
		}
	}
}
