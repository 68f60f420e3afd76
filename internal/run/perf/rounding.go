package perf

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// rounding returns a fingerprint of the arithmetic that records are made with, as compiled for this processor: package
// fmath, sums of package wide, and the operators of the language. Where it differs, the last digits differ, and after some
// steps the queries of an algorithm. Where two fingerprints agree, the work counts must agree.
func rounding() string {
	h := fnv.New64a()
	var buf [8]byte
	put := func(v float64) {
		binary.LittleEndian.PutUint64(buf[:], math.Float64bits(v))
		h.Write(buf[:])
	}
	x := 0.1
	var all, reciprocals []float64
	for range 500 {
		x = math.Mod(float64(x*997.1)+0.37, 1)
		y := 1 / (x + 0.5)
		all, reciprocals = append(all, x), append(reciprocals, y)
		put(math.FMA(x, y, -x))
		put(math.Sqrt(x))
		for _, f := range []func(float64) float64{
			fmath.Exp, fmath.Log1p, fmath.Expm1, fmath.Sin, fmath.Cos, fmath.Tanh, fmath.Sinh, fmath.Cosh, fmath.Erfc,
		} {
			put(f(float64(20*x) - 0.9))
			put(f(x))
		}
		put(fmath.Log(x))
		put(fmath.Lgamma(x))
		put(fmath.Pow(x, y))
		put(fmath.Hypot(x, y))
		put(wide.Dot(all, reciprocals))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
