package rng

import (
	"math"
	"math/rand/v2"

	"popbench/internal/math/fmath"
)

// Normal and Exponential draw as NormFloat64 and ExpFloat64 of math/rand/v2 do: by the same
// ziggurat, with the same numbers from the stream (Marsaglia and Tsang, "The Ziggurat Method for
// Generating Random Variables", J. Stat. Softw. 5, 2000). The functions of math/rand/v2 use package
// math, whose last digits depend on the processor. The results here are the same everywhere. They
// differ from math/rand/v2 in the last digits of draws from the tails, about one in two thousand.

const (
	normalStrips = 128
	normalTail   = 3.442619855899      // start of the tail
	normalArea   = 9.91256303526217e-3 // of a strip

	exponentialStrips = 256
	exponentialTail   = 7.69711747013104972
	exponentialArea   = 3.949659822581572e-3
)

// strip is one horizontal strip of a ziggurat.
type strip struct {
	within uint32  // integers below this one are certainly under the curve
	width  float32 // the strip's right end, for the integer 2^31 or 2^32
	height float32 // the density, not normalised, at the right end
}

var (
	normal = ziggurat(normalStrips, 1<<31, normalTail, normalArea,
		func(x float64) float64 { return fmath.Exp(-0.5 * x * x) },
		func(y float64) float64 { return math.Sqrt(-2 * fmath.Log(y)) })
	exponential = ziggurat(exponentialStrips, 1<<32, exponentialTail, exponentialArea,
		func(x float64) float64 { return fmath.Exp(-x) },
		func(y float64) float64 { return -fmath.Log(y) })
)

// ziggurat computes n strips of equal area under a density and its inverse, for
// integers below scale.
func ziggurat(n int, scale, tail, area float64, density, inverse func(float64) float64) []strip {
	s := make([]strip, n)
	base := area / density(tail)
	s[0] = strip{uint32(tail / base * scale), float32(base / scale), 1}
	x := tail
	for i := n - 1; i > 0; i-- {
		s[i].width, s[i].height = float32(x/scale), float32(density(x))
		if i > 1 {
			next := inverse(area/x + density(x))
			s[i].within = uint32(next / x * scale)
			x = next
		}
	}
	return s
}

// Normal returns a draw from the standard normal distribution.
func Normal(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j := int32(u)
		i := u >> 32 % normalStrips
		s := &normal[i]
		x := float64(j) * float64(s.width)
		if absolute(j) < s.within {
			return x
		}
		if i == 0 {
			for {
				x = float64(-fmath.Log(r.Float64()) * (1.0 / normalTail)) // added to below
				y := -fmath.Log(r.Float64())
				if y+y >= float64(x*x) {
					break
				}
			}
			if j > 0 {
				return normalTail + x
			}
			return -normalTail - x
		}
		if below(s.height, normal[i-1].height, r, fmath.Exp(-0.5*x*x)) {
			return x
		}
	}
}

// Exponential returns a draw from the exponential distribution of mean 1.
func Exponential(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j := uint32(u)
		i := u >> 32 % exponentialStrips
		s := &exponential[i]
		x := float64(j) * float64(s.width)
		if j < s.within {
			return x
		}
		if i == 0 {
			return exponentialTail - fmath.Log(r.Float64())
		}
		if below(s.height, exponential[i-1].height, r, fmath.Exp(-x)) {
			return x
		}
	}
}

// below draws a height within a strip and reports whether it is below the density.
func below(low, high float32, r *rand.Rand, density float64) bool {
	return low+float32(float32(r.Float64())*(high-low)) < float32(density)
}

func absolute(j int32) uint32 {
	if j < 0 {
		return uint32(-j)
	}
	return uint32(j)
}
