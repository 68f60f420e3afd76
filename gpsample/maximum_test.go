package gpsample

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

func uniformKernel(family string, l float64) kernel.Config {
	return kernel.Config{Family: family, Nu: 1.8, Variance: 9, Lengthscale: []float64{l}}
}

// differentiable are the families with a Lipschitz gradient.
var differentiable = []string{"se-half", "se-paper", "matern32", "matern52", "matern"}

// The maximum over a dense grid, which uses no gradients or certificates, is not above the one
// found, and not farther below than the curvature allows.
func TestMaximumAgainstGrid(t *testing.T) {
	for _, test := range []struct {
		d, side, draws int
	}{{1, check.Few(2001, 20001), check.Few(3, 8)}, {2, check.Few(101, 401), 1}} {
		for _, family := range differentiable {
			if family == "matern" && test.d == 2 { // its Bessel functions are slow
				continue
			}
			c := uniformKernel(family, 1)
			box := space.Cube(test.d, 0, 10)
			grid := box.Grid(test.side)
			r := stream(3)
			for range test.draws {
				f := draw(t, c, box, 10, r)
				m := f.Maximum()
				got := f.Value(m.X)
				check.That(t, got == m.Value && box.Contains(m.X), "%d-D %s: f(%v) = %.17g, the maximum says %.17g", test.d, family, m.X, got, m.Value)
				check.That(t, m.Excess >= 0 && m.Excess <= 2e-9, "%d-D %s: the maximum may be exceeded by %g", test.d, family, m.Excess)
				best := math.Inf(-1)
				for i := 0; i < len(grid); i += test.d {
					best = max(best, f.Value(grid[i:i+test.d]))
				}
				h := 10 / float64(test.side-1)
				check.That(t, m.Value-best >= -m.Excess && m.Value-best <= f.curvature()*h*h*float64(test.d)/8,
					"%d-D %s: maximum %.12g at %v, the best of the grid %.12g", test.d, family, m.Value, m.X, best)
			}
		}
	}
}

// Cases whose answer is known without a search.
func TestKnownMaxima(t *testing.T) {
	box := space.Cube(2, 0, 10)
	one := func(c kernel.Config, v float64) *Function {
		return check.Must(Interpolate(c, box, [][]float64{{3, 4}}, []float64{v}))(t)
	}
	for _, family := range append([]string{"matern12"}, differentiable...) {
		c := uniformKernel(family, 4)
		for v, want := range map[float64][]float64{5: {3, 4}, -5: {10, 10}} { // a bump at the knot; a dent
			f := one(c, v)
			m := f.Maximum()
			for j := range want {
				check.That(t, math.Abs(m.X[j]-want[j]) <= 1e-6, "%s: the maximum of %g at %v is said to be at %v", family, v, want, m.X)
			}
			check.That(t, math.Abs(m.Value-f.Value(want)) <= 1e-9 && f.Value(want) <= m.Value+m.Excess,
				"%s: the maximum is %.15g, within %g; should be %.15g", family, m.Value, m.Excess, f.Value(want))
		}
	}
	f := one(kernel.Config{Family: "linear", Variance: 2}, 5) // f(x) = x·(3,4)/5
	m, at := f.Maximum(), []float64{10, 10}
	check.That(t, math.Abs(m.Value-14) <= 1e-12 && slices.Equal(m.X, at) && m.Excess <= 1e-12, "a linear function has maximum %+v, should be 14 at %v", m, at)
}

// In three dimensions the maximum is proved, too; a function that was not drawn has none.
func TestMaximumInThreeDimensions(t *testing.T) {
	f := draw(t, uniformKernel("se-half", 2), space.Cube(3, 0, 10), 10, stream(1))
	m := f.Maximum()
	check.That(t, m.Excess < 1e-8 && m.Cells > 0 && f.Value(m.X) == m.Value, "%+v", m)
	c := newClimber(f) // without a search before it, the proof finds it alone
	excess, _ := newProof(c).run()
	check.Near(t, c.value, m.Value, excess+1e-8, "the maximum of the proof alone")
	check.That(t, excess < 1e-8, "the proof alone leaves %g", excess)
	check.Same(t, "maximum of the zero function", new(Function).Maximum(), Maximum{})
}

