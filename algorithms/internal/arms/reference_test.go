package arms

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
)

// reference is a set of substrate.json with the results of estimators.
type reference struct {
	armstest.Reference
	SigmaUpper []float64    `json:"Sigma_upper"`
	Sigma2     [][3]float64 `json:"sigma2"`
	InfoGain   float64      `json:"info_gain"`
	Ridge      estimated
	Mean       estimated `json:"published_mean"`
	Sum        estimated `json:"published_sum"`
	Descent    *struct {
		Plain  estimated `json:"jitter_0"`
		Jitter estimated `json:"jitter_1e-6"`
	} `json:"published_gd"`
	Ball struct {
		B, Value   float64
		Active     bool
		DualBound  float64 `json:"dual_bound"`
		Multiplier float64 `json:"multiplier_lambda"`
		F          []float64
	}
}

// estimated is the result of an estimator.
type estimated struct {
	F          []float64
	Objective  float64
	Norm       *float64
	AlphaNorm  *float64 `json:"alpha_norm"`
	Iterations int
}

func references(t *testing.T) []reference {
	t.Helper()
	var file struct{ Sets []reference }
	armstest.Read(t, "substrate.json", &file)
	check.Equal(t, "sets", len(file.Sets), 17)
	return file.Sets
}

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
	for _, s := range references(t) {
		p := posteriorOf(duelsOf(t, s), s.Rho2)
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
		check.Near(t, p.InfoGain, s.InfoGain, 1e-10, "set %d: information gain", s.ID)
		p.refresh()
		drift = max(drift, driftOf(p))
		check.Near(t, p.InfoGain, s.InfoGain, 1e-10, "set %d: information gain from scratch", s.ID)
	}
	check.That(t, drift <= 1e-12, "updates and a computation from scratch differ by %.2g", drift)
}

// fTolerance is the accuracy of the reference's utilities.
func fTolerance(s *reference) float64 {
	if s.Lambda < 0.01 {
		return 1e-7
	}
	return 1e-8
}

func TestEstimatorReference(t *testing.T) {
	for _, s := range references(t) {
		d := duelsOf(t, s)
		for name, c := range map[string]struct {
			Estimator
			want estimated
		}{
			"ridge": {NewRidge(d, s.Lambda), s.Ridge},
			"mean":  {NewPublished(d, s.Lambda, Mean), s.Mean},
			"sum":   {NewPublished(d, s.Lambda, Sum), s.Sum},
		} {
			e, what := c.Fit(), fmt.Sprintf("set %d, %s", s.ID, name)
			check.That(t, e.Status == confset.Converged && e.Gap <= 1e-9, "%s: %v, gap %g", what, e.Status, e.Gap)
			same(t, what+": f", e.F, c.want.F, fTolerance(&s))
			check.Near(t, e.Objective, c.want.Objective, 1e-9, "%s: objective", what)
			check.Near(t, e.Objective-e.Gap, c.want.Objective, 1e-9, "%s: bound", what)
			check.Near(t, e.Norm, *cmp.Or(c.want.Norm, c.want.AlphaNorm), 10*fTolerance(&s), "%s: norm", what)
		}
	}
}

func TestDescentReference(t *testing.T) {
	check.Sequential(t)
	sets := 0
	for _, s := range references(t) {
		if s.Descent == nil {
			continue
		}
		sets++
		d := duelsOf(t, s)
		best := NewPublished(d, s.Lambda, Mean).Fit()
		for _, c := range []struct {
			jitter float64
			want   estimated
		}{{0, s.Descent.Plain}, {1e-6, s.Descent.Jitter}} {
			e := NewDescent(d, s.Lambda, c.jitter).Fit()
			what := fmt.Sprintf("set %d, jitter %g", s.ID, c.jitter)
			check.That(t, e.Status == confset.Stopped && e.Iterations == c.want.Iterations, "%s: %v after %d steps, reference %d", what, e.Status, e.Iterations, c.want.Iterations)
			same(t, what+": f", e.F, c.want.F, 1e-9)
			same(t, what+": Gw", s.Gram(t).Times(e.Weights), e.F, 1e-11*max(1, e.Norm))
			check.That(t, c.jitter > 0 || e.Objective-e.Gap <= best.Objective+1e-14 && best.Objective <= e.Objective,
				"%s: the minimum %g is not in [%g, %g]", what, best.Objective, e.Objective-e.Gap, e.Objective)
		}
	}
	check.That(t, sets == 10, "%d sets have a descent, want 10", sets)
}

func TestBallReference(t *testing.T) {
	for _, s := range references(t) {
		e := NewBall(duelsOf(t, s), s.Ball.B).Fit()
		what := fmt.Sprintf("set %d", s.ID)
		check.That(t, e.Status == confset.Converged && e.Gap <= 1e-9*max(1, e.Objective), "%s: %v, gap %g", what, e.Status, e.Gap)
		same(t, what+": Gw", s.Gram(t).Times(e.Weights), e.F, 1e-11*max(1, e.Norm))
		tol := 1e-7
		if s.Ball.Active {
			tol = 1e-8
			check.Near(t, e.Norm, s.Ball.B, 1e-9*s.Ball.B, "%s: norm", what)
			check.Near(t, e.Lambda/s.Ball.Multiplier, 1, 1e-7, "%s: multiplier", what)
			same(t, what+": f", e.F, s.Ball.F, 1e-8)
		} else {
			check.Equal(t, what+": multiplier of a ball that does not bind", e.Lambda, 0)
			for i, a := range s.A {
				if b := s.B[i]; s.Ball.F != nil {
					check.Near(t, e.F[a]-e.F[b], s.Ball.F[a]-s.Ball.F[b], 1e-6, "%s: difference %d", what, i)
				}
			}
		}
		check.Near(t, e.Objective, s.Ball.Value, tol, "%s: value", what)
		check.Near(t, e.Objective-e.Gap, s.Ball.DualBound, tol, "%s: bound", what)
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
			}
		}
	}
	armstest.Read(t, "ginop.json", &file)
	check.Equal(t, "sets", len(file.Sets), 9)
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
			d := NewDuels(armsOf(t, s, c.Epsilon))
			s.Tell(d)
			ball := NewBall(d, s.NormBound)
			e := ball.Fit()
			check.Near(t, e.Objective, c.Loss, 1e-9, "%sloss", at)
			check.That(t, e.Status == confset.Converged && c.Binds == (e.Lambda > 0), "%s%v, multiplier %g; the ball binds: %v", at, e.Status, e.Lambda, c.Binds)
			same(t, at+"f", e.F, c.MLE, 1e-6)
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
				check.That(t, w.Status == confset.Converged && w.Least() >= 0 && w.Least() <= w.Most(), "%s: %v, ω in [%g, %g]", what, w.Status, w.Least(), w.Most())
				o := ball.width(j, i)
				check.That(t, o.Least() == w.Least() && o.MaxValue == -w.MinValue, "%s: ω is %g, of the other order %g", what, w.Least(), o.Least())
			}
			check.Equal(t, at+"the width of an arm with itself", ball.width(1, 1), Width{Status: confset.Converged})
			// With β → 0 the set shrinks to the estimate like √β where the ball binds.
			if e.Lambda > 0 {
				ball.SetLevel(1e-4)
				wide := ball.width(0, 1).Most()
				ball.SetLevel(1e-6)
				check.Near(t, ball.width(0, 1).Most()/wide, 0.1, 0.01, "%sthe fall of ω as β falls from 1e-4 to 1e-6", at)
			}
		}
	}
	t.Logf("largest difference of an end %.2g", worst)
}
