package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Stratum is a sample of independent runs with several quantities each: Stratum[j][i] is quantity j
// of run i. Whole runs are resampled, so paired quantities stay paired.
type Stratum [][]float64

// Resampled is a statistic and its bootstrap distribution, which gives an interval at any level.
type Resampled struct {
	Value  float64 // NaN if undefined
	values []float64
	n      int // runs of the smallest stratum
}

// Resample computes the bootstrap distribution of a function of means over runs. of gets the mean
// of quantity j of stratum s as means[s][j] and must not keep the slices. Strata are independent
// and resampled separately (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, sec.
// 8.3). The values seed the resampling. Resample panics if a stratum has no quantities or
// quantities of different lengths.
func Resample(strata []Stratum, of func(means [][]float64) float64, resamples int) *Resampled {
	checkBootstrap(Level, resamples)
	var all []float64
	means := make([][]float64, len(strata))
	r := &Resampled{n: math.MaxInt}
	for s, columns := range strata {
		for _, column := range columns {
			if len(column) != len(columns[0]) {
				panic("stats: Resample needs the same number of runs for all quantities of a stratum")
			}
			all = append(all, column...)
			means[s] = append(means[s], Mean(column))
		}
		r.n = min(r.n, len(columns[0]))
	}
	r.Value = of(means)
	if !finite(r.Value) {
		r.Value = math.NaN()
	}
	if r.n < 2 || math.IsNaN(r.Value) {
		return r
	}

	rand := seededBy(all)
	r.values = make([]float64, resamples)
	for k := range r.values {
		for s, columns := range strata {
			n := len(columns[0])
			clear(means[s])
			for range n {
				i := below(rand, n)
				for j, column := range columns {
					means[s][j] += column[i]
				}
			}
			for j := range means[s] {
				means[s][j] /= float64(n)
			}
		}
		r.values[k] = of(means)
	}
	if !finite(sum(r.values)) {
		r.values = nil // the statistic of some resample is undefined
	}
	slices.Sort(r.values)
	return r
}

// Interval returns the bias-corrected percentile interval (Efron & Tibshirani, sec. 14.3). For
// small samples it is widened: quantiles of Student's t times √(n/(n−1)) replace the normal ones,
// where n is the number of runs of the smallest stratum (Hesterberg, "What Teachers Should Know
// About the Bootstrap", The American Statistician 69, 2015). It omits BCa's acceleration, whose
// estimate from ten or thirty differences is mostly noise and costs coverage.
//
// The interval is NaN if 2^(1−n) exceeds 1 − level, because so few runs agree on a sign by chance
// more often than the interval may be wrong. It is also NaN if the statistic of a resample is
// undefined.
func (r *Resampled) Interval(level float64) Interval {
	checkBootstrap(level, 1)
	n := float64(r.n)
	if r.values == nil || math.Exp2(1-n) > 1-level {
		return Interval{math.NaN(), math.NaN()}
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	z := student.Quantile((1+level)/2) * math.Sqrt(n/(n-1))
	return bca(r.values, r.Value, 0, 1-2*distuv.UnitNormal.CDF(-z))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
