package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
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
	if r.Status != Converged {
		t.Fatalf("%v after %d evaluations, projected gradient %g", r.Status, r.Evaluations, r.ProjectedGradient)
	}
	if !box.Contains(r.X) {
		t.Fatalf("%g is outside the box", r.X)
	}
	grad, y := make([]float64, d), make([]float64, d)
	if v := f(r.X, grad); v != r.Value || !slices.Equal(grad, r.Grad) {
		t.Fatalf("value %g and gradient %g at X, reported %g and %g", v, grad, r.Value, r.Grad)
	}
	for range 200 {
		box.ToUnit(y, r.X)
		for i := range y {
			y[i] += 1e-4 * (2*near.Float64() - 1)
		}
		if v := f(box.FromUnit(y, y), nil); v > r.Value+1e-12*math.Abs(r.Value) {
			t.Fatalf("%v is better than X = %v by %g", y, r.X, v-r.Value)
		}
	}
}

// Evaluations to reach a projected gradient of 1e-8 of the largest one met. Each count is an average over 200
// functions, with a tenth of slack.
func TestFewEvaluations(t *testing.T) {
	for _, c := range []struct {
		d      int
		length float64
		mean   float64
	}{
		{1, 0.1, 7}, {1, 0.3, 4.7}, {2, 0.15, 10.5}, {2, 0.3, 8.1}, {2, 1, 4.5}, {7, 0.5, 18}, {12, 1, 16.6},
	} {
		t.Run(fmt.Sprintf("d%d/length%g", c.d, c.length), func(t *testing.T) {
			const runs = 200
			r := rand.New(rand.NewPCG(1, uint64(c.d)))
			box := odd(c.d)
			l, x := NewLocal(box, Settings{}), make([]float64, c.d)
			var evaluations float64
			for range runs {
				f := bumps(box, 10+5*c.d, c.length, false, r)
				calls := 0
				result := l.Maximize(func(x, grad []float64) float64 { calls++; return f(x, grad) }, box.Sample(x, r))
				if result.Evaluations != calls {
					t.Fatalf("%d calls, reported %d", calls, result.Evaluations)
				}
				checkMaximum(t, f, box, result, r)
				evaluations += float64(calls) / runs
			}
			t.Logf("%.1f evaluations", evaluations)
			check.That(t, evaluations <= 1.1*c.mean, "%.1f evaluations on average, want about %g", evaluations, c.mean)
		})
	}
}

// A concave quadratic whose unconstrained maximum is outside the box, so that many bounds are active at the
// optimum. The reference is coordinate ascent, which is slow but sure.
func TestQuadraticWithActiveBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, d := range []int{1, 2, 5, 12} {
		for range 20 {
			a, h, c := make([]float64, d*d), make([]float64, d*d), make([]float64, d)
			for i := range a {
				a[i] = r.NormFloat64()
			}
			for i := range d {
				c[i] = 0.5 + r.NormFloat64()
				for j := range d {
					h[i*d+j] = wide.Dot(a[i*d:(i+1)*d], a[j*d:(j+1)*d])
				}
				h[i*d+i] += 0.1
			}
			f := func(x, grad []float64) float64 {
				var v float64
				for i := range d {
					var hi float64
					for j := range d {
						hi += h[i*d+j] * (x[j] - c[j])
					}
					v -= hi * (x[i] - c[i]) / 2
					if grad != nil {
						grad[i] = -hi
					}
				}
				return v
			}
			box := space.Cube(d, 0, 1)
			x, grad := make([]float64, d), make([]float64, d)
			for range 20000 {
				moved := 0.0
				for i := range d {
					f(x, grad)
					to := min(max(x[i]+grad[i]/h[i*d+i], 0), 1)
					moved, x[i] = max(moved, math.Abs(to-x[i])), to
				}
				if moved < 1e-13 {
					break
				}
			}
			result := NewLocal(box, Settings{}).Maximize(f, box.Sample(make([]float64, d), r))
			checkMaximum(t, f, box, result, r)
			if want := f(x, nil); result.Value < want-1e-12*(1+math.Abs(want)) {
				t.Errorf("d = %d: value %.15g, coordinate ascent %.15g", d, result.Value, want)
			}
			for i := range x {
				if math.Abs(x[i]-result.X[i]) > 1e-6 {
					t.Errorf("d = %d: X = %g, coordinate ascent %g", d, result.X, x)
					break
				}
			}
		}
	}
}

