package arms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/kernel"
)

// data is an armstest.Dataset, or what has one.
type data interface {
	NewKernel(testing.TB) kernel.Kernel
	Features() []float64
	Tell(armstest.Duels)
}

// armsOf returns the arms with epsilon on the diagonal of their Gram matrix.
func armsOf(t testing.TB, s data, epsilon float64) *Arms {
	t.Helper()
	return check.Must(NewPlus(s.NewKernel(t), s.Features(), epsilon))(t)
}

// duelsOf returns all answers.
func duelsOf(t testing.TB, s data) *Duels {
	t.Helper()
	d := NewDuels(armsOf(t, s, 0))
	s.Tell(d)
	return d
}

// posteriorOf returns the posterior given all answers.
func posteriorOf(d *Duels, noise float64) *Posterior {
	p := NewPosterior(d, noise)
	p.Update()
	return p
}

// same fails the test if two vectors differ by more than tol.
func same(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i, v := range got {
		check.Near(t, v, want[i], tol, "%s: element %d", what, i)
	}
}

// checkFits fits all estimators with a certificate, and the posterior, and compares them with what their weights give and
// with a computation from scratch. Reference tests compare their values.
func checkFits(t *testing.T, what string, s *armstest.Dataset, lambda, noise float64) {
	t.Helper()
	d, g := duelsOf(t, s), s.Gram(t)
	for name, e := range map[string]Estimate{
		"ridge": NewRidge(d, lambda).Fit(), "sum": NewPublished(d, lambda, Sum).Fit(), "mean": NewPublished(d, lambda, Mean).Fit(),
	} {
		check.That(t, e.Status == confset.Converged && e.Gap <= 1e-9, "%s, %s: %v, gap %g, error %g", what, name, e.Status, e.Gap, e.Error)
		same(t, what+", "+name+": Gw", g.Times(e.Weights), e.F, e.Error*math.Sqrt(s.Variance)+1e-11*max(1, e.Norm))
	}
	p := posteriorOf(d, noise)
	p.refresh()
	check.Near(t, driftOf(p), 0, 1e-12*max(1, s.Variance), "%s: the drift of updates", what)
}

// TestRandomSets fits data of many kinds.
func TestRandomSets(t *testing.T) {
	check.Sequential(t)
	r, ties := rng.Stream(1, "arms", "random sets"), rng.Stream(1, "arms", "ties")
	for i := range 400 {
		s := armstest.Random(r, 14, 90)
		for j := range s.Y {
			if i%4 == 0 && ties.IntN(3) == 0 {
				s.Y[j] = armstest.Tie
			}
		}
		checkFits(t, fmt.Sprintf("set %d: %s K=%d t=%d", i, s.Kernel, s.K, s.T), s, armstest.Choose(r, 1e-3, 0.05, 1), armstest.Choose(r, 0.05, 0.5, 14))
	}
}

// estimators are all of them, with common settings.
var estimators = map[string]func(d *Duels) Estimator{
	"ridge":   func(d *Duels) Estimator { return NewRidge(d, 0.05) },
	"sum":     func(d *Duels) Estimator { return NewPublished(d, 0.05, Sum) },
	"mean":    func(d *Duels) Estimator { return NewPublished(d, 0.05, Mean) },
	"ball":    func(d *Duels) Estimator { return NewBall(d, 2) },
	"descent": func(d *Duels) Estimator { return NewDescent(d, 0.05, 0) },
}

