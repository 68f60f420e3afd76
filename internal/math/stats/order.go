package stats

import (
	"iter"
	"slices"
	"sort"
	"sync"

	"popbench/internal/math/wide"
)

// order has values as integers, which say of nearly every value on which side of a limit it is. So quantiles need few of the
// values, and no sorting of all.
type order struct {
	value     func(k int) float64
	of        []int32     // of each value: how far it is above lo, times scale
	lo, scale float64     // a scale of 0 puts all values together
	most      int         // the greatest integer
	off       int         // how far an integer may be from at of its value; 0 if none falls where values rise
	bits      int         // of an integer that do not count for its bin
	ends      [2048]int32 // how many values are in the bins up to this
	spread    float64     // about the range of the values, or 0 if it is not finite
	some      []float64   // buffer
}

// together is how many columns have their sums of integers in one loop.
const together = 8

// sums have the integers of an order, or of as many as are summed together.
type sums struct {
	order
	of [together * Resamples]int32
}

var summed = sync.Pool{New: func() any { return new(sums) }}

// newOrder is of values at hand, up to Resamples. Give it back to summed.
func newOrder(values []float64) *sums {
	o := summed.Get().(*sums)
	const most = 1<<24 - 1
	first := values[:min(1024, len(values))] // integers span these values; those beyond have the least or greatest
	o.order = order{value: func(k int) float64 { return values[k] }, of: o.of[:len(values)], lo: slices.Min(first), most: most, some: o.some}
	width := slices.Max(first) - o.lo
	if scale := float64(o.most) / width; finite(scale) && scale > 0 {
		o.scale, o.spread = scale, width
	}
	of, lo, scale := o.order.of, o.lo, o.scale
	for i, v := range values {
		of[i] = int32(upTo(most, (v-lo)*scale))
	}
	o.count(13)
	return o
}

// at is the integer of a value.
func (o *order) at(v float64) int { return upTo(o.most, (v-o.lo)*o.scale) }

// upTo returns the integer part of x, at least 0 and at most as much.
func upTo(most int, x float64) int {
	if x < float64(most) {
		return max(int(x), 0)
	}
	return most
}

// count puts the values into bins. Inlined, it would make intervals take a fifth more time.
//
//go:noinline
func (o *order) count(bits int) {
	o.bits = bits
	for _, v := range o.of {
		o.ends[int(v)>>(bits&31)&(len(o.ends)-1)]++
	}
	n := int32(0)
	for i := range o.ends {
		n += o.ends[i]
		o.ends[i] = n
	}
}

// within are the values with integers from least to most.
func (o *order) within(least, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := 0; ; k++ {
			k += wide.Within(o.of[k:], int32(least), uint32(most-least))
			if k == len(o.of) || !yield(k) {
				return
			}
		}
	}
}

// from returns how many values are in the bins before one, and its least integer.
func (o *order) from(bin int) (before, least int) {
	if bin > 0 {
		before = int(o.ends[bin-1])
	}
	return before, bin << o.bits
}

// less is how many values are below v.
func (o *order) less(v float64) int {
	at := o.at(v)
	n, least := o.from(max(0, at-o.off) >> o.bits)
	for k := range o.within(least, at+o.off) {
		if int(o.of[k]) < at-o.off || o.value(k) < v {
			n++
		}
	}
	return n
}

// quantile returns the p-quantile, as Quantile does.
func (o *order) quantile(p float64) float64 {
	at := p * float64(len(o.of)-1)
	rank := min(int(at), len(o.of)-1)
	before, first := o.from(o.holds(rank))
	_, last := o.from(o.holds(min(rank+1, len(o.of)-1)) + 1)
	o.some = o.some[:0]
	for k := range o.within(first-2*o.off, last-1+2*o.off) {
		o.some = append(o.some, o.value(k))
		if int(o.of[k]) < first {
			before--
		}
	}
	slices.Sort(o.some)
	return between(o.some, rank-before, at-float64(rank))
}

// holds returns the bin that holds the value with as many before it in order.
func (o *order) holds(rank int) int {
	return sort.Search(len(o.ends), func(b int) bool { return int(o.ends[b]) > rank })
}
