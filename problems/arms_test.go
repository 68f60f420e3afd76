package problems

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

func grid(t *testing.T, s *Spec, sides ...int) *space.Arms {
	t.Helper()
	points := check.Must(s.Box.GridOf(sides))(t)
	return check.Must(space.NewArms(points))(t)
}

// On arms the optimum, the scales and the statistics of random points are those of all arms.
func TestOnArms(t *testing.T) {
	spec := check.Must(Lookup("branin"))(t)
	on := check.Must(spec.On(grid(t, spec, 7, 5), "branin-arms", "Branin, 35 arms"))(t)
	for _, scale := range []Scale{Raw, Std, Standardise, ToRange(-3, 3)} {
		p := check.Must(on.Instance(scale, nil))(t)
		var values []float64
		best, worst := math.Inf(-1), math.Inf(1)
		for i := range on.Arms.Len() {
			v := check.Must(p.Evaluate(t.Context(), on.Arms.At(i)))(t)
			values = append(values, v)
			best, worst = max(best, v), min(worst, v)
		}
		check.That(t, math.Abs(p.Optimum.Value-best) <= 1e-12 && len(p.Optimum.X) == 1 && p.Value(p.Optimum.X[0]) == best,
			"%s: the optimum is %v, the best of all %g", scale, p.Optimum, best)
		switch m := mean(values); {
		case scale == Std && math.Abs(deviation(values, m)-1) > 1e-12,
			scale == Standardise && math.Abs(m) > 1e-12,
			scale == ToRange(-3, 3) && (math.Abs(best-3) > 1e-12 || math.Abs(worst+3) > 1e-12):
			t.Errorf("%s: values from %g to %g with mean %g and deviation %g", scale, worst, best, m, deviation(values, m))
		}
		u := check.Must(p.Uniform(t.Context(), 2, nil))(t)
		var one, two float64
		for _, v := range values {
			one += (best - v) / 35
			for _, w := range values {
				two += (best - max(v, w)) / (35 * 35)
			}
		}
		check.Near(t, u.Mean, one, 1e-12, "%s: mean gap of a random arm", scale)
		check.Near(t, u.BestMean, two, 1e-12, "%s: mean gap of the best of two", scale)
		check.That(t, !p.HasGrid(), "%s: it has the paper's grid", scale)
		check.Near(t, p.Grid().Max, best, 1e-12, "%s: the greatest value of all arms", scale)
		x := []float64{0, 0.5}
		check.Error(t, "between arms", check.Err(p.Evaluate(t.Context(), x)), "x = [0 0.5] is not one of the 35 arms")
		check.Error(t, "an answer between arms", check.Err(NewOracle(p, stream(1)).Answer(t.Context(), [][]float64{on.Arms.At(0), x})), "is not one of")
	}
}

// A drawn function on arms is drawn over the box first: other arms have the same function.
func TestDrawnOnArms(t *testing.T) {
	spec := check.Must(Lookup("gp1"))(t)
	coarse := check.Must(spec.On(grid(t, spec, 5), "coarse", ""))(t)
	fine := check.Must(spec.On(grid(t, spec, 9), "fine", ""))(t)
	p, q := check.Must(coarse.Instance(Raw, stream(1)))(t), check.Must(fine.Instance(Raw, stream(1)))(t)
	for i := range 5 {
		x := coarse.Arms.At(i)
		check.Equal(t, "value on few arms and on more", p.Value(x), q.Value(x))
	}
	check.That(t, p.Optimum.Value <= q.Optimum.Value && p.RKHS != nil, "the optimum of some arms is %g, of all %g", p.Optimum.Value, q.Optimum.Value)
	check.Error(t, "range of a drawn function", coarse.CheckScale(ToRange(0, 1)), "a drawn function is not rescaled")
}

func TestTable(t *testing.T) {
	arms := check.Must(space.NewArms([][]float64{{1}, {2}, {3}}))(t)
	f := check.Must(Table(arms, []float64{5, -1, 5}))(t)
	f.Minimise = true
	spec := check.Must(New(Spec{Name: "mine"}, f))(t)
	p := check.Must(spec.Instance(ToRange(0, 1), nil))(t)
	check.That(t, p.Optimum.Value == 1 && fmt.Sprint(p.Optimum.X) == "[[2]]" && p.Value([]float64{3}) == 0 && p.Raw([]float64{3}) == 5,
		"the optimum is %v", p.Optimum)
	f.Minimise = false
	check.Equal(t, "best arms", fmt.Sprint(check.Must(New(Spec{Name: "mine"}, f))(t).Optimum.X), "[[1] [3]]")
}

func TestArmsRefusals(t *testing.T) {
	arms := check.Must(space.NewArms([][]float64{{1}, {2}}))(t)
	box := check.Must(Lookup("branin"))(t)
	constant := check.Must(Table(arms, []float64{4, 4}))(t)
	flat := check.Must(New(Spec{Name: "flat"}, constant))(t)
	stated := constant
	stated.Optimum.Value = 5
	_, wrong := New(Spec{Name: "wrong"}, stated)
	ranged := func(values ...float64) error {
		f, err := Table(arms, values)
		if err != nil {
			return err
		}
		spec, err := New(Spec{Name: "extreme"}, f)
		if err == nil {
			_, err = spec.Instance(ToRange(-1, 1), nil)
		}
		return err
	}
	for want, err := range map[string]error{
		"1 values for 2 arms":              ranged(1),
		"its value at arm 1, [2], is NaN":  ranged(1, math.NaN()),
		"arms[0] has 1 coordinates":        check.Err(box.On(arms, "one-dimensional", "")),
		"there are none":                   check.Err(box.On(nil, "none", "")),
		"a range is for finite sets":       box.CheckScale(ToRange(0, 1)),
		`scale "range [0, 1" is unknown`:   flat.CheckScale("range [0, 1"),
		"do not vary over the arms":        check.Err(flat.Instance(ToRange(0, 1), nil)),
		"the range [1, 1] is empty":        check.Err(flat.Instance(ToRange(1, 1), nil)),
		"its values vary by 5e-324":        ranged(0, 5e-324),
		"its values vary by +Inf":          ranged(-1e308, 1e308),
		"5, but the best of all arms is 4": wrong,
	} {
		check.Error(t, want, err, want)
	}
}
