package ginop

import (
	"math"

	"popbench/algorithms/internal/arms"
)

// choice is a pair with its value f̂(x) + f̂(x') + ω(x, x').
type choice struct {
	x, y  []float64
	value float64
	width float64 // ω
	gap   float64 // of the certificate: see certificate
}

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

	pairs  []pair
	values []arms.Range // of pairs
}

// pair is two arms, i <= j.
type pair struct{ i, j int }

// pairValue is a pair and its value.
type pairValue struct {
	pair
	arms.Range
}

// newRule returns the rule for the answers of a ball about k arms, with pairs of one arm if self is set. Earlier calls of
// choose affect the work, and the values only within their enclosures.
func newRule(b *arms.Ball, k int, self bool) *rule {
	g := &rule{Tangents: arms.NewTangents(b)}
	for j := range k {
		for i := range j {
			g.pairs = append(g.pairs, pair{i, j})
		}
	}
	for i := range k {
		if self {
			g.pairs = append(g.pairs, pair{i, i})
		}
	}
	g.values = make([]arms.Range, len(g.pairs))
	return g
}

// choose returns the pairs of the largest value over the confidence set of the last SetLevel, given the estimate f of the
// last Fit, and a bound that no pair exceeds.
func (g *rule) choose(f []float64) (best []pairValue, upper float64) {
	g.Update()
	value := math.Inf(-1)
	for at, p := range g.pairs {
		base := f[p.i] + f[p.j]
		if p.i == p.j {
			g.values[at] = arms.Range{Lower: base, Upper: base, Solved: true}
			value = max(value, base)
		} else {
			g.values[at] = arms.Range{Lower: math.Inf(-1), Upper: base + g.Bound(p.i, p.j) + g.Bound(p.j, p.i)}
		}
	}
	value = arms.Search(g.values, value, func(at int, cutoff float64) { g.solve(at, f, cutoff) })
	upper = value
	for at, v := range g.values {
		upper = max(upper, v.Upper)
		if v.Solved && v.Upper >= value-arms.Slack(value) {
			best = append(best, pairValue{g.pairs[at], v})
		}
	}
	return best, upper
}

// solve encloses the value of a pair, or shows that it is below least.
func (g *rule) solve(at int, f []float64, least float64) {
	p, v := g.pairs[at], &g.values[at]
	base := f[p.i] + f[p.j]
	up := g.Solve(p.i, p.j, least-base-g.Bound(p.j, p.i))
	v.Upper = min(v.Upper, base+up.Bound+g.Bound(p.j, p.i))
	if v.Upper < least {
		return
	}
	down := g.Solve(p.j, p.i, least-base-up.Bound)
	v.Lower, v.Upper = base+up.Value+down.Value, min(v.Upper, base+up.Bound+down.Bound)
}
