// Package stats provides the summaries and tests that a report needs. Functions panic on a caller's
// bug (unequal lengths, a level outside (0,1)). They return NaN if there are too few data.
package stats

import (
	"math"
	"slices"
)

// Std returns the sample standard deviation with divisor n−1, or NaN for fewer than two values.
// With 30 runs it is 1.7 % larger than with divisor n.
func Std(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m := Mean(x)
	var s float64
	for _, v := range x {
		s += float64((v - m) * (v - m))
	}
	return math.Sqrt(s / float64(len(x)-1))
}

// Quantile returns the p-quantile, 0 <= p <= 1, interpolated linearly between order statistics
// (type 7 of Hyndman & Fan 1996, the default of R and NumPy), or NaN without values. It does not
// change x.
func Quantile(x []float64, p float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return sortedQuantile(s, p)
}

func sortedQuantile(s []float64, p float64) float64 {
	if p < 0 || p > 1 || math.IsNaN(p) {
		panic("stats: quantile level outside [0,1]")
	}
	if len(s) == 0 {
		return math.NaN()
	}
	h := p * float64(len(s)-1)
	i := min(int(h), len(s)-1)
	return between(s, i, h-float64(i))
}

// Summary describes a sample. Std, StdErr and CI are NaN for fewer than two values, and everything
// but N is NaN without values.
type Summary struct {
	N              int
	Mean           float64
	Std            float64  // sample standard deviation, divisor N−1
	StdErr         float64  // Std/√N
	CI             Interval // 95 % bootstrap interval of the mean; NaN of fewer than MinRuns values
	Median, Q1, Q3 float64
	Min, Max       float64
}

// Shifted returns the summary of the sample with d added to every value.
func (s Summary) Shifted(d float64) Summary {
	for _, v := range []*float64{&s.Mean, &s.CI.Lo, &s.CI.Hi, &s.Median, &s.Q1, &s.Q3, &s.Min, &s.Max} {
		*v += d
	}
	return s
}

// Summarize returns the summary of x.
func Summarize(x []float64) Summary { return SummarizeAll([][]float64{x})[0] }

// SummarizeAll returns the summaries of several quantities. This takes less time than one after the other, if those of the
// same number of runs follow each other.
func SummarizeAll(columns [][]float64) []Summary {
	all := make([]Summary, len(columns))
	again := func(j int) bool { // the quantity before, as of runs that recommend the same points as a step before
		return j > 0 && slices.EqualFunc(columns[j], columns[j-1], func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) })
	}
	var block []int // numbers of the next columns to resample
	resample := func() {
		of := make(Stratum, len(block))
		for c, j := range block {
			of[c] = columns[j]
		}
		for c, ci := range meanIntervals(of) {
			all[block[c]].CI = ci
		}
		block = block[:0]
	}
	for j, x := range columns {
		if again(j) {
			continue
		}
		all[j] = Describe(x)
		if len(x) < MinRuns {
			continue
		}
		if len(block) == together || len(block) > 0 && len(x) != len(columns[block[0]]) {
			resample()
		}
		block = append(block, j)
	}
	if len(block) > 0 {
		resample()
	}
	for j := range columns {
		if again(j) {
			all[j] = all[j-1]
		}
	}
	return all
}

// Describe returns the summary of x without an interval.
func Describe(x []float64) Summary {
	s := slices.Clone(x)
	slices.Sort(s)
	std := Std(x)
	return Summary{
		N:      len(s),
		Mean:   Mean(x),
		Std:    std,
		StdErr: std / math.Sqrt(float64(len(s))),
		CI:     NoInterval(),
		Median: sortedQuantile(s, 0.5),
		Q1:     sortedQuantile(s, 0.25),
		Q3:     sortedQuantile(s, 0.75),
		Min:    sortedQuantile(s, 0),
		Max:    sortedQuantile(s, 1),
	}
}

// LogLogSlope returns the function of y that is the least-squares slope of log y against log x: the exponent p of y ∝ x^p.
// It ignores pairs with a value that is not positive. The slope is NaN if fewer than two different x remain.
func LogLogSlope(x []float64) func(y []float64) float64 {
	logs := make([]float64, len(x))
	for i, xi := range x {
		logs[i] = math.Log(xi)
	}
	return func(y []float64) float64 {
		if len(x) != len(y) {
			panic("stats: LogLogSlope needs slices of the same length")
		}
		const most = 128 // more need memory of the heap
		u, v := make([]float64, 0, most), make([]float64, 0, most)
		for i := range x {
			if x[i] > 0 && y[i] > 0 {
				u, v = append(u, logs[i]), append(v, math.Log(y[i]))
			}
		}
		return Slope(u, v)
	}
}

// Slope returns the least-squares slope of y against x, or NaN for fewer than two different x.
func Slope(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("stats: Slope needs slices of the same length")
	}
	mx, my := Mean(x), Mean(y)
	var xx, xy float64
	for i := range x {
		xx += float64((x[i] - mx) * (x[i] - mx))
		xy += float64((x[i] - mx) * (y[i] - my))
	}
	if !(xx > 0) {
		return math.NaN()
	}
	return xy / xx
}
