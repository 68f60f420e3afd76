package suite

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// held returns what is held out of an instance of the problem.
func held(t *testing.T, spec *problems.Spec, model problems.Model, plan record.HeldOutPlan) *HeldOutSet {
	t.Helper()
	p := check.Must(spec.Instance(problems.Raw, nil))(t)
	return check.Must(holdOut(t.Context(), p, model, &plan, func(labels ...string) *rand.Rand { return rng.Stream(1, labels...) }))(t)
}

// On a finite domain the held-out points are different arms, all of them if there are few, and a single arm has no duel.
func TestHoldOutArms(t *testing.T) {
	for _, c := range []struct{ arms, planned, points int }{{30, 12, 12}, {5, 50, 5}, {2, 2, 2}, {1, 10, 1}} {
		var points [][]float64
		for i := range c.arms {
			points = append(points, []float64{float64(i), 1 / (1 + float64(i))})
		}
		arms := check.Must(space.NewArms(points))(t)
		f := problems.Function{Arms: arms, Eval: func(x []float64) float64 { return x[1] }, Optimum: problems.Optimum{Unknown: true}}
		spec := check.Must(problems.New(problems.Spec{Name: "arms", Title: "Arms"}, f))(t)
		h := held(t, spec, problems.Model{}, record.HeldOutPlan{Duels: 40, Points: c.planned})
		seen := map[int]bool{}
		for _, x := range h.Points {
			seen[arms.Index(x)] = true
		}
		check.Equal(t, "different arms", len(seen), c.points)
		check.Equal(t, "points outside", seen[-1], false)
		check.Equal(t, "duels", len(h.Duels), map[bool]int{true: 40, false: 0}[c.points > 1])
		for _, d := range h.Duels {
			check.That(t, d.Winner != d.Loser, "an arm is compared with itself")
		}
	}
}

// Duels that the oracle leaves undecided are left out.
func TestHoldOutTies(t *testing.T) {
	decided := map[float64]int{}
	for _, jnd := range []float64{0, 20, 1e6} {
		h := held(t, check.Must(problems.Lookup("branin"))(t), problems.Model{JND: jnd, Hard: true}, record.HeldOutPlan{Duels: 60, Points: 20})
		decided[jnd] = len(h.Duels)
		for _, d := range h.Duels {
			gap := h.Utility[d.Winner] - h.Utility[d.Loser]
			check.That(t, math.Abs(gap) >= jnd, "a difference of %g is decided, %g is just noticeable", gap, jnd)
		}
	}
	check.That(t, decided[0] == 60 && decided[20] > 0 && decided[20] < 60 && decided[1e6] == 0, "duels that are decided: %v", decided)
}

// A number alone stands for so many duels between fifty points.
func TestHeldOutKeys(t *testing.T) {
	check.Equal(t, "by default", small(t, hashBase).HeldOut, HeldOut{})
	check.Equal(t, "a number alone", small(t, base("", "held_out: 200")).HeldOut, HeldOut{Duels: 200, Points: 50})
	again(t, small(t, base("", "held_out: 200")))
}
