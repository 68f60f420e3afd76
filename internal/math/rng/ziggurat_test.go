package rng

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// The draws are those of math/rand/v2 except for the last digits in the tails, and they leave the
// stream in the same state.
func TestDrawsAreThoseOfRand(t *testing.T) {
	n := 10_000_000
	if testing.Short() {
		n = 300_000
	}
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
			if math.Abs(y) > c.tail {
				tail++
				if !(math.Abs(x-y) <= 1e-15*math.Abs(y)) {
					t.Fatalf("%s, draw %d: %v, in math/rand/v2 %v", c.name, i, x, y)
				}
			} else if x != y {
				t.Fatalf("%s, draw %d: %v, in math/rand/v2 %v", c.name, i, x, y)
			}
		}
		if x, y := a.Uint64(), b.Uint64(); x != y {
			t.Errorf("%s: the next number is %d, in math/rand/v2 %d", c.name, x, y)
		}
		if want := c.share * float64(n); math.Abs(float64(tail)-want) > 6*math.Sqrt(want) {
			t.Errorf("%s: %d draws from the tail, want about %.0f", c.name, tail, want)
		}
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

func BenchmarkNormal(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	b.Run("ours", func(b *testing.B) {
		for range b.N {
			sink += Normal(r)
		}
	})
	b.Run("rand", func(b *testing.B) {
		for range b.N {
			sink += r.NormFloat64()
		}
	})
}

var sink float64
