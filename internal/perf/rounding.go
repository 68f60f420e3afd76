package perf

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
)

// rounding is a fingerprint of the arithmetic of this program on this processor.
// Compilers for arm64, ppc64le, riscv64 and s390x, and for amd64 with GOAMD64=v3,
// make one instruction of x*y + z, which rounds once where others round twice;
// package math has its own code on some architectures, and math.Exp on amd64 asks
// the processor what it can. Last digits differ then, and after some steps of an
// algorithm all else does. Where the fingerprints agree, counts of work have to.
func rounding() string {
	h := fnv.New64a()
	var buf [8]byte
	put := func(v float64) {
		binary.LittleEndian.PutUint64(buf[:], math.Float64bits(v))
		h.Write(buf[:])
	}
	x := 0.1
	for range 500 {
		x = math.Mod(x*997.1+0.37, 1)
		y := 1 / (x + 0.5)
		put(multiplyAdd(x, y, -x))
		for _, f := range []func(float64) float64{
			math.Exp, math.Log, math.Expm1, math.Log1p, math.Sin, math.Cos, math.Tanh, math.Erf, math.Erfc, math.Atan, math.Cbrt, math.Gamma,
		} {
			put(f(20*x - 5))
			put(f(x))
		}
		put(math.Pow(x, y))
		put(math.Hypot(x, y))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// multiplyAdd is x*y + z, fused or not, as the compiler likes.
//
//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