// TestSelfDuels adds self-duels: they change neither the posterior nor any estimate but those of a mean, which shrink.
func TestSelfDuels(t *testing.T) {
	check.Sequential(t)
	r := rng.Stream(3, "arms", "self-duels")
	for i := range 40 {
		s := armstest.Random(r, 8, 30)
		s.A, s.B, s.Y = append(s.A, 0), append(s.B, s.K-1), append(s.Y, 1)
		d, more := duelsOf(t, s), duelsOf(t, s)
		for a := range 7 {
			more.Add(a%s.K, a%s.K, float64(a%2))
		}
		check.That(t, more.Len() == d.Len()+7 && more.self == d.self+7, "%d answers, %d self-duels; before %d and %d", more.Len(), more.self, d.Len(), d.self)
		for a := range s.K {
			same(t, "Σ", posteriorOf(more, 0.05).Row(a), posteriorOf(d, 0.05).Row(a), 0)
		}
		for name, make := range estimators {
			e, em := make(d).Fit(), make(more).Fit()
			what := fmt.Sprintf("set %d: %s", i, name)
			switch name {
			case "descent":
			case "mean":
				check.That(t, e.Norm <= 1e-6 || em.Norm < e.Norm, "%s: ‖α‖ is %g, with self-duels %g", what, e.Norm, em.Norm)
			default:
				same(t, what, em.F, e.F, 0)
				check.Near(t, em.Objective-e.Objective, 7*math.Ln2, 1e-11, "%s", what)
			}
		}
	}
}

// TestTwins: arms with the same features have the same utility and no variance between them.
func TestTwins(t *testing.T) {
	s := &armstest.Dataset{K: 6, D: 1, Kernel: "se", Lengthscale: 0.3, Variance: 1, Arms: [][]float64{{0.2}, {0.9}, {0.2}, {0.5}, {0.2}, {0.2 + 3e-8}}}
	r := rng.Stream(5, "arms", "twins")
	for range 150 {
		s.A, s.B, s.Y = append(s.A, r.IntN(5)), append(s.B, r.IntN(5)), append(s.Y, r.IntN(2))
	}
	d := duelsOf(t, s)
	p := posteriorOf(d, 0.05)
	for name, make := range estimators {
		e := make(d).Fit()
		check.That(t, e.Status.OK(), "%s: %v", name, e.Status)
		for _, twin := range []int{2, 4} {
			check.Near(t, e.F[twin], e.F[0], 1e-12, "%s", name)
			check.Equal(t, "the variance between arms with the same features", p.Variance(0, twin), 0)
		}
	}
	v := p.Row(0)[0] + p.Row(5)[5] - 2*p.Row(0)[5]
	check.That(t, v != 0 && p.Variance(0, 5) == 0, "the variance between arms with almost the same features is %g; from %g", p.Variance(0, 5), v)
	check.That(t, p.Variance(0, 1) > 0, "no variance between arms with different features")
}

func TestNewRefuses(t *testing.T) {
	k := armstest.Dataset{D: 1, Kernel: "se", Lengthscale: 1, Variance: 1}.NewKernel(t)
	check.Error(t, "no arms", check.Err(New(k, nil)), "0 features are not those of one arm or more with 1 each")
	check.Error(t, "NaN", check.Err(New(k, []float64{0, math.NaN()})), "the kernel of arms 0 and 1 is NaN; check their features")
}

// TestLogistic: σ(h) has full relative accuracy where it is small, and σ(-h) = 1 - σ(h).
func TestLogistic(t *testing.T) {
	for _, h := range []float64{0, 0.3, 2, 30, 700} {
		want := 1 / (1 + math.Exp(h))
		check.Near(t, Logistic(-h), want, 1e-15*want, "σ(%g)", -h)
		check.Near(t, Logistic(h), 1-want, 1e-15, "σ(%g)", h)
	}
}

// TestDrawOfASmoothKernel: the covariance of draws is Σ, which is singular to rounding.
func TestDrawOfASmoothKernel(t *testing.T) {
	const count = 60
	x := make([]float64, count)
	for i := range x {
		x[i] = float64(i) / count
	}
	k := check.Must(kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{0.3}}.New(1))(t)
	d := NewDuels(check.Must(New(k, x))(t))
	p := NewPosterior(d, 0.05)
	for i := range 5 {
		d.Add(i, count-1-i, 1)
	}
	p.Update()
	p.Factor()
	mean, draw, z, variance := make([]float64, count), make([]float64, count), make([]float64, count), make([]float64, count)
	for j := range z {
		clear(z)
		z[j] = 1
		p.Draw(draw, mean, 1, z)
		for i, v := range draw {
			variance[i] += v * v
		}
	}
	for i, v := range variance {
		check.Near(t, v, p.Row(i)[i], 1e-9, "the variance of arm %d", i)
	}
}

