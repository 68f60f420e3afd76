package convex

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
)

// The cut of a solve for one h bounds the maximum for every other h, and for its own h it is as tight as the
// solve's bound. The cold cut bounds them all too.
func TestCutBoundsEveryMaximum(t *testing.T) {
	for _, from := range []int{reduceFrom, 1} {
		var tight, active int
		for seed := range 300 {
			p, r := sweepProblem(t, seed)
			if p.beta < 1e-5 { // rounding of ℓ matters: see TestSweep
				continue
			}
			s := p.solver()
			s.limits.reduceFrom, s.limits.surrogateFrom = from, from
			if !s.MLE(p.b).Status.OK() {
				t.Fatalf("seed %d: no MLE", seed)
			}
			s.SetLevel(p.beta)
			keep := func(k *Cut) Cut {
				return Cut{Coef: slices.Clone(k.Coef), Least: k.Least, Ball: k.Ball}
			}
			cuts := []Cut{keep(s.ColdCut())}
			var found []*optimum
			for range 3 {
				o := p.solve(s, &WarmStart{})
				found, cuts = append(found, o), append(cuts, keep(s.Cut()))
				p.randomQuery(r)
			}
			for i, k := range cuts {
				n := p.apply(p.spread(k.Coef))
				for j, o := range found {
					p.h = o.h
					_, rho := p.query()
					upper := []float64{math.Inf(1)}
					k.Tighten(upper, []float64{inner(n, o.h)}, []float64{math.Sqrt(rho)}, 0)
					slack := 1e-8*o.scale + p.blurFor(o, o)
					if upper[0] < o.res.Value-slack {
						t.Errorf("seed %d: cut %d bounds maximum %d by %.12g, a function attains %.12g", seed, i, j, upper[0], o.res.Value)
					}
					if i == j+1 && o.res.Status == Converged {
						active++
						if upper[0] <= o.res.Bound+slack {
							tight++
						}
					}
				}
			}
		}
		// Rounding of n matters if its terms cancel.
		if tight*100 < active*99 || active < 100 {
			t.Errorf("%d of %d cuts are as tight as the bound of their solve", tight, active)
		}
	}
}

// Where the likelihood is not active, nothing is left of the cut before.
func TestCutOfTheBallAlone(t *testing.T) {
	s := NewSolver()
	s.Append([]float64{1})
	s.MLE(3)
	s.SetLevel(0.5)
	s.Maximize([]float64{-1}, 1, nil) // against the winner
	k := s.Cut()
	check.Near(t, math.Abs(k.Coef[0]), 1, 1e-12, "the only coefficient of a cut of norm 1")
	check.That(t, k.Least > -3, "the cut excludes nothing: %+v", k)
	s.Maximize([]float64{1}, 1, nil)
	k = s.Cut()
	check.That(t, k.Coef[0] == 0 && k.Least == -3 && k.Ball == 3, "the cut of the ball alone is %+v", k)
}

// All cuts together bound every maximum, usually much more tightly than the best of them alone. With a
// cutoff the bound stops early, but no higher than the cutoff allows.
func TestCutsTogetherBoundEveryMaximum(t *testing.T) {
	for _, from := range []int{reduceFrom, 1} {
		var count, lower, exact int
		for seed := range 300 {
			p, r := sweepProblem(t, seed)
			if p.beta < 1e-5 {
				continue
			}
			s := p.solver()
			s.limits.reduceFrom = from
			s.MLE(p.b)
			s.SetLevel(p.beta)
			var cuts Cuts
			cuts.Reset(p.b)
			var single []Cut
			keep := func(k *Cut) {
				if cuts.Add(k, 0) {
					single = append(single, Cut{Coef: slices.Clone(k.Coef), Least: k.Least, Ball: k.Ball})
				}
			}
			keep(s.ColdCut())
			for range 6 {
				p.solve(s, &WarmStart{})
				keep(s.Cut())
				p.randomQuery(r)
			}
			if cuts.Len() != len(single) || cuts.Len() == 0 {
				continue
			}
			for range 4 {
				o := p.solve(s, &WarmStart{})
				_, rho := p.query()
				upper := []float64{math.Inf(1)}
				var along []float64
				for _, k := range single {
					a := inner(p.apply(p.spread(k.Coef)), p.h)
					k.Tighten(upper, []float64{a}, []float64{math.Sqrt(rho)}, 0)
					along = append(along, a)
				}
				bound := cuts.Bound(along, math.Sqrt(rho), math.Inf(-1))
				slack := 1e-8*o.scale + p.blurFor(o, o)
				if bound < o.res.Value-slack || bound > p.b*math.Sqrt(rho)+slack {
					t.Errorf("seed %d: together %.12g, alone %.12g, attained %.12g", seed, bound, upper[0], o.res.Value)
				}
				// The maximiser is f = slope (h + Σ λ_k n_k), the gradient of the bound in h.
				lambda := make([]float64, cuts.Len())
				value := rho
				slope := cuts.Multipliers(lambda)
				for k, l := range lambda {
					value += l * along[k]
				}
				check.That(t, slices.Min(lambda) >= 0, "seed %d: λ = %g", seed, lambda)
				if math.Abs(slope*value-bound) <= slack {
					exact++
				}
				cutoff := (bound + p.b*math.Sqrt(rho)) / 2
				if b := cuts.Bound(along, math.Sqrt(rho), cutoff); !(b <= cutoff+slack) || b < bound {
					t.Errorf("seed %d: the bound is %g with the cutoff %g, and %g without", seed, b, cutoff, bound)
				}
				count++
				if bound-o.res.Value < 0.7*(upper[0]-o.res.Value) {
					lower++
				}
				p.randomQuery(r)
			}
		}
		// If h + Σ λ_k n_k is close to 0, or the set to a point, rounding hides it.
		if 20*exact < 19*count {
			t.Errorf("from %d: %d of %d bounds equal those of their multipliers", from, exact, count)
		}
		if 2*lower < count || count < 400 {
			t.Errorf("from %d: %d of %d bounds are much lower than those of single cuts", from, lower, count)
		}
	}
}

