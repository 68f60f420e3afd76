package chart

import (
	"math"

	"popbench/internal/math/stats"
)

// Intervals is what a figure of estimates shows: a row for each, beside the region in which a claim says that it lies.
type Intervals []IntervalRow

// IntervalRow is an estimate with its interval. Numbers that are not known are NaN.
type IntervalRow struct {
	Alt      string // alternative text
	Value    float64
	Interval stats.Interval
	Joint    stats.Interval // wider than Interval, or equal to it
	Region   stats.Interval // where the claim says that Value lies; its ends may be infinite
	Printed  float64        // the paper's number
	Settled  bool           // Interval decides where Value lies
	// Looks are the intervals of the looks of a group-sequential plan, in order; nil without a plan. Border ± Margin is the
	// zone of such a plan in which a value counts as being at the border; Margin is 0 without one.
	Looks          []stats.Interval
	Border, Margin float64
}

const (
	axisPad      = 0.07 // of the span, on each side
	printedReach = 1    // how far a printed number may stretch the axis, in spans of all others; the edge stands for more
)

// Axis returns the ends of the axis. Wide early looks, and printed numbers far from everything else, may be outside.
func (rows Intervals) Axis() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	see := func(values ...float64) {
		for _, v := range values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	for _, r := range rows {
		see(r.Value, r.Interval.Lo, r.Interval.Hi, r.Joint.Lo, r.Joint.Hi, r.Region.Lo, r.Region.Hi)
		if r.Margin > 0 {
			see(r.Border-r.Margin, r.Border+r.Margin)
		}
	}
	if lo > hi { // nothing is known
		return 0, 1
	}
	reach := printedReach * (hi - lo)
	from, to := lo-reach, hi+reach
	for _, r := range rows {
		if r.Printed >= from && r.Printed <= to {
			see(r.Printed)
		}
	}
	pad := axisPad * (hi - lo)
	if pad == 0 {
		pad = max(math.Abs(lo), 1) / 2
	}
	return lo - pad, hi + pad
}
