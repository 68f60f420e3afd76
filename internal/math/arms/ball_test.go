package arms

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/arms/armstest"
	"popbench/internal/math/rng"
)

// TestWidthAt: at arms WidthAt is Width, its functions have the values, and lie in the confidence set.
func TestWidthAt(t *testing.T) {
	r := rng.Stream(4, "arms", "ginop")
	for set := range 40 {
		s := armstest.Random(r, 8, 20)
		d := duelsOf(t, s)
		b := NewBall(d, 2)
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
			for _, f := range []struct {
				Function
				value float64
			}{{top, w.MaxValue}, {bottom, w.MinValue}} {
				all := append([]float64(nil), f.Weights...)
				all[i] += f.Own
				all[j] -= f.Own
				values := g.Times(all)
				check.Near(t, values[i]-values[j], f.value, 1e-6, "value of the function")
				if size := armstest.Dot(all, values); size > 4+1e-6 {
					t.Errorf("set %d: squared norm %g", set, size)
				}
				if loss, _ := s.Loss(values); loss > e.Objective+1.5+1e-6 {
					t.Errorf("set %d: loss %g is above %g", set, loss, e.Objective+1.5)
				}
			}
		}
	}
}

// TestSmallBeta: where the ball does not bind, the confidence set becomes the ellipsoid of the quadratic approximation as β
// falls, and ω its width, 2√(2β/λ · v) with the Laplace variance v, for λ → 0. The difference falls with √β or faster.
func TestSmallBeta(t *testing.T) {
	r := rng.Stream(5, "arms", "ginop")
	for set := range 10 {
		s := armstest.Random(r, 5, 0)
		d := NewDuels(armsOf(t, s))
		for i := range s.K {
			for j := range i {
				d.Add(i, j, true)
				d.Add(i, j, false)
				d.Tie(i, j)
			}
		}
		d.Add(0, s.K-1, true) // not all differences are zero
		b := NewBall(d, 1e3)
		e := b.Fit()
		if e.Status != Converged || e.Lambda != 0 {
			t.Fatalf("set %d: %v, multiplier %g", set, e.Status, e.Lambda)
		}
		const lambda = 1e-9
		l := NewLaplace(d, lambda)
		l.Update(e.F)
		if l.Variance(0, s.K-1) == 0 {
			continue
		}
		before := math.Inf(1)
		for _, beta := range []float64{1e-2, 1e-3, 1e-4} {
			b.SetLevel(beta)
			var worst float64
			for i := range s.K {
				for j := range i {
					if want := 2 * math.Sqrt(2*beta/lambda*l.Variance(i, j)); want > 0 {
						worst = max(worst, math.Abs(b.width(i, j).Least()/want-1))
					}
				}
			}
			if !(worst <= math.Sqrt(beta)) || !(worst < before) {
				t.Errorf("set %d: at β = %g, ω differs from that of the quadratic approximation by %.3g, before by %.3g", set, beta, worst, before)
			}
			before = worst
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
		a, b := changed.Fit(), fresh.Fit()
		changed.SetLevel(1)
		fresh.SetLevel(1)
		i, j := r.IntN(s.K), r.IntN(s.K)
		if v, w := changed.width(i, j), fresh.width(i, j); a.Objective != b.Objective || v != w {
			t.Errorf("%v and %v: %v and %v", a.Objective, b.Objective, v, w)
		}
	}
}