// A solve with a cutoff ends once its bound is no greater, with a valid value, bound and cut, and usually in
// fewer steps. A cutoff that no bound can reach changes nothing.
func TestCutoffEndsASolve(t *testing.T) {
	var bounded, systems, all int
	for seed := range 300 {
		p, _ := sweepProblem(t, seed)
		if p.beta < 1e-5 {
			continue
		}
		s := p.solver()
		s.MLE(p.b)
		s.SetLevel(p.beta)
		o := p.solve(s, &WarmStart{})
		if o.res.Status != Converged {
			continue
		}
		slack := 1e-8 * o.scale
		for _, above := range []float64{0.3, 0.03, 0.003, -0.03} {
			cutoff := o.res.Bound + above*o.scale
			s.SetCutoff(cutoff)
			got := p.solve(s, &WarmStart{}).res
			if above < 0 {
				if got.Status != Converged || got.Value != o.res.Value {
					t.Errorf("seed %d: %+v with a cutoff below the optimum, %+v without", seed, got, o.res)
				}
				continue
			}
			if got.Bound < o.res.Value-slack || got.Value > o.res.Bound+slack || !(got.Bound <= cutoff) {
				t.Errorf("seed %d: %+v, converged %+v", seed, got, o.res)
			}
			if got.Status == Bounded {
				bounded++
				systems, all = systems+got.Newton, all+o.res.Newton
			}
		}
		check.That(t, s.work.Failures == 0, "seed %d: %+v", seed, s.work)
	}
	if bounded < 100 || 4*systems > 3*all {
		t.Errorf("%d solves ended early, with %d systems instead of %d", bounded, systems, all)
	}
}

// A larger ⟨n, h⟩ or a smaller Least never gives a smaller bound. Without data the bound is that of the ball.
func TestTightenIsMonotone(t *testing.T) {
	bound := func(least, along, slack float64) float64 {
		upper := []float64{math.Inf(1)}
		(&Cut{Least: least, Ball: 2}).Tighten(upper, []float64{along}, []float64{1.5}, slack)
		return upper[0]
	}
	for least := -2.0; least <= 2; least += 0.25 {
		last := math.Inf(-1)
		for along := -1.5; along <= 1.5; along += 0.125 {
			b := bound(least, along, 0)
			if b < last-1e-14 {
				t.Errorf("Least %g, ⟨n, h⟩ = %g: bound %g, with a smaller ⟨n, h⟩ %g", least, along, b, last)
			}
			check.That(t, b <= 3*(1+1e-14), "Least %g, ⟨n, h⟩ = %g: bound %g, that of the ball is 3", least, along, b)
			if lower := bound(least-0.1, along, 0); lower < b-1e-14 {
				t.Errorf("Least %g, ⟨n, h⟩ = %g: bound %g, with a smaller Least %g", least, along, b, lower)
			}
			const slack = 1e-3 // of ⟨n, h⟩, and of Least as a share of the ball's radius, 2
			got, worst := bound(least, along, slack), bound(least-2*slack, along+slack, 0)
			if math.Abs(got-worst) > 1e-14 || got < b {
				t.Errorf("Least %g, ⟨n, h⟩ = %g: bound %g, with slack %g, should be %g", least, along, b, got, worst)
			}
			last = b
		}
	}
	s := NewSolver()
	s.MLE(2)
	s.SetLevel(1)
	upper := []float64{math.Inf(1), 1}
	s.ColdCut().Tighten(upper, []float64{0, 0}, []float64{1.5, 1.5}, 0)
	check.That(t, upper[0] >= 3 && upper[0] < 3+1e-13 && upper[1] == 1, "without data the bounds are %v", upper)
}
