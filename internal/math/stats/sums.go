package stats

import (
	"math"
	"math/bits"
	"slices"

	"popbench/internal/math/wide"
)

// meanIntervals returns the intervals of the means of up to eight columns of the same number of runs. It orders resamples by
// their sums of rounded values, which take a tenth of the time of means.
func meanIntervals(columns Stratum) []Interval {
	n := len(columns[0])
	runs := float64(n)
	drawn, times := keptDraws(n, 0)
	s := summed.Get().(*sums)
	defer summed.Put(s)
	values, scales := make([][together][2]int16, (n+1)/2), make([]float64, len(columns))
	for c, x := range columns {
		lo, hi := slices.Min(x), slices.Max(x)
		scale := math.MaxInt16 / (hi - lo)
		if times == nil || !(scale > 0) || !finite(scale) || !finite(runs*max(-lo, hi)) {
			continue
		}
		scales[c] = scale * runs
		for i, v := range x {
			values[i/2][c][i%2] = int16(math.RoundToEven((v - lo) * scale))
		}
	}
	wide.WeightedSums(s.of[:], Resamples, times, values)
	all := make([]Interval, len(columns))
	for c, x := range columns {
		if scales[c] == 0 {
			all[c] = resample([]Stratum{{x}}, Resamples, func(m [][]float64) float64 { return m[0][0] })[0].Interval(Level)
			continue
		}
		mean := func(k int) float64 {
			var sum float64
			for _, i := range drawn[k*n:][:n] { // in this order, which has its bits
				sum += x[i]
			}
			return sum / runs
		}
		s.order = order{value: mean, of: s.of[c*Resamples:][:Resamples], lo: slices.Min(x), scale: scales[c], most: n * math.MaxInt16, some: s.some}
		// Half a unit for each value, two for rounding at the limits, and what rounding takes from a mean.
		s.off = int(min(runs/2+2+(runs+1)*0x1p-53*s.scale*max(-s.lo, slices.Max(x)), 1<<24))
		first := s.order.of[:1024]
		s.spread = float64(slices.Max(first)-slices.Min(first)) / s.scale
		s.count(max(0, bits.Len(uint(s.most))-11))
		all[c] = s.interval(Mean(x), runs, Level)
	}
	return all
}
