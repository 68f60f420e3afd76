package stats

import (
	"bytes"
	"slices"
	"sort"
	"sync"
)

// histogram has values in bins of equal width. It finds quantiles without sorting all values: it collects and sorts only
// those in the bins around a quantile.
type histogram struct {
	values    []float64
	lo, scale float64   // from value to bin; a scale of 0 puts all values into the first bin
	ends      [bins]int // how many values are in the bins up to this
	of        []byte    // the bin of each value
	some      []float64 // buffer
}

const bins = 256 // as many as a byte can name

var histograms = sync.Pool{New: func() any { return new(histogram) }}

// newHistogram puts the values into bins. Give it back to histograms.
func newHistogram(values []float64) *histogram {
	h := histograms.Get().(*histogram)
	*h = histogram{values: values, of: slices.Grow(h.of[:0], len(values))[:len(values)], some: h.some}
	// Bins span some of the values. The first and the last have those beyond.
	first := values[:min(1024, len(values))]
	h.lo = slices.Min(first)
	if scale := bins / (slices.Max(first) - h.lo); finite(scale) { // the spread is positive and finite
		h.scale = scale
	}
	of, lo, scale := h.of[:len(values)], h.lo, h.scale
	for i, v := range values {
		of[i] = bin((v - lo) * scale)
	}
	for _, b := range of { // both in one loop take twice as long
		h.ends[b]++
	}
	for b := 1; b < bins; b++ {
		h.ends[b] += h.ends[b-1]
	}
	return h
}

// spread returns about the range of the values, or 0 if it is not finite.
func (h *histogram) spread() float64 {
	if h.scale == 0 {
		return 0
	}
	return bins / h.scale
}

func (h *histogram) bin(v float64) byte { return bin((v - h.lo) * h.scale) }

// bin is the bin of a value that is so many bins above the lowest.
func bin(at float64) byte {
	if at < bins-1 {
		return byte(max(int(at), 0))
	}
	return bins - 1
}

// in appends the values of a bin to some.
func (h *histogram) in(bin byte, some []float64) []float64 {
	for at := 0; ; at++ {
		next := bytes.IndexByte(h.of[at:], bin)
		if next < 0 {
			return some
		}
		at += next
		some = append(some, h.values[at])
	}
}

// below is how many values are in the bins below one.
func (h *histogram) below(bin byte) int {
	if bin == 0 {
		return 0
	}
	return h.ends[bin-1]
}

// less is how many values are below v.
func (h *histogram) less(v float64) int {
	bin := h.bin(v)
	n := h.below(bin)
	h.some = h.in(bin, h.some[:0])
	for _, u := range h.some {
		if u < v {
			n++
		}
	}
	return n
}

// quantile returns the p-quantile, as Quantile does.
func (h *histogram) quantile(p float64) float64 {
	at := p * float64(len(h.values)-1)
	rank := min(int(at), len(h.values)-1)
	first, last := h.holds(rank), h.holds(min(rank+1, len(h.values)-1))
	h.some = h.in(first, h.some[:0])
	if last > first {
		h.some = h.in(last, h.some)
	}
	slices.Sort(h.some)
	return between(h.some, rank-h.below(first), at-float64(rank))
}

// holds returns the bin that holds the value with as many before it in order.
func (h *histogram) holds(rank int) byte {
	return byte(sort.Search(bins, func(b int) bool { return h.ends[b] > rank }))
}
