package sequential

import (
	"math"

	"popbench/internal/math/stats"
)

// Power has the probabilities of what a later look may say, given what was seen so far.
type Power struct{ Below, AtBorder, Above float64 }

// ConditionalPower returns the probabilities that a later look of the boundary is the first to stop: above or below the
// boundary or, with a margin, at the border. z is the statistic at look k, and truth is the distance of the parameter from
// the border in standard deviations of one value; the standard deviation is taken as known. At the border means that the
// repeated interval holds the border and is within ± margin of it, margin in standard deviations too; 0 excludes such stops.
func (b Boundary) ConditionalPower(k int, z, truth, margin float64) Power {
	n := float64(b.Looks[k])
	w := newWalk(n, z*math.Sqrt(n), truth)
	var p Power
	for j := k + 1; j < len(b.Looks); j++ {
		n := float64(b.Looks[j])
		inside := b.inside(j)
		up, down := w.exits(n, inside)
		p.Above, p.Below = p.Above+up, p.Below+down
		open := []region{inside}
		// The interval is Z ± z_j, where a margin has the length margin √n.
		if stop := min(margin*math.Sqrt(n)-b.Z[j], b.Z[j]); stop >= 0 {
			from, _ := w.exits(n, region{math.Inf(-1), -stop})
			to, _ := w.exits(n, region{math.Inf(-1), stop})
			p.AtBorder += max(0, from-to)
			open = []region{{inside.lo, -stop}, {stop, inside.hi}}
		}
		if j+1 < len(b.Looks) {
			w.advance(n, float64(b.Looks[j+1]), open...)
		}
	}
	return p
}

// Trend returns the conditional power at look k if the parameter is where e estimates it ("current trend"), for the border c
// and a margin in units of the parameter. It is NaN if no two values differ.
func (b Boundary) Trend(e Evidence, k int, c, margin float64) Power {
	form, unit := e.At(c)
	if !(form.SD > 0) {
		return Power{math.NaN(), math.NaN(), math.NaN()}
	}
	truth := form.Mean / form.SD
	return b.ConditionalPower(k, truth*math.Sqrt(float64(form.N)), truth, margin*unit/form.SD)
}

// ReachableMargin returns the margin, in standard deviations of one value, with which a parameter on its border is found at
// the border at the last look with probability p. p = 0 gives the least margin with which any sample is found there. It is
// +Inf if the boundary is crossed too often for any margin.
func (b Boundary) ReachableMargin(p float64) float64 {
	last := len(b.Looks) - 1
	q := stats.NormalTailQuantile((1 - p) / 2)
	if q > b.Z[last] {
		return math.Inf(1)
	}
	return (b.Z[last] + q) / math.Sqrt(float64(b.Looks[last]))
}