// The bound of a part is above the function everywhere in it. Two functions leave it almost no room: a kernel's dent, whose
// middle has no slope and the greatest curvature, and the steepest rise that a norm allows from the middle to the end.
func TestBoundOfAPart(t *testing.T) {
	for _, family := range append([]string{"matern12"}, differentiable...) {
		c, box := uniformKernel(family, 1), space.Cube(1, 0, 10)
		k := check.Must(c.New(1))(t)
		for _, half := range []float64{0.01, 0.1, 1} {
			middle, end := []float64{5}, []float64{5 + half}
			rise := k.Eval(end, end) - k.Eval(middle, end)
			for what, f := range map[string]*Function{
				"dent": check.Must(Interpolate(c, box, [][]float64{middle}, []float64{-9}))(t),
				"rise": check.Must(Interpolate(c, box, [][]float64{middle, end}, []float64{-rise, rise}))(t),
			} {
				p := newProof(newClimber(f))
				var bound float64
				part := search.Subdivision{
					Bound: func(part *search.Cell, _ bool) float64 { bound = p.bound(part, false); return bound },
					Goal:  func() float64 { return math.Inf(1) },
					Spent: func() bool { return true },
				}
				part.Run(space.Cube(1, 5-half, 5+half))
				for i := range 11 {
					x := 5 + half*float64(i)/10
					v := f.Value([]float64{x})
					check.That(t, v <= bound+1e-9, "%s, %s: %.15g at %g, within %g of 5 the bound is %.15g", family, what, v, x, half, bound)
				}
			}
		}
	}
}

// No second derivative exceeds the curvature. Single kernels and second differences, f near k”(5, ·), come as close to it
// as possible: |f”(5)| = Σ|α| |κ”(0)| and ‖f‖ sqrt(κ⁗(0)). For ν = 3/2 and the like f” is rough there.
func TestCurvature(t *testing.T) {
	const h, l = 1e-4, 1.3
	for _, family := range differentiable {
		for what, knots := range map[string][][]float64{"the top of a kernel": {{5}}, "a second difference": {{4.98}, {5}, {5.02}}} {
			if len(knots) > 1 && (family == "matern32" || family == "matern") { // without four derivatives
				continue
			}
			f := check.Must(Interpolate(uniformKernel(family, l), space.Cube(1, 0, 10), knots, make([]float64, len(knots))))(t)
			for i := range f.alpha {
				f.alpha[i] = 1
				if f.knots[i] == 5 {
					f.alpha[i] = -2
				}
			}
			f.norm = math.Sqrt(squaredNorm(t, f))
			at := func(x float64) float64 { return f.Value([]float64{x}) }
			got := math.Abs(at(5-h)-2*at(5)+at(5+h)) / (h * h) / (f.curvature() / (l * l))
			check.That(t, got >= 0.95 && got <= 1+1e-5, "%s: |f''| is %g times the curvature at %s", family, got, what)
		}
	}
}

// Above three dimensions nothing is proved, but a search with five times the work, from random points, finds nothing better
// in functions with many maxima.
func TestMaximumInHighDimension(t *testing.T) {
	r := stream(6)
	for range check.Few(30, 60) {
		f := draw(t, uniformKernel("se-paper", 3.5), space.Cube(4, 0, 10), 10, r)
		m := f.Maximum()
		check.That(t, math.IsInf(m.Excess, 1) && m.Cells == 0 && m.Climbs == climbs, "%+v", m)
		hard := newClimber(f)
		for range 300 {
			hard.climb(f.Box().Sample(make([]float64, 4), r))
		}
		check.That(t, hard.value <= m.Value+1e-9, "the maximum is %.12g, local searches find %.12g", m.Value, hard.value)
	}
}
