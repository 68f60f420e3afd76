package arms

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
)

// playGINOP plays steps duels by GINOP with β = √t, answered by utilities truth, and calls check before each.
func playGINOP(t testing.TB, s *dataset, truth []float64, steps int, norm float64, check func(step int, g *GINOP, e Estimate, best []PairValue, upper float64)) *GINOP {
	r := rng.Stream(1, "arms", "ginop")
	d := NewDuels(s.arms(t))
	b := NewBall(d, norm)
	g := NewGINOP(b)
	for step := range steps {
		e := b.Fit()
		if e.Status != Converged {
			t.Fatalf("step %d: %v, gap %g", step, e.Status, e.Gap)
		}
		b.SetLevel(math.Sqrt(float64(step)))
		best, upper := g.Choose(e.F, true)
		if check != nil {
			check(step, g, e, best, upper)
		}
		p := best[r.IntN(len(best))]
		if s.Kind == "ties" && r.IntN(3) == 0 {
			d.Tie(p.I, p.J)
			continue
		}
		d.Add(p.I, p.J, r.Float64() < sigmoid(truth[p.I]-truth[p.J]))
	}
	return g
}

// TestGINOPIsExact compares choices, and every bound by a tangent, with a solve for every pair.
func TestGINOPIsExact(t *testing.T) {
	check.Sequential(t)
	r := rng.Stream(2, "arms", "ginop")
	var solves, all int
	for set := range 30 {
		s := randomSet(r, 8, 0)
		s.Kind = choose(r, "", "ties")
		truth := make([]float64, s.K)
		for i := range truth {
			truth[i] = 2 * rng.Normal(r)
		}
		fresh := NewGINOP(NewBall(NewDuels(s.arms(t)), 1))
		g := playGINOP(t, s, truth, 25, choose(r, 0.5, 2, 5), func(step int, g *GINOP, e Estimate, best []PairValue, upper float64) {
			value := math.Inf(-1)
			for _, v := range e.F {
				value = max(value, 2*v)
			}
			for _, p := range g.all {
				w := g.ball.width(p.I, p.J)
				least, most := e.F[p.I]+e.F[p.J]+w.Least(), e.F[p.I]+e.F[p.J]+w.Most()
				value = max(value, least)
				if p.Upper < least-1e-12 || p.Lower > most+1e-12 {
					t.Errorf("set %d, step %d: the value of %d and %d is in [%g, %g], but GINOP has [%g, %g]", set, step, p.I, p.J, least, most, p.Lower, p.Upper)
				}
			}
			if math.Abs(upper-value) > 1e-8*max(1, value) {
				t.Errorf("set %d, step %d: no value is above %g, but the best is %g", set, step, upper, value)
			}
			for _, p := range best {
				if math.Abs(p.Lower-value) > 1e-8*max(1, value) {
					t.Errorf("set %d, step %d: chose %d and %d of value %g, but the best is %g", set, step, p.I, p.J, p.Lower, value)
				}
			}
			all += 2 * len(g.all)
		})
		solves += g.Solves
		if g.Failures > 0 || len(g.all) != len(fresh.all) {
			t.Errorf("set %d: %d of %d solves did not converge", set, g.Failures, g.Solves)
		}
	}
	check.That(t, solves <= all*2/3, "%d solves of %d: the bounds save too few", solves, all)
}

// BenchmarkGINOP is a run of 300 steps on un-negated Ackley.
func BenchmarkGINOP(b *testing.B) {
	for _, k := range []int{30, 100} {
		b.Run(map[int]string{30: "30", 100: "100"}[k], func(b *testing.B) {
			s, truth := ackleyMax(k)
			var work *GINOP
			for b.Loop() {
				work = playGINOP(b, s, truth, 300, 6, nil)
			}
			b.ReportMetric(float64(work.Solves)/300, "solves/step")
			b.ReportMetric(float64(work.ball.Newton())/300, "systems/step")
			b.ReportMetric(float64(work.Failures), "failures")
		})
	}
}

// ackleyMax is Ackley's function in one dimension as a utility to maximise, on an even grid.
func ackleyMax(k int) (s *dataset, utility []float64) {
	s = &dataset{K: k, D: 1, Kernel: "matern52", Lengthscale: 0.1, Variance: 1}
	for i := range k {
		x := -5 + 10*float64(i)/float64(k-1)
		s.Arms = append(s.Arms, []float64{x})
		utility = append(utility, 20+math.E-20*math.Exp(-0.2*math.Abs(x))-math.Exp(math.Cos(2*math.Pi*x)))
	}
	return s, utility
}

// TestWidthAt: at arms WidthAt is Width, its functions have the values, and lie in the confidence set.
func TestWidthAt(t *testing.T) {
	r := rng.Stream(4, "arms", "ginop")
	for set := range 40 {
		s := randomSet(r, 8, 20)
		d := s.duels(t)
		b := NewBall(d, 2)
		e := b.Fit()
		b.SetLevel(1.5)
		g := s.gramOf(t)
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
				values := g.times(all)
				check.Near(t, values[i]-values[j], f.value, 1e-6, "value of the function")
				if size := dot(all, values); size > 4+1e-6 {
					t.Errorf("set %d: squared norm %g", set, size)
				}
				if loss, _ := s.lossOf(values); loss > e.Objective+1.5+1e-6 {
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
		s := randomSet(r, 5, 0)
		d := NewDuels(s.arms(t))
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
