package ginop

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/internal/math/rng"
)

// state is what a step of play shows before its duel.
type state struct {
	g     *rule
	b     *arms.Ball
	f     []float64 // the estimate
	best  []pairValue
	upper float64
}

// play plays steps duels by GINOP with β = √t, answered by utilities truth, and calls see before each.
func play(t testing.TB, s *armstest.Dataset, truth []float64, steps int, norm float64, see func(state)) *arms.Ball {
	r := rng.Stream(1, "arms", "ginop")
	d := arms.NewDuels(check.Must(arms.New(s.NewKernel(t), s.Features()))(t))
	b := arms.NewBall(d, norm)
	g := newRule(b, s.K, true)
	for step := range steps {
		e := b.Fit()
		check.That(t, e.Status == confset.Converged, "step %d: %v, gap %g", step, e.Status, e.Gap)
		b.SetLevel(math.Sqrt(float64(step)))
		best, upper := g.choose(e.F)
		see(state{g, b, e.F, best, upper})
		p := best[r.IntN(len(best))]
		y := 0.0
		if s.Kind == "ties" && r.IntN(3) == 0 {
			y = 0.5
		} else if r.Float64() < armstest.Sigmoid(truth[p.i]-truth[p.j]) {
			y = 1
		}
		d.Add(p.i, p.j, y)
	}
	return b
}

// TestRuleIsExact compares choices, and every bound by a tangent, with a solve for every pair.
func TestRuleIsExact(t *testing.T) {
	check.Sequential(t)
	r := rng.Stream(2, "arms", "ginop")
	var solves, all int
	for set := range 30 {
		s := armstest.Random(r, 8, 0)
		s.Kind = armstest.Choose(r, "", "ties")
		truth := make([]float64, s.K)
		for i := range truth {
			truth[i] = 2 * rng.Normal(r)
		}
		b := play(t, s, truth, 25, armstest.Choose(r, 0.5, 2, 5), func(now state) {
			value := 2 * slices.Max(now.f)
			for at, p := range now.g.pairs {
				if p.i == p.j {
					continue
				}
				all += 2
				v := now.g.values[at]
				up, down := now.b.Largest(p.i, p.j, math.Inf(-1)), now.b.Largest(p.j, p.i, math.Inf(-1))
				least, most := now.f[p.i]+now.f[p.j]+up.Value+down.Value, now.f[p.i]+now.f[p.j]+up.Bound+down.Bound
				value = max(value, least)
				check.That(t, v.Upper >= least-1e-12 && v.Lower <= most+1e-12,
					"set %d: the value of %d and %d is in [%g, %g], but GINOP has [%g, %g]", set, p.i, p.j, least, most, v.Lower, v.Upper)
			}
			check.Near(t, now.upper, value, 1e-8*max(1, value), "set %d: the bound of all values", set)
			for _, p := range now.best {
				check.Near(t, p.Lower, value, 1e-8*max(1, value), "set %d: the value of the choice, %d and %d", set, p.i, p.j)
			}
		})
		solves += b.Work.Solves
		check.Equal(t, "solves that did not converge", b.Work.Failures, 0)
	}
	solves -= all // for the comparison
	check.That(t, solves <= all*2/3, "%d solves of %d: the bounds save too few", solves, all)
}

// TestAllTies: before the first answer all pairs of three arms at equal distances are choices.
func TestAllTies(t *testing.T) {
	s := &armstest.Dataset{K: 3, D: 3, Kernel: "se", Lengthscale: 1, Variance: 1, Arms: [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	play(t, s, make([]float64, 3), 1, 2, func(now state) { check.Equal(t, "choices", len(now.best), 3) })
}

// BenchmarkRule is a run of 300 steps on un-negated Ackley.
func BenchmarkRule(b *testing.B) {
	for _, k := range []int{30, 100} {
		b.Run(map[int]string{30: "30", 100: "100"}[k], func(b *testing.B) {
			s, truth := ackleyMax(k)
			var ball *arms.Ball
			for b.Loop() {
				ball = play(b, s, truth, 300, 6, func(state) {})
			}
			b.ReportMetric(float64(ball.Work.Solves)/300, "solves/step")
			b.ReportMetric(float64(ball.Work.Newton)/300, "systems/step")
			b.ReportMetric(float64(ball.Work.Failures), "failures")
		})
	}
}

// ackleyMax is Ackley's function in one dimension as a utility to maximise, on an even grid.
func ackleyMax(k int) (s *armstest.Dataset, utility []float64) {
	s = &armstest.Dataset{K: k, D: 1, Kernel: "matern52", Lengthscale: 0.1, Variance: 1}
	for i := range k {
		x := -5 + 10*float64(i)/float64(k-1)
		s.Arms = append(s.Arms, []float64{x})
		utility = append(utility, 20+math.E-20*math.Exp(-0.2*math.Abs(x))-math.Exp(math.Cos(2*math.Pi*x)))
	}
	return s, utility
}

func TestChoiceReference(t *testing.T) {
	var file struct {
		Sets []struct {
			armstest.Dataset
			NormBound float64 `json:"norm_bound"`
			Beta      float64
			Cases     []struct {
				Epsilon float64
				Choice  *struct {
					Pair     [2]int
					Value    float64
					SelfDuel float64 `json:"best_self_duel"`
				}
			}
		}
	}
	armstest.Read(t, "ginop.json", &file)
	choices := 0
	for _, s := range file.Sets {
		for _, c := range s.Cases {
			if c.Choice == nil {
				continue
			}
			choices++
			at := fmt.Sprintf("set %d, ε %g: ", s.ID, c.Epsilon)
			d := arms.NewDuels(check.Must(arms.NewPlus(s.NewKernel(t), s.Features(), c.Epsilon))(t))
			s.Tell(d)
			ball := arms.NewBall(d, s.NormBound)
			e := ball.Fit()
			ball.SetLevel(s.Beta)
			best, upper := newRule(ball, s.K, false).choose(e.F)
			if len(best) != 1 || [2]int{best[0].i, best[0].j} != c.Choice.Pair {
				t.Fatalf("%schoice %v, want %v", at, best, c.Choice.Pair)
			}
			check.Near(t, best[0].Lower, c.Choice.Value, 1e-6, "%svalue", at)
			check.Near(t, upper, c.Choice.Value, 1e-6, "%sbound of all values", at)
			check.Near(t, 2*slices.Max(e.F), c.Choice.SelfDuel, 2e-6, "%sbest self-duel", at)
		}
	}
	check.That(t, choices > 0, "no choices")
}
