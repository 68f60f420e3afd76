package space

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/limits"
)

var nan, inf = math.NaN(), math.Inf(1)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		lo, hi []float64
		want   string // empty: valid
	}{
		{[]float64{-1}, []float64{1}, ""},
		{[]float64{1, -MaxBound}, []float64{1 + 1e-8, MaxBound}, ""},
		{[]float64{0}, []float64{1e-15}, ""},
		{nil, nil, "box: it is empty; give at least one dimension"},
		{[]float64{0, 0}, []float64{1}, "box: lo has 2 bounds and hi has 1; give one of each per dimension"},
		{[]float64{0, 2}, []float64{1, 2}, "box: it is empty, lo = 2 is not below hi = 2 for x2"},
		{[]float64{3}, []float64{-3}, "box: it is empty, lo = 3 is not below hi = -3 for x1"},
		{[]float64{nan}, []float64{1}, "box: bounds [NaN, 1] of x1 are out of range; give numbers from -1e+15 to 1e+15"},
		{[]float64{0}, []float64{nan}, "box: bounds [0, NaN] of x1 are out of range; give numbers from -1e+15 to 1e+15"},
		{[]float64{0}, []float64{inf}, "box: bounds [0, +Inf] of x1 are out of range; give numbers from -1e+15 to 1e+15"},
		{[]float64{-inf}, []float64{0}, "box: bounds [-Inf, 0] of x1 are out of range; give numbers from -1e+15 to 1e+15"},
		{[]float64{0}, []float64{1.1e15}, "box: bounds [0, 1.1e+15] of x1 are out of range; give numbers from -1e+15 to 1e+15"},
		{[]float64{0}, []float64{5e-324}, "box: bounds [0, 5e-324] of x1 are too close; make the width at least 1e-15, and at least 1e-09 of the larger bound"},
		{[]float64{-8}, []float64{math.Nextafter(-8, 0)}, "box: bounds [-8, -7.999999999999999] of x1 are too close; make the width at least 1e-15, and at least 1e-09 of the larger bound"},
	} {
		_, err := New(c.lo, c.hi)
		check.Says(t, fmt.Sprintf("New(%g, %g)", c.lo, c.hi), err, c.want)
	}
	lo, hi := []float64{0}, []float64{1}
	b := check.Must(New(lo, hi))(t)
	lo[0], hi[0] = 8, 9
	check.That(t, b.Lo[0] == 0 && b.Hi[0] == 1, "the box changed with the caller's slices: %v", b)
}

// Files are checked against the tags of the bounds.
func TestTagsAreMaxBound(t *testing.T) {
	for _, name := range []string{"Lo", "Hi"} {
		f, _ := reflect.TypeFor[Box]().FieldByName(name)
		r := limits.OfItems(f.Tag)
		check.That(t, !r.Below(-MaxBound) && !r.Above(MaxBound), "%s: %s excludes MaxBound %g", name, r, MaxBound)
		check.That(t, r.Below(-1.001*MaxBound) && r.Above(1.001*MaxBound), "%s: %s exceeds MaxBound %g", name, r, MaxBound)
	}
}

func TestCube(t *testing.T) {
	b := Cube(3, -2, 5)
	check.That(t, b.Dim() == 3 && slices.Equal(b.Lo, []float64{-2, -2, -2}) && slices.Equal(b.Hi, []float64{5, 5, 5}), "Cube(3, -2, 5) = %v", b)
	check.Equal(t, "mean width", b.MeanWidth(), 7)
	check.Equal(t, "mean width", (Box{Lo: []float64{0, 0}, Hi: []float64{1, 4}}).MeanWidth(), 2.5)
	for what, f := range map[string]func(){
		"no dimension": func() { Cube(0, 0, 1) },
		"lo == hi":     func() { Cube(2, 1, 1) },
		"NaN":          func() { Cube(2, nan, 1) },
	} {
		check.Panics(t, "a cube with "+what, f)
	}
}

// Whoever maps a point gets one of the box, or NaN where it was.
func TestClipAndFromUnitReturnPointsOfTheBox(t *testing.T) {
	b := Box{Lo: []float64{0, -1, 0, 0, 0}, Hi: []float64{1, 1, 1, 1, 1}}
	x := []float64{-3, 0.25, inf, -inf, nan}
	check.Equal(t, "clipped", fmt.Sprint(b.Clip(x, x)), "[0 0.25 1 0 NaN]")
	b, u := Cube(3, -1, 3), []float64{-0.1, 1.1, nan}
	check.Equal(t, "from unit coordinates", fmt.Sprint(b.FromUnit(make([]float64, 3), u)), "[-1 3 NaN]")
	check.That(t, math.IsNaN(b.ToUnit(u, u)[2]), "NaN becomes %g in unit coordinates", u[2])
}

// A sample is made of the next d numbers of the stream.
func TestSample(t *testing.T) {
	b := Box{Lo: []float64{-5, 10}, Hi: []float64{5, 11}}
	r, same := rand.New(rand.NewPCG(2, 1)), rand.New(rand.NewPCG(2, 1))
	for range 3 {
		got := b.Sample(make([]float64, 2), r)
		check.Same(t, "sample", got, b.FromUnit(make([]float64, 2), []float64{same.Float64(), same.Float64()}))
	}
}

