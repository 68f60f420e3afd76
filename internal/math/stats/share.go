package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Share is a number of successes in N trials.
type Share struct{ Count, N int }

// Count is how many of some are what is asked for.
func Count[T any](some []T, is func(T) bool) (n int) {
	for _, v := range some {
		if is(v) {
			n++
		}
	}
	return n
}

// ShareOf is the share of some that are what is asked for.
func ShareOf[T any](some []T, is func(T) bool) Share { return Share{Count(some, is), len(some)} }

// Add adds a trial.
func (s *Share) Add(success bool) {
	if s.N++; success {
		s.Count++
	}
}

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
		return NoInterval()
	}
	n, p := float64(s.N), s.Value()
	z := mathext.NormalQuantile((1 + level) / 2)
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
