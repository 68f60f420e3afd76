package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Share is a number of successes in N trials.
type Share struct{ Count, N int }

// Value returns Count/N, or NaN without trials.
func (s Share) Value() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return float64(s.Count) / float64(s.N)
}

// Wilson returns the score interval of the success probability (Wilson, JASA 22, 1927): all p from
// which the share differs by at most z standard deviations under p. It works for shares of 0 and 1
// too. It is NaN without trials.
func (s Share) Wilson(level float64) Interval {
	if level <= 0 || level >= 1 || s.Count < 0 || s.Count > s.N {
		panic("stats: Wilson needs a level inside (0,1) and a count from 0 to N")
	}
	if s.N == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	n, p := float64(s.N), s.Value()
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	middle := float64(s.Count) + z*z/2
	half := z * math.Sqrt(float64(s.Count)*(1-p)+z*z/4)
	ci := Interval{(middle - half) / (n + z*z), (middle + half) / (n + z*z)}
	// Rounding would miss these ends.
	if s.Count == 0 {
		ci.Lo = 0
	}
	if s.Count == s.N {
		ci.Hi = 1
	}
	return ci
}

// Tails returns the probabilities of at least and of at most Count successes in N trials, each with probability p.
func (s Share) Tails(p float64) (atLeast, atMost float64) {
	if !(p >= 0 && p <= 1) || s.Count < 0 || s.Count > s.N {
		panic("stats: Tails needs a probability and a count from 0 to N")
	}
	k, n := float64(s.Count), float64(s.N)
	atLeast, atMost = 1, 1
	if s.Count > 0 {
		atLeast = mathext.RegIncBeta(k, n-k+1, p)
	}
	if s.Count < s.N {
		atMost = mathext.RegIncBeta(n-k, k+1, 1-p)
	}
	return atLeast, atMost
}

// ClopperPearson returns the exact interval of the success probability (Clopper & Pearson, Biometrika 26, 1934): all p of
// which neither tail is below tail, which is half of 1 − level. It is NaN without trials.
func (s Share) ClopperPearson(tail float64) Interval {
	if !(tail >= 0 && tail <= 0.5) {
		panic("stats: ClopperPearson needs a tail inside [0,1/2]")
	}
	if s.N == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	// Bisection: gonum's inverse of the incomplete beta function is wrong in far tails.
	bisect := func(reaches func(p float64) bool) float64 {
		lo, hi := 0.0, 1.0
		for range 1100 { // as many as there are exponents, because a lower end may be tiny
			mid := (lo + hi) / 2
			if mid <= lo || mid >= hi {
				break
			}
			if reaches(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi
	}
	ci := Interval{0, 1}
	if s.Count > 0 && tail > 0 {
		ci.Lo = bisect(func(p float64) bool { atLeast, _ := s.Tails(p); return atLeast >= tail })
	}
	if s.Count < s.N {
		ci.Hi = bisect(func(p float64) bool { _, atMost := s.Tails(p); return atMost < tail })
	}
	return ci
}
