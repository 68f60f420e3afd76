package kernel

import (
	"math"
	"math/big"
)

// The exponential of the hot loops: a table of 2^(i/128) and a polynomial of
// degree 5 on |r| <= ln2/256 (Tang, "Table-driven implementation of the
// exponential function in IEEE floating-point arithmetic", TOMS 15, 1989).
// Against math.Exp it is faster, being a loop without calls, and it gives the
// same bits on every architecture, which math.Exp does not: hence the float64
// conversions, which forbid fused multiply-add. Relative error below 2 ulp.
const (
	expBits  = 7
	expSteps = 1 << expBits
	expMax   = 708 // exp(-708) is still a normal number

	// Adding roundShift leaves the nearest integer in the low bits.
	roundShift = 0x1.8p52
	// One step ln2/128 in two parts, of which the first has so few bits that
	// its multiples up to expMax are exact.
	stepHi = 0x1.62e42fefap-1 / expSteps
	stepLo = math.Ln2/expSteps - stepHi
)

// expTable[i] has the bits of 2^(i/128) less those that adding i to the
// exponent field shifted by expBits puts in.
var expTable = func() (table [expSteps]uint64) {
	const prec = 200
	roots := make([]*big.Float, expBits) // roots[b] = 2^(2^b/128)
	root := new(big.Float).SetPrec(prec).SetInt64(2)
	for b := range roots {
		root = new(big.Float).SetPrec(prec).Sqrt(root)
		roots[expBits-1-b] = root
	}
	for i := range table {
		v := new(big.Float).SetPrec(prec).SetInt64(1)
		for b, root := range roots {
			if i>>b&1 == 1 {
				v.Mul(v, root)
			}
		}
		f, _ := v.Float64()
		table[i] = math.Float64bits(f) - uint64(i)<<(52-expBits)
	}
	return table
}()

// mulExpNeg multiplies dst[i] by exp(-arg[i]); arg[i] >= 0.
func mulExpNeg(dst, arg []float64) {
	arg = arg[:len(dst)]
	for i, x := range arg {
		if !(x <= expMax) {
			dst[i] = mulExpNegFar(dst[i], x)
			continue
		}
		steps := roundShift - float64(x*(expSteps/math.Ln2))
		n := math.Float64bits(steps)
		steps -= roundShift
		r := (-x - float64(steps*stepHi)) - float64(steps*stepLo)
		r2 := float64(r * r)
		p := r + float64(r2*(0.5+float64(r*(1./6)))) + float64(float64(r2*r2)*(1./24+float64(r*(1./120))))
		scale := math.Float64frombits(expTable[n%expSteps] + n<<(52-expBits))
		dst[i] *= scale + float64(scale*p)
	}
}

// mulExpNegFar is v exp(-x) for x > expMax or NaN. It goes in strides, so that
// a large v is not lost to the underflow of exp(-x) alone.
func mulExpNegFar(v, x float64) float64 {
	if x > 4*expMax {
		return 0
	}
	for ; x > expMax; x -= expMax {
		v *= expNeg(expMax)
	}
	return v * expNeg(x)
}

// expNeg is exp(-x) for 0 <= x <= expMax, and NaN for NaN.
func expNeg(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	var v, a [1]float64
	v[0], a[0] = 1, x
	mulExpNeg(v[:], a[:])
	return v[0]
}
