package fmath

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"popbench/internal/check"
)

var functions = map[string]struct {
	one   func(float64) float64
	std   func(float64) float64
	bound float64 // of the error, in ulp
}{
	"Exp":   {Exp, math.Exp, 1},
	"Expm1": {Expm1, math.Expm1, 1},
	"Log":   {Log, math.Log, 1},
	"Log1p": {Log1p, math.Log1p, 1},
	"Erfc":  {Erfc, math.Erfc, 3},
	"Tanh":  {Tanh, math.Tanh, 2},
	"Sinh":  {Sinh, math.Sinh, 2},
	"Cosh":  {Cosh, math.Cosh, 2},
	"Sin":   {Sin, math.Sin, 2},
	"Cos":   {Cos, math.Cos, 2},
}

// reference returns the cases of testdata/values.json: arguments, then the value in
// two parts.
func reference(t *testing.T) map[string][][]float64 {
	t.Helper()
	var texts map[string][][]string
	check.Read(t, "testdata/values.json", &texts)
	cases := map[string][][]float64{}
	for name, rows := range texts {
		for _, row := range rows {
			numbers := make([]float64, len(row))
			for i, s := range row {
				var err error
				if numbers[i], err = strconv.ParseFloat(s, 64); err != nil {
					t.Fatal(err)
				}
			}
			cases[name] = append(cases[name], numbers)
		}
	}
	return cases
}

// ulps is the error of got against hi + lo in units in the last place of hi.
func ulps(got, hi, lo float64) float64 {
	_, e := math.Frexp(hi)
	return ((got - hi) - lo) / math.Ldexp(1, max(e-53, -1074))
}

func TestAccuracy(t *testing.T) {
	cases := reference(t)
	check := func(name string, bound float64, value func(arguments []float64) float64) {
		t.Helper()
		if len(cases[name]) < 50 {
			t.Fatalf("%s has %d reference values", name, len(cases[name]))
		}
		var worst float64
		for _, c := range cases[name] {
			n := len(c) - 2
			e := math.Abs(ulps(value(c[:n]), c[n], c[n+1]))
			if name == "Sin" || name == "Cos" {
				e -= math.Abs(ulps(0, c[n], 0)) * 0x1p-100 * math.Abs(c[0]/c[n])
			}
			worst = max(worst, e)
			if !(e < bound) {
				t.Errorf("%s(%v) is %v, want %v: %.2f ulp, promised are %g", name, c[:n], value(c[:n]), c[n], e, bound)
			}
		}
		t.Logf("%s: at most %.3f ulp", name, worst)
	}
	for name, f := range functions {
		check(name, f.bound, func(a []float64) float64 { return f.one(a[0]) })
	}
	check("Sin far", 2, func(a []float64) float64 { return Sin(a[0]) })
	check("Cos far", 2, func(a []float64) float64 { return Cos(a[0]) })
	check("Pow", 2, func(a []float64) float64 { return Pow(a[0], a[1]) })
	check("Hypot", 2, func(a []float64) float64 { return Hypot(a[0], a[1]) })

	for _, c := range cases["Lgamma"] {
		if got, tol := Lgamma(c[0]), 8e-16*max(8, math.Abs(c[1])); !(math.Abs(got-c[1]) <= tol) {
			t.Errorf("Lgamma(%v) is %v, want %v", c[0], got, c[1])
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf := math.Inf(1)
	values := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -3, 0.5, -0.5, inf, -inf, math.NaN(),
		math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, -0x1p-1022, 0x1p-60, -0x1p-60, 28, -28, 711, -711, 746, -746, 1e300, -1e300, 0x1p53 + 1, 1 << 60}
	same := func(a, b float64) bool {
		if math.IsNaN(a) || math.IsNaN(b) {
			return math.IsNaN(a) && math.IsNaN(b)
		}
		if b == 0 || math.IsInf(b, 0) || math.Abs(b) == 1 || math.Abs(b) < 0x1p-1022 && a != 0 {
			return a == b && math.Signbit(a) == math.Signbit(b)
		}
		return math.Abs(a-b) <= 1e-13*math.Abs(b)
	}
	for _, x := range values {
		for name, f := range functions {
			check.That(t, same(f.one(x), f.std(x)), "%s(%v) is %v, in package math %v", name, x, f.one(x), f.std(x))
		}
		if want, _ := math.Lgamma(x); !(x < 0) && !same(Lgamma(x), want) && math.Abs(Lgamma(x)-want) > 1e-15*math.Abs(want) {
			t.Errorf("Lgamma(%v) is %v, in package math %v", x, Lgamma(x), want)
		}
		for _, y := range values {
			check.That(t, same(Pow(x, y), math.Pow(x, y)), "Pow(%v, %v) is %v, in package math %v", x, y, Pow(x, y), math.Pow(x, y))
			check.That(t, same(Hypot(x, y), math.Hypot(x, y)), "Hypot(%v, %v) is %v, in package math %v", x, y, Hypot(x, y), math.Hypot(x, y))
		}
	}
	check.That(t, math.IsNaN(Lgamma(-0.5)), "Lgamma(-0.5) is %v, want NaN: only positive arguments are supported", Lgamma(-0.5))
}

// bitsHash is the hash of the bits of every function at many arguments, on every platform.
func bitsHash() uint64 {
	h := uint64(14695981039346656037)
	add := func(v float64) {
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		x := 2 * float64(r.Float64()-0.5)
		x = float64(x * math.Ldexp(1, r.IntN(24)-12))
		y := float64(r.Float64() - 0.5)
		p := math.Abs(x)
		for _, v := range [...]float64{Exp(x), Expm1(x), Log(p), Log1p(p), Erfc(x), Tanh(x), Sinh(x), Cosh(x), Sin(x), Cos(x),
			Sin(0x1p70 * x), Cos(0x1p70 * x), Pow(p, y), Hypot(x, y), Lgamma(p)} {
			if math.IsNaN(v) { // its sign and payload are open
				v = math.NaN()
			}
			add(v)
		}
	}
	return h
}

func TestBitsAreThoseOfEveryPlatform(t *testing.T) {
	const want = 0x3bf526eb6b9d1f93
	got := bitsHash()
	check.That(t, got == want, "the hash of the bits is %#x, on other platforms %#x", got, uint64(want))
}
