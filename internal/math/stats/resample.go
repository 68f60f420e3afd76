package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Stratum is a sample of independent runs, several quantities of each:
// Stratum[j][i] is quantity j of run i. What is resampled is the run, with all
// its quantities, so that those which are paired stay so.
type Stratum [][]float64

// Resampled is a statistic and its bootstrap distribution, of which an interval
// at any level can be had.
type Resampled struct {
	Value  float64 // NaN where there is none
	values []float64
	n      int // runs of the smallest stratum
}

// Resample is the bootstrap distribution of a function of means over runs: of gets
// the mean of quantity j of stratum s as means[s][j], and may not keep it.
// Strata are independent of each other and resampled each by itself (Efron &
// Tibshirani, "An Introduction to the Bootstrap", 1993, sec. 8.3). The
// resampling is seeded by the values. It panics if a stratum has no quantities
// or some of different lengths.
func Resample(strata []Stratum, of func(means [][]float64) float64, resamples int) *Resampled {
	checkBootstrap(Level, resamples)
	var all []float64
	means := make([][]float64, len(strata))
	r := &Resampled{n: math.MaxInt}
	for s, columns := range strata {
		for _, column := range columns {
			if len(column) != len(columns[0]) {
				panic("stats: Resample of quantities of different numbers of runs")
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
		r.values = nil // of some sample there is no such statistic
	}
	slices.Sort(r.values)
	return r
}

// Interval is the bias-corrected percentile interval (Efron & Tibshirani, sec.
// 14.3), widened for small samples by the quantiles of Student's t times
// √(n/(n−1)) in the place of the normal ones (Hesterberg, "What Teachers Should
// Know About the Bootstrap", The American Statistician 69, 2015), n being the
// runs of the smallest stratum. It does without BCa's acceleration, whose
// estimate from ten or thirty differences is mostly noise and costs coverage.
//
// NaN where 2^(1−n) exceeds 1 − level: so few runs agree on a sign by chance
// alone more often than the interval may be wrong. NaN too if there are
// resamples that have no statistic.
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
