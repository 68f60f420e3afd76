package stats

import "math"

// Stratum is a sample of independent runs, several quantities of each: Stratum[j][i] is quantity j of run i. What is
// resampled is the run, with all its quantities, so that those which are paired stay so.
type Stratum [][]float64

// Resampled is a statistic and its bootstrap distribution, of which an interval at any level can be had.
type Resampled struct {
	Value  float64   // NaN where there is none
	values []float64 // of the resamples
	n      int       // runs of the smallest stratum
}

// Resample is the bootstrap distribution of a function of means over runs: of gets the mean of quantity j of stratum s as
// means[s][j], and may not keep it. Strata are independent of each other and resampled each by itself (Efron & Tibshirani,
// "An Introduction to the Bootstrap", 1993, sec. 8.3). The same runs in the same order are always resampled in the same
// way, whatever their quantities. It panics if a stratum has no quantities or some of different lengths, and if there are
// more resamples than Resamples.
func Resample(strata []Stratum, of func(means [][]float64) float64, resamples int) *Resampled {
	r := resample(strata, of, resamples)
	if math.IsInf(r.Value, 0) {
		r.Value = math.NaN()
	}
	if math.IsNaN(r.Value) || !finite(sum(r.values)) {
		r.values = nil // of some sample there is no such statistic
	}
	return r
}

// resample is Resample of a statistic that may be infinite.
func resample(strata []Stratum, of func(means [][]float64) float64, resamples int) *Resampled {
	checkBootstrap(Level, resamples)
	means := make([][]float64, len(strata))
	r := &Resampled{n: math.MaxInt}
	for s, columns := range strata {
		for _, column := range columns {
			if len(column) != len(columns[0]) {
				panic("stats: Resample of quantities of different numbers of runs")
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

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
