package arms

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
)

// playPOPBO plays steps duels by POP-BO with β = √t, answered by utilities truth, and calls check before each.
func playPOPBO(t testing.TB, s *dataset, truth []float64, steps int, norm float64, check func(step, ref int, b *Ball, best []ArmValue, upper float64, w Work)) *Ball {
	r := rng.Stream(1, "arms", "popbo")
	d := NewDuels(s.arms(t))
	b := NewBall(d, norm)
	ref := 0
	for step := range steps {
		if e := b.Fit(); e.Status != Converged || e.Gap > 1e-9 {
			t.Fatalf("step %d: %v, gap %g", step, e.Status, e.Gap)
		}
		b.SetLevel(math.Sqrt(float64(step)))
		best, upper, w := b.Advantages(ref)
		check(step, ref, b, best, upper, w)
		x := best[r.IntN(len(best))].Arm
		d.Add(x, ref, r.Float64() < sigmoid(truth[x]-truth[ref]))
		ref = x
	}
	return b
}

// TestAdvantagesAreExact compares choices, and every bound, with a solve for every arm.
func TestAdvantagesAreExact(t *testing.T) {
	r := rng.Stream(2, "arms", "popbo")
	var solves, all int
	for range 30 {
		s := randomSet(r, 8, 0)
		truth := make([]float64, s.K)
		for i := range truth {
			truth[i] = 2 * rng.Normal(r)
		}
		norm := choose(r, 0.5, 2, 5)
		playPOPBO(t, s, truth, 25, norm, func(step, ref int, b *Ball, best []ArmValue, upper float64, w Work) {
			solves, all = solves+w.Solves, all+s.K-1
			check.That(t, w.Failures == 0, "step %d: %d failures", step, w.Failures)
			value := 0.0
			ends := make([]End, s.K)
			for i := range ends {
				ends[i] = b.Largest(i, ref, math.Inf(-1))
				value = max(value, ends[i].Value)
			}
			check.Near(t, upper, value, 2e-9*max(1, value), "step %d: the bound of all arms against the largest value", step)
			chosen := map[int]bool{}
			for _, p := range best {
				chosen[p.Arm] = true
				if e := ends[p.Arm]; p.Lower > e.Bound+1e-12 || p.Upper < e.Value-1e-12 || p.Lower < value-2e-9*max(1, value) {
					t.Errorf("step %d: arm %d is in [%g, %g], but its value in [%g, %g], and the largest is %g", step, p.Arm, p.Lower, p.Upper, e.Value, e.Bound, value)
				}
			}
			for i, e := range ends {
				if e.Value == value && !chosen[i] {
					t.Errorf("step %d: arm %d has the largest value %g, and is not among %v", step, i, value, best)
				}
			}
		})
	}
	check.That(t, solves < all, "%d solves for %d arms: tangents exclude none", solves, all)
}

// TestSetNorm: a ball of another radius is as good as a new one.
func TestSetNorm(t *testing.T) {
	r := rng.Stream(3, "arms", "popbo")
	for range 10 {
		s := randomSet(r, 8, 30)
		changed, fresh := NewBall(s.duels(t), 0.7), NewBall(s.duels(t), 3)
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