// TestNoAllocation: once the pairs are known, answers and fits do not allocate.
func TestNoAllocation(t *testing.T) {
	s := armstest.References(t)[14]
	d := duelsOf(t, s)
	p, ridge, mean, descent := NewPosterior(d, s.Rho2), NewRidge(d, s.Lambda), NewPublished(d, s.Lambda, Mean), NewDescent(d, 1, 0)
	d.answers = append(make([]answer, 0, 1000), d.answers...)
	step := func() {
		d.Add(s.A[0], s.B[0], 1)
		p.Update()
		p.refresh()
		p.Factor()
		ridge.Fit()
		mean.Fit()
		descent.Fit()
	}
	step()
	check.Equal(t, "allocations", testing.AllocsPerRun(10, step), 0)
}

// FuzzFit feeds answers as bytes, two for each.
func FuzzFit(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 1, 0}, uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s := armstest.Random(rand.New(rand.NewPCG(seed, 0)), 8, 0)
		for i := 0; i+1 < min(len(data), 200); i += 2 {
			s.A, s.B, s.Y = append(s.A, int(data[i])%s.K), append(s.B, int(data[i+1])%s.K), append(s.Y, int(data[i]>>7))
		}
		checkFits(t, "fuzzed", s, 0.05, 0.05)
	})
}

// TestRefresh: Σ is computed from scratch after every refreshEvery answers, and after an answer that shows that it is wrong.
func TestRefresh(t *testing.T) {
	s := armstest.References(t)[11]
	d := duelsOf(t, s)
	p := posteriorOf(d, s.Rho2)
	distinct := d.Len() - d.self
	check.That(t, distinct >= 2*refreshEvery && p.since == distinct%refreshEvery, "%d updates since the last one, of %d", p.since, distinct)
	p.Row(0)[0] += 1e-3
	d.Add(0, 1, 1)
	p.Update()
	drift := driftOf(p)
	check.That(t, p.since == 0 && drift > 1e-4 && drift < 1.1e-3, "%d updates after an error of 1e-3; drift %g", p.since, drift)
	for i := range s.K {
		same(t, "Σ", p.Row(i), posteriorOf(d, s.Rho2).Row(i), 1e-12)
	}
}

// TestUnfinished ends fits early: the certificate holds at any point, and the error bound is sharp where the ridge is all
// that counts.
func TestUnfinished(t *testing.T) {
	s := armstest.References(t)[8]
	d := duelsOf(t, s)
	var ended int
	for _, lambda := range []float64{0.01, 1, 1e5} {
		ridge, sum, mean := NewRidge(d, lambda), NewPublished(d, lambda, Sum), NewPublished(d, lambda, Mean)
		for name, c := range map[string]struct {
			n *newton
			e Estimator
		}{"ridge": {&ridge.n, ridge}, "sum": {&sum.n, sum}, "mean": {&mean.n, mean}} {
			for limit := range 4 {
				what := fmt.Sprintf("%s, λ = %g, %d systems", name, lambda, limit)
				c.n.limit = limit
				e := c.e.Fit()
				if e.Status == confset.IterationLimit {
					ended++
				}
				z := slices.Clone(c.n.now.z)
				c.n.limit = maxNewton
				best := c.e.Fit()
				check.That(t, best.Status == confset.Converged && (!e.Status.OK() || e.Gap <= 1e-9), "%s: %v with gap %g, then %v", what, e.Status, e.Gap, best.Status)
				tol, bound := 1e-12*e.Objective, e.Objective-e.Gap
				check.That(t, bound-tol <= best.Objective && best.Objective <= e.Objective+tol,
					"%s: the minimum %g is not in [%g, %g]", what, best.Objective, bound, e.Objective)
				for i, v := range c.n.now.z {
					z[i] -= v
				}
				distance, sharp := norm(z), lambda == 1e5 && limit == 0 && name == "ridge"
				check.That(t, distance <= e.Error*(1+1e-9)+1e-9*best.Norm && (!sharp || distance >= 0.99*e.Error),
					"%s: %g from the minimiser, bound %g", what, distance, e.Error)
			}
		}
	}
	check.That(t, ended >= 10, "%d fits reached their limit", ended)
}

