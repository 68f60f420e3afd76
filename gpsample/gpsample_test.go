package gpsample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func seHalf(variance, lengthscale float64) kernel.Config {
	return kernel.Config{Family: "se-half", Variance: variance, Lengthscale: []float64{lengthscale}}
}

// families returns one kernel of each family, in d dimensions.
func families(d int) []kernel.Config {
	l := make([]float64, d)
	for j := range l {
		l[j] = 1 + 0.5*float64(j)
	}
	return []kernel.Config{
		{Family: "se-half", Variance: 9, Lengthscale: l},
		{Family: "se-paper", Variance: 9, Lengthscale: l},
		{Family: "matern12", Variance: 2, Lengthscale: l},
		{Family: "matern32", Variance: 2, Lengthscale: l},
		{Family: "matern52", Variance: 0.5, Lengthscale: l},
		{Family: "matern", Nu: 1.8, Variance: 1, Lengthscale: l},
		{Family: "matern", Nu: 3.2, Variance: 1, Lengthscale: l},
		{Family: "linear", Variance: 0.3},
	}
}

func name(c kernel.Config) string { return fmt.Sprintf("%s%.2g", c.Family, c.Nu) }

func draw(t testing.TB, c kernel.Config, box space.Box, knots int, r *rand.Rand) *Function {
	t.Helper()
	return check.Must(Draw(c, box, knots, r))(t)
}

// squaredNorm is αᵀKα from the definition.
func squaredNorm(t *testing.T, f *Function) float64 {
	t.Helper()
	k := check.Must(f.Kernel().New(f.Box().Dim()))(t)
	var s float64
	for i := range f.Len() {
		for j := range f.Len() {
			s += f.Weight(i) * f.Weight(j) * k.Eval(f.Knot(i), f.Knot(j))
		}
	}
	return s
}

// value is f(x) from the definition.
func value(t *testing.T, f *Function, x []float64) float64 {
	t.Helper()
	k := check.Must(f.Kernel().New(len(x)))(t)
	var s float64
	for i := range f.Len() {
		s += f.Weight(i) * k.Eval(x, f.Knot(i))
	}
	return s
}

func TestFunctionIsItsDefinition(t *testing.T) {
	for _, d := range []int{1, 3} {
		for _, c := range families(d) {
			r := stream(1)
			f := draw(t, c, space.Cube(d, -2, 5), 8, r)
			want := 8
			if c.Family == "linear" {
				want = d // the rank of its K
			}
			check.That(t, f.Len() == want, "%d-D %s: %d knots count, should be %d", d, name(c), f.Len(), want)
			if got, want := f.Norm(), math.Sqrt(squaredNorm(t, f)); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%d-D %s: the norm is %.15g, from its definition %.15g", d, name(c), got, want)
			}
			if f.NormBound() != 1.1*f.Norm() {
				t.Errorf("%d-D %s: norm %g and bound %g", d, name(c), f.Norm(), f.NormBound())
			}
			x, grad, step := make([]float64, d), make([]float64, d), make([]float64, d)
			for range 20 {
				f.Box().Sample(x, r)
				if got, want := f.Value(x), value(t, f, x); math.Abs(got-want) > 1e-13*f.Norm() {
					t.Errorf("%d-D %s: f(%v) = %.17g, from its definition %.17g", d, name(c), x, got, want)
				}
				f.Gradient(grad, x)
				for j := range x {
					const h = 1e-5
					copy(step, x)
					step[j] = x[j] + h
					up := f.Value(step)
					step[j] = x[j] - h
					if slope := (up - f.Value(step)) / (2 * h); math.Abs(slope-grad[j]) > 1e-6*f.Norm() {
						t.Errorf("%d-D %s: ∂_%d f(%v) = %g, by differences %g", d, name(c), j, x, grad[j], slope)
					}
				}
			}
		}
	}
}

