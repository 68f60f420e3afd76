package popbo

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// refitted fits lengthscales to the comparisons of the run, with the prior that grows with the dimension.
func refitted() Config {
	c := Default()
	c.Restarts, c.FitLengthscale, c.RefitEvery, c.InitialDuels = 2, "ard", 2, 2
	c.LengthscalePrior.Family = "dim-scaled"
	return c
}

// The first queries are two random points, the first of all the start. The lengthscale is fitted after them, and
// then as often as the settings say; between fits it stays. No other lengthscale of a coordinate has a larger density.
func TestRefit(t *testing.T) {
	box := space.Cube(3, 0, 2)
	cfg := refitted()
	cfg.RefitEvery, cfg.InitialDuels = 3, 4
	check.That(t, !cfg.NeedsPilot(), "a pilot is needed")
	p := check.Must(New(algorithms.Setup{Domain: box, Start: []float64{1, 1, 1}, Rand: stream(1)}, cfg))(t)
	mode := math.Exp(math.Sqrt2 + math.Log(3)/2 - 3)
	if in := p.InForce(); !in.Refitted || in.Range != nil || math.Abs(in.Kernel.Lengthscale[0]/(2*mode)-1) > 1e-12 {
		t.Errorf("in force at first: %+v with %v, the prior's mode is %g box widths", in, in.Kernel, mode)
	}
	r, f := stream(2), bump(box)
	for step := 1; step <= 8; step++ {
		before := p.InForce().Kernel.Lengthscale
		q := check.Must(p.Ask())(t)
		check.That(t, step != 1 || slices.Equal(q.Points[0], []float64{1, 1, 1}),
			"the first query is %v, without the start", q.Points)
		if two := q.New == 2; two != (step > 1 && step <= 4) {
			t.Errorf("step %d proposes %d new points", step, q.New)
		}
		check.OK(t, p.Tell(q, oracle(f, q.Points, r)))
		now := p.InForce().Kernel.Lengthscale
		if fitted := !slices.Equal(now, before); fitted != (step == 4 || step == 7) {
			t.Errorf("step %d: lengthscales %v, before %v", step, now, before)
		}
		m := p.method
		check.That(t, len(m.learnt) == step && m.model.k.Eval(box.Lo, box.Lo) == m.cfg.Kernel.Variance,
			"step %d: %d comparisons", step, len(m.learnt))
		if step != 4 && step != 7 {
			check.Equal(t, "evaluations of a step without a fit", m.refit.Evaluations, 0)
			continue
		}
		check.That(t, m.refit.Evaluations != 0 && m.refit.Failures <= 0 && m.refit.Gradient <= 1e-3,
			"step %d: fit %+v", step, m.refit)
		density := func(l []float64) float64 {
			v := newLengthscaleFit(m.cfg, box, m.learnt).value(m.cfg.Kernel.WithLengthscale(l), math.Inf(-1))
			for _, x := range l {
				z := math.Log(x/2) - math.Sqrt2 - math.Log(3)/2
				v -= math.Log(x/2) + z*z/6
			}
			return v
		}
		best := density(now)
		for i := range now {
			for _, factor := range []float64{0.3, 0.98, 1.02, 3} {
				l := slices.Clone(now)
				l[i] *= factor
				if v := density(l); v > best+1e-6 {
					t.Errorf("step %d: lengthscale %d times %g has log density %.9g, the fit %.9g", step, i, factor, v, best)
				}
			}
		}
	}
}

// A fitted variance has a larger density than any other one nearby, and the gradient of the fit is that of its values.
func TestRefitOfTheVariance(t *testing.T) {
	box := space.Cube(2, 0, 2)
	cfg := refitted()
	cfg.LengthscalePrior = algorithms.Prior{Shape: 3, Rate: 6}
	cfg.VariancePrior = algorithms.Gamma{Shape: 2, Rate: 0.15}
	p := check.Must(New(algorithms.Setup{Domain: box, Start: []float64{1, 1}, Rand: stream(1)}, cfg))(t)
	check.Near(t, p.InForce().Kernel.Variance, 1/0.15, 1e-12, "the prior's mode")
	r, f := stream(2), bump(box)
	for range 12 {
		q := check.Must(p.Ask())(t)
		check.OK(t, p.Tell(q, oracle(f, q.Points, r)))
	}
	m := p.method
	k := p.InForce().Kernel
	check.That(t, k.Variance != 1 && k.Variance == m.model.k.Eval(box.Lo, box.Lo), "variance %g is not in force", k.Variance)
	fit := newLengthscaleFit(m.cfg, box, m.learnt)
	density := func(variance float64) float64 {
		c := *k
		c.Variance = variance
		return fit.value(c, math.Inf(-1)) + math.Log(variance) - 0.15*variance
	}
	best := density(k.Variance)
	for _, factor := range []float64{0.1, 0.5, 0.95, 1.05, 2, 10} {
		if v := density(factor * k.Variance); v > best+1e-6 {
			t.Errorf("variance %g has log density %.9g, the fit of %g %.9g", factor*k.Variance, v, k.Variance, best)
		}
	}
	grad := make([]float64, 3)
	fit.marginal(*k, grad)
	const h = 1e-4
	up, down := *k, *k
	up.Variance, down.Variance = k.Variance*math.Exp(h), k.Variance*math.Exp(-h)
	slope := (fit.value(up, math.Inf(-1)) - fit.value(down, math.Inf(-1))) / (2 * h)
	check.Near(t, grad[2], slope, 1e-5*max(1, math.Abs(slope)), "derivative in the logarithm of the variance")
}
