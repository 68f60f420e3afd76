package arms

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// GINOP is the selection rule of Ben Yahmed et al. (2026): the pair of arms with the largest
//
//	f_i + f_j + ω(i, j),   ω(i, j) = max (f_i - f_j) - min (f_i - f_j)
//
// where f is the estimate, and the maximum and the minimum are those over the confidence set of a [Ball]. A pair of the same
// arm has ω = 0.
//
// The choice is exact, though few pairs are solved for. Each end of each pair keeps the tangent of the loss where its last
// solve ended. The tangent changes with each answer, and bounds the end from above; see [Ball]. That bound is close unless
// much has changed that matters to the pair. A pair needs no solve if its bound is below the value of another pair.
type GINOP struct {
	Work

	ball *Ball
	seen int   // number of answers that the tangents have
	rank int   // number of their coordinates
	ends []cut // of pair at: of i - j at 2 at, of j - i at 2 at + 1
	all  []PairValue
	open []bool // whether the pair may still be the best, and is not solved

	best []PairValue
	a    []float64 // workspace
}

// PairValue says that the value of a pair of arms, I <= J, is in [Lower, Upper].
type PairValue struct {
	I, J         int
	Lower, Upper float64
}

// Work counts work since the beginning.
type Work struct {
	Solves   int // for one end of a pair each
	Failures int // solves that did not converge; their enclosures hold
}

// tieTol is how close values are that tie, relative to the larger of 1 and the best.
const tieTol = 1e-9

func (w *Work) count(e End, cutoff float64) {
	w.Solves++
	if e.Status != Converged && e.Bound > cutoff {
		w.Failures++
	}
}

// NewGINOP returns the rule for the answers of a ball. Their order determines which tangents it keeps, and so do the calls
// of Choose. The tangents affect the work, and values within their enclosures.
func NewGINOP(b *Ball) *GINOP {
	k := b.duels.arms.k
	g := &GINOP{ball: b, a: make([]float64, k)}
	empty := newSpan(b.duels.arms)
	for j := range k {
		for i := range j {
			g.all = append(g.all, PairValue{I: i, J: j})
			// Without answers the maximum is that over the ball.
			c := cut{across: b.norm, outside: empty.direction(nil, i, j)}
			g.ends = append(g.ends, c, c)
		}
	}
	g.open = make([]bool, len(g.all))
	return g
}

// Choose returns the pairs of the largest value over the confidence set of the last SetLevel, given the estimate f of the
// last Fit, and a bound that no pair exceeds. Pairs of one arm count if self is set. The slice is valid until the next call.
func (g *GINOP) Choose(f []float64, self bool) (best []PairValue, upper float64) {
	g.update()
	value := math.Inf(-1)
	if self {
		for _, v := range f {
			value = max(value, 2*v)
		}
	}
	for at := range g.all {
		p := &g.all[at]
		p.Lower, p.Upper = math.Inf(-1), f[p.I]+f[p.J]+g.bound(2*at)+g.bound(2*at+1)
		g.open[at] = true
	}
	for {
		top := -1
		for at, p := range g.all {
			if g.open[at] && (top < 0 || p.Upper > g.all[top].Upper) {
				top = at
			}
		}
		if top < 0 || g.all[top].Upper < value-slackOf(value) {
			break
		}
		g.open[top] = false
		g.solve(top, f, value-slackOf(value))
		value = max(value, g.all[top].Lower)
	}

	g.best, upper = g.best[:0], value
	for at, p := range g.all {
		upper = max(upper, p.Upper)
		if !g.open[at] && p.Upper >= value-slackOf(value) {
			g.best = append(g.best, p)
		}
	}
	for i, v := range f {
		if self && 2*v >= value-slackOf(value) {
			g.best = append(g.best, PairValue{i, i, 2 * v, 2 * v})
		}
	}
	return g.best, upper
}

// slackOf is the difference from the best value below which a value ties with it.
func slackOf(best float64) float64 {
	if math.IsInf(best, -1) {
		return 0
	}
	return tieTol * max(1, math.Abs(best))
}

// solve encloses the value of a pair, or shows that it is below least.
func (g *GINOP) solve(at int, f []float64, least float64) {
	p := &g.all[at]
	base := f[p.I] + f[p.J]
	up := g.end(2*at, p.I, p.J, least-base-g.bound(2*at+1))
	p.Upper = min(p.Upper, base+up.Bound+g.bound(2*at+1))
	if p.Upper < least {
		return
	}
	down := g.end(2*at+1, p.J, p.I, least-base-up.Bound)
	p.Lower, p.Upper = base+up.Value+down.Value, min(p.Upper, base+up.Bound+down.Bound)
}

// end solves for one end, and keeps its tangent.
func (g *GINOP) end(at, i, j int, cutoff float64) End {
	e := g.ball.Largest(i, j, cutoff)
	g.count(e, cutoff)
	c, last := &g.ends[at], &g.ball.cut
	c.w, c.g = append(c.w[:0], last.w...), append(c.g[:0], last.g...)
	c.across, c.outside, c.loss = last.across, last.outside, last.loss
	return e
}

// bound returns the bound of an end by its tangent.
func (g *GINOP) bound(at int) float64 {
	c, b := &g.ends[at], g.ball
	p := &g.all[at/2]
	a := g.a[:g.rank]
	b.span.direction(a, p.I, p.J)
	sign := 1.0
	if at%2 == 1 {
		sign = -1
	}
	return c.bound(b, a, sign, c.outside)
}

// update updates the tangents by the answers that the ball has and g has not.
func (g *GINOP) update() {
	s, d := &g.ball.span, g.ball.duels
	for at := range g.ends {
		c, p := &g.ends[at], g.all[at/2]
		for r := len(c.w); r < s.rank; r++ {
			// The function's part outside of the span has a part along the new basis function.
			v := s.b.Data[p.I*s.b.Stride+r] - s.b.Data[p.J*s.b.Stride+r]
			if at%2 == 1 {
				v = -v
			}
			var w float64
			if c.outside > 0 {
				v = max(-c.outside, min(c.outside, v))
				w = c.across * (v / c.outside)
				left := math.Sqrt((c.outside - v) * (c.outside + v))
				c.across *= left / c.outside
				c.outside = left
			}
			c.w, c.g = append(c.w, w), append(c.g, 0)
		}
	}
	g.rank = s.rank
	for ; g.seen < d.Len(); g.seen++ {
		x := d.answers[g.seen]
		if x.pair < 0 {
			for at := range g.ends {
				g.ends[at].loss += math.Ln2
			}
			continue
		}
		i, j := int(d.pairs[x.pair].a), int(d.pairs[x.pair].b)
		if !x.won {
			i, j = j, i
		}
		a := g.a[:g.rank]
		s.direction(a, i, j)
		for at := range g.ends {
			c := &g.ends[at]
			h := wide.Dot(a, c.w)
			e := fmath.Exp(-math.Abs(h))
			c.loss += fmath.Log1p(e) + max(-h, 0)
			wrong := 1 / (1 + e) // σ(-h)
			if h > 0 {
				wrong *= e
			}
			if x.tie { // half of either answer
				c.loss += float64(h / 2)
				wrong -= 0.5
			}
			wide.AddScaled(c.g, -wrong, a)
		}
	}
}
