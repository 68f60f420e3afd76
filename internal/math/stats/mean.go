package stats

import "math"

// Mean returns the arithmetic mean, or NaN without values. Where the sums of the values are exact, as those of rounded
// regrets are, the same values in another order have the same mean: what ties has to tie in the last bit too.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	var s, lost float64 // what rounding took from the sum (Neumaier 1974); 0 if it is exact
	for _, v := range x {
		next := s + v
		if math.Abs(s) >= math.Abs(v) {
			lost += s - next + v
		} else {
			lost += v - next + s
		}
		s = next
	}
	n := float64(len(x))
	m := s / n
	return m + (math.FMA(-m, n, s)+lost)/n
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
