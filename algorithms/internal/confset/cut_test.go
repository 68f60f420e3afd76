package confset

import (
	"math"
	"testing"

	"popbench/internal/check"
)

// Where the likelihood is not active, nothing is left of the cut before.
func TestCutOfTheBallAlone(t *testing.T) {
	s := (&instance{b: 3, beta: 0.5}).set(solverOf([]float64{1}, []int{1}))
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
		for seed := range 150 {
			p, r := sweepProblem(t, seed)
			if p.beta < 1e-5 {
				continue
			}
			s := p.set(p.solverFrom(from))
			var cuts Cuts
			cuts.Reset(p.b)
			var single []Cut
			keep := func(k *Cut) {
				if cuts.Add(k, 0) {
					single = append(single, k.copy())
				}
			}
			keep(s.ColdCut())
			for range 6 {
				p.solve(s, &WarmStart{})
				keep(s.Cut())
				p.randomQuery(r)
			}
			check.Equal(t, "number of cuts", cuts.Len(), len(single))
			if len(single) == 0 {
				continue
			}
			for range 4 {
				o := p.solve(s, &WarmStart{})
				_, rho := p.query()
				alone := math.Inf(1)
				var along []float64
				for _, k := range single {
					tight, _ := p.tighten(k, o)
					alone = min(alone, tight)
					along = append(along, inner(p.apply(p.spread(k.Coef)), p.h))
				}
				bound := cuts.Bound(along, math.Sqrt(rho), math.Inf(-1))
				slack := 1e-8*o.scale + p.blurFor(o, o)
				check.That(t, bound >= o.res.Value-slack && bound <= p.b*math.Sqrt(rho)+slack, "seed %d: together %.12g, attained %.12g", seed, bound, o.res.Value)
				// The maximiser is f = slope (h + Σ λ_k n_k), the gradient of the bound in h.
				slope, active, lambda := cuts.Multipliers()
				square := rho
				for i, k := range active {
					check.That(t, lambda[i] >= 0 && (i == 0 || active[i-1] < k), "seed %d: λ = %g of cuts %d", seed, lambda, active)
					square += lambda[i] * along[k]
				}
				if math.Abs(slope*square-bound) <= slack {
					exact++
				}
				cutoff := (bound + p.b*math.Sqrt(rho)) / 2
				early := cuts.Bound(along, math.Sqrt(rho), cutoff)
				check.That(t, early <= cutoff+slack && early >= bound, "seed %d: the bound is %g with the cutoff %g, and %g without", seed, early, cutoff, bound)
				count++
				if bound-o.res.Value < 0.7*(alone-o.res.Value) {
					lower++
				}
				p.randomQuery(r)
			}
		}
		// If h + Σ λ_k n_k is close to 0, or the set to a point, rounding hides it.
		check.That(t, 20*exact >= 19*count && 2*lower >= count && count >= 200,
			"from %d: of %d bounds %d equal those of their multipliers, and %d are much lower than those of single cuts", from, count, exact, lower)
	}
}

// A solve with a cutoff ends once its bound is no greater, with a valid value, bound and cut, and usually in
// fewer steps. A cutoff that no bound can reach changes nothing.
func TestCutoffEndsASolve(t *testing.T) {
	var bounded, systems, all int
	for seed := range 150 {
		p, _ := sweepProblem(t, seed)
		s := p.set(p.solver())
		o := p.solve(s, &WarmStart{})
		if p.beta < 1e-5 || o.res.Status != Converged {
			continue
		}
		s.SetCutoff(o.res.Value - 0.03*o.scale)
		got := p.solve(s, &WarmStart{}).res
		check.That(t, got == o.res, "seed %d: %+v with a cutoff below the optimum, %+v without", seed, got, o.res)
		slack := 1e-8 * o.scale
		for _, above := range []float64{0.3, 0.03, 0.003} {
			cutoff := o.res.Bound + above*o.scale
			s.SetCutoff(cutoff)
			got := p.solve(s, &WarmStart{}).res
			good := got.Bound >= o.res.Value-slack && got.Value <= o.res.Bound+slack && got.Bound <= cutoff
			check.That(t, good, "seed %d: %+v, converged %+v", seed, got, o.res)
			if got.Status == Bounded {
				bounded++
				systems, all = systems+got.Newton, all+o.res.Newton
			}
		}
		check.That(t, s.work.Failures == 0, "seed %d: %+v", seed, s.work)
	}
	check.That(t, bounded >= 50 && 4*systems <= 3*all, "%d solves ended early, with %d systems instead of %d", bounded, systems, all)
}

// The bound is the maximum over ball and halfspace (see TestTangentBound), with the largest ⟨n, h⟩ and the smallest Least
// that slack allows. Without data the bound is that of the ball.
func TestTighten(t *testing.T) {
	const norm, slack = 1.5, 1e-3 // slack is of ⟨n, h⟩, and of Least as a share of the ball's radius, 2
	s := &Solver{level: level{b: 2}}
	for least := -1.75; least <= 2; least += 0.25 {
		for along := -1.25; along < 1.5; along += 0.125 {
			k := Cut{Least: least, Ball: 2}
			upper := []float64{math.Inf(1), math.Inf(1), 0}
			k.Tighten(upper[:1], []float64{along}, []float64{norm}, 0, 0)
			k.Tighten(upper[1:], []float64{along, along}, []float64{norm, norm}, 0, slack)
			for i, move := range []float64{0, slack} {
				a := along + move
				want, _, _ := s.tangentBound(a, math.Sqrt(norm*norm-a*a), least-2*move, 1)
				check.Near(t, upper[i], want, 1e-13, "Least %g, ⟨n, h⟩ = %g: bound with slack %g", least, along, move)
			}
			check.That(t, upper[1] >= upper[0] && upper[2] == min(0, upper[1]), "Least %g, ⟨n, h⟩ = %g: bounds %g", least, along, upper)
		}
	}
	s = (&instance{b: 2, beta: 1}).set(NewSolver())
	upper := []float64{math.Inf(1), 1}
	s.ColdCut().Tighten(upper, []float64{0, 0}, []float64{1.5, 1.5}, 0, 0)
	check.That(t, upper[0] >= 3 && upper[0] < 3+1e-13 && upper[1] == 1, "without data the bounds are %v", upper)
}
