package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// bumps is a function like those that POP-BO maximises: Σ w_i φ(|x-p_i|/length) with random w and p in the box,
// lengths in box widths. φ is exp(-r²/2), or, with a kink at every p_i, exp(-r).
func bumps(box space.Box, n int, length float64, kinks bool, r *rand.Rand) Objective {
	d := box.Dim()
	p, w := make([]float64, n*d), make([]float64, n)
	for i := range w {
		w[i] = r.NormFloat64()
		box.Sample(p[i*d:(i+1)*d], r)
	}
	scale := make([]float64, d)
	for j := range scale {
		scale[j] = length * (box.Hi[j] - box.Lo[j])
	}
	return func(x, grad []float64) float64 {
		clear(grad)
		var sum float64
		for i, wi := range w {
			var s float64
			for j, xj := range x {
				t := (xj - p[i*d+j]) / scale[j]
				s += t * t
			}
			v := wi * math.Exp(-s/2)
			slope := -v
			if kinks {
				v = wi * math.Exp(-math.Sqrt(s))
				if slope = -v / math.Sqrt(s); s == 0 {
					slope = 0
				}
			}
			sum += v
			for j := range grad {
				grad[j] += slope * (x[j] - p[i*d+j]) / (scale[j] * scale[j])
			}
		}
		return sum
	}
}

// odd is a box whose widths differ by five orders of magnitude.
func odd(d int) space.Box {
	b := space.Cube(d, 0, 1)
	for i := range d {
		b.Lo[i], b.Hi[i] = []float64{-512, 3, 0}[i%3], []float64{512, 3.01, 1}[i%3]
	}
	return b
}

// checkMaximum fails unless r is a local maximum of f: it converged, the value belongs to X, and no point of
// the box close to X is better.
func checkMaximum(t *testing.T, f Objective, box space.Box, r Result, near *rand.Rand) {
	t.Helper()
	d := box.Dim()
	check.That(t, r.Status == Converged, "%v after %d evaluations, gradient %g", r.Status, r.Evaluations, r.Grad)
	check.That(t, box.Contains(r.X), "%g is outside the box", r.X)
	grad, y := make([]float64, d), make([]float64, d)
	if v := f(r.X, grad); v != r.Value || !slices.Equal(grad, r.Grad) {
		t.Fatalf("value %g and gradient %g at X, reported %g and %g", v, grad, r.Value, r.Grad)
	}
	for range 200 {
		box.ToUnit(y, r.X)
		for i := range y {
			y[i] += 1e-4 * (2*near.Float64() - 1)
		}
		v := f(box.FromUnit(y, y), nil)
		check.That(t, v <= r.Value+1e-12*math.Abs(r.Value), "%v is better than X = %v by %g", y, r.X, v-r.Value)
	}
}

// Evaluations to reach a projected gradient of 1e-8 of the largest one met. Each count is an average over 100
// functions, with a tenth of slack. A search that starts at a maximum notices that cheaply and stays there, unless
// another peak is as close as a trial.
func TestFewEvaluations(t *testing.T) {
	for _, c := range []struct {
		d      int
		length float64
		mean   float64
	}{
		{1, 0.1, 7}, {1, 0.3, 4.7}, {2, 0.15, 10.5}, {2, 0.3, 8.1}, {2, 1, 4.5}, {7, 0.5, 18}, {12, 1, 16.6},
	} {
		t.Run(fmt.Sprintf("d%d/length%g", c.d, c.length), func(t *testing.T) {
			const runs = 100
			r := rand.New(rand.NewPCG(1, uint64(c.d)))
			box := odd(c.d)
			l, x := NewLocal(box, Settings{}), make([]float64, c.d)
			var evaluations float64
			for range runs {
				f := bumps(box, 10+5*c.d, c.length, false, r)
				calls := 0
				result := l.Maximize(func(x, grad []float64) float64 { calls++; return f(x, grad) }, box.Sample(x, r))
				check.Equal(t, "evaluations", result.Evaluations, calls)
				checkMaximum(t, f, box, result, r)
				evaluations += float64(calls) / runs
				value, top := result.Value, slices.Clone(result.X)
				again := l.Maximize(f, top)
				near := again.Status == Converged && again.Evaluations <= 5 && again.Value >= value
				check.That(t, near || c.length < 0.3, "from a maximum of %.17g: %+v", value, again)
			}
			check.That(t, evaluations <= 1.1*c.mean, "%.1f evaluations on average, want about %g", evaluations, c.mean)
		})
	}
}

