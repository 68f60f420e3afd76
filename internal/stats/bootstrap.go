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
	if level <= 0 || level >= 1 || resamples < 1 {
		panic("stats: bootstrap needs a level inside (0,1) and at least one resample")
	}
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
	slices.Sort(means)
	below, _ := slices.BinarySearch(means, mean)
	above := len(means)
	for above > below && means[above-1] > mean {
		above--
	}
	z0 := distuv.UnitNormal.Quantile(float64(below+above) / float64(2*len(means)))
	if math.IsInf(z0, 0) {
		z0 = 0 // too few resamples to tell the bias
	}
	a := acceleration(s, mean)
	percentile := func(p float64) float64 {
		z := z0 + distuv.UnitNormal.Quantile(p)
		return sortedQuantile(means, distuv.UnitNormal.CDF(z0+z/(1-a*z)))
	}
	return Interval{percentile((1 - level) / 2), percentile((1 + level) / 2)}
}

// acceleration is the skewness correction of BCa. For the mean the jackknife
// has the closed form Σd³ / (6 (Σd²)^1.5) with d = x − mean.
func acceleration(x []float64, mean float64) float64 {
	var d2, d3 float64
	for _, v := range x {
		d := v - mean
		d2 += float64(d * d)
		d3 += float64(d * d * d)
	}
	return d3 / (6 * math.Pow(d2, 1.5))
}

// resampledMeans are means of len(s) values drawn from s with replacement.
func resampledMeans(s []float64, resamples int) []float64 {
	r := seededBy(s)
	n := uint64(len(s))
	means := make([]float64, resamples)
	for i := range means {
		var t float64
		for range s {
			// Multiply-shift: an index without a division. Its bias is n/2^64.
			j, _ := bits.Mul64(r.Uint64(), n)
			t += s[j]
		}
		means[i] = t / float64(n)
	}
	return means
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
