package report

import (
	"math"
	"strconv"

	"popbench/internal/analysis/paper"
	"popbench/internal/math/stats"
)

const none = "—" // a number that there is not

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

func number(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return none
	case decimals < 0:
		return strconv.FormatFloat(v, 'e', 1, 64)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if f, _ := strconv.ParseFloat(text, 64); f == 0 {
		text = strconv.FormatFloat(0, 'f', decimals, 64) // never "-0.00"
	}
	return text
}

// meanStd is "0.310 ± 0.290".
func meanStd(s *stats.Summary) string {
	if s == nil || s.N == 0 {
		return none
	}
	d := decimals(s)
	return number(s.Mean, d) + " ± " + number(s.Std, d)
}

// interval is "[0.21, 0.43]".
func interval(s *stats.Summary) string {
	if s == nil || math.IsNaN(s.CI.Lo) {
		return none
	}
	d := decimals(s)
	return "[" + number(s.CI.Lo, d) + ", " + number(s.CI.Hi, d) + "]"
}

// short is a number of which nothing but the number is known.
func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return none
	case a != 0 && a < 0.0005:
		return strconv.FormatFloat(v, 'e', 1, 64)
	case a < 0.1:
		return strconv.FormatFloat(v, 'f', 3, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

func shortPair(mean, std float64) string {
	if a := math.Abs(mean); a != 0 && a < 0.0005 {
		return strconv.FormatFloat(mean, 'e', 1, 64) + " ± " + strconv.FormatFloat(std, 'e', 1, 64)
	}
	d := 2
	if math.Abs(mean) < 0.1 {
		d = 3
	}
	return number(mean, d) + " ± " + number(std, d)
}

// printed is a value of the paper as it prints it: two decimals, more if it has more.
func printed(v paper.Value) string {
	f := func(x float64) string {
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if two := strconv.FormatFloat(x, 'f', 2, 64); len(two) > len(text) {
			return two
		}
		return text
	}
	return f(v.Mean) + " ± " + f(v.Std)
}

// pValue is "p = 0.04", "p < 0.001".
func pValue(p float64) string {
	switch {
	case p < 0.001:
		return "p < 0.001"
	case p < 0.1:
		return "p = " + strconv.FormatFloat(p, 'f', 3, 64)
	}
	return "p = " + strconv.FormatFloat(p, 'f', 2, 64)
}
