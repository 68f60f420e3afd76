package arms

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// Tangents bound every difference of two arms over the confidence set of a [Ball] from above. Each difference keeps the
// tangent of the loss where its last solve ended, which changes with each answer. Its bound is close unless much of what
// matters to the two arms has changed.
type Tangents struct {
	ball *Ball
	seen int   // number of answers that the tangents have
	rank int   // number of their coordinates
	ends []cut // of arms i < j: of i - j at 2 pair(i, j), of j - i after it

	a []float64 // workspace
}

// NewTangents returns the tangents before the first solve. Which tangents they keep depends on the order of the answers and
// of the calls of Solve.
func NewTangents(b *Ball) *Tangents {
	k := b.duels.arms.k
	t := &Tangents{ball: b, a: make([]float64, k)}
	empty := newSpan(b.duels.arms)
	for j := range k {
		for i := range j {
			// Without answers the set is the ball.
			c := cut{across: b.norm, outside: empty.direction(nil, i, j)}
			t.ends = append(t.ends, c, c)
		}
	}
	return t
}

// end returns the index of f_i - f_j, for different arms.
func end(i, j int) int {
	if i < j {
		return 2 * (j*(j-1)/2 + i)
	}
	return 2*(i*(i-1)/2+j) + 1
}

// Solve is [Ball.Largest]; the tangent where it ends replaces the tangent for f_i - f_j.
func (t *Tangents) Solve(i, j int, cutoff float64) End {
	e := t.ball.Largest(i, j, cutoff)
	c, last := &t.ends[end(i, j)], &t.ball.cut
	c.w, c.g = append(c.w[:0], last.w...), append(c.g[:0], last.g...)
	c.across, c.outside, c.loss = last.across, last.outside, last.loss
	return e
}

// Bound bounds f_i - f_j from above. The tangents must have all answers; see Update.
func (t *Tangents) Bound(i, j int) float64 {
	c := &t.ends[end(i, j)]
	a := t.a[:t.rank]
	t.ball.span.direction(a, i, j)
	return c.bound(t.ball, a, c.outside)
}

// Update updates the tangents by the answers that the ball has and they have not.
func (t *Tangents) Update() {
	s, d := &t.ball.span, t.ball.duels
	for j := range d.arms.k {
		for i := range j {
			for r := len(t.ends[end(i, j)].w); r < s.rank; r++ {
				// The function's part outside of the span has a part along the new basis function.
				v := s.b.Data[i*s.b.Stride+r] - s.b.Data[j*s.b.Stride+r]
				t.ends[end(i, j)].extend(v)
				t.ends[end(j, i)].extend(-v)
			}
		}
	}
	t.rank = s.rank
	for ; t.seen < d.Len(); t.seen++ {
		x := d.answers[t.seen]
		if x.pair < 0 {
			for at := range t.ends {
				t.ends[at].loss += math.Ln2
			}
			continue
		}
		i, j := int(d.pairs[x.pair].a), int(d.pairs[x.pair].b)
		if x.y < 1 {
			i, j = j, i
		}
		a := t.a[:t.rank]
		s.direction(a, i, j)
		for at := range t.ends {
			c := &t.ends[at]
			h := wide.Dot(a, c.w)
			e := fmath.Exp(-math.Abs(h))
			c.loss += fmath.Log1p(e) + max(-h, 0)
			wrong := 1 / (1 + e) // σ(-h)
			if h > 0 {
				wrong *= e
			}
			if x.y == 0.5 { // half of either answer
				c.loss += float64(h / 2)
				wrong -= 0.5
			}
			wide.AddScaled(c.g, -wrong, a)
		}
	}
}

// extend adds a coordinate of the span. The part of the difference outside of the old span has the component v along it.
func (c *cut) extend(v float64) {
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