func maxDifference(x, y []float64) (most float64) {
	for i, v := range x {
		most = max(most, math.Abs(v-y[i]))
	}
	return most
}

func rosenbrock(x, grad []float64) float64 {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	if grad != nil {
		grad[0], grad[1] = 2*a+400*x[0]*b, -200*b
	}
	return -a*a - 100*b*b
}

func flat(x, grad []float64) float64 { clear(grad); return 7 }

// kinks is -Σ|x_i - c_i|.
func kinks(x, grad []float64) (v float64) {
	for i := range x {
		c := 0.3 + 0.05*float64(i)
		v -= math.Abs(x[i] - c)
		grad[i] = math.Copysign(1, c-x[i])
	}
	return v
}

func TestWhereSearchesEnd(t *testing.T) {
	unit := func(d int) space.Box { return space.Cube(d, 0, 1) }
	rising := func(x, grad []float64) (v float64) { // to the upper corner of odd
		box := odd(len(x))
		for i, w := range box.Widths() {
			v += x[i] / w
			grad[i] = 1 / w
		}
		return v
	}
	// The first trial, 0.5 from the start, is next to a singularity. The curvature learnt there hides the possible
	// gain; that must not pass for convergence.
	singular := func(x, grad []float64) float64 {
		if math.Abs(x[0]-0.4) < 1e-6 {
			grad[0] = 1e18
			return -5
		}
		grad[0] = -2 * (x[0] - 0.2)
		return -(x[0] - 0.2) * (x[0] - 0.2)
	}
	for _, c := range []struct {
		name        string
		f           Objective
		box         space.Box
		maxIter     int
		start       []float64
		status      Status
		want        []float64 // nil if the search does not arrive
		tol         float64
		evaluations int // at most
	}{
		{"Rosenbrock", rosenbrock, space.Cube(2, -5, 10), 0, []float64{-1.2, 1}, Converged, []float64{1, 1}, 1e-6, 60},
		{"x1 at its bound", rosenbrock, space.Box{Lo: []float64{-1.5, -1.5}, Hi: []float64{0.5, 2}}, 0, []float64{-1.2, 1}, Converged, []float64{0.5, 0.25}, 1e-6, 40},
		// With x2 at 1/2, the derivative in x1 is 2(1-x1) + 400 x1 (1/2 - x1²).
		{"x2 at its bound", rosenbrock, space.Box{Lo: []float64{-1.5, -1.5}, Hi: []float64{2, 0.5}}, 0, []float64{-1.2, 1}, Converged, []float64{0.7085595037613498, 0.5}, 1e-6, 40},
		{"six evaluations", rosenbrock, space.Cube(2, -5, 10), 5, []float64{-1.2, 1}, MaxIterations, nil, 0, 6},
		{"a corner in 1-D", rising, odd(1), 0, odd(1).Lo, Converged, odd(1).Hi, 0, 6},
		{"a corner in 2-D", rising, odd(2), 0, odd(2).Lo, Converged, odd(2).Hi, 0, 6},
		{"a corner in 12-D", rising, odd(12), 0, odd(12).Lo, Converged, odd(12).Hi, 0, 6},
		{"flat", flat, unit(3), 0, []float64{0.1, 0.2, 0.3}, Converged, []float64{0.1, 0.2, 0.3}, 0, 1},
		{"flat, from outside", flat, space.Cube(2, 0.1, 0.7), 0, []float64{-3, 9}, Converged, []float64{0.1, 0.7}, 0, 1},
		{"a singularity next to a trial", singular, unit(1), 0, []float64{0.9}, Converged, []float64{0.2}, 1e-8, 8},
		// At a kink the gradient does not vanish: the search must come close, stop, and not claim to have converged.
		{"a kink in 1-D", kinks, unit(1), 0, unit(1).Hi, NoProgress, []float64{0.3}, 1e-6, 40},
		{"kinks in 2-D", kinks, unit(2), 0, unit(2).Hi, NoProgress, []float64{0.3, 0.35}, 1e-6, 80},
		{"kinks in 5-D", kinks, unit(5), 0, unit(5).Hi, NoProgress, []float64{0.3, 0.35, 0.4, 0.45, 0.5}, 1e-6, 200},
	} {
		l := NewLocal(c.box, Settings{MaxIter: c.maxIter})
		r := l.Maximize(c.f, c.start)
		check.That(t, r.Status == c.status && r.Evaluations <= c.evaluations && (c.status != MaxIterations || r.Evaluations == c.evaluations),
			"%s: %v after %d evaluations, want %v after %d", c.name, r.Status, r.Evaluations, c.status, c.evaluations)
		check.That(t, c.want == nil || maxDifference(c.want, r.X) <= c.tol, "%s: the maximum is at %v, not at %v", c.name, r.X, c.want)
		if c.tol == 1e-6 && c.status == Converged {
			checkMaximum(t, c.f, c.box, r, rand.New(rand.NewPCG(3, 1)))
		} else if c.tol == 0 && c.want != nil {
			check.Equal(t, c.name+": projected gradient", l.now.projectedSlope(), 0)
		}
	}
}

