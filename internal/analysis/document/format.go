package document

import (
	"math"
	"strconv"

	"popbench/internal/math/stats"
)

const None = "—" // a number that there is not

// decimals is how many are worth printing of a mean with that standard error:
// as many as show two digits of the error if it starts with 1, 2 or 3 (up to
// 354), one otherwise; the rule of the Particle Data Group. Negative: too small
// for fixed point.
func decimals(s *stats.Summary) int {
	if s.StdErr == 0 || math.IsNaN(s.StdErr) {
		return 3
	}
	e := math.Floor(math.Log10(s.StdErr))
	lead := s.StdErr / math.Pow(10, e) // 1 ≤ lead < 10
	d := -int(e)
	if lead < 3.55 {
		d++
	}
	if d > 6 {
		return -1
	}
	return max(d, 0)
}

func Number(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return None
	case decimals < 0:
		return strconv.FormatFloat(v, 'e', 1, 64)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if f, _ := strconv.ParseFloat(text, 64); f == 0 {
		text = strconv.FormatFloat(0, 'f', decimals, 64) // never "-0.00"
	}
	return text
}

// MeanStd is "0.310 ± 0.290".
func MeanStd(s *stats.Summary) string {
	if s == nil || s.N == 0 {
		return None
	}
	d := decimals(s)
	return Number(s.Mean, d) + " ± " + Number(s.Std, d)
}

// Interval is "[0.21, 0.43]".
func Interval(s *stats.Summary) string {
	if s == nil || math.IsNaN(s.CI.Lo) {
		return None
	}
	d := decimals(s)
	return "[" + Number(s.CI.Lo, d) + ", " + Number(s.CI.Hi, d) + "]"
}

// Short is a number of which nothing but the number is known.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return None
	case a != 0 && a < 0.0005:
		return strconv.FormatFloat(v, 'e', 1, 64)
	case a < 0.1:
		return strconv.FormatFloat(v, 'f', 3, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

func ShortPair(mean, std float64) string {
	if a := math.Abs(mean); a != 0 && a < 0.0005 {
		return strconv.FormatFloat(mean, 'e', 1, 64) + " ± " + strconv.FormatFloat(std, 'e', 1, 64)
	}
	d := 2
	if math.Abs(mean) < 0.1 {
		d = 3
	}
	return Number(mean, d) + " ± " + Number(std, d)
}

// PValue is "p = 0.04", "p < 0.001".
func PValue(p float64) string {
	switch {
	case p < 0.001:
		return "p < 0.001"
	case p < 0.1:
		return "p = " + strconv.FormatFloat(p, 'f', 3, 64)
	}
	return "p = " + strconv.FormatFloat(p, 'f', 2, 64)
}

// Duration is "85 µs", "1.4 ms" or "12 s": two digits, more from 100 of a unit.
func Duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return None
	}
	unit := "s"
	switch {
	case seconds == 0:
		return "0 s"
	case seconds < 0.9995e-3:
		seconds, unit = seconds*1e6, "µs"
	case seconds < 0.9995:
		seconds, unit = seconds*1e3, "ms"
	}
	digits := 0
	for limit := 9.95; seconds < limit && digits < 4; limit /= 10 {
		digits++
	}
	return strconv.FormatFloat(seconds, 'f', digits, 64) + "\u00a0" + unit
}

// ConfidenceSet is that of Thm. 1 of the paper.
const ConfidenceSet = "{f : ‖f‖ ≤ B, ℓ_t(f) ≥ ℓ_t(MLE) − β_t}"

// Percent is "96.7 %"; only a share of all is 100, only one of none is 0.
func Percent(s stats.Share) string {
	switch {
	case s.N == 0:
		return None
	case s.Count == 0 || s.Count == s.N:
		return Number(100*s.Value(), 0) + "\u00a0%"
	}
	return Number(min(max(100*s.Value(), 0.1), 99.9), 1) + "\u00a0%"
}

// PercentInterval is "96.7 % [83, 99]".
func PercentInterval(s stats.Share) string {
	if s.N == 0 {
		return None
	}
	ci := s.Wilson(stats.Level)
	return Percent(s) + " [" + Number(100*ci.Lo, 0) + ", " + Number(100*ci.Hi, 0) + "]"
}

// MeanInterval is "0.51 [0.43, 0.65]".
func MeanInterval(s *stats.Summary) string {
	text := Number(s.Mean, decimals(s))
	if !math.IsNaN(s.CI.Lo) {
		text += " " + Interval(s)
	}
	return text
}
