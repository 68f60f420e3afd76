package fmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Where the compiler does not fuse, package math has the same bits up to 2^29;
// elsewhere the last bit may differ.
func TestTrigonometryIsThatOfMath(t *testing.T) {
	fused := fuses(1+0x1p-30, 1-0x1p-30, -1)
	r := rand.New(rand.NewPCG(7, 7))
	check := func(x float64) {
		tolerance := 0.0
		if fused || math.Abs(x) >= exactTurns {
			tolerance = 0x1p-52
		}
		for _, f := range []struct {
			name       string
			ours, math func(float64) float64
		}{{"Sin", Sin, math.Sin}, {"Cos", Cos, math.Cos}} {
			got, want := f.ours(x), f.math(x)
			if math.Abs(got-want) > tolerance || math.Signbit(got) != math.Signbit(want) && tolerance == 0 || math.IsNaN(got) != math.IsNaN(want) {
				t.Fatalf("%s(%v) = %v, math has %v", f.name, x, got, want)
			}
		}
	}
	for range 200_000 {
		u := 2*r.Float64() - 1
		check(1000 * u)
		check(u * math.Exp2(600*r.Float64()-300))
	}
	for n := range 2000 { // the ends of octants
		x := float64(n) * math.Pi / 4
		for _, x := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, 1e9)} {
			check(x)
			check(-x)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, exactTurns, math.Nextafter(exactTurns, 0), math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		check(x)
	}
}

// fuses reports whether the compiler makes one instruction of x*y + z. x*y must be so close to -z
// that rounding it makes the sum 0.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != 0 }