// log(x1-0.3) - x1 - x2², undefined for x1 <= 0.3, is largest at (1.3, 0). The first step goes to the edge,
// where the gradient is infinite.
func TestRegionsWithoutValue(t *testing.T) {
	box, _ := space.New([]float64{-10, -1}, []float64{3, 1})
	for name, void := range map[string]float64{"NaN": math.NaN(), "-Inf": math.Inf(-1), "+Inf": math.Inf(1)} {
		for _, inGradient := range []bool{false, true} {
			f := func(x, grad []float64) float64 {
				a := x[0] - 0.3
				grad[0], grad[1] = 1/a-1, -2*x[1]
				if a > 0 {
					return math.Log(a) - x[0] - x[1]*x[1]
				}
				if inGradient {
					grad[1] = void
					return 1e9 // must not be believed
				}
				return void
			}
			l := NewLocal(box, Settings{})
			result := l.Maximize(f, []float64{2.9, 0.9})
			check.That(t, result.Status == Converged && maxDifference(result.X, []float64{1.3, 0}) <= 1e-6, "%s, in gradient %t: %+v", name, inGradient, result)
			result = l.Maximize(f, []float64{-1, 0})
			check.That(t, result.Status == Undefined && result.Evaluations == 1, "%s, in gradient %t, at the start: %+v", name, inGradient, result)
		}
	}
}

// For any objective the result is in the box, is the best of all points tried, including the start, and takes
// at most MaxIter trials.
func TestResultIsTheBestMet(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for run := range 600 {
		d := 1 + r.IntN(4)
		box, best := odd(d), math.Inf(-1)
		smooth := bumps(box, 8, 0.05+r.Float64(), run%3 == 0, r)
		f := func(x, grad []float64) float64 {
			v := smooth(x, grad)
			switch {
			case run%4 == 1: // jumps
				v = math.Round(8*v) / 8
			case run%4 == 2: // the gradient lies
				for i := range grad {
					grad[i] *= 1 - 3*v
				}
			case run%4 == 3 && v > 0.5 && v < 0.6: // holes
				return math.NaN()
			}
			best = max(best, v)
			return v
		}
		x0 := box.Sample(make([]float64, d), r)
		if run%5 == 0 {
			x0[0] = box.Hi[0]
		}
		result := NewLocal(box, Settings{MaxIter: 60}).Maximize(f, x0)
		if math.IsInf(best, -1) {
			check.Equal(t, "from an undefined start", result.Status, Undefined)
		} else if result.Value != best || !box.Contains(result.X) || result.Evaluations > 61 {
			t.Fatalf("run %d: best met %g, result %+v", run, best, result)
		}
	}
}

