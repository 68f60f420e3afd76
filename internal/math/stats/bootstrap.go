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

// Interval is a confidence interval; NaN to NaN if there are too few data.
type Interval struct{ Lo, Hi float64 }

// BootstrapMean is a confidence interval of the mean at the given level, by the
// bias-corrected and accelerated bootstrap (BCa; Efron, "Better Bootstrap
// Confidence Intervals", JASA 82, 1987), which allows for skewed data such as
// suboptimalities: they pile up at zero with a long tail above. It stays within
// the range of the data, so it is never below zero for a regret.
//
// The resampling is seeded by the values of x, whatever their order: the same
// sample always has the same interval. NaN of fewer than two values.
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

// Bootstrap is the same for any statistic of n independent runs, by BCa with
// the acceleration from the jackknife. The function computes the statistic of a
// sample of runs: their indices, repetitions among them. The resampling is
// seeded by data. NaN if n < 2 or the statistic of some sample is NaN.
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
	// Without a run the statistic moves the other way than with one more of it.
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

// bca is the interval from the statistic of the resamples, which it sorts, and
// of the sample itself.
func bca(values []float64, whole, a, level float64) Interval {
	slices.Sort(values)
	below, _ := slices.BinarySearch(values, whole)
	above := len(values)
	for above > below && values[above-1] > whole {
		above--
	}
	z0 := distuv.UnitNormal.Quantile(float64(below+above) / float64(2*len(values)))
	if math.IsInf(z0, 0) {
		z0 = 0 // too few resamples to tell the bias
	}
	percentile := func(p float64) float64 {
		z := z0 + distuv.UnitNormal.Quantile(p)
		return sortedQuantile(values, distuv.UnitNormal.CDF(z0+z/(1-a*z)))
	}
	return Interval{percentile((1 - level) / 2), percentile((1 + level) / 2)}
}

// acceleration is the skewness correction of BCa, Σd³ / (6 (Σd²)^1.5), d being
// how the values of x differ from their mean: for the mean of x the jackknife
// has this closed form. 0 when they do not differ.
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

// resampledMeans are means of len(s) values drawn from s with replacement.
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

// below is a random index below n by multiply-shift, without a division. Its
// bias is n/2^64.
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
