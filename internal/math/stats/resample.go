package stats

import "math"

// MinRuns is the smallest number of runs from which a difference is reported. With fewer runs, all
// may agree on a sign by chance in more than 5 % of all cases: the two-sided signed-rank test of n
// pairs has no P value below 2^(1−n), which is 0.031 for six and 0.063 for five. A bootstrap
// interval of fewer values is also far too short, because it contains no value beyond the largest
// observed.
const MinRuns = 6

// Resampled is a statistic and its bootstrap distribution, which gives an interval at any level.
type Resampled struct {
	Value  float64   // NaN if undefined
	values []float64 // of the resamples
	n      int       // runs of the smallest stratum
}

// Resample computes the bootstrap distribution of a function of means over runs. of gets the mean
// of quantity j of stratum s as means[s][j] and must not keep the slices. Strata are independent
// and resampled separately (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, sec.
// 8.3). The same number of runs is always resampled in the same way, whatever the quantities.
// Resample panics if a stratum has no quantities or quantities of different lengths, or if
// resamples exceeds Resamples.
func Resample(strata []Stratum, of func(means [][]float64) float64, resamples int) *Resampled {
	r := resample(strata, of, resamples)
	if math.IsInf(r.Value, 0) {
		r.Value = math.NaN()
	}
	if math.IsNaN(r.Value) || !finite(sum(r.values)) {
		r.values = nil // the statistic of some resample is undefined
	}
	return r
}

// resample is Resample for a statistic that may be infinite.
func resample(strata []Stratum, of func(means [][]float64) float64, resamples int) *Resampled {
	checkBootstrap(Level, resamples)
	means := make([][]float64, len(strata))
	r := &Resampled{n: math.MaxInt}
	for s, columns := range strata {
		for _, column := range columns {
			if len(column) != len(columns[0]) {
				panic("stats: Resample needs the same number of runs for all quantities of a stratum")
			}
			means[s] = append(means[s], Mean(column))
		}
		r.n = min(r.n, len(columns[0]))
	}
	r.Value = of(means)
	if r.n < 2 || math.IsNaN(r.Value) {
		return r
	}
	if constant(strata) {
		resamples = 1 // they are all alike
	}
	drawn := make([][][]float64, len(strata))
	for s, columns := range strata {
		drawn[s] = make([][]float64, len(columns))
		for j := range columns {
			drawn[s][j] = make([]float64, resamples)
		}
		for j := 0; j < len(columns); j += lanes {
			end := min(j+lanes, len(columns))
			resampledMeans(drawn[s][j:end], columns[j:end], s)
		}
	}
	r.values = make([]float64, resamples)
	for k := range r.values {
		for s := range means {
			for j := range means[s] {
				means[s][j] = drawn[s][j][k]
			}
		}
		r.values[k] = of(means)
	}
	return r
}

// constant reports whether no quantity differs between runs.
func constant(strata []Stratum) bool {
	for _, columns := range strata {
		for _, column := range columns {
			for _, v := range column {
				if v != column[0] {
					return false
				}
			}
		}
	}
	return true
}