func TestInterpolate(t *testing.T) {
	box := space.Cube(2, 0, 10)
	r := stream(2)
	knots, values := make([][]float64, 12), make([]float64, 12)
	for i := range knots {
		knots[i] = box.Sample(make([]float64, 2), r)
		values[i] = r.NormFloat64()
	}
	for _, c := range families(2)[:7] {
		f := check.Must(Interpolate(c, box, knots, values))(t)
		for i, x := range knots {
			if got := f.Value(x); math.Abs(got-values[i]) > 1e-11 {
				t.Errorf("%s takes %.15g at knot %d, should be %.15g", name(c), got, i, values[i])
			}
		}
		// It is the smallest: the norm of f + h, where h vanishes at the knots, is larger, by
		// Pythagoras.
		extra := append(slices.Clone(knots), []float64{5, 5})
		g := check.Must(Interpolate(c, box, extra, append(slices.Clone(values), f.Value(extra[12])+1)))(t)
		zeros := make([]float64, 13)
		zeros[12] = 1
		h := check.Must(Interpolate(c, box, extra, zeros))(t)
		if got, want := g.Norm(), math.Hypot(f.Norm(), h.Norm()); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: the norm with another value is %.15g, should be %.15g", name(c), got, want)
		}
	}
}

// Coinciding knots, and K singular to rounding.
func TestNearSingular(t *testing.T) {
	c, box := seHalf(9, 1), space.Cube(1, 0, 10)
	line := func(n int, x0, h float64) [][]float64 {
		knots := make([][]float64, n)
		for i := range knots {
			knots[i] = []float64{x0 + h*float64(i)}
		}
		return knots
	}
	k, err := c.New(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what  string
		knots [][]float64
		taken int
	}{
		{"far apart", line(5, 0, 2), 5},
		{"twice the same", [][]float64{{3}, {7}, {3}}, 2},
		{"closer than 1e-6", line(2, 5, 1e-7), 1},
		{"a little farther", line(2, 5, 1e-5), 2},
		{"a cluster of 8", line(8, 5, 0.01), 4},
		{"200 in 10 lengthscales", line(200, 0, 0.05), 31},
	} {
		fac := factorise(k, slices.Concat(test.knots...), 0)
		if fac.len() != test.taken {
			t.Errorf("%s: %d knots are taken, should be %d", test.what, fac.len(), test.taken)
		}
		for seed := range uint64(20) {
			w := normals(fac.len(), stream(seed))
			f := fac.function(c, box, w)
			if got, want := f.Norm(), math.Sqrt(dot(w, w)); got != want {
				t.Errorf("%s: the norm is %g, of w %g", test.what, got, want)
			}
			if got, want := f.Norm(), math.Sqrt(squaredNorm(t, f)); math.Abs(got-want) > 1e-4*got {
				t.Errorf("%s: the norm is %g, from its definition %g", test.what, got, want)
			}
			// The values at the knots are L w, to the claimed accuracy.
			n := fac.len()
			for i := range n {
				want := dot(fac.l[i*n:i*n+i+1], w)
				if got := f.Value(f.Knot(i)); math.Abs(got-want) > 1e-8 {
					t.Errorf("%s: f is %.15g at a knot, should be %.15g", test.what, got, want)
				}
			}
			// The values at the knots left out follow from the others.
			y := make([]float64, len(test.knots))
			for i, x := range test.knots {
				y[i] = f.Value(x)
			}
			again := check.Must(Interpolate(c, box, test.knots, y))(t)
			if x := []float64{4.4}; math.Abs(again.Value(x)-f.Value(x)) > 1e-2 {
				t.Errorf("%s: an interpolant of f's values takes %g, f %g", test.what, again.Value(x), f.Value(x))
			}
		}
	}
	_, err = Interpolate(c, box, [][]float64{{3}, {7}, {3}}, []float64{1, 2, 1.5})
	check.Error(t, "two values at one knot give", err, "contradicts knots that determine")
}

