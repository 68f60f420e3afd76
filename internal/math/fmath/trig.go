package fmath

import (
	"math"
	"math/bits"
)

// Sin is the sine of x radians; error below 2 ulp, plus 2^-100 |x| for |x| < 2^29, which matters
// only next to a zero.
func Sin(x float64) float64 {
	a := math.Abs(x)
	if !(a <= math.MaxFloat64) {
		return math.NaN()
	}
	if x == 0 {
		return x
	}
	octant, z := reduce(a)
	y := wave(octant, z)
	if (octant > 3) != (x < 0) {
		return -y
	}
	return y
}

// Cos is the cosine of x radians; error as for Sin.
func Cos(x float64) float64 {
	a := math.Abs(x)
	if !(a <= math.MaxFloat64) {
		return math.NaN()
	}
	octant, z := reduce(a)
	y := wave(octant+2, z)
	if octant == 2 || octant == 4 {
		return -y
	}
	return y
}

// exactTurns limits the argument of the short reduction. Below it, the reduction subtracts multiples
// of π/4 that are exact products.
const exactTurns = 1 << 29

// reduce returns the even octant (0, 2, 4 or 6) whose start is nearest to x >= 0, and the distance
// of x from it, at most π/4 (Cody and Waite, "Software Manual for the Elementary Functions", 1980).
func reduce(x float64) (octant uint64, z float64) {
	const ( // π/4 in three parts; the first two have so few bits that their multiples are exact
		first  = 0x1.921fb4p-1
		second = 0x1.4442d0p-25
		third  = 0x1.8469898cc5170p-49
	)
	if x >= exactTurns {
		return reduceFar(x)
	}
	n := uint64(x * (4 / math.Pi))
	n += n & 1
	turns := float64(n)
	z = ((x - float64(turns*first)) - float64(turns*second)) - float64(turns*third)
	return n & 7, z
}

// reduceFar is reduce for x >= 2^29. It multiplies the integer mantissa with the 192 bits of 4/π
// that decide the product modulo 8 (Payne and Hanek, "Radian reduction for trigonometric
// functions", SIGNUM Newsletter 18, 1983).
func reduceFar(x float64) (octant uint64, z float64) {
	b := math.Float64bits(x)
	mantissa := b&(1<<52-1) | 1<<52
	exponent := uint(b>>52) - (1023 + 52) // x = mantissa 2^exponent; may be negative
	first := exponent + 61                // bits of 4/π before this one add multiples of 8
	word, shift := first/64, first%64
	word64 := func(i uint) uint64 {
		return fourOverPi[word+i]<<shift | fourOverPi[word+i+1]>>(64-shift)
	}
	// Three bits of the octant and 125 of the fraction, in hi and lo.
	carry, _ := bits.Mul64(word64(2), mantissa)
	high, lo := bits.Mul64(word64(1), mantissa)
	lo, c := bits.Add64(lo, carry, 0)
	hi, _ := bits.Add64(word64(0)*mantissa, high, c)
	octant = hi >> 61
	hi, lo = hi<<3|lo>>61, lo<<3
	sign := math.Pi / 4
	if octant&1 == 1 { // up to the even octant
		octant = (octant + 1) & 7
		sign = -sign
		lo, c = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, c)
	}
	return octant, sign * (float64(float64(hi)*0x1p-64) + float64(float64(lo)*0x1p-128))
}

// wave is the sine of z, or in octants 2 and 6 the cosine, for |z| <= π/4. The coefficients are from
// the Cephes library (S. L. Moshier).
func wave(octant uint64, z float64) float64 {
	zz := float64(z * z)
	if octant&2 == 0 {
		p := poly5(zz, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
			-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1)
		return z + float64(z*zz*p)
	}
	p := poly5(zz, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2)
	return 1 - float64(0.5*zz) + float64(zz*zz*p)
}

// fourOverPi holds the bits of 4/π. The first word holds the bit of 2^0, after 63 zeros.
var fourOverPi = [...]uint64{
	0x0000000000000001, 0x45f306dc9c882a53, 0xf84eafa3ea69bb81, 0xb6c52b3278872083,
	0xfca2c757bd778ac3, 0x6e48dc74849ba5c0, 0x0c925dd413a32439, 0xfc3bd63962534e7d,
	0xd1046bea5d768909, 0xd338e04d68befc82, 0x7323ac7306a673e9, 0x3908bf177bf25076,
	0x3ff12fffbc0b301f, 0xde5e2316b414da3e, 0xda6cfd9e4f96136e, 0x9e8c7ecd3cbfd45a,
	0xea4f758fd7cbe2f6, 0x7a0e73ef14a525d4, 0xd7f6bf623f1aba10, 0xac06608df8f6d757,
	0xe19f784135e86c3b,
}
