package suite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// gridOf returns the grid of the problem, and the problem.
func gridOf(t *testing.T, spec *problems.Spec) (*record.Grid, *problems.Problem) {
	t.Helper()
	h := &record.Header{Seed: 5, Repetition: 2}
	p := check.Must(Instance(spec, problems.Raw, h.Seed, h.Repetition))(t)
	h.Problem = check.Must(experiment{source: source{spec: spec}, fits: new(Fits)}.describe(t.Context(), p, *h))(t)
	return check.Must(experiment{source: source{spec: spec}}.grid(t.Context(), h))(t), p
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		own   bool
	}{{"gp1", []int{257}, true}, {"gp2", []int{65, 65}, true}, {"branin", []int{65, 65}, false}, {"hartmann6", nil, false}} {
		g, p := gridOf(t, check.Must(problems.Lookup(c.name))(t))
		if check.Equal(t, c.name+": has a grid", g != nil, c.shape != nil); g == nil {
			continue
		}
		check.Same(t, c.name+": shape", g.Header.Shape, c.shape)
		check.Equal(t, c.name+": each repetition has its own", g.Header.Repetition != nil, c.own)
		points := p.Box.Grid(c.shape[0])
		for _, f := range slices.Concat(g.Values...) {
			want := p.Value(points[:p.Box.Dim()])
			check.Near(t, f, want, 5e-5*math.Abs(want), "%s at %v", c.name, points[:p.Box.Dim()])
			points = points[p.Box.Dim():]
		}
		check.Must(record.EncodeGrid(g))(t)
	}
}

// On a finite domain the grid has the arms.
func TestGridOfArms(t *testing.T) {
	arms := check.Must(space.NewArms([][]float64{{1, 2}, {0.123456789, 4}, {3, 4}}))(t)
	f := check.Must(problems.Table(arms, []float64{1, 123.456789, -3}))(t)
	spec := check.Must(problems.New(problems.Spec{Name: "arms", Title: "Arms"}, f))(t)
	g, _ := gridOf(t, spec)
	check.Equal(t, "rows", fmt.Sprint(g.Values), "[[1 2 1] [0.123456789 4 123.46] [3 4 -3]]")
}

// An objective that is measured is evaluated only as often as it allows, and has no grid if it fails.
func TestGridOfMeasured(t *testing.T) {
	for _, c := range []struct {
		allowed, d int
		shape      []int
	}{{0, 1, nil}, {8, 1, nil}, {9, 1, []int{9}}, {256, 1, []int{129}}, {1000, 1, []int{257}}, {80, 2, nil}, {81, 2, []int{9, 9}}, {4224, 2, []int{33, 33}}, {4225, 2, []int{65, 65}}} {
		calls, fail := 0, false
		spec := check.Must(problems.New(problems.Spec{Name: "mine", Title: "Mine"}, problems.Function{
			Box: space.Cube(c.d, 0, 1), RandomPoints: c.allowed, Optimum: problems.Optimum{Unknown: true},
			Measure: func(_ context.Context, x []float64) (float64, error) {
				if fail {
					return 0, errors.New("the machine is off")
				}
				calls++
				return x[0], nil
			},
		}))(t)
		g, _ := gridOf(t, spec)
		name := fmt.Sprintf("%d points allowed in %d-D", c.allowed, c.d)
		if check.Equal(t, name+": has a grid", g != nil, c.shape != nil); g == nil {
			continue
		}
		check.Equal(t, name, slices.Equal(g.Header.Shape, c.shape), true)
		check.Equal(t, name+": evaluations", calls, c.allowed+len(spec.Box.Grid(c.shape[0]))/c.d)
		fail = true
		h := &record.Header{Problem: record.Problem{Scale: string(problems.Raw)}}
		check.Error(t, name, check.Err(experiment{source: source{spec: spec}}.grid(t.Context(), h)), "the machine is off")
	}
}
