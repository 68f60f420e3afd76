package stats

import "math"

// Moments are the size, mean and standard deviation of a sample, as tables print them.
type Moments struct {
	N         int
	Mean, Std float64 // Std with divisor N−1
}

// WelchResult is a test of equal means. T is positive if the mean of the first sample is larger.
type WelchResult struct {
	T  float64
	DF float64 // by Welch and Satterthwaite
	P  float64 // two-sided
}

// Welch tests whether two samples have the same mean, without assuming equal variances (Welch,
// Biometrika 34, 1947). It needs only the moments, so one sample may come from a printed table. The
// result is NaN if a sample has fewer than two values or if both standard deviations are 0.
func Welch(a, b Moments) WelchResult {
	nan := math.NaN()
	if a.N < 2 || b.N < 2 {
		return WelchResult{nan, nan, nan}
	}
	va := a.Std * a.Std / float64(a.N)
	vb := b.Std * b.Std / float64(b.N)
	if v := va + vb; v == 0 || math.IsNaN(v) {
		return WelchResult{nan, nan, nan}
	}
	t := (a.Mean - b.Mean) / math.Sqrt(va+vb)
	df := (va + vb) * (va + vb) / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
	return WelchResult{T: t, DF: df, P: min(1, 2*studentTail(math.Abs(t), df))}
}
