package sequential

import (
	"math"

	"popbench/internal/math/stats"
)

// above returns the probability, for the drift θ, of an outcome that speaks for large values at least as much as stopping at
// look k with statistic z. Outcomes are ordered by stages: an exit above at an earlier look, or no exit before look k and
// Z_k >= z (Tsiatis, Rosner & Mehta, Biometrics 40, 1984). The probability increases with θ. For θ = 0 it is the P value of
// the upper side. Runs go on at look j while Z_j is in the region inside(j).
func (b Boundary) above(k int, z, drift float64, inside func(j int) region) float64 {
	w := newWalk(0, 0, drift/math.Sqrt(float64(b.Cap)))
	var p float64
	for j := range k {
		n := float64(b.Looks[j])
		up, _ := w.exits(n, inside(j))
		p += up
		w.advance(n, float64(b.Looks[j+1]), inside(j))
	}
	up, _ := w.exits(float64(b.Looks[k]), region{math.Inf(-1), z})
	return p + up
}

// Adjusted are estimates that allow for stopping at a boundary, in units of the parameter.
type Adjusted struct {
	Estimate float64        // median-unbiased
	Interval stats.Interval // misses it on either side with a given probability
}

// Adjust returns the estimate of a parameter whose runs stopped at the last of some looks, for the border c, and the
// interval that lies above the parameter with probability above, and below it with probability below: the parameters for
// which [Boundary.above] is 1/2, above and 1 − below. Standard deviation and skewness are taken as known. The standard
// deviation of a ratio a/b is taken from a − r b at its last estimate r (delta method); for a − c b it differs if c is far.
// At an earlier look runs go on while c is not rejected, or is between borders that are not, with the lengths that intervals
// had there. After few runs, or where one of them is far from the others, these are much longer than normal ones, so that
// even a clear sample goes on. That runs may also stop at the border or for futility is left out. The result is NaN if no
// two values differ.
func (b Boundary) Adjust(looks []Evidence, c, above, below float64) Adjusted {
	k := len(looks) - 1
	form, unit := looks[k].At(c)
	here, _ := looks[k].At(c + form.Mean/unit)
	if !(form.SD > 0 && here.SD > 0) {
		return Adjusted{math.NaN(), stats.NoInterval()}
	}
	form.SD = here.SD
	inside := make([]region, k)
	for j, e := range looks[:k] {
		inside[j] = region{math.Inf(-1), math.Inf(1)}
		s, unit := e.At(c)
		ci, here := e.Interval(b.Z[j]), s.Interval(b.Z[j])
		if s.SD > 0 && !math.IsNaN(ci.Lo) {
			value, scale := c+s.Mean/unit, math.Sqrt(float64(s.N))/form.SD
			inside[j] = region{min(s.Mean-here.Hi, (value-ci.Hi)*unit) * scale, max(s.Mean-here.Lo, (value-ci.Lo)*unit) * scale}
		}
	}
	return b.adjust(form, unit, k, c, above, below, func(j int) region { return inside[j] })
}

// adjust is Adjust for a form whose runs go on at look j while the form's T is in the region inside(j).
func (b Boundary) adjust(form Sample, unit float64, k int, c, above, below float64, inside func(j int) region) Adjusted {
	z := form.T(0)
	at := func(p float64) float64 {
		return c + b.drift(k, z, p, inside)*form.SD/(math.Sqrt(float64(b.Cap))*unit)
	}
	return Adjusted{at(0.5), stats.Interval{Lo: at(above), Hi: at(1 - below)}}
}

// drift returns the drift for which above is p.
func (b Boundary) drift(k int, z, p float64, inside func(j int) region) float64 {
	excess := func(drift float64) float64 { return b.above(k, z, drift, inside) - p }
	unit := math.Sqrt(float64(b.Cap) / float64(b.Looks[k]))
	lo, hi := z*unit, z*unit
	for step := unit; excess(lo) > 0; step *= 2 {
		lo -= step
	}
	for step := unit; excess(hi) < 0; step *= 2 {
		hi += step
	}
	return root(excess, lo, hi)
}