func TestCheckAndContains(t *testing.T) {
	b := Box{Lo: []float64{0, -1}, Hi: []float64{1, 1}}
	for _, c := range []struct {
		x    []float64
		want string
	}{
		{[]float64{0, -1}, ""},
		{[]float64{1, 1}, ""},
		{[]float64{0.5, 0}, ""},
		{[]float64{0.5}, "start has 1 coordinates; the box has 2"},
		{nil, "start has 0 coordinates; the box has 2"},
		{[]float64{0, 0, 0}, "start has 3 coordinates; the box has 2"},
		{[]float64{0, nan}, "start[1] = NaN is not finite"},
		{[]float64{-inf, 0}, "start[0] = -Inf is not finite"},
		{[]float64{0, inf}, "start[1] = +Inf is not finite"},
		{[]float64{0, 1.5}, "start[1] = 1.5 is outside the box [-1, 1]"},
		{[]float64{math.Nextafter(0, -1), 0}, "start[0] = -5e-324 is outside the box [0, 1]"},
	} {
		check.Says(t, fmt.Sprintf("Check(%g)", c.x), b.Check("start", c.x), c.want)
		check.Equal(t, fmt.Sprintf("Contains(%g)", c.x), b.Contains(c.x), c.want == "")
	}
}

// hard has boxes that careless arithmetic leaves.
var hard = []Box{
	Cube(2, 0, 1),
	Cube(2, 0.1, 0.7),
	{Lo: []float64{-1e308}, Hi: []float64{7e307}}, // this and the next three Validate refuses
	{Lo: []float64{1e16}, Hi: []float64{1e16 + 4}},
	{Lo: []float64{1}, Hi: []float64{math.Nextafter(1, 2)}},
	{Lo: []float64{0}, Hi: []float64{5e-324}},
	{Lo: []float64{-512, 1e-3}, Hi: []float64{512, 1.1e-3}},
	Cube(12, -1./3, 1e-9),
}

// Points of the unit cube, its corners and points beside them come back, and corners exactly; none leaves the box.
func TestUnitCoordinates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, b := range hard {
		d := b.Dim()
		u, x, y := make([]float64, d), make([]float64, d), make([]float64, d)
		for trial := range 2064 {
			for i := range u {
				switch corner := float64(trial >> (i % 4) & 1); {
				case trial < 16: // every corner with few coordinates
					u[i] = corner
				case trial < 32:
					u[i] = math.Nextafter(corner, 0.5)
				default:
					u[i] = r.Float64()
				}
			}
			if b.FromUnit(x, u); !b.Contains(x) || !b.Contains(b.Sample(y, r)) {
				t.Fatalf("FromUnit(%g) = %g or the sample %g is outside %v", u, x, y, b)
			}
			b.FromUnit(y, b.ToUnit(y, x)) // y may be its own argument
			for i := range x {
				size := max(math.Abs(b.Lo[i]), math.Abs(b.Hi[i]))
				check.Near(t, y[i], x[i], 4*(math.Nextafter(size, inf)-size), "%v: what comes back", b)
				check.That(t, u[i] != 0 || x[i] == b.Lo[i], "%v: the corner %g is %g", b, u, x)
				check.That(t, u[i] != 1 || x[i] == b.Hi[i], "%v: the corner %g is %g", b, u, x)
			}
			check.That(t, trial >= 16 || slices.Equal(b.ToUnit(y, x), u), "%v: the corner %g has unit coordinates %g", b, u, y)
		}
	}
}

func TestGrid(t *testing.T) {
	b := Box{Lo: []float64{0, -1}, Hi: []float64{1, 1}}
	want := []float64{0, -1, 0, 0, 0, 1, 0.5, -1, 0.5, 0, 0.5, 1, 1, -1, 1, 0, 1, 1}
	if got := b.Grid(3); !slices.Equal(got, want) {
		t.Errorf("Grid(3) = %g, want %g", got, want)
	}
	for _, b := range hard[:7] {
		g, d := b.Grid(21), b.Dim()
		n := len(g) / d
		check.That(t, n == int(math.Pow(21, float64(d))), "%v: %d grid points", b, n)
		check.That(t, slices.Equal(g[:d], b.Lo) && slices.Equal(g[len(g)-d:], b.Hi), "%v: the grid goes from %g to %g", b, g[:d], g[len(g)-d:])
	}
	got := check.Must(b.GridOf([]int{1, 3}))(t)
	check.Same(t, "a grid of one point, the centre, by three", got, [][]float64{{0.5, -1}, {0.5, 0}, {0.5, 1}})
	got = check.Must(b.GridOf([]int{2}))(t)
	check.Same(t, "a grid of two points a coordinate", got, [][]float64{{0, -1}, {0, 1}, {1, -1}, {1, 1}})
	check.Error(t, "three sides", check.Err(b.GridOf([]int{2, 3, 4})), "it has 3 sides, and the box 2 dimensions")
	check.Error(t, "no point", check.Err(b.GridOf([]int{2, 0})), "[2 0] are no sides of a grid")
	for what, f := range map[string]func(){
		"one point a dimension":  func() { b.Grid(1) },
		"more points than exist": func() { Cube(12, 0, 1).Grid(1024) },
	} {
		check.Panics(t, "a grid of "+what, f)
	}
}
