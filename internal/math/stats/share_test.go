package stats

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
)

// The score intervals in Table I of Newcombe, "Two-sided confidence intervals
// for the single proportion", Statistics in Medicine 17 (1998), to four decimals.
func TestWilsonAgainstNewcombe(t *testing.T) {
	for _, c := range []struct {
		share  Share
		lo, hi float64
	}{
		{Share{81, 263}, 0.2553, 0.3662},
		{Share{15, 148}, 0.0624, 0.1605},
		{Share{0, 20}, 0, 0.1611},
		{Share{1, 29}, 0.0061, 0.1718},
	} {
		t.Run(fmt.Sprint(c.share), func(t *testing.T) {
			for _, s := range []Share{c.share, {c.share.N - c.share.Count, c.share.N}} {
				lo, hi := c.lo, c.hi
				if s != c.share {
					lo, hi = 1-c.hi, 1-c.lo
				}
				if got := s.Wilson(0.95); math.Abs(got.Lo-lo) > 5.1e-5 || math.Abs(got.Hi-hi) > 5.1e-5 {
					t.Errorf("%v: interval %.5f, want [%g, %g]", s, got, lo, hi)
				}
			}
		})
	}
}

// At the ends the share is z standard deviations away.
func TestWilsonSolvesItsEquation(t *testing.T) {
	const z = 1.6448536269514722 // of 90 %
	for n := 1; n <= 40; n += 3 {
		for k := range n + 1 {
			s := Share{k, n}
			ci := s.Wilson(0.9)
			check.That(t, ci.Lo >= 0 && ci.Lo <= s.Value() && s.Value() <= ci.Hi && ci.Hi <= 1, "%v: interval %v", s, ci)
			for _, p := range []float64{ci.Lo, ci.Hi} {
				if away, want := math.Abs(s.Value()-p), z*math.Sqrt(p*(1-p)/float64(n)); math.Abs(away-want) > 1e-12 {
					t.Errorf("%v: an end at %g is %g away, want %g", s, p, away, want)
				}
			}
		}
	}
	if got := (Share{}).Wilson(0.95); !math.IsNaN(got.Lo) || !math.IsNaN((Share{}).Value()) {
		t.Errorf("no trials: %v", got)
	}
}
