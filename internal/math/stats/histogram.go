package stats

import (
	"slices"
	"sort"
	"sync"
)

// histogram has values in bins of equal width. It finds quantiles without sorting all values: it
// collects and sorts only those in the bins around a quantile.
type histogram struct {
	values    []float64
	lo, scale float64 // from value to bin; a scale of 0 puts all values into the first bin
	bins      [2048]struct {
		end  int32 // the number of values up to the end of this bin
		last int32 // the last value in it, from 1; 0 if there is none
	}
	before []int32   // the value before each in its bin
	some   []float64 // buffer
}

var histograms = sync.Pool{New: func() any { return new(histogram) }}

// newHistogram puts the values into bins. Give it back to histograms.
func newHistogram(values []float64) *histogram {
	h := histograms.Get().(*histogram)
	*h = histogram{values: values, lo: values[0], before: slices.Grow(h.before[:0], len(values))[:len(values)], some: h.some}
	hi := values[0]
	for _, v := range values {
		if v < h.lo {
			h.lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if scale := float64(len(h.bins)) / (hi - h.lo); finite(scale) { // the spread is positive and finite
		h.scale = scale
	}
	for i, v := range values {
		bin := &h.bins[h.bin(v)]
		h.before[i] = bin.last
		bin.end, bin.last = bin.end+1, int32(i+1)
	}
	for b := 1; b < len(h.bins); b++ {
		h.bins[b].end += h.bins[b-1].end
	}
	return h
}

// spread returns the range of the values, or 0 if it is not finite.
func (h *histogram) spread() float64 {
	if h.scale == 0 {
		return 0
	}
	return float64(len(h.bins)) / h.scale
}

func (h *histogram) bin(v float64) int {
	switch at := (v - h.lo) * h.scale; {
	case h.scale == 0 || at <= 0:
		return 0
	case at >= float64(len(h.bins)):
		return len(h.bins) - 1
	default:
		return int(at)
	}
}

// sorted returns the values in the bins from first to last in their order, until the next call, and the number of values
// below these bins.
func (h *histogram) sorted(first, last int) (values []float64, below int) {
	if first > 0 {
		below = int(h.bins[first-1].end)
	}
	h.some = h.some[:0]
	for b := first; b <= last; b++ {
		for i := h.bins[b].last; i > 0; i = h.before[i-1] {
			h.some = append(h.some, h.values[i-1])
		}
	}
	slices.Sort(h.some)
	return h.some, below
}

func (h *histogram) less(v float64) int {
	bin := h.bin(v)
	values, below := h.sorted(bin, bin)
	n, _ := slices.BinarySearch(values, v)
	return below + n
}

// quantile returns the p-quantile, as Quantile does.
func (h *histogram) quantile(p float64) float64 {
	at := p * float64(len(h.values)-1)
	rank := min(int(at), len(h.values)-1)
	values, below := h.sorted(h.holds(rank), h.holds(min(rank+1, len(h.values)-1)))
	return between(values, rank-below, at-float64(rank))
}

// holds returns the bin that holds the value with as many before it in order.
func (h *histogram) holds(rank int) int {
	return sort.Search(len(h.bins), func(b int) bool { return int(h.bins[b].end) > rank })
}
