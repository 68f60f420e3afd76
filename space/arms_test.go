package space_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

func mustArms(t *testing.T, points [][]float64) *space.Arms {
	t.Helper()
	return check.Must(space.NewArms(points))(t)
}

func TestKey(t *testing.T) {
	check.That(t, space.Key([]float64{math.Copysign(0, -1), 1}) == space.Key([]float64{0, 1}), "-0 and 0 have different keys")
	check.That(t, space.Key([]float64{1, 0}) != space.Key([]float64{0, 1}), "two points have the same key")
}

func TestArms(t *testing.T) {
	points := [][]float64{{3, 7}, {-1, 7}, {0.1, 7}}
	a := mustArms(t, points)
	points[0][0] = 99
	check.That(t, a.Len() == 3 && a.Dim() == 2 && slices.Equal(a.At(0), []float64{3, 7}), "%d arms of dimension %d, the first %v", a.Len(), a.Dim(), a.At(0))
	if b := a.Bounds(); !slices.Equal(b.Lo, []float64{-1, 3.5}) || !slices.Equal(b.Hi, []float64{3, 10.5}) || b.Validate() != nil {
		t.Errorf("bounds %v", b)
	}
	for i, x := range a.Points() {
		check.That(t, a.Index(x) == i && a.Check("x", x) == nil, "arm %d has the index %d", i, a.Index(x))
	}
	r, same := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for range 20 {
		check.Equal(t, "index of a sample", a.Index(a.Sample(make([]float64, 2), r)), int(3*same.Float64()))
	}
	check.Same(t, "centre", space.Centre(a), a.At(0))
	b := mustArms(t, [][]float64{{0.5, 0}, {0.5, 1}}).Bounds()
	check.Same(t, "bounds of a small feature that all arms share", b, space.Box{Lo: []float64{0, 0}, Hi: []float64{1, 1}})
	// -0 and 0 are the same feature, also as a query.
	a = mustArms(t, [][]float64{{math.Copysign(0, -1)}, {1}})
	if math.Signbit(a.At(0)[0]) || a.Index([]float64{0}) != 0 || a.Index([]float64{math.Copysign(0, -1)}) != 0 {
		t.Error("-0 is not 0")
	}
}

func TestArmsRefusals(t *testing.T) {
	many := make([][]float64, space.MaxArms+1)
	for i := range many {
		many[i] = []float64{float64(i)}
	}
	for _, test := range []struct {
		points [][]float64
		want   string
	}{
		{nil, "there are none"},
		{[][]float64{{}}, "arms[0] has no features"},
		{[][]float64{{1}, {1, 2}}, "arms[1] has 2 features, but arms[0] has 1"},
		{[][]float64{{1}, {math.NaN()}}, "arms[1][0] = NaN"},
		{[][]float64{{1}, {2}, {1}}, "arms[2] has the features of arms[0]"},
		{[][]float64{{0}, {5e-324}, {1e15}}, "arms[0] and arms[1] differ only by rounding"},
		{[][]float64{{1}, {1 + 1e-12}}, "too close"},
		{many, "give 2048 at most"},
	} {
		check.Error(t, "arms", check.Err(space.NewArms(test.points)), test.want)
	}
	a := mustArms(t, [][]float64{{1}, {2}})
	for x, want := range map[float64]string{1.5: "x = [1.5] is not one of the 2 arms", math.NaN(): "not one of"} {
		check.Error(t, "a point", a.Check("x", []float64{x}), want)
	}
	check.Error(t, "a point of two coordinates", a.Check("x", []float64{1, 2}), "x has 2 coordinates; an arm has 1")
	check.Error(t, "no arms", new(space.Arms).Validate())
}

// The unit coordinates of an arm give its features bit for bit, those of other points the nearest arm.
func TestFrame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	points := make([][]float64, 50)
	for i := range points {
		points[i] = []float64{r.NormFloat64() * 1e-3, 1e6 * r.Float64(), 4}
	}
	a := mustArms(t, points)
	f := space.NewFrame(a)
	for i, x := range points {
		u := f.ToUnit(make([]float64, 3), x)
		if !slices.Equal(u, f.Arms()[3*i:3*i+3]) || !slices.Equal(f.FromUnit(make([]float64, 3), u), x) {
			t.Errorf("arm %d: %v, then %v", i, u, f.FromUnit(make([]float64, 3), u))
		}
		u[0] += 1e-9
		got := f.FromUnit(u, u)
		check.That(t, slices.Equal(got, x), "beside arm %d is %v", i, got)
	}
	box := space.Cube(2, -1, 3)
	f = space.NewFrame(box)
	if x := f.FromUnit(make([]float64, 2), []float64{0.5, 1}); f.Arms() != nil || !slices.Equal(x, []float64{1, 3}) {
		t.Errorf("a box gives %v", x)
	}
}

func TestOf(t *testing.T) {
	box := space.Cube(1, 0, 1)
	check.Equal(t, "dimension of a box", check.Must(space.Of(&box, nil))(t).Dim(), 1)
	check.Equal(t, "dimension of arms", check.Must(space.Of(nil, [][]float64{{1, 2}}))(t).Dim(), 2)
	check.Error(t, "nothing", check.Err(space.Of(nil, nil)))
	check.Error(t, "both", check.Err(space.Of(&box, [][]float64{{1}})))
	check.Error(t, "an empty box", check.Err(space.Of(&space.Box{}, nil)))
	check.Error(t, "equal arms", check.Err(space.Of(nil, [][]float64{{1}, {1}})))
}
