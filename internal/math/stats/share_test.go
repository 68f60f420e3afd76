package stats

import (
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
		got, failures := c.share.Wilson(0.95), Share{c.share.N - c.share.Count, c.share.N}.Wilson(0.95)
		for _, end := range [][2]float64{{got.Lo, c.lo}, {got.Hi, c.hi}, {1 - failures.Hi, c.lo}, {1 - failures.Lo, c.hi}} {
			check.Near(t, end[0], end[1], 5.1e-5, "%v", c.share)
		}
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
				check.Near(t, math.Abs(s.Value()-p), z*math.Sqrt(p*(1-p)/float64(n)), 1e-12, "%v: distance of the end %g", s, p)
			}
		}
	}
	got := (Share{}).Wilson(0.95)
	check.That(t, math.IsNaN(got.Lo) && math.IsNaN((Share{}).Value()), "no trials: %v", got)
}
