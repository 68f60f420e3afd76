package ginop

import (
	"math"

	"popbench/internal/math/arms"
)

// choice is a pair with its value f̂(x) + f̂(x') + ω(x, x').
type choice struct {
	x, y  []float64
	value float64
	width float64 // ω
	gap   float64 // of the certificate: see certificate
}

// work counts work.
type work struct{ solves, newton, failures int }

// rule is the selection rule of Ben Yahmed et al. (2026): the pair of arms with the largest
//
//	f_i + f_j + ω(i, j),   ω(i, j) = max (f_i - f_j) - min (f_i - f_j)
//
// where f is the estimate, and the maximum and the minimum are over the confidence set of a ball. A pair of the same
// arm has ω = 0.
//
// The choice is exact, though few pairs are solved for: tangents bound each end of each pair from above. A pair needs no
// solve if its bound is below the value of another pair.
type rule struct {
	*arms.Tangents

	all  []pairValue
	open []bool // whether the pair may still be the best, and is not solved
	best []pairValue
}

// pairValue says that the value of a pair of arms, i <= j, is in [lower, upper].
type pairValue struct {
	i, j         int
	lower, upper float64
}

// newRule returns the rule for the answers of a ball about k arms. Earlier calls of choose affect the work, and the values
// only within their enclosures.
func newRule(b *arms.Ball, k int) *rule {
	g := &rule{Tangents: arms.NewTangents(b)}
	for j := range k {
		for i := range j {
			g.all = append(g.all, pairValue{i: i, j: j})
		}
	}
	g.open = make([]bool, len(g.all))
	return g
}

// choose returns the pairs of the largest value over the confidence set of the last SetLevel, given the estimate f of the
// last Fit, and a bound that no pair exceeds. Pairs of one arm count if self is set. The slice is valid until the next call.
func (g *rule) choose(f []float64, self bool) (best []pairValue, upper float64) {
	g.Update()
	value := math.Inf(-1)
	if self {
		for _, v := range f {
			value = max(value, 2*v)
		}
	}
	for at := range g.all {
		p := &g.all[at]
		p.lower, p.upper = math.Inf(-1), f[p.i]+f[p.j]+g.Bound(p.i, p.j)+g.Bound(p.j, p.i)
		g.open[at] = true
	}
	for {
		top := -1
		for at, p := range g.all {
			if g.open[at] && (top < 0 || p.upper > g.all[top].upper) {
				top = at
			}
		}
		if top < 0 || g.all[top].upper < value-arms.Slack(value) {
			break
		}
		g.open[top] = false
		g.solve(top, f, value-arms.Slack(value))
		value = max(value, g.all[top].lower)
	}

	g.best, upper = g.best[:0], value
	for at, p := range g.all {
		upper = max(upper, p.upper)
		if !g.open[at] && p.upper >= value-arms.Slack(value) {
			g.best = append(g.best, p)
		}
	}
	for i, v := range f {
		if self && 2*v >= value-arms.Slack(value) {
			g.best = append(g.best, pairValue{i, i, 2 * v, 2 * v})
		}
	}
	return g.best, upper
}

// solve encloses the value of a pair, or shows that it is below least.
func (g *rule) solve(at int, f []float64, least float64) {
	p := &g.all[at]
	base := f[p.i] + f[p.j]
	up := g.Solve(p.i, p.j, least-base-g.Bound(p.j, p.i))
	p.upper = min(p.upper, base+up.Bound+g.Bound(p.j, p.i))
	if p.upper < least {
		return
	}
	down := g.Solve(p.j, p.i, least-base-up.Bound)
	p.lower, p.upper = base+up.Value+down.Value, min(p.upper, base+up.Bound+down.Bound)
}