// GradTol is relative to the gradients met so far: from far out in the flat tail of a bump, 1 % of the gradient
// at the start would be far too strict.
func TestGradTol(t *testing.T) {
	f := func(x, grad []float64) float64 {
		v := math.Exp(-(x[0]*x[0] + x[1]*x[1]) / 2)
		grad[0], grad[1] = -x[0]*v, -x[1]*v
		return v
	}
	box := space.Cube(2, -8, 4)
	l := NewLocal(box, Settings{GradTol: 0.01, Step: 0.1})
	result := l.Maximize(f, []float64{-5, -4})
	strict := NewLocal(box, Settings{GradTol: 1e-12, Step: 0.1}).Maximize(f, []float64{-5, -4})
	check.That(t, result.Status == Converged, "%v", result.Status)
	g, steepest := l.now.projectedSlope(), 12*math.Exp(-0.5)
	check.That(t, g <= 0.01*steepest && g >= 1e-6*steepest, "projected gradient %g; the steepest is %g", g, steepest)
	check.That(t, result.Evaluations <= strict.Evaluations-3, "%d evaluations, with a strict tolerance %d", result.Evaluations, strict.Evaluations)
}

// Rounding that is large compared with the value at the maximum, or a value that is large compared with the
// gain, must not keep the search going.
func TestOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	box := space.Cube(2, 0, 1)
	for _, offset := range []float64{1, 1e3, 1e6, math.NaN()} { // NaN: such that the maximum is 0
		evaluations, statuses := 0, map[Status]int{}
		for range 100 {
			f := bumps(box, 20, 0.3, false, r)
			x0, shift := box.Sample(make([]float64, 2), r), offset
			best := NewLocal(box, Settings{}).Maximize(f, x0)
			if math.IsNaN(offset) {
				shift = -best.Value
			}
			result := NewLocal(box, Settings{}).Maximize(func(x, grad []float64) float64 { return f(x, grad) + shift }, x0)
			evaluations += result.Evaluations - best.Evaluations
			statuses[result.Status]++
		}
		check.That(t, statuses[Converged] == 100 && evaluations <= 20, "offset %g: %d evaluations more in 100 searches, %v", offset, evaluations, statuses)
	}
}

// Scales that are powers of 2 are exact, so the search must go the same way.
func TestScalesDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	unit := space.Cube(2, 0, 1)
	wide, _ := space.New([]float64{0, 0}, []float64{0x1p-9, 0x1p12})
	for _, factor := range []float64{1, 0x1p-300, 0x1p300} {
		f := bumps(unit, 15, 0.3, false, r)
		g := func(x, grad []float64) float64 {
			v := f([]float64{x[0] * 0x1p9, x[1] * 0x1p-12}, grad)
			grad[0] *= factor * 0x1p9
			grad[1] *= factor * 0x1p-12
			return factor * v
		}
		x0 := unit.Sample(make([]float64, 2), r)
		a := NewLocal(unit, Settings{}).Maximize(f, x0)
		b := NewLocal(wide, Settings{}).Maximize(g, []float64{x0[0] * 0x1p-9, x0[1] * 0x1p12})
		same := a.Value*factor == b.Value && a.X[0] == b.X[0]*0x1p9 && a.X[1] == b.X[1]*0x1p-12
		check.That(t, same && a.Evaluations == b.Evaluations && a.Status == b.Status, "scale %g: %+v, scaled %+v", factor, a, b)
	}
}

func TestMaximizeDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, d := range []int{1, 2, 12} {
		box := odd(d)
		f := bumps(box, 20, 0.3, false, r)
		l, x := NewLocal(box, Settings{}), box.Sample(make([]float64, d), r)
		check.Equal(t, fmt.Sprintf("d = %d: allocations", d), testing.AllocsPerRun(5, func() { l.Maximize(f, x) }), 0)
	}
}

