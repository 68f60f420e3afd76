package stats

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval. Both ends are NaN if there are too few data.
type Interval struct{ Lo, Hi float64 }

// Resamples is the number of resamples behind every interval, so that the same quantity has the
// same interval everywhere. The Monte Carlo error of an end is about 0.02 standard errors.
const Resamples = 20000

// BootstrapMean returns the interval of the mean of independent values (see [Resampled.Interval]).
// It stays within the range of the data, so for a regret it is never below zero. At the level of 95
// % it is NaN for fewer than MinRuns values.
func BootstrapMean(x []float64, level float64) Interval {
	return Resample([]Stratum{{x}}, func(m [][]float64) float64 { return m[0][0] }, Resamples).Interval(level)
}

// BootstrapDifference returns the interval of the mean of b minus the mean of a, for independent
// samples.
func BootstrapDifference(a, b []float64, level float64) Interval {
	return Resample([]Stratum{{a}, {b}}, func(m [][]float64) float64 { return m[1][0] - m[0][0] }, Resamples).Interval(level)
}

// draws generates the runs in each resample of n runs, for one stratum of a statistic. They depend
// only on n and on the stratum's number. So all samples of n runs are resampled in the same way
// (common random numbers), and intervals of quantities of the same runs are consistent: the
// interval of a difference is the same whether the difference is taken before the means or after.
// Strata with different numbers are resampled independently.
type draws struct {
	n    int
	rand *rand.PCG
	run  []uint32 // buffer
}

func newDraws(n, stratum int) *draws {
	return &draws{n, rand.NewPCG(uint64(n), uint64(stratum)), make([]uint32, n+n%2)}
}

// next returns the runs of the next resample, valid until the next call.
func (d *draws) next() []uint32 {
	for i := 0; i < d.n; i += 2 {
		// Multiply-shift, without a division. Its bias is n/2^32.
		bits := d.rand.Uint64()
		d.run[i] = uint32(bits >> 32 * uint64(d.n) >> 32)
		d.run[i+1] = uint32(bits & math.MaxUint32 * uint64(d.n) >> 32)
	}
	return d.run[:d.n]
}

// keptRuns is the largest number of runs whose draws are kept, 5 MB for each stratum.
const keptRuns = 256

var kept sync.Map // of [2]int{n, stratum} to a function that returns their draws as []uint8

func keptDraws(n, stratum int) []uint8 {
	if n > keptRuns {
		return nil
	}
	draw, _ := kept.LoadOrStore([2]int{n, stratum}, sync.OnceValue(func() []uint8 {
		all := make([]uint8, 0, n*Resamples)
		d := newDraws(n, stratum)
		for range Resamples {
			for _, i := range d.next() {
				all = append(all, uint8(i))
			}
		}
		return all
	}))
	return draw.(func() []uint8)()
}

// lanes is the number of columns resampled at a time, so that an index is read once for all of
// them.
const lanes = 4

// resampledMeans writes the means of up to lanes columns over the resampled runs into means: [column][resample].
func resampledMeans(means [][]float64, columns Stratum, stratum int) {
	n := len(columns[0])
	rows := make([][lanes]float64, n)
	for c, column := range columns {
		for i, v := range column {
			rows[i][c] = v
		}
	}
	all, d := keptDraws(n, stratum), newDraws(n, stratum)
	for k := range means[0] {
		var sums [lanes]float64
		if all != nil {
			sums = sumRows(rows, all[k*n:(k+1)*n])
		} else {
			sums = sumRows(rows, d.next())
		}
		for c := range columns {
			means[c][k] = sums[c] / float64(n)
		}
	}
}

func sumRows[Index uint8 | uint32](rows [][lanes]float64, drawn []Index) [lanes]float64 {
	var s0, s1, s2, s3 float64
	for _, i := range drawn {
		row := &rows[i]
		s0 += row[0]
		s1 += row[1]
		s2 += row[2]
		s3 += row[3]
	}
	return [lanes]float64{s0, s1, s2, s3}
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
	return r.interval(level, make([]float64, len(r.values)))
}

// interval is Interval with a buffer as long as the number of resamples.
func (r *Resampled) interval(level float64, buffer []float64) Interval {
	checkBootstrap(level, 1)
	n := float64(r.n)
	if r.values == nil || math.Exp2(1-n) > 1-level {
		return Interval{math.NaN(), math.NaN()}
	}
	values := newHistogram(r.values, buffer)
	// If the quantities are counts, many resamples have the statistic of the sample. Rounding must
	// not decide whether they are below it.
	slack := 1e-12 * (math.Abs(r.Value) + values.spread())
	less, upTo := values.less(r.Value-slack), values.less(r.Value+slack)
	bias := distuv.UnitNormal.Quantile(float64(less+upTo) / float64(2*len(r.values)))
	if math.IsInf(bias, 0) {
		bias = 0 // too few resamples to estimate the bias
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
