package stats

import "slices"

// histogram has values in bins of equal width. It finds quantiles without sorting all values: it
// sorts only those in the bins around a quantile.
type histogram struct {
	x         []float64 // by bin, within a bin in any order
	lo, scale float64   // from value to bin; a scale of 0 puts all values into the first bin
	end       [2048]int // of each bin, in x
}

// newHistogram sorts the values into bins, in a buffer of the same length.
func newHistogram(values, buffer []float64) *histogram {
	h := &histogram{x: buffer, lo: values[0]}
	hi := values[0]
	for _, v := range values {
		if v < h.lo {
			h.lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if scale := float64(len(h.end)) / (hi - h.lo); finite(scale) { // the spread is positive and finite
		h.scale = scale
	}
	var next [len(h.end)]int
	for _, v := range values {
		h.end[h.bin(v)]++
	}
	for b := 1; b < len(h.end); b++ {
		next[b] = h.end[b-1]
		h.end[b] += next[b]
	}
	for _, v := range values {
		b := h.bin(v)
		h.x[next[b]] = v
		next[b]++
	}
	return h
}

// spread returns the range of the values, or 0 if it is not finite.
func (h *histogram) spread() float64 {
	if h.scale == 0 {
		return 0
	}
	return float64(len(h.end)) / h.scale
}

func (h *histogram) bin(v float64) int {
	switch at := (v - h.lo) * h.scale; {
	case h.scale == 0 || at <= 0:
		return 0
	case at >= float64(len(h.end)):
		return len(h.end) - 1
	default:
		return int(at)
	}
}

// sort sorts the values in the bins from first to last, and returns the number of values below
// these bins.
func (h *histogram) sort(first, last int) (below int) {
	if first > 0 {
		below = h.end[first-1]
	}
	slices.Sort(h.x[below:h.end[last]])
	return below
}

func (h *histogram) less(v float64) int {
	bin := h.bin(v)
	below := h.sort(bin, bin)
	n, _ := slices.BinarySearch(h.x[below:h.end[bin]], v)
	return below + n
}

// quantile returns the p-quantile, as Quantile does.
func (h *histogram) quantile(p float64) float64 {
	at := p * float64(len(h.x)-1)
	rank := min(int(at), len(h.x)-1)
	first, _ := slices.BinarySearch(h.end[:], rank+1)
	last, _ := slices.BinarySearch(h.end[:], min(rank+2, len(h.x)))
	h.sort(first, last)
	return between(h.x, rank, at-float64(rank))
}
