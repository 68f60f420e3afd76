package space_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

func mustArms(t *testing.T, points [][]float64) *space.Arms {
	t.Helper()
	return check.Must(space.NewArms(points))(t)
}

func TestArms(t *testing.T) {
	points := [][]float64{{3, 7}, {-1, 7}, {0.1, 7}}
	a := mustArms(t, points)
	points[0][0] = 99
	if a.Len() != 3 || a.Dim() != 2 || !slices.Equal(a.At(0), []float64{3, 7}) {
		t.Errorf("%d arms of dimension %d, the first %v", a.Len(), a.Dim(), a.At(0))
	}
	if b := a.Bounds(); !slices.Equal(b.Lo, []float64{-1, 3.5}) || !slices.Equal(b.Hi, []float64{3, 10.5}) || b.Validate() != nil {
		t.Errorf("bounds %v", b)
	}
	for i, x := range a.Points() {
		if a.Index(x) != i || a.Check("x", x) != nil {
			t.Errorf("arm %d has the index %d", i, a.Index(x))
		}
	}
	r, seen := rand.New(rand.NewPCG(1, 2)), map[int]int{}
	for range 3000 {
		seen[a.Index(a.Sample(make([]float64, 2), r))]++
	}
	for i := range 3 {
		if n := seen[i]; n < 900 || n > 1100 {
			t.Errorf("arm %d was drawn %d times in 3000", i, n)
		}
	}
	if x := space.Centre(a); !slices.Equal(x, a.At(0)) {
		t.Errorf("centre %v", x)
	}
}

// -0 and 0 are the same feature, also as a query.
func TestZeroFeatures(t *testing.T) {
	a := mustArms(t, [][]float64{{math.Copysign(0, -1)}, {1}})
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
		if _, err := space.NewArms(test.points); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", test.want, err)
		}
	}
	a := mustArms(t, [][]float64{{1}, {2}})
	for x, want := range map[float64]string{1.5: "x = [1.5] is not one of the 2 arms", math.NaN(): "not one of"} {
		if err := a.Check("x", []float64{x}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v", x, err)
		}
	}
	check.Error(t, "a point of two coordinates", a.Check("x", []float64{1, 2}), "x has 2 coordinates; an arm has 1")
	if err := new(space.Arms).Validate(); err == nil {
		t.Error("no arms are valid")
	}
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
		if got := f.FromUnit(u, u); !slices.Equal(got, x) {
			t.Errorf("beside arm %d is %v", i, got)
		}
	}
	box := space.Cube(2, -1, 3)
	f = space.NewFrame(box)
	if x := f.FromUnit(make([]float64, 2), []float64{0.5, 1}); f.Arms() != nil || !slices.Equal(x, []float64{1, 3}) {
		t.Errorf("a box gives %v", x)
	}
}

func TestOf(t *testing.T) {
	box := space.Cube(1, 0, 1)
	if d, err := space.Of(&box, nil); err != nil || d.Dim() != 1 {
		t.Errorf("a box gives %v, %v", d, err)
	}
	if d, err := space.Of(nil, [][]float64{{1, 2}}); err != nil || d.Dim() != 2 {
		t.Errorf("arms give %v, %v", d, err)
	}
	for _, err := range []error{second(space.Of(nil, nil)), second(space.Of(&box, [][]float64{{1}})), second(space.Of(&space.Box{}, nil)), second(space.Of(nil, [][]float64{{1}, {1}}))} {
		check.That(t, err != nil, "no error")
	}
}

func second[A, B any](_ A, b B) B { return b }
