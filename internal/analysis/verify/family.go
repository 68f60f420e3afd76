package verify

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/stats"
)

// closeFamily gives verdicts to the claims that all claims together allow: by Holm's method over their sequential P values,
// whose verdicts later looks never take back. Claims that nothing more can decide are closed as well.
func (d *decider) closeFamily() {
	p, holds := make([]float64, len(d.claims)), make([]bool, len(d.claims))
	for i, c := range d.claims {
		in, out := d.claimP(c)
		p[i], holds[i] = min(in, out), in <= out
	}
	for i, adjusted := range stats.Holm(p) {
		c := d.claims[i]
		switch {
		case c.verdict != "":
		case adjusted > d.plan.Alpha:
			c.verdict = c.together()
		case holds[i]:
			c.verdict = Holds
			for _, part := range c.parts {
				part.verdict, part.reason = Holds, reasonFamily
			}
		default:
			c.verdict = Fails
			worst := slices.MinFunc(c.parts, func(a, b *partState) int { return cmp.Compare(d.outP(a), d.outP(b)) })
			worst.verdict, worst.reason = Fails, reasonFamily
		}
	}
}

// claimP returns the P values against "the claim does not hold" and against "it holds".
func (d *decider) claimP(c *claimState) (in, out float64) {
	out = 1
	for _, part := range c.parts {
		if len(part.looks) == 0 {
			return 1, 1
		}
		in = max(in, d.inP(part))
		out = min(out, d.outP(part))
	}
	return in, min(1, out*float64(len(c.parts)))
}

// inP returns the P value against the hypothesis that the statistic is outside the region.
func (d *decider) inP(part *partState) (p float64) {
	r := part.finding.Region
	if !math.IsInf(r.Lo, 0) {
		p = max(p, d.sideP(part, r.Lo, 1))
	}
	if !math.IsInf(r.Hi, 0) {
		p = max(p, d.sideP(part, r.Hi, -1))
	}
	return p
}

// outP returns the P value against the hypothesis that the statistic is in the region.
func (d *decider) outP(part *partState) float64 {
	r, p := part.finding.Region, 1.0
	if !math.IsInf(r.Lo, 0) {
		p = min(p, d.sideP(part, r.Lo, -1))
	}
	if !math.IsInf(r.Hi, 0) {
		p = min(p, d.sideP(part, r.Hi, 1))
	}
	return p
}

// sideP returns the P value for the statistic being on one side of a border, 1 above and −1 below. For a statistic of
// rank r among m, see interval.
func (d *decider) sideP(part *partState, border, side float64) float64 {
	var all []float64
	for i := range part.tests {
		all = append(all, d.testP(part, i, border, side))
	}
	slices.Sort(all)
	r, m := part.rank(), len(part.tests)
	if side < 0 { // r tests have to be below
		return min(1, float64(m-r+1)*all[r-1])
	}
	return min(1, float64(r)*all[m-r]) // m − r + 1 above
}

// testP is the same for a single test.
func (d *decider) testP(part *partState, i int, border, side float64) float64 {
	if part.plan.Guarantee == Exact {
		return part.exact[len(part.looks)-1][i].p(border, side, d.plan.Alpha)
	}
	var z []float64
	for k := range part.looks {
		z = append(z, max(0, side*part.evidence[k][i].Z(border)))
	}
	return d.design(d.plan.Alpha).PValue(d.plan.Looks[:len(z)], z)
}
