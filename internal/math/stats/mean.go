package stats

import "math"

// Mean returns the arithmetic mean, or NaN without values.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	// The second pass removes the rounding error of the first.
	n := float64(len(x))
	m := sum(x) / n
	var d float64
	for _, v := range x {
		d += v - m
	}
	return m + d/n
}

func sum(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}

// between interpolates between order statistic i and the next. Both may be infinite.
func between(s []float64, i int, share float64) float64 {
	if i == len(s)-1 || share == 0 || s[i] == s[i+1] {
		return s[i]
	}
	return s[i] + float64(share*(s[i+1]-s[i]))
}

// Level is the confidence level of intervals that do not name another.
const Level = 0.95

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
