package rng

import (
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
		if got != c.want {
			t.Errorf("Stream(%d, %q): Uint64, Float64, NormFloat64, IntN(1000) are %#x, recorded as %#x", c.seed, c.labels, got, c.want)
		}
	}
}

// Names that simple concatenation would confuse.
func TestDifferentNamesDifferentNumbers(t *testing.T) {
	seen := map[uint64]string{}
	for name, r := range map[string]*rand.Rand{
		"none":           Stream(7),
		"empty":          Stream(7, ""),
		"two empty":      Stream(7, "", ""),
		"ab c":           Stream(7, "ab", "c"),
		"a bc":           Stream(7, "a", "bc"),
		"abc":            Stream(7, "abc"),
		"c ab":           Stream(7, "c", "ab"),
		"other seed":     Stream(8, "abc"),
		"nul":            Stream(7, "abc\x00"),
		"length as text": Stream(7, "a\x00\x00\x00\x00\x00\x00\x00\x02bc"),
	} {
		v := r.Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("%q and %q start alike", name, other)
		}
		seen[v] = name
	}
}

// Streams of neighbouring seeds and labels must be uncorrelated: over n independent uniform pairs
// the correlation has standard deviation 1/√n.
func TestNeighboursAreUncorrelated(t *testing.T) {
	const n = 20000
	var sum float64
	for i := range uint64(n) {
		sum += (Stream(i, "a").Float64() - 0.5) * (Stream(i+1, "a").Float64() - 0.5)
	}
	if c := 12 * sum / n; math.Abs(c) > 5/math.Sqrt(n) {
		t.Errorf("correlation of neighbouring seeds is %.4f, more than five standard deviations from 0", c)
	}
}

// Half of the draws are below the geometric mean of the ends, and a quarter below that of it and the lower end. Five
// standard deviations of slack.
func TestLogUniform(t *testing.T) {
	const n = 20_000
	r, same := Stream(1), Stream(1)
	var half, quarter float64
	for range n {
		v := LogUniform(r, 1e-4, 100)
		same.Float64()
		if v < 1e-4 || v > 100 {
			t.Fatalf("%g is outside the range", v)
		}
		if v < 0.1 {
			half++
		}
		if v < 0.1/math.Sqrt(1000) {
			quarter++
		}
	}
	if math.Abs(half-n/2) > 5*math.Sqrt(n/4) || math.Abs(quarter-n/4) > 5*math.Sqrt(n*3/16) {
		t.Errorf("%g of %d draws are in the lower half, %g in the lowest quarter", half, n, quarter)
	}
	check.That(t, r.Uint64() == same.Uint64(), "it draws another count of numbers than one")
}
