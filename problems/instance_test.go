package problems

import (
	"context"
	"errors"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// failing is the Measure of a function that is never evaluated.
func failing(context.Context, []float64) (float64, error) { return 0, errors.New("evaluated") }

func TestNew(t *testing.T) {
	square := func(x []float64) float64 { return float64(x[0] * x[0]) }
	at := func(value float64, x ...[]float64) Optimum { return Optimum{Value: value, X: x} }
	s := check.Must(New(Spec{Name: "square", Box: space.Cube(9, 0, 1)}, Function{Box: space.Cube(1, -1, 2), Minimise: true, Eval: square, Optimum: at(0, []float64{0})}))(t)
	p := check.Must(s.Instance(Std, nil))(t)
	check.Equal(t, "title", s.Title, "square")
	check.Equal(t, "dimension", s.Box.Dim(), 1)
	check.Equal(t, "value at the optimum", p.Optimum.Value, 0)
	at2, at1 := p.Value([]float64{2}), p.Value([]float64{1})
	check.That(t, at2 < at1, "what is minimised has the value %g at 2 and %g at 1", at2, at1)

	box := space.Cube(1, -1, 2)
	for _, test := range []struct {
		f    Function
		want string
	}{
		{Function{Eval: square}, "box"},
		{Function{Box: box}, "eval is nil, and so is measure"},
		{Function{Box: box, Eval: square, Measure: failing}, "both eval and measure"},
		{Function{Box: box, Eval: square, DivideBy: 2}, "for functions with measure"},
		{Function{Box: box, Eval: square, RandomPoints: 2}, "for functions with measure"},
		{Function{Box: box, Measure: failing, DivideBy: -1}, "divide by = -1"},
		{Function{Box: box, Measure: failing, DivideBy: math.NaN()}, "divide by = NaN"},
		{Function{Box: box, Measure: failing, DivideBy: math.Inf(1)}, "divide by = +Inf"},
		{Function{Box: box, Measure: failing, RandomPoints: -1}, "random points = -1"},
		{Function{Box: box, Measure: failing, RKHS: &RKHS{}}, "rkhs: "},
		{Function{Box: box, Measure: failing, RKHS: &RKHS{Kernel: gpPaper(1), Norm: 2, NormBound: 1}}, "norm = 2 and norm bound = 1"},
		{Function{Box: box, Measure: failing, RKHS: &RKHS{Kernel: gpPaper(1)}}, "rkhs is for functions that are drawn"},
		{Function{Box: box, Measure: failing, Optimum: at(0, []float64{3})}, "optimum.x[0]"},
		{Function{Box: box, Eval: square, Optimum: Optimum{Unknown: true, Value: 1}}, "optimum is unknown, but has a value"},
		{Function{Box: box, Eval: square, Optimum: Optimum{Unknown: true, X: [][]float64{{0}}}}, "optimum is unknown, but has a value"},
		{Function{Box: box, Eval: square, Optimum: Optimum{Unknown: true, How: "guess"}}, "optimum is unknown, but has a value"},
		{Function{Box: box, Eval: square, Optimum: at(math.Inf(1))}, "optimum.value = +Inf is not finite"},
		{Function{Box: box, Eval: square, Optimum: at(math.MaxFloat64)}, "or not within ±1e+300"},
		{Function{Box: box, Eval: func([]float64) float64 { return math.NaN() }}, "the centre of the box, is NaN"},
		{Function{Box: box, Eval: square}, "optimum.value = 0, but its value at [0.5] is 0.25, which is better"},
		{Function{Box: box, Eval: square, Minimise: true, Optimum: at(1)}, "which is better"},
		{Function{Box: box, Eval: square, Optimum: at(9, []float64{3})}, "optimum.x[0]"},
		{Function{Box: box, Eval: square, Optimum: at(4, []float64{2}, []float64{-1})}, "its value at optimum.x[1] = [-1] is 1"},
	} {
		check.Error(t, "a function", check.Err(New(Spec{Name: "mine"}, test.f)), "problem mine: ", test.want)
	}
}

// The grid of a box that is narrower than the margin of the authors' code is in the box too.
func TestGridOfNarrowBoxes(t *testing.T) {
	for _, width := range []float64{1e-9, 2e-6, 3e-6} {
		box := space.Box{Lo: []float64{0}, Hi: []float64{width}}
		f := Function{Box: box, Optimum: Optimum{Unknown: true}, Eval: func(x []float64) float64 {
			check.That(t, box.Contains(x), "width %g: it is evaluated at %v", width, x)
			return x[0]
		}}
		g := check.Must(check.Must(New(Spec{Name: "narrow"}, f))(t).Instance(Raw, nil))(t).Grid()
		check.That(t, g.Std > 0, "width %g: deviation %g", width, g.Std)
	}
}
