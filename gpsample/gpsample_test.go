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

// knot returns x_i.
func knot(f *Function, i int) []float64 {
	d := f.box.Dim()
	return f.knots[i*d : i*d+d]
}

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
	for i := range f.alpha {
		for j := range f.alpha {
			s += f.alpha[i] * f.alpha[j] * k.Eval(knot(f, i), knot(f, j))
		}
	}
	return s
}

// value is f(x) from the definition.
func value(t *testing.T, f *Function, x []float64) float64 {
	t.Helper()
	k := check.Must(f.Kernel().New(len(x)))(t)
	var s float64
	for i := range f.alpha {
		s += f.alpha[i] * k.Eval(x, knot(f, i))
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
			check.That(t, len(f.alpha) == want, "%d-D %s: %d knots count, should be %d", d, name(c), len(f.alpha), want)
			check.Near(t, f.Norm()/math.Sqrt(squaredNorm(t, f)), 1, 1e-9, "%d-D %s: the norm by that of its definition", d, name(c))
			check.Equal(t, "norm bound", f.NormBound(), 1.1*f.Norm())
			for range 20 {
				x := f.Box().Sample(make([]float64, d), r)
				check.Near(t, f.Value(x), value(t, f, x), 1e-13*f.Norm(), "%d-D %s: f(%v)", d, name(c), x)
				check.Gradient(t, fmt.Sprintf("%d-D %s", d, name(c)), func(x, grad []float64) float64 {
					if grad != nil {
						f.Gradient(grad, x)
					}
					return f.Value(x)
				}, x, 1e-5, 1e-6*f.Norm())
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
			check.Near(t, f.Value(x), values[i], 1e-11, "%s at knot %d", name(c), i)
		}
		// It is the smallest: the norm of f + h, where h vanishes at the knots, is larger, by
		// Pythagoras.
		extra := append(slices.Clone(knots), []float64{5, 5})
		g := check.Must(Interpolate(c, box, extra, append(slices.Clone(values), f.Value(extra[12])+1)))(t)
		zeros := make([]float64, 13)
		zeros[12] = 1
		h := check.Must(Interpolate(c, box, extra, zeros))(t)
		check.Near(t, g.Norm()/math.Hypot(f.Norm(), h.Norm()), 1, 1e-9, "%s: the norm with another value by what it should be", name(c))
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
	k := check.Must(c.New(1))(t)
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
		check.Equal(t, test.what+": knots that are taken", fac.len(), test.taken)
		for seed := range uint64(20) {
			w := normals(fac.len(), stream(seed))
			f := fac.function(c, box, w)
			check.Equal(t, test.what+": the norm, that of w", f.Norm(), math.Sqrt(dot(w, w)))
			check.Near(t, f.Norm(), math.Sqrt(squaredNorm(t, f)), 1e-4*f.Norm(), "%s: the norm, from its definition", test.what)
			// The values at the knots are L w, to the claimed accuracy. With the norm above, L Lᵀ is K: the values have
			// the kernel's covariance if w is normal.
			n := fac.len()
			for i := range n {
				check.Near(t, f.Value(knot(f, i)), dot(fac.l[i*n:i*n+i+1], w), 1e-8, "%s: f at knot %d", test.what, i)
			}
			// The values at the knots left out follow from the others.
			y := make([]float64, len(test.knots))
			for i, x := range test.knots {
				y[i] = f.Value(x)
			}
			again := check.Must(Interpolate(c, box, test.knots, y))(t)
			check.Near(t, again.Value([]float64{4.4}), f.Value([]float64{4.4}), 1e-2, "%s: an interpolant of f's values", test.what)
		}
	}
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
		"gpsample: values[2] = 1.5 contradicts knots that determine": func() (*Function, error) {
			return Interpolate(good, box, [][]float64{{0, 1}, {1, 1}, {0, 1}}, []float64{1, 2, 1.5})
		},
		"gpsample: values[0] = 1 contradicts": func() (*Function, error) {
			return Interpolate(kernel.Config{Family: "linear", Variance: 1}, box, [][]float64{{0, 0}}, []float64{1})
		},
	} {
		f, err := run()
		check.Error(t, want, err, want)
		check.That(t, f == nil && !strings.Contains(err.Error(), "\n"), "%s: a function, or an error of several lines", want)
	}
	check.Panics(t, "a point of the wrong dimension", func() { draw(t, good, box, 3, r).Value([]float64{0}) })
}

// Equal streams give equal functions, and functions return copies.
func TestDrawsAreFixed(t *testing.T) {
	box := space.Cube(1, 0, 10)
	f := draw(t, seHalf(9, 1), box, 10, stream(7))
	g := draw(t, seHalf(9, 1), box, 10, stream(7))
	x := []float64{3.3}
	want := f.Value(x)
	check.That(t, g.Value(x) == want && draw(t, seHalf(9, 1), box, 10, stream(8)).Value(x) != want,
		"equal streams have to draw equal functions, other streams others")
	f.Kernel().Lengthscale[0] = 99
	box.Lo[0] = -99
	check.That(t, f.Value(x) == want && f.Kernel().Lengthscale[0] == 1 && f.Box().Lo[0] == 0, "a function changed after it was made")
	// Changing what is drawn, or its order, changes the functions of existing seeds. Such a change
	// must be intended.
	g = check.Must(DrawAuthorsCode(seHalf(9, 1), space.Cube(1, 0, 10), 10, stream(7)))(t)
	check.Equal(t, "values and norms of the draws", fmt.Sprintf("%.12g %.12g, %.12g %.12g", want, f.Norm(), g.Value(x), g.NormBound()),
		"-2.14314377989 3.63171594352, -1.39156569153 3.19031144366")
}

func TestValueAndGradientDoNotAllocate(t *testing.T) {
	f := draw(t, seHalf(9, 1), space.Cube(2, 0, 10), 10, stream(1))
	x, grad := []float64{3, 4}, make([]float64, 2)
	check.Equal(t, "allocations", testing.AllocsPerRun(100, func() { f.Value(x); f.Gradient(grad, x) }), 0)
}
