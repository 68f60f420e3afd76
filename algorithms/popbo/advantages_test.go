package popbo

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/internal/math/arms/armstest"
	"popbench/internal/math/rng"
)

// Choices, and every bound, are those of a solve for every arm, in games with β = √t.
func TestAdvantagesAreExact(t *testing.T) {
	r := rng.Stream(2, "arms", "popbo")
	solves, all := 0, 0
	for range 30 {
		s := armstest.Random(r, 8, 0)
		truth := make([]float64, s.K)
		for i := range truth {
			truth[i] = 2 * rng.Normal(r)
		}
		a := check.Must(arms.New(s.NewKernel(t), s.Features()))(t)
		d := arms.NewDuels(a)
		b := arms.NewBall(d, armstest.Choose(r, 0.5, 2, 5))
		m := &finite{arms: a, duels: d, ball: b}
		answers, ref := rng.Stream(1, "arms", "popbo"), 0
		for step := range 25 {
			if e := b.Fit(); e.Status != arms.Converged || e.Gap > 1e-9 {
				t.Fatalf("step %d: %v, gap %g", step, e.Status, e.Gap)
			}
			b.SetLevel(math.Sqrt(float64(step)))
			best, upper := m.advantages(ref)
			checkAdvantages(t, step, b, s.K, ref, best, upper)
			all += s.K - 1
			x := best[answers.IntN(len(best))].arm
			d.Add(x, ref, answers.Float64() < armstest.Sigmoid(truth[x]-truth[ref]))
			ref = x
		}
		solves += m.work.Solves
		check.Equal(t, "failures", m.work.Failures, 0)
	}
	check.That(t, solves < all, "%d solves for %d arms: tangents exclude none", solves, all)
}

func checkAdvantages(t *testing.T, step int, b *arms.Ball, k, ref int, best []armValue, upper float64) {
	t.Helper()
	value := 0.0
	ends := make([]arms.End, k)
	for i := range ends {
		ends[i] = b.Largest(i, ref, math.Inf(-1))
		value = max(value, ends[i].Value)
	}
	check.Near(t, upper, value, 2e-9*max(1, value), "step %d: the bound of all arms against the largest value", step)
	chosen := map[int]bool{}
	for _, p := range best {
		chosen[p.arm] = true
		if e := ends[p.arm]; p.lower > e.Bound+1e-12 || p.upper < e.Value-1e-12 || p.lower < value-2e-9*max(1, value) {
			t.Errorf("step %d: arm %d is in [%g, %g], but its value in [%g, %g], and the largest is %g", step, p.arm, p.lower, p.upper, e.Value, e.Bound, value)
		}
	}
	for i, e := range ends {
		if e.Value == value && !chosen[i] {
			t.Errorf("step %d: arm %d has the largest value %g, and is not among %v", step, i, value, best)
		}
	}
}
