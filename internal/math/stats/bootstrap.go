package stats

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval. Both ends are NaN if there are too few data.
type Interval struct{ Lo, Hi float64 }

// BootstrapMean returns a confidence interval of the mean at the given level, by the bias-corrected
// and accelerated bootstrap (BCa; Efron, "Better Bootstrap Confidence Intervals", JASA 82, 1987).
// BCa suits skewed data such as suboptimalities, which pile up at zero with a long tail above. The
// interval stays within the range of the data, so for a regret it is never below zero.
//
// The values of x seed the resampling, whatever their order, so the same sample always has the same
// interval. The interval of fewer than two values is NaN.
func BootstrapMean(x []float64, level float64, resamples int) Interval {
	checkBootstrap(level, resamples)
	if len(x) < 2 {
		return Interval{math.NaN(), math.NaN()}
	}
	s := slices.Clone(x)
	slices.Sort(s)
	mean := Mean(s)
	if s[0] == s[len(s)-1] {
		return Interval{mean, mean}
	}

	means := resampledMeans(s, resamples)
	return bca(means, mean, acceleration(s, mean), level)
}

// Bootstrap returns a BCa interval of any statistic of n independent runs, with the acceleration
// from the jackknife. statistic gets the indices of a sample of runs, which may repeat. data seeds
// the resampling. The interval is NaN if n < 2 or if the statistic of some sample is NaN.
func Bootstrap(data []float64, n int, statistic func(sample []int) float64, level float64, resamples int) Interval {
	checkBootstrap(level, resamples)
	none := Interval{math.NaN(), math.NaN()}
	if n < 2 {
		return none
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	whole := statistic(all)
	without := make([]float64, n)
	for i := range without {
		without[i] = statistic(slices.Delete(slices.Clone(all), i, i+1))
	}
	r := seededBy(data)
	sample := make([]int, n)
	values := make([]float64, resamples)
	for i := range values {
		for k := range sample {
			sample[k] = int(below(r, n))
		}
		values[i] = statistic(sample)
	}
	if math.IsNaN(whole + sum(without) + sum(values)) {
		return none
	}
	// Leaving out a run moves the statistic in the opposite direction to adding one.
	for i := range without {
		without[i] = -without[i]
	}
	return bca(values, whole, acceleration(without, Mean(without)), level)
}

func checkBootstrap(level float64, resamples int) {
	if level <= 0 || level >= 1 || resamples < 1 {
		panic("stats: bootstrap needs a level inside (0,1) and at least one resample")
	}
}

// bca returns the interval from the statistic of the resamples, which it sorts, and that of the
// whole sample; a is the acceleration.
func bca(values []float64, whole, a, level float64) Interval {
	slices.Sort(values)
	below, _ := slices.BinarySearch(values, whole)
	above := len(values)
	for above > below && values[above-1] > whole {
		above--
	}
	z0 := distuv.UnitNormal.Quantile(float64(below+above) / float64(2*len(values)))
	if math.IsInf(z0, 0) {
		z0 = 0 // too few resamples to estimate the bias
	}
	percentile := func(p float64) float64 {
		z := z0 + distuv.UnitNormal.Quantile(p)
		return sortedQuantile(values, distuv.UnitNormal.CDF(z0+z/(1-a*z)))
	}
	return Interval{percentile((1 - level) / 2), percentile((1 + level) / 2)}
}

// acceleration returns the skewness correction of BCa, Σd³ / (6 (Σd²)^1.5), where d are the
// deviations of x from its mean. For the mean of x, the jackknife has this closed form. It is 0 if
// all deviations are.
func acceleration(x []float64, mean float64) float64 {
	var d2, d3 float64
	for _, v := range x {
		d := v - mean
		d2 += float64(d * d)
		d3 += float64(d * d * d)
	}
	if d2 == 0 {
		return 0
	}
	return d3 / (6 * math.Pow(d2, 1.5))
}

// resampledMeans returns means of len(s) values drawn from s with replacement.
func resampledMeans(s []float64, resamples int) []float64 {
	r := seededBy(s)
	means := make([]float64, resamples)
	for i := range means {
		var t float64
		for range s {
			t += s[below(r, len(s))]
		}
		means[i] = t / float64(len(s))
	}
	return means
}

// below returns a random index below n by multiply-shift, without a division. Its bias is n/2^64.
func below(r *rand.PCG, n int) uint64 {
	j, _ := bits.Mul64(r.Uint64(), uint64(n))
	return j
}

func seededBy(s []float64) *rand.PCG {
	h := fnv.New128a()
	var b [8]byte
	for _, v := range s {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	k := h.Sum(nil)
	return rand.NewPCG(binary.BigEndian.Uint64(k[:8]), binary.BigEndian.Uint64(k[8:]))
}
