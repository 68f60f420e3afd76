package arms

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/arms/armstest"
)

// driftOf returns the largest difference, in an element of Σ, between updates and the last computation from scratch.
func driftOf(p *Posterior) (largest float64) {
	k := p.duels.arms.k
	for i := range k {
		for j, v := range row(p.fresh, i, k) {
			largest = max(largest, math.Abs(v-p.Row(i)[j]))
		}
	}
	return largest
}

func TestPosteriorReference(t *testing.T) {
	var drift float64
	for _, s := range armstest.References(t) {
		p := NewPosterior(duelsOf(t, s), s.Rho2)
		p.Update()
		at := 0
		for i := range s.K {
			for j := i; j < s.K; j++ {
				check.Near(t, p.Row(i)[j], s.SigmaUpper[at], 1e-10*s.Variance, "set %d: Σ[%d][%d]", s.ID, i, j)
				check.That(t, p.Row(i)[j] == p.Row(j)[i], "set %d: Σ[%d][%d] is not symmetric", s.ID, i, j)
				at++
			}
		}
		for _, v := range s.Sigma2 {
			check.Near(t, p.Variance(int(v[0]), int(v[1])), v[2], 1e-10*s.Variance, "set %d: σ²(%g, %g)", s.ID, v[0], v[1])
		}
		check.Near(t, p.InfoGain(), s.InfoGain, 1e-10, "set %d: information gain", s.ID)
		p.refresh()
		drift = max(drift, driftOf(p))
		check.Near(t, p.InfoGain(), s.InfoGain, 1e-10, "set %d: information gain from scratch", s.ID)
	}
	check.That(t, drift <= 1e-12, "updates and a computation from scratch differ by %.2g", drift)
}

// fTolerance is the accuracy of the reference's utilities.
func fTolerance(s *armstest.Reference) float64 {
	if s.Lambda < 0.01 {
		return 1e-7
	}
	return 1e-8
}

func TestEstimatorReference(t *testing.T) {
	for name, c := range map[string]struct {
		estimator func(s *armstest.Reference, d *Duels) Estimator
		want      func(s *armstest.Reference) armstest.RefEstimate
	}{
		"ridge": {
			func(s *armstest.Reference, d *Duels) Estimator { return NewRidge(d, s.Lambda) },
			func(s *armstest.Reference) armstest.RefEstimate { return s.Ridge },
		},
		"mean": {
			func(s *armstest.Reference, d *Duels) Estimator { return NewPublished(d, s.Lambda, Mean) },
			func(s *armstest.Reference) armstest.RefEstimate { return s.Mean },
		},
		"sum": {
			func(s *armstest.Reference, d *Duels) Estimator { return NewPublished(d, s.Lambda, Sum) },
			func(s *armstest.Reference) armstest.RefEstimate { return s.Sum },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range armstest.References(t) {
				e, want := c.estimator(&s, duelsOf(t, s)).Fit(), c.want(&s)
				check.That(t, e.Status == Converged && e.Gap <= 1e-9, "set %d: %v, gap %g", s.ID, e.Status, e.Gap)
				for i, v := range e.F {
					check.Near(t, v, want.F[i], fTolerance(&s), "set %d: f[%d]", s.ID, i)
				}
				check.Near(t, e.Objective, want.Objective, 1e-9, "set %d: objective", s.ID)
				check.Near(t, e.Bound, want.Objective, 1e-9, "set %d: bound", s.ID)
				norm := want.Norm
				if norm == nil {
					norm = want.AlphaNorm
				}
				check.Near(t, e.Norm, *norm, 10*fTolerance(&s), "set %d: norm", s.ID)
			}
		})
	}
}

func TestDescentReference(t *testing.T) {
	check.Sequential(t)
	sets := 0
	for _, s := range armstest.References(t) {
		if s.Descent == nil {
			continue
		}
		sets++
		d := duelsOf(t, s)
		best := NewPublished(d, s.Lambda, Mean).Fit()
		for _, c := range []struct {
			jitter float64
			want   armstest.RefEstimate
		}{{0, s.Descent.Plain}, {1e-6, s.Descent.Jitter}} {
			e := NewDescent(d, s.Lambda, c.jitter).Fit()
			if e.Status != Stopped || e.Iterations != c.want.Iterations {
				t.Errorf("set %d, jitter %g: %v after %d steps, reference %d", s.ID, c.jitter, e.Status, e.Iterations, c.want.Iterations)
			}
			for i, v := range e.F {
				check.Near(t, v, c.want.F[i], 1e-9, "set %d, jitter %g: f[%d]", s.ID, c.jitter, i)
			}
			if c.jitter == 0 && !(e.Bound <= best.Objective+1e-14 && best.Objective <= e.Objective) {
				t.Errorf("set %d: the minimum %g is not in [%g, %g]", s.ID, best.Objective, e.Bound, e.Objective)
			}
		}
	}
	check.That(t, sets == 10, "%d sets have a descent, want 10", sets)
}