func TestCallersBugsPanic(t *testing.T) {
	box := space.Cube(2, 0, 1)
	for what, f := range map[string]func(){
		"a start of the wrong length": func() { NewLocal(box, Settings{}).Maximize(rosenbrock, []float64{1}) },
		"an empty box":                func() { NewLocal(space.Box{}, Settings{}) },
		"a negative tolerance":        func() { NewLocal(box, Settings{GradTol: -1}) },
		"a NaN step":                  func() { NewLocal(box, Settings{Step: math.NaN()}) },
		"half a point":                func() { QuasiRandom(make([]float64, 3), box, nil) },
	} {
		check.Panics(t, what, f)
	}
}

// slope is a concave quadratic with curvatures 2 and 200 in unit coordinates of its box, and its maximum 1 at (3, 0.2).
var (
	slopeBox       = space.Box{Lo: []float64{-1, 0}, Hi: []float64{9, 1}}
	slopeCurvature = []float64{2, 0, 0, 200}
)

func slope(x, grad []float64) float64 {
	u, v := (x[0]-3)/10, x[1]-0.2
	if grad != nil {
		grad[0], grad[1] = -2*u/10, -200*v
	}
	return 1 - u*u - 100*v*v
}

// With the curvature of a quadratic the first step ends at its maximum. Without, the search learns that curvature.
func TestGuessOfTheCurvature(t *testing.T) {
	l := NewLocal(slopeBox, Settings{GradTol: 1e-9})
	r := l.maximize(slope, []float64{5, 0.5}, slopeCurvature, math.Inf(-1))
	check.That(t, r.Evaluations == 2 && r.Status == Converged, "with the curvature: %v after %d evaluations, want 2", r.Status, r.Evaluations)
	r = l.Maximize(slope, []float64{5, 0.5})
	check.That(t, r.Evaluations > 4, "without the curvature: %d evaluations", r.Evaluations)
	for i, v := range r.Curvature {
		check.Near(t, v, slopeCurvature[i], 1, "the curvature that it has learnt, number %d", i)
	}
	check.That(t, l.Maximize(slope, []float64{3, 0.2}).Curvature == nil, "a search that ends at its start has a curvature")
}

// A search gives up once it is clear that it ends below the floor, and never if it ends above.
func TestFloor(t *testing.T) {
	l := NewLocal(slopeBox, Settings{GradTol: 1e-9})
	start := []float64{5, 0.5}
	whole := l.maximize(slope, start, []float64{6, 0, 0, 500}, math.Inf(-1)).Evaluations
	for _, c := range []struct {
		floor  float64
		status Status
	}{{0.9, Converged}, {1, Converged}, {2, NoProgress}} {
		r := l.maximize(slope, start, []float64{6, 0, 0, 500}, c.floor)
		early := r.Evaluations < whole
		check.That(t, r.Status == c.status && early == (c.status == NoProgress) && r.Unfinished == 0,
			"floor %g: %v after %d of %d evaluations", c.floor, r.Status, r.Evaluations, whole)
	}
}

// A search ends early on the hill of a known peak, and on no other hill. Its first step shows it.
func TestKnownPeaks(t *testing.T) {
	l := NewLocal(space.Cube(3, 0, 1), Settings{Step: 0.1})
	top := l.Maximize(hills, []float64{0.8, 0.75, 0.85})
	known := l.peak(top.X, top.Grad, top.Value)
	for _, c := range []struct {
		start  []float64
		status Status
	}{{[]float64{0.7, 0.75, 0.8}, NoProgress}, {[]float64{0.3, 0.75, 0.8}, Converged}, {[]float64{0.3, 0.2, 0.1}, Converged}} {
		l.peaks = nil
		whole := l.Maximize(hills, c.start)
		evaluations, value := whole.Evaluations, whole.Value
		l.peaks = []peak{known}
		r := l.Maximize(hills, c.start)
		early := r.Evaluations < evaluations && r.Evaluations <= 3
		check.That(t, r.Status == c.status && early == (c.status == NoProgress) && r.Unfinished == 0,
			"from %v: %v after %d of %d evaluations", c.start, r.Status, r.Evaluations, evaluations)
		check.Equal(t, "whether the maximum is the known peak", math.Abs(value-top.Value) < 1e-9, early)
	}
}