func rosenbrock(x, grad []float64) float64 {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	if grad != nil {
		grad[0], grad[1] = 2*a+400*x[0]*b, -200*b
	}
	return -a*a - 100*b*b
}

func TestRosenbrock(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct {
		lo, hi, want []float64
		evaluations  int
	}{
		{[]float64{-5, -5}, []float64{10, 10}, []float64{1, 1}, 60},
		{[]float64{-1.5, -1.5}, []float64{0.5, 2}, []float64{0.5, 0.25}, 40},
		{[]float64{-1.5, -1.5}, []float64{2, 0.5}, []float64{math.Sqrt2 / 2, 0.5}, 40}, // x1 follows from x2
	} {
		box, _ := space.New(c.lo, c.hi)
		result := NewLocal(box, Settings{}).Maximize(rosenbrock, []float64{-1.2, 1})
		t.Logf("%d evaluations to %v", result.Evaluations, result.X)
		checkMaximum(t, rosenbrock, box, result, r)
		if c.want[1] == 0.5 {
			// With x2 fixed at 1/2, the derivative in x1 is 2(1-x1) + 400 x1 (1/2 - x1²).
			c.want[0] = root(func(v float64) float64 { return 2*(1-v) + 400*v*(0.5-v*v) }, 0.5, 1)
		}
		for i := range c.want {
			check.That(t, math.Abs(result.X[i]-c.want[i]) <= 1e-6, "X = %v, want %v", result.X, c.want)
		}
		if result.Evaluations > c.evaluations {
			t.Errorf("%d evaluations, want at most %d", result.Evaluations, c.evaluations)
		}
	}
}

