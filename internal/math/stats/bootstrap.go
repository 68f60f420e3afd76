package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval; NaN to NaN if there are too few data.
type Interval struct{ Lo, Hi float64 }

// Resamples is the number of resamples behind every interval: the same quantity then has the same interval wherever it
// stands. The Monte Carlo error of an end is about 0.02 standard errors.
const Resamples = 20000

// BootstrapMean is the interval of the mean of independent values (see Resampled.Interval). It stays within the range of
// the data, so it is never below zero for a regret. NaN of fewer than MinRuns values at the level of 95 %.
func BootstrapMean(x []float64, level float64) Interval {
	return Resample([]Stratum{{x}}, func(m [][]float64) float64 { return m[0][0] }, Resamples).Interval(level)
}

// BootstrapDifference is the interval of the mean of b minus that of a, two independent samples.
func BootstrapDifference(a, b []float64, level float64) Interval {
	return Resample([]Stratum{{a}, {b}}, func(m [][]float64) float64 { return m[1][0] - m[0][0] }, Resamples).Interval(level)
}

// draws are the runs that resamples of n runs consist of, for one stratum of a statistic. They depend on n and on the
// stratum's number alone. So all samples of n runs are resampled in the same way (common random numbers), and quantities
// of the same runs have intervals that fit together: that of a difference is the same whether it is taken before the
// means or after. Strata with different numbers are resampled independently.
type draws struct {
	n      int
	rand   *rand.PCG
	buffer []uint32
	all    []uint32 // of Resamples resamples, or nil where that takes too much memory
	at     int
}

// cachedRuns is the largest number of runs whose draws are kept: 8 MB for each stratum.
const cachedRuns = 100

var cache sync.Map // of [2]int{n, stratum} to the function that returns []uint32

func newDraws(n, stratum int) *draws {
	d := &draws{n: n, rand: rand.NewPCG(uint64(n), uint64(stratum)), buffer: make([]uint32, n)}
	if n > cachedRuns {
		return d
	}
	all, _ := cache.LoadOrStore([2]int{n, stratum}, sync.OnceValue(func() (all []uint32) {
		for range Resamples {
			all = append(all, d.next()...)
		}
		return all
	}))
	d.all = all.(func() []uint32)()
	return d
}

// next are the runs of the next resample, valid until the next call.
func (d *draws) next() []uint32 {
	if d.all != nil {
		d.at += d.n
		return d.all[d.at-d.n : d.at]
	}
	for i := range d.buffer {
		// Multiply-shift, without a division. Its bias is n/2^64.
		j, _ := bits.Mul64(d.rand.Uint64(), uint64(d.n))
		d.buffer[i] = uint32(j)
	}
	return d.buffer
}

// lanes is how many columns are resampled at a time: an index is then read once for all of them.
const lanes = 4

// resampledMeans are the means of each column over the resampled runs: [column][resample].
func resampledMeans(columns Stratum, stratum, resamples int) [][]float64 {
	n := len(columns[0])
	means := make([][]float64, len(columns))
	rows := make([][lanes]float64, n)
	for from := 0; from < len(columns); from += lanes {
		block := columns[from:min(from+lanes, len(columns))]
		for c, column := range block {
			for i, v := range column {
				rows[i][c] = v
			}
			means[from+c] = make([]float64, resamples)
		}
		d := newDraws(n, stratum)
		for k := range resamples {
			var s0, s1, s2, s3 float64
			for _, i := range d.next() {
				row := &rows[i]
				s0 += row[0]
				s1 += row[1]
				s2 += row[2]
				s3 += row[3]
			}
			sums := [lanes]float64{s0, s1, s2, s3}
			for c := range block {
				means[from+c][k] = sums[c] / float64(n)
			}
		}
	}
	return means
}

// Interval is the bias-corrected percentile interval (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, sec.
// 14.3), widened for small samples by the quantiles of Student's t times √(n/(n−1)) in the place of the normal ones
// (Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69, 2015), n being the runs of
// the smallest stratum. It does without the acceleration of BCa, whose estimate from ten or thirty runs is mostly noise:
// of the mean of ten exponential values BCa's 95 % interval covers 89 %, this one 92 %; of six normal ones 86 % and 93 %.
//
// NaN where 2^(1−n) exceeds 1 − level: so few runs agree on a sign by chance alone more often than the interval may be
// wrong. NaN too if there are resamples that have no statistic.
func (r *Resampled) Interval(level float64) Interval {
	checkBootstrap(level, 1)
	n := float64(r.n)
	if r.values == nil || math.Exp2(1-n) > 1-level {
		return Interval{math.NaN(), math.NaN()}
	}
	values := newHistogram(r.values)
	// Of counts many resamples are like the sample itself. Rounding must not decide whether they are below it.
	slack := 1e-12 * (math.Abs(r.Value) + values.spread())
	less, upTo := values.less(r.Value-slack), values.less(r.Value+slack)
	bias := distuv.UnitNormal.Quantile(float64(less+upTo) / float64(2*len(r.values)))
	if math.IsInf(bias, 0) {
		bias = 0 // too few resamples to tell the bias
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	z := student.Quantile((1+level)/2) * math.Sqrt(n/(n-1))
	// The bias counts twice: the distribution of the resamples is as far from the statistic as that from the truth.
	return Interval{values.quantile(distuv.UnitNormal.CDF(2*bias - z)), values.quantile(distuv.UnitNormal.CDF(2*bias + z))}
}

func checkBootstrap(level float64, resamples int) {
	if level <= 0 || level >= 1 || resamples < 1 || resamples > Resamples {
		panic("stats: bootstrap needs a level inside (0,1) and from one resample to Resamples")
	}
}