// TestUnits: with a tiny variance the norm is large, and the residual of f decides. With a huge one and a tiny ridge,
// rounding hides the minimiser, and the estimate says so.
func TestUnits(t *testing.T) {
	s := armstest.References(t)[11]
	s.Variance = 1e-12
	e := NewRidge(duelsOf(t, s), 1e-13).Fit()
	check.That(t, e.Status == confset.Converged && e.Error >= maxError, "variance 1e-12: %v, error %g", e.Status, e.Error)
	s.Variance = 1e12
	e = NewRidge(duelsOf(t, s), 1e-12).Fit()
	check.That(t, e.Status == confset.LossOfPrecision && !e.Status.OK(), "variance 1e12: %v, gap %g, error %g", e.Status, e.Gap, e.Error)
}

// TestTies: two ties count as a win and a defeat.
func TestTies(t *testing.T) {
	s := armstest.Dataset{
		K: 3, D: 1, Kernel: "se", Lengthscale: 1, Variance: 1, Arms: [][]float64{{0}, {1}, {3}},
		A: []int{0, 2, 1, 0}, B: []int{1, 1, 2, 2}, Y: []int{1, armstest.Tie, armstest.Tie, 0},
	}
	ties := duelsOf(t, s)
	s.Y = []int{1, 1, 1, 0}
	decided := duelsOf(t, s)
	check.Equal(t, "the variance", posteriorOf(ties, 0.05).Variance(0, 1), posteriorOf(decided, 0.05).Variance(0, 1))
	for name, make := range estimators {
		e := make(ties).Fit()
		same(t, name, e.F, make(decided).Fit().F, 0)
		check.That(t, e.Objective > 0, "%s: objective %g", name, e.Objective)
	}
}

// TestInsideWidths: a large ball that does not bind leaves a confidence set that is far smaller. Its widths are solved for,
// also where all answers are ties, so that the estimate is zero.
func TestInsideWidths(t *testing.T) {
	r := rng.Stream(4, "arms", "inside")
	for set := range 40 {
		s := armstest.Random(r, 6, 0)
		b := NewBall(contradictions(t, s, set%2 == 1), armstest.Choose(r, 10.0, 100, 1000))
		e := b.Fit()
		check.That(t, e.Status == confset.Converged && e.Lambda == 0, "set %d: %v, multiplier %g", set, e.Status, e.Lambda)
		for _, beta := range []float64{1e-3, 0.1, 2} {
			b.SetLevel(beta)
			for i := range s.K {
				for j := range i {
					w := b.width(i, j)
					check.That(t, w.Status == confset.Converged, "set %d, β %g: %v, gap %g", set, beta, w.Status, w.Most()-w.Least())
				}
			}
		}
	}
}

// contradictions has a tie for each pair of arms and, if asked for, a win of either.
func contradictions(t *testing.T, s *armstest.Dataset, wins bool) *Duels {
	t.Helper()
	d := NewDuels(armsOf(t, s, 0))
	for i := range s.K {
		for j := range i {
			if wins {
				d.Add(i, j, 1)
				d.Add(i, j, 0)
			}
			d.Add(i, j, 0.5)
		}
	}
	return d
}

// TestLevelOfRoughEstimate: if the gap of an estimate is all of β, SetLevel ends, and enclosures hold.
func TestLevelOfRoughEstimate(t *testing.T) {
	b := NewBall(duelsOf(t, armstest.References(t)[8]), 1)
	b.Fit()
	b.SetLevel(0.5)
	want := b.width(0, 1)
	b.gap = 0.5
	b.SetLevel(0)
	w := b.width(0, 1)
	check.That(t, w.MaxBound >= want.MaxValue-1e-9 && w.MinBound <= want.MinValue+1e-9 && w.Least() <= want.Most(),
		"width %+v; with the exact estimate %+v", w, want)
}
