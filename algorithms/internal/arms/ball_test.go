package arms

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/arms/armstest"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/math/wide"
)

// width returns the range of f_i - f_j over the set of SetLevel.
func (b *Ball) width(i, j int) Width {
	up, down := b.Largest(i, j, math.Inf(-1)), b.Largest(j, i, math.Inf(-1))
	return Width{max(up.Status, down.Status), up.Value, up.Bound, -down.Value, -down.Bound}
}

// TestWidthAt: at arms WidthAt is Width, its functions have the values, and lie in the confidence set.
func TestWidthAt(t *testing.T) {
	r := rng.Stream(4, "arms", "ginop")
	for set := range 40 {
		s := armstest.Random(r, 8, 20)
		b := NewBall(duelsOf(t, s), 2)
		e := b.Fit()
		b.SetLevel(1.5)
		g := s.Gram(t)
		for range 5 {
			i, j := r.IntN(s.K), r.IntN(s.K)
			want := b.width(i, j)
			h := make([]float64, s.K)
			for a := range h {
				h[a] = g[i][a] - g[j][a]
			}
			var top, bottom Function
			w := b.WidthAt(h, h[i]-h[j], &top, &bottom)
			// The square root of the rounding of a variance outside of the span is 1e-8.
			check.Near(t, w.MaxValue, want.MaxValue, 1e-6, "largest")
			check.Near(t, w.MinValue, want.MinValue, 1e-6, "smallest")
			for value, f := range map[float64]Function{w.MaxValue: top, w.MinValue: bottom} {
				all := slices.Clone(f.Weights)
				all[i] += f.Own
				all[j] -= f.Own
				values := g.Times(all)
				check.Near(t, values[i]-values[j], value, 1e-6, "value of the function")
				loss := s.Loss(values)
				size := wide.Dot(all, values)
				check.That(t, size <= 4+1e-6 && loss <= e.Objective+1.5+1e-6, "set %d: squared norm %g, loss %g", set, size, loss)
			}
		}
	}
}

// TestSetNorm: a ball of another radius is as good as a new one.
func TestSetNorm(t *testing.T) {
	r := rng.Stream(3, "arms", "popbo")
	for range 10 {
		s := armstest.Random(r, 8, 30)
		changed, fresh := NewBall(duelsOf(t, s), 0.7), NewBall(duelsOf(t, s), 3)
		changed.Fit()
		changed.SetNorm(3)
		check.Equal(t, "objective", changed.Fit().Objective, fresh.Fit().Objective)
		changed.SetLevel(1)
		fresh.SetLevel(1)
		check.Equal(t, "width", changed.width(0, s.K-1), fresh.width(0, s.K-1))
	}
}

// TestImprove: a solve that pauses at each of many cutoffs, between solves for other differences, encloses the same value.
func TestImprove(t *testing.T) {
	r := rng.Stream(7, "arms", "improve")
	pauses := 0
	for range 20 {
		s := armstest.Random(r, 6, 30)
		if s.K < 2 {
			continue
		}
		b := NewBall(duelsOf(t, s), 2)
		b.Fit()
		b.SetLevel(0.5)
		want := b.Largest(0, 1, math.Inf(-1))
		var paused Solve
		cutoff := b.BallBound(0, 1)
		for !b.Improve(&paused, 0, 1, cutoff) {
			pauses++
			check.That(t, paused.Bound >= want.Value-1e-9 && paused.Value <= want.Bound+1e-9, "paused with %+v, the value is %.10g", paused.End, want.Value)
			cutoff = paused.Bound - 1e-3*max(1, math.Abs(paused.Bound))
			b.Largest(r.IntN(s.K), r.IntN(s.K), math.Inf(-1))
		}
		check.Equal(t, "status", paused.Status, want.Status)
		check.Near(t, paused.Value, want.Value, 1e-8, "the value after pauses")
		check.Near(t, paused.Bound, want.Bound, 1e-8, "the bound after pauses")
	}
	check.That(t, pauses > 20, "%d pauses", pauses)
}

// TestTangents: while answers of all kinds arrive, the tangent of an earlier solve bounds a difference from above. It is
// sharp right after the solve, and below the bound of the ball alone after most answers.
func TestTangents(t *testing.T) {
	r := rng.Stream(6, "arms", "tangents")
	useful, all := 0, 0
	for range 20 {
		s := armstest.Random(r, 6, 0)
		d := NewDuels(armsOf(t, s, 0))
		b := NewBall(d, 2)
		tangents := NewTangents(b)
		for range 30 {
			i, j, y := r.IntN(s.K), r.IntN(s.K), 0.0
			if r.IntN(4) == 0 {
				y = 0.5
			} else if r.IntN(3) > 0 == (i < j) {
				y = 1
			}
			d.Add(i, j, y)
			b.Fit()
			b.SetLevel(0.5)
			tangents.Update()
			for i := range s.K {
				for j := range s.K {
					if i == j {
						continue
					}
					bound, ball := tangents.Bound(i, j), b.BallBound(i, j)
					e := b.Largest(i, j, math.Inf(-1))
					check.That(t, min(bound, ball) >= e.Value-1e-9, "the largest difference is %.10g, its bounds %.10g and %.10g", e.Value, bound, ball)
					if all++; bound < ball-1e-6 {
						useful++
					}
				}
			}
			if i, j := r.IntN(s.K), r.IntN(s.K); i != j {
				e := tangents.Solve(i, j, math.Inf(-1))
				check.Near(t, tangents.Bound(i, j), e.Bound, 1e-5, "the bound after the solve")
			}
		}
	}
	check.That(t, useful > all/2, "%d of %d bounds are below that of the ball", useful, all)
}
