package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

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
	return ResampleAll(strata, resamples, of)[0]
}

// ResampleAll is Resample for several functions of the same means. This takes less time than one after the other.
func ResampleAll(strata []Stratum, resamples int, of ...func(means [][]float64) float64) []*Resampled {
	all := resample(strata, resamples, of...)
	for _, r := range all {
		if math.IsInf(r.Value, 0) {
			r.Value = math.NaN()
		}
		if math.IsNaN(r.Value) || !finite(sum(r.values)) {
			r.values = nil // the statistic of some resample is undefined
		}
	}
	return all
}

// resample is ResampleAll for statistics that may be infinite.
func resample(strata []Stratum, resamples int, of ...func(means [][]float64) float64) []*Resampled {
	if resamples < 1 || resamples > Resamples {
		panic("stats: a bootstrap needs from one resample to Resamples")
	}
	means := Means(strata)
	n := math.MaxInt
	for _, columns := range strata {
		n = min(n, len(columns[0]))
	}
	if constant(strata) {
		resamples = 1 // they are all alike
	}
	all, defined := make([]*Resampled, len(of)), false
	for i := range of {
		all[i] = &Resampled{Value: of[i](means), n: n}
		if n > 1 && !math.IsNaN(all[i].Value) {
			all[i].values, defined = make([]float64, resamples), true
		}
	}
	if !defined {
		return all
	}
	var resamplers []*resampler
	for s, columns := range strata {
		for j := 0; j < len(columns); j += lanes {
			end := min(j+lanes, len(columns))
			resamplers = append(resamplers, newResampler(means[s][j:end], columns[j:end], s))
		}
	}
	for k := range resamples {
		for _, r := range resamplers {
			if k%atOnce == 0 {
				r.next(min(atOnce, resamples-k))
			}
			for c := range r.to {
				r.to[c] = r.means[k%atOnce*lanes+c]
			}
		}
		for i, r := range all {
			if r.values != nil {
				r.values[k] = of[i](means)
			}
		}
	}
	return all
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

// Interval is a confidence interval. Both ends are NaN if there are too few data.
type Interval struct{ Lo, Hi float64 }

// NoInterval is the interval of too few data.
func NoInterval() Interval { return Interval{math.NaN(), math.NaN()} }

// BootstrapMean returns the interval of the mean of independent values (see [Resampled.Interval]).
// It stays within the range of the data, so for a regret it is never below zero. It is NaN for fewer
// than MinRuns values.
func BootstrapMean(x []float64) Interval {
	return Resample([]Stratum{{x}}, func(m [][]float64) float64 { return m[0][0] }, Resamples).Interval(Level)
}

// BootstrapDifference returns the interval of the mean of b minus the mean of a, for independent
// samples.
func BootstrapDifference(a, b []float64) Interval {
	return Resample([]Stratum{{a}, {b}}, func(m [][]float64) float64 { return m[1][0] - m[0][0] }, Resamples).Interval(Level)
}

// Interval returns the bias-corrected percentile interval (Efron & Tibshirani, "An Introduction to
// the Bootstrap", 1993, sec. 14.3). For small samples it is widened: quantiles of Student's t times
// √(n/(n−1)) replace the normal ones, where n is the number of runs of the smallest stratum
// (Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69,
// 2015). It omits the acceleration of BCa, whose estimate from ten or thirty runs is mostly noise:
// for the mean of ten exponential values BCa's 95 % interval covers 89 %, this one 92 %; for six
// normal values 86 % and 93 %.
//
// The interval is NaN if 2^(1−n) exceeds 1 − level, because so few runs agree on a sign by chance
// more often than the interval may be wrong. It is also NaN if the statistic of a resample is
// undefined.
func (r *Resampled) Interval(level float64) Interval {
	if level <= 0 || level >= 1 {
		panic("stats: an interval needs a level inside (0,1)")
	}
	if r.values == nil || math.Exp2(1-float64(r.n)) > 1-level {
		return NoInterval()
	}
	o := newOrder(r.values)
	defer summed.Put(o)
	return o.interval(r.Value, float64(r.n), level)
}

// interval is Resampled.Interval of a value whose resamples are in order.
func (o *order) interval(value, n, level float64) Interval {
	// If the quantities are counts, many resamples have the statistic of the sample. Rounding must
	// not decide whether they are below it.
	slack := 1e-12 * (math.Abs(value) + o.spread)
	less, upTo := o.less(value-slack), o.less(value+slack)
	bias := mathext.NormalQuantile(float64(less+upTo) / float64(2*len(o.of)))
	if math.IsInf(bias, 0) {
		bias = 0 // too few resamples to estimate the bias
	}
	z := keptQuantile((1+level)/2, n-1) * math.Sqrt(n/(n-1))
	// The bias counts twice: the resamples are as far from the statistic as the statistic is from the truth.
	return Interval{o.quantile(normalCDF(2*bias - z)), o.quantile(normalCDF(2*bias + z))}
}