func TestRefusals(t *testing.T) {
	good, box := seHalf(9, 1), space.Cube(2, 0, 1)
	r := stream(1)
	wide := good
	wide.Lengthscale = []float64{1, 1, 1}
	for want, run := range map[string]func() (*Function, error){
		"gpsample: rand is nil":                                 func() (*Function, error) { return Draw(good, box, 3, nil) },
		"gpsample: knots = 0 must be between 1 and 2000":        func() (*Function, error) { return Draw(good, box, 0, r) },
		"gpsample: knots = 2001 must be":                        func() (*Function, error) { return DrawAuthorsCode(good, box, 2001, r) },
		"gpsample: box: it is empty":                            func() (*Function, error) { return Draw(good, space.Box{}, 3, r) },
		"gpsample: kernel.family is empty":                      func() (*Function, error) { return Draw(kernel.Config{Variance: 1}, box, 3, r) },
		"gpsample: kernel.lengthscale has 3 values for 2":       func() (*Function, error) { return Draw(wide, box, 3, r) },
		"gpsample: the authors' code needs a base grid of 3^7":  func() (*Function, error) { return DrawAuthorsCode(good, space.Cube(7, 0, 1), 3, r) },
		"gpsample: got 1 values for 2 knots; give one for each": func() (*Function, error) { return Interpolate(good, box, [][]float64{{0, 0}, {1, 1}}, []float64{1}) },
		"gpsample: knots[1][0] = 2 is outside the box [0, 1]":   func() (*Function, error) { return Interpolate(good, box, [][]float64{{0, 0}, {2, 1}}, []float64{1, 2}) },
		"gpsample: knots[0] has 1 coordinates; the box has 2":   func() (*Function, error) { return Interpolate(good, box, [][]float64{{0}}, []float64{1}) },
		"gpsample: values[0] = NaN is not finite":               func() (*Function, error) { return Interpolate(good, box, [][]float64{{0, 0}}, []float64{math.NaN()}) },
		"gpsample: values[0] = 1 contradicts": func() (*Function, error) {
			return Interpolate(kernel.Config{Family: "linear", Variance: 1}, box, [][]float64{{0, 0}}, []float64{1})
		},
	} {
		t.Run(want, func(t *testing.T) {
			f, err := run()
			check.That(t, f == nil, "a function is returned")
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("got error %v\nwant %s", err, want)
			}
			check.That(t, !strings.Contains(err.Error(), "\n"), "error of several lines: %v", err)
		})
	}
	defer func() {
		check.That(t, recover() != nil, "a point of the wrong dimension was evaluated")
	}()
	draw(t, good, box, 3, r).Value([]float64{0})
}

// Equal streams give equal functions, and functions return copies.
func TestDrawsAreFixed(t *testing.T) {
	box := space.Cube(1, 0, 10)
	f := draw(t, seHalf(9, 1), box, 10, stream(7))
	g := draw(t, seHalf(9, 1), box, 10, stream(7))
	x := []float64{3.3}
	want := f.Value(x)
	if g.Value(x) != want || draw(t, seHalf(9, 1), box, 10, stream(8)).Value(x) == want {
		t.Error("equal streams have to draw equal functions, other streams others")
	}
	f.Knot(0)[0] = 99
	f.Kernel().Lengthscale[0] = 99
	box.Lo[0] = -99
	if f.Value(x) != want || f.Kernel().Lengthscale[0] != 1 || f.Box().Lo[0] != 0 {
		t.Error("a function changed after it was made")
	}
	// Changing what is drawn, or its order, changes the functions of existing seeds. Such a change
	// must be intended.
	check.Equal(t, "value and norm of the draw", fmt.Sprintf("%.12g %.12g", want, f.Norm()), "-2.14314377989 3.63171594352")
}

func TestValueAndGradientDoNotAllocate(t *testing.T) {
	f := draw(t, seHalf(9, 1), space.Cube(2, 0, 10), 10, stream(1))
	x, grad := []float64{3, 4}, make([]float64, 2)
	check.Equal(t, "allocations", testing.AllocsPerRun(100, func() { f.Value(x); f.Gradient(grad, x) }), 0)
}