func TestBallReference(t *testing.T) {
	for _, s := range armstest.References(t) {
		e := NewBall(duelsOf(t, s), s.Ball.B).Fit()
		if e.Status != Converged || e.Gap > 1e-9*max(1, e.Objective) {
			t.Errorf("set %d: %v, gap %g", s.ID, e.Status, e.Gap)
		}
		tol := 1e-8
		if !s.Ball.Active {
			tol = 1e-7
		}
		check.Near(t, e.Objective, s.Ball.Value, tol, "set %d: value", s.ID)
		check.Near(t, e.Bound, s.Ball.DualBound, tol, "set %d: bound", s.ID)
		if !s.Ball.Active {
			check.That(t, e.Lambda == 0, "set %d: multiplier %g of a ball that does not bind", s.ID, e.Lambda)
			for i := range s.A {
				if s.Ball.F != nil {
					a, b := s.A[i], s.B[i]
					check.Near(t, e.F[a]-e.F[b], s.Ball.F[a]-s.Ball.F[b], 1e-6, "set %d: difference %d", s.ID, i)
				}
			}
			continue
		}
		check.Near(t, e.Norm, s.Ball.B, 1e-9*s.Ball.B, "set %d: norm", s.ID)
		check.Near(t, e.Lambda/s.Ball.Multiplier, 1, 1e-7, "set %d: multiplier", s.ID)
		for i, v := range e.F {
			check.Near(t, v, s.Ball.F[i], 1e-8, "set %d: f[%d]", s.ID, i)
		}
	}
}

func TestGINOPReference(t *testing.T) {
	var file struct {
		Sets []struct {
			armstest.Dataset
			NormBound float64 `json:"norm_bound"`
			Beta      float64
			Laplace   struct {
				Lambda  float64
				At      []float64
				Bracket [][3]float64
			}
			Cases []struct {
				Epsilon float64
				Loss    float64 `json:"mle_loss"`
				Binds   bool    `json:"mle_norm_binds"`
				MLE     []float64
				Width   [][]any
				Choice  *struct {
					Pair     [2]int
					Value    float64
					Lead     float64
					SelfDuel float64 `json:"best_self_duel"`
				}
			}
		}
	}
	armstest.Read(t, "ginop.json", &file)
	if len(file.Sets) != 9 {
		t.Fatalf("%d sets, want 9", len(file.Sets))
	}
	var worst float64 // of the ends; docs/baselines.md states it
	for _, s := range file.Sets {
		d := duelsOf(t, s)
		l := NewLaplace(d, s.Laplace.Lambda)
		l.Update(s.Laplace.At)
		for _, v := range s.Laplace.Bracket {
			check.Near(t, l.Variance(int(v[0]), int(v[1])), v[2], 1e-9, "set %d: variance of (%g, %g)", s.ID, v[0], v[1])
		}
		for _, c := range s.Cases {
			at := fmt.Sprintf("set %d, ε %g: ", s.ID, c.Epsilon)
			d := NewDuels(armsPlus(t, s, c.Epsilon))
			for i := range s.A {
				d.Add(s.A[i], s.B[i], s.Y[i] == 1)
			}
			ball := NewBall(d, s.NormBound)
			e := ball.Fit()
			check.Near(t, e.Objective, c.Loss, 1e-9, "%sloss", at)
			if e.Status != Converged || c.Binds != (e.Lambda > 0) {
				t.Errorf("%s%v, multiplier %g; the ball binds: %v", at, e.Status, e.Lambda, c.Binds)
			}
			for i, v := range e.F {
				check.Near(t, v, c.MLE[i], 1e-6, "%sf[%d]", at, i)
			}
			ball.SetLevel(s.Beta)
			for _, v := range c.Width {
				i, j := int(v[0].(float64)), int(v[1].(float64))
				what := at + fmt.Sprintf("f_%d - f_%d", i, j)
				w := ball.width(i, j)
				check.Near(t, w.MaxValue, v[2].(float64), 1e-7, "%s, largest", what)
				check.Near(t, w.MaxBound, v[2].(float64), 1e-7, "%s, bound of the largest", what)
				check.Near(t, w.MinValue, v[3].(float64), 1e-7, "%s, smallest", what)
				check.Near(t, w.MinBound, v[3].(float64), 1e-7, "%s, bound of the smallest", what)
				for k, end := range []float64{w.MaxValue, w.MaxBound, w.MinValue, w.MinBound} {
					worst = max(worst, math.Abs(end-v[2+k/2].(float64)))
				}
				worst = max(worst, math.Abs(w.Least()-v[4].(float64)))
				check.Near(t, w.Least(), v[4].(float64), 2e-7, "%s, ω", what)
				if w.Status != Converged || !(w.Least() >= 0 && w.Least() <= w.Most()) {
					t.Errorf("%s: %v, ω in [%g, %g]", what, w.Status, w.Least(), w.Most())
				}
				// The other order has the same widths.
				if o := ball.width(j, i); o.Least() != w.Least() || o.MaxValue != -w.MinValue {
					t.Errorf("%s: ω is %g, of the other order %g", what, w.Least(), o.Least())
				}
			}
			if w := ball.width(1, 1); w.Status != Converged || w.Least() != 0 || w.Most() != 0 {
				t.Errorf("%sω of an arm with itself is in [%g, %g], %v", at, w.Least(), w.Most(), w.Status)
			}
			// With β → 0 the set shrinks to the estimate like √β where the ball binds.
			if e.Lambda > 0 {
				ball.SetLevel(1e-4)
				wide := ball.width(0, 1).Most()
				ball.SetLevel(1e-6)
				if narrow := ball.width(0, 1).Most(); math.Abs(narrow/wide-0.1) > 0.01 {
					t.Errorf("%sω falls from %g to %g as β falls from 1e-4 to 1e-6", at, wide, narrow)
				}
			}
		}
	}
	t.Logf("largest difference of an end %.2g", worst)
}
