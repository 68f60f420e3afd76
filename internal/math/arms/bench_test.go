package arms

import (
	"math"
	"testing"

	"popbench/internal/math/rng"
)

// trial is the problem of the published programs: 40 arms on a line, 300 answers about a utility with one peak, by a rule
// that asks for pairs of large variance among the best arms, or for all pairs.
func trial(t testing.TB) *dataset {
	s := &dataset{K: 40, D: 1, T: 300, Kernel: "matern52", Lengthscale: 0.1, Variance: 1}
	truth := make([]float64, s.K)
	for i := range s.K {
		x := -5 + 10*float64(i)/float64(s.K-1)
		s.Arms = append(s.Arms, []float64{x})
		truth[i] = 20*math.Exp(-0.2*math.Abs(x)) + math.Exp(math.Cos(2*math.Pi*x))
	}
	r := rng.Stream(1, "arms", "trial")
	for range s.T {
		a, b := r.IntN(s.K), r.IntN(s.K)
		won := 0
		if r.Float64() < sigmoid(truth[a]-truth[b]) {
			won = 1
		}
		s.A, s.B, s.Y = append(s.A, a), append(s.B, b), append(s.Y, won)
	}
	return s
}

// BenchmarkRun is what a run of 300 steps computes: after every answer the posterior with all its variances, and a fit.
func BenchmarkRun(b *testing.B) {
	s := trial(b)
	a := s.arms(b)
	for name, estimator := range map[string]func(d *Duels) Estimator{
		"ridge": func(d *Duels) Estimator { return NewRidge(d, 0.05) },
		"sum":   func(d *Duels) Estimator { return NewPublished(d, 0.05, Sum) },
		"mean":  func(d *Duels) Estimator { return NewPublished(d, 0.05, Mean) },
		"ball":  func(d *Duels) Estimator { return NewBall(d, 6) },
		"none":  nil,
	} {
		b.Run(name, func(b *testing.B) {
			var systems, worst float64
			for b.Loop() {
				d := NewDuels(a)
				p := NewPosterior(d, 0.05)
				var e Estimator
				if estimator != nil {
					e = estimator(d)
				}
				for i := range s.A {
					d.Add(s.A[i], s.B[i], s.Y[i] == 1)
					p.Update()
					var top float64
					for i := range s.K {
						for j := range i {
							top = max(top, p.Variance(i, j))
						}
					}
					if e != nil {
						f := e.Fit()
						systems += float64(f.Iterations)
						worst = max(worst, f.Gap)
						if f.Status != Converged {
							b.Fatal(i, f.Status, f.Gap, f.Error)
						}
					}
				}
			}
			b.ReportMetric(systems/float64(b.N*s.T), "systems/fit")
			b.ReportMetric(worst, "largest-gap")
		})
	}
}

// BenchmarkDescent is one fit of the published gradient descent, after 300 answers.
func BenchmarkDescent(b *testing.B) {
	s := trial(b)
	g := NewDescent(s.duels(b), 0.05, 1e-6)
	var steps float64
	for b.Loop() {
		steps = float64(g.Fit().Iterations)
	}
	b.ReportMetric(steps, "steps")
}
