package rng

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// These numbers must never change, because every recorded result depends on them. The test also
// covers the methods of rand.Rand that the benchmark uses, because Go does not guarantee them
// between releases.
func TestStreamsNeverChange(t *testing.T) {
	for _, c := range []struct {
		seed   uint64
		labels []string
		want   [4]uint64
	}{
		{0, nil, [4]uint64{0xa19668ccae143b9b, 0x3fe05e9c570774a9, 0xbff797766cdf2cdc, 0x3ab}},
		{1, []string{"oracle", "branin", "0"}, [4]uint64{0x263d8669abf2c18b, 0x3fe0d2cdc471889b, 0x3fd722ba9fecf52a, 0x53}},
		{math.MaxUint64, []string{"", "é"}, [4]uint64{0x3208e85c46d6f071, 0x3fd928c133a648b8, 0x3fdacc0100f232c9, 0x243}},
	} {
		r := Stream(c.seed, c.labels...)
		got := [4]uint64{r.Uint64(), math.Float64bits(r.Float64()), math.Float64bits(r.NormFloat64()), uint64(r.IntN(1000))}
		check.That(t, got == c.want, "Stream(%d, %q): Uint64, Float64, NormFloat64, IntN(1000) are %#x, recorded as %#x", c.seed, c.labels, got, c.want)
	}
}

// Names that simple concatenation would confuse.
func TestDifferentNamesDifferentNumbers(t *testing.T) {
	seen := map[uint64]string{Stream(8, "abc").Uint64(): "another seed"}
	for _, labels := range [][]string{nil, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"c", "ab"}, {"abc\x00"}, {"a\x00\x00\x00\x00\x00\x00\x00\x02bc"}} {
		v := Stream(7, labels...).Uint64()
		check.That(t, seen[v] == "", "%q and %s start alike", labels, seen[v])
		seen[v] = fmt.Sprintf("%q", labels)
	}
}

// A draw is as far between the logarithms of the ends as the one number that it takes is between 0 and 1.
func TestLogUniform(t *testing.T) {
	const lo, hi = 1e-4, 100.
	r, same := Stream(1), Stream(1)
	for range 1000 {
		v, want := LogUniform(r, lo, hi), lo*math.Pow(hi/lo, same.Float64())
		check.Near(t, v, want, 1e-14*want, "draw")
	}
	check.Equal(t, "a draw from the range of one number, outside of which rounding must not lead", LogUniform(r, 3, 3), 3)
}

// The draws are those of math/rand/v2 except for the last digits in the tails, and they leave the
// stream in the same state.
func TestDrawsAreThoseOfRand(t *testing.T) {
	n := check.Few(500_000, 10_000_000)
	for _, c := range []struct {
		name        string
		ours        func(*rand.Rand) float64
		theirs      func(*rand.Rand) float64
		tail, share float64 // its start, and the share of draws in it
	}{
		{"Normal", Normal, (*rand.Rand).NormFloat64, normalTail, math.Erfc(normalTail / math.Sqrt2)},
		{"Exponential", Exponential, (*rand.Rand).ExpFloat64, exponentialTail, math.Exp(-exponentialTail)},
	} {
		a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		tail := 0
		for i := range n {
			x, y := c.ours(a), c.theirs(b)
			tol := 0.0
			if math.Abs(y) > c.tail {
				tail++
				tol = 1e-15 * math.Abs(y)
			}
			if !(math.Abs(x-y) <= tol) {
				t.Fatalf("%s, draw %d: %v, in math/rand/v2 %v", c.name, i, x, y)
			}
		}
		check.Equal(t, c.name+": the next number", a.Uint64(), b.Uint64())
		want := c.share * float64(n)
		check.That(t, math.Abs(float64(tail)-want) <= 6*math.Sqrt(want), "%s: %d draws from the tail, want about %.0f", c.name, tail, want)
	}
}

// The same on every platform: the hash of many draws, tails included.
func TestDrawsAreThoseOfEveryPlatform(t *testing.T) {
	const want = 0x5a90ed74ecb05d44
	h := uint64(14695981039346656037)
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		for _, v := range [...]float64{Normal(r), Exponential(r)} {
			h = (h ^ math.Float64bits(v)) * 1099511628211
		}
	}
	check.That(t, h == want, "the hash of the draws is %#x, on other platforms %#x", h, uint64(want))
}
