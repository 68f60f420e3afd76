package problems

import "math"

// Sine and cosine as package math computes them on amd64, with every product
// rounded before the addition. In package math the compiler fuses some products
// with the addition under GOAMD64=v3 and rounds once. The other functions of math
// that problems use (Exp, Log, Hypot, Sqrt, Pow, Expm1) do not depend on GOAMD64;
// TestValuesDoNotDependOnGOAMD64 would notice.

// exactTurns limits the argument of sin and cos: below it the multiples of π/4
// that reduce subtracts are exact products.
const exactTurns = 1 << 29

// sin returns the sine of x radians. Beyond 2^29 it is that of package math.
func sin(x float64) float64 {
	if !(math.Abs(x) < exactTurns) || x == 0 {
		return math.Sin(x)
	}
	octant, z := reduce(math.Abs(x))
	y := wave(octant, z)
	if (octant > 3) != (x < 0) {
		return -y
	}
	return y
}

// cos returns the cosine of x radians. Beyond 2^29 it is that of package math.
func cos(x float64) float64 {
	if !(math.Abs(x) < exactTurns) {
		return math.Cos(x)
	}
	octant, z := reduce(math.Abs(x))
	y := wave(octant+2, z)
	if octant == 2 || octant == 4 {
		return -y
	}
	return y
}

// reduce returns the even octant (0, 2, 4 or 6) whose start is nearest to x >= 0,
// and how far x is from it, at most π/4 (Cody and Waite, "Software Manual for
// the Elementary Functions", 1980).
func reduce(x float64) (octant uint64, z float64) {
	const ( // π/4 in three parts; the first two have so few bits that their multiples are exact
		first  = 0x1.921fb4p-1
		second = 0x1.4442d0p-25
		third  = 0x1.8469898cc5170p-49
	)
	n := uint64(x * (4 / math.Pi))
	n += n & 1
	turns := float64(n)
	z = ((x - float64(turns*first)) - float64(turns*second)) - float64(turns*third)
	return n & 7, z
}

// wave is the sine of z, or in octants 2 and 6 its cosine, for |z| <= π/4. The
// coefficients are those of the Cephes library (S. L. Moshier).
func wave(octant uint64, z float64) float64 {
	zz := float64(z * z)
	if octant&2 == 0 {
		p := horner(zz, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
			-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1)
		return z + float64(z*zz*p)
	}
	p := horner(zz, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2)
	return 1 - float64(0.5*zz) + float64(zz*zz*p)
}

// horner is the polynomial of degree 5 in v, highest coefficient first.
func horner(v, c5, c4, c3, c2, c1, c0 float64) float64 {
	p := float64(c5*v) + c4
	p = float64(p*v) + c3
	p = float64(p*v) + c2
	p = float64(p*v) + c1
	return float64(p*v) + c0
}