// root bisects for the zero of f, positive at lo.
func root(f func(float64) float64, lo, hi float64) float64 {
	for range 100 {
		if m := (lo + hi) / 2; f(m) > 0 {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

func TestOptimumInACorner(t *testing.T) {
	for _, d := range []int{1, 2, 12} {
		t.Run(fmt.Sprintf("%d-D", d), func(t *testing.T) {
			box := odd(d)
			f := func(x, grad []float64) float64 {
				var v float64
				for i := range x {
					v += x[i] / (box.Hi[i] - box.Lo[i])
					grad[i] = 1 / (box.Hi[i] - box.Lo[i])
				}
				return v
			}
			result := NewLocal(box, Settings{}).Maximize(f, box.Lo)
			check.That(t, slices.Equal(result.X, box.Hi), "the maximum is at %g, not in the corner", result.X)
			if result.Status != Converged || result.ProjectedGradient != 0 {
				t.Errorf("%v with projected gradient %g", result.Status, result.ProjectedGradient)
			}
			check.That(t, result.Evaluations <= 6, "%d evaluations", result.Evaluations)
		})
	}
}

func TestFlat(t *testing.T) {
	flat := func(x, grad []float64) float64 { clear(grad); return 7 }
	result := NewLocal(space.Cube(3, 0, 1), Settings{}).Maximize(flat, []float64{0.1, 0.2, 0.3})
	if result.Status != Converged || result.Evaluations != 1 || !slices.Equal(result.X, []float64{0.1, 0.2, 0.3}) {
		t.Errorf("%+v", result)
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
			if result.Status != Converged || math.Abs(result.X[0]-1.3) > 1e-6 || math.Abs(result.X[1]) > 1e-6 {
				t.Errorf("%s, in gradient %t: %+v", name, inGradient, result)
			}
			if result := l.Maximize(f, []float64{-1, 0}); result.Status != Undefined || result.Evaluations != 1 {
				t.Errorf("%s, in gradient %t, at the start: %+v", name, inGradient, result)
			}
		}
	}
}

// The first trial, 0.5 from the start, is next to a singularity. The curvature learnt there hides the possible
// gain; that must not pass for convergence.
func TestSingularityNextToATrial(t *testing.T) {
	f := func(x, grad []float64) float64 {
		if math.Abs(x[0]-0.4) < 1e-6 {
			grad[0] = 1e18
			return -5
		}
		grad[0] = -2 * (x[0] - 0.2)
		return -(x[0] - 0.2) * (x[0] - 0.2)
	}
	result := NewLocal(space.Cube(1, 0, 1), Settings{}).Maximize(f, []float64{0.9})
	if result.Status != Converged || math.Abs(result.X[0]-0.2) > 1e-8 || result.Evaluations > 8 {
		t.Errorf("%+v", result)
	}
}

// At a kink the gradient does not vanish: the search must come close, stop, and not claim to have converged.
func TestKinks(t *testing.T) {
	peak := func(x, grad []float64) float64 {
		var v float64
		for i := range x {
			c := 0.3 + 0.05*float64(i)
			v -= math.Abs(x[i] - c)
			grad[i] = math.Copysign(1, c-x[i])
		}
		return v
	}
	for _, d := range []int{1, 2, 5} {
		box := space.Cube(d, 0, 1)
		result := NewLocal(box, Settings{}).Maximize(peak, box.Hi)
		t.Logf("d = %d: %d evaluations to %g", d, result.Evaluations, result.Value)
		if result.Status != NoProgress || result.Value < -1e-6 || result.Evaluations > 40*d {
			t.Errorf("d = %d: %+v", d, result)
		}
	}
}

// For any objective the result is in the box, is the best of all points tried, including the start, and takes
// at most MaxIter trials.
func TestResultIsTheBestMet(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for run := range 600 {
		d := 1 + r.IntN(4)
		box := odd(d)
		f := bumps(box, 8, 0.05+r.Float64(), run%3 == 0, r)
		switch g := f; run % 4 {
		case 1: // jumps
			f = func(x, grad []float64) float64 { return math.Round(8*g(x, grad)) / 8 }
		case 2: // the gradient lies
			f = func(x, grad []float64) float64 {
				v := g(x, grad)
				for i := range grad {
					grad[i] *= 1 - 3*v
				}
				return v
			}
		case 3: // holes
			f = func(x, grad []float64) float64 {
				v := g(x, grad)
				if v > 0.5 && v < 0.6 {
					v = math.NaN()
				}
				return v
			}
		}
		x0 := box.Sample(make([]float64, d), r)
		if run%5 == 0 {
			x0[0] = box.Hi[0]
		}
		start := f(x0, make([]float64, d))
		l := NewLocal(box, Settings{MaxIter: 60})
		best := math.Inf(-1)
		result := l.Maximize(func(x, grad []float64) float64 {
			v := f(x, grad)
			if v > best {
				best = v
			}
			return v
		}, x0)
		if math.IsNaN(start) {
			if result.Status != Undefined {
				t.Fatalf("run %d: %v from an undefined start", run, result.Status)
			}
			continue
		}
		if !(result.Value >= start) || result.Value != best {
			t.Fatalf("run %d: start %g, best met %g, result %g", run, start, best, result.Value)
		}
		if !box.Contains(result.X) {
			t.Fatalf("run %d: %g is outside the box", run, result.X)
		}
		if result.Evaluations > 61 {
			t.Fatalf("run %d: %d evaluations", run, result.Evaluations)
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
	result := NewLocal(box, Settings{GradTol: 0.01, Step: 0.1}).Maximize(f, []float64{-5, -4})
	strict := NewLocal(box, Settings{GradTol: 1e-12, Step: 0.1}).Maximize(f, []float64{-5, -4})
	check.That(t, result.Status == Converged, "%v", result.Status)
	if g, steepest := result.ProjectedGradient, 12*math.Exp(-0.5); g > 0.01*steepest || g < 1e-6*steepest {
		t.Errorf("projected gradient %g; the steepest is %g", g, steepest)
	}
	if result.Evaluations > strict.Evaluations-3 {
		t.Errorf("%d evaluations, with a strict tolerance %d", result.Evaluations, strict.Evaluations)
	}
}

func TestMaxIter(t *testing.T) {
	result := NewLocal(space.Cube(2, -5, 10), Settings{MaxIter: 5}).Maximize(rosenbrock, []float64{-1.2, 1})
	check.That(t, result.Status == MaxIterations && result.Evaluations == 6, "%+v", result)
}

// Values have a relative error of 1e-9. If ValueTol says so, the search stops when it is that close; otherwise
// it must still stop.
func TestNoisyValues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	box := space.Cube(2, 0, 1)
	for range 50 {
		exact := bumps(box, 20, 0.3, false, r)
		f := func(x, grad []float64) float64 {
			return exact(x, grad) * (1 + 1e-9*math.Sin(1e7*x[0]+3e6*x[1]))
		}
		x0 := box.Sample(make([]float64, 2), r)
		known := NewLocal(box, Settings{ValueTol: 1e-9}).Maximize(f, x0)
		best := NewLocal(box, Settings{}).Maximize(exact, x0)
		if known.Status != Converged || known.Evaluations > best.Evaluations+3 || known.Value < best.Value-1e-8*(1+math.Abs(best.Value)) {
			t.Errorf("noisy %+v\nexact %+v", known, best)
		}
		if untold := NewLocal(box, Settings{}).Maximize(f, x0); untold.Evaluations > 25 {
			t.Errorf("%d evaluations without ValueTol", untold.Evaluations)
		}
	}
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
		t.Logf("offset %g: %d evaluations more, %v", offset, evaluations, statuses)
		if statuses[Converged] != 100 || evaluations > 20 {
			t.Errorf("offset %g: %d evaluations more in 100 searches, %v", offset, evaluations, statuses)
		}
	}
}

// Scales that are powers of 2 are exact, so the search must go the same way.
func TestScalesDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	unit := space.Cube(2, 0, 1)
	wide, _ := space.New([]float64{0, 0}, []float64{0x1p-9, 0x1p12})
	for _, factor := range []float64{1, 0x1p-300, 0x1p300} {
		t.Run(fmt.Sprint(factor), func(t *testing.T) {
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
			if a.Evaluations != b.Evaluations || a.Status != b.Status {
				t.Errorf("%d evaluations and %v, scaled %d and %v", a.Evaluations, a.Status, b.Evaluations, b.Status)
			}
			if a.X[0] != b.X[0]*0x1p9 || a.X[1] != b.X[1]*0x1p-12 {
				t.Errorf("the maximum is at %g, scaled at %g", a.X, b.X)
			}
			check.That(t, a.Value*factor == b.Value, "the maximum is %g, scaled %g", a.Value, b.Value)
		})
	}
}

// A search that starts at a maximum notices that cheaply and stays there.
func TestStartAtTheMaximum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, d := range []int{1, 2, 7} {
		box := odd(d)
		for range 50 {
			f := bumps(box, 15, 0.4, false, r)
			l := NewLocal(box, Settings{})
			first := l.Maximize(f, box.Sample(make([]float64, d), r))
			x, value := slices.Clone(first.X), first.Value
			again := l.Maximize(f, x)
			if again.Status != Converged || again.Evaluations > 5 || again.Value < value {
				t.Errorf("d = %d: value %.17g, again %+v", d, value, again)
			}
		}
	}
}

func TestStartIsClipped(t *testing.T) {
	var first []float64
	f := func(x, grad []float64) float64 {
		if first == nil {
			first = slices.Clone(x)
		}
		clear(grad)
		return 0
	}
	NewLocal(space.Cube(2, 0.1, 0.7), Settings{}).Maximize(f, []float64{-3, 9})
	check.That(t, slices.Equal(first, []float64{0.1, 0.7}), "started at %g, want the corner 0.1 0.7", first)
}

func TestMaximizeDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, d := range []int{1, 2, 12} {
		box := odd(d)
		f := bumps(box, 20, 0.3, false, r)
		l, x := NewLocal(box, Settings{}), box.Sample(make([]float64, d), r)
		if a := testing.AllocsPerRun(5, func() { l.Maximize(f, x) }); a != 0 {
			t.Errorf("d = %d: %g allocations", d, a)
		}
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
		func() {
			defer func() {
				check.That(t, recover() != nil, "%s does not panic", what)
			}()
			f()
		}()
	}
}
