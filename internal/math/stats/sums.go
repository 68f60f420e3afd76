package stats

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"popbench/internal/math/wide"
)

// sums are of the resamples of a column, rounded to integers: they take a tenth of the time of means. They say of nearly
// every mean on which side of a limit it is. Only the others are computed.
type sums struct {
	x         []float64   // the column
	drawn     []uint8     // all runs of the first resample, and so on
	of        []int32     // the sum of each resample: of the values less lo, times scale, rounded
	off       int         // a sum is wrong by less than this
	bits      int         // of a sum that do not count for its bin
	ends      [2048]int32 // how many sums are in the bins up to this
	lo, scale float64
	some      []float64 // buffer
}

// block has the sums of as many columns as are resampled at a time.
type block struct {
	of   [together * Resamples]int32
	sums sums
}

const together = 8

var blocks = sync.Pool{New: func() any { return new(block) }}

// meanIntervals returns the intervals of the means of columns of one block.
func meanIntervals(columns Stratum) []Interval {
	n := len(columns[0])
	drawn, times := keptDraws(n, 0)
	b := blocks.Get().(*block)
	defer blocks.Put(b)
	values, scales := make([][together][2]int16, (n+1)/2), make([]float64, len(columns))
	for c, x := range columns {
		lo := slices.Min(x)
		scale := math.MaxInt16 / (slices.Max(x) - lo)
		if times == nil || !(scale > 0) || !finite(scale) || !finite(float64(n)*max(-lo, slices.Max(x))) {
			continue
		}
		scales[c] = scale
		for i, v := range x {
			values[i/2][c][i%2] = int16(math.RoundToEven((v - lo) * scale))
		}
	}
	wide.WeightedSums(b.of[:], Resamples, times, values)
	all := make([]Interval, len(columns))
	for c, x := range columns {
		if scales[c] == 0 {
			all[c] = resample([]Stratum{{x}}, Resamples, func(m [][]float64) float64 { return m[0][0] })[0].Interval(Level)
			continue
		}
		s := &b.sums
		*s = sums{x: x, drawn: drawn, of: b.of[c*Resamples:][:Resamples], lo: slices.Min(x), scale: scales[c], some: s.some}
		// Half a unit for each value, and what rounding takes from a mean.
		s.off = int(min(float64(n)/2+2+float64(n*n+n)*0x1p-53*s.scale*max(-s.lo, slices.Max(x)), 1<<24))
		s.count(max(0, bits.Len(uint(n*math.MaxInt16))-11))
		all[c] = interval(Mean(x), float64(n), Level, s, Resamples)
	}
	return all
}

// count puts the sums into bins.
//
//go:noinline
func (s *sums) count(bits int) {
	s.bits = bits & 31
	for _, v := range s.of {
		s.ends[int(v)>>(bits&31)&(len(s.ends)-1)]++
	}
	n := int32(0)
	for i := range s.ends {
		n += s.ends[i]
		s.ends[i] = n
	}
}

// mean of resample k, to the bits of [wide.MeanRows].
func (s *sums) mean(k int) float64 {
	var sum float64
	for _, i := range s.drawn[k*len(s.x):][:len(s.x)] {
		sum += s.x[i]
	}
	return sum / float64(len(s.x))
}

// within are the resamples with sums from least to most.
func (s *sums) within(least, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := 0; ; k++ {
			k += wide.Within(s.of[k:], int32(least), uint32(most-least))
			if k == len(s.of) || !yield(k) {
				return
			}
		}
	}
}

// spread is of the first means, as that of a histogram.
func (s *sums) spread() float64 {
	first := s.of[:1024]
	return float64(slices.Max(first)-slices.Min(first)) / s.scale / float64(len(s.x))
}

// from returns how many sums are in the bins before one, and the least sum in it.
func (s *sums) from(bin int) (before, least int) {
	if bin > 0 {
		before = int(s.ends[bin-1])
	}
	return before, bin << s.bits
}

func (s *sums) less(v float64) (n int) {
	n = len(s.x)
	at := int(max(-1, min((v-s.lo)*s.scale*float64(n), float64(n*math.MaxInt16))))
	n, least := s.from(max(0, at-s.off) >> s.bits)
	for k := range s.within(least, at+s.off) {
		if int(s.of[k]) < at-s.off || s.mean(k) < v {
			n++
		}
	}
	return n
}

func (s *sums) quantile(p float64) float64 {
	at := p * (Resamples - 1)
	rank := min(int(at), Resamples-1)
	before, first := s.from(sort.Search(len(s.ends), func(b int) bool { return int(s.ends[b]) > rank }))
	_, last := s.from(1 + sort.Search(len(s.ends), func(b int) bool { return int(s.ends[b]) > min(rank+1, Resamples-1) }))
	s.some = s.some[:0]
	for k := range s.within(first-2*s.off, last+2*s.off) {
		s.some = append(s.some, s.mean(k))
		if int(s.of[k]) < first {
			before--
		}
	}
	slices.Sort(s.some)
	return between(s.some, rank-before, at-float64(rank))
}
