package popbo

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// Solve, and a POPBO that has learnt the same duels, find optima that were computed by an interior-point solver at 1e-10
// with its own dual certificates. The largest advantage, the best of restarts, a grid and a local polish there, may be
// larger here. If the norm bound is not active, the MLE is not unique, so the test compares the likelihood of its values.
func TestReferences(t *testing.T) {
	type value struct{ Value float64 }
	var sets []struct {
		ID                         int
		Kernel                     string // "SE" is se-half
		Variance, B, Beta, Epsilon float64
		Lengthscale                []float64
		Bounds                     [][2]float64
		X                          [][]float64
		One                        []int
		MLE                        float64
		Joint                      value
		Queries                    []struct {
			X      []float64
			Adv    value
			UB, LB value
		}
	}
	check.Read(t, "testdata/convex.json", &sets)
	for _, r := range sets {
		t.Run(fmt.Sprint(r.ID), func(t *testing.T) {
			var box space.Box
			for _, b := range r.Bounds {
				box.Lo, box.Hi = append(box.Lo, b[0]), append(box.Hi, b[1])
			}
			in := algorithms.SolveInput{Box: &box, Points: r.X, Beta: &r.Beta, Epsilon: &r.Epsilon}
			for i, one := range r.One {
				in.Comparisons = append(in.Comparisons, []int{i + one, i + 1 - one})
			}
			for _, q := range r.Queries {
				in.Queries = append(in.Queries, [][]float64{q.X})
			}
			cfg := Default()
			cfg.NormBound, cfg.Epsilon = r.B, r.Epsilon
			cfg.Beta = BetaConfig{Schedule: "constant", Beta0: r.Beta}
			cfg.Kernel = kernel.Config{Family: map[string]string{"SE": "se-half", "Matern52": "matern52"}[r.Kernel], Variance: r.Variance, Lengthscale: r.Lengthscale}
			s := check.Must(Solve(in, cfg))(t)
			tol := confset.Tol * max(1, r.B*math.Sqrt(4*r.Variance))
			agree := func(what string, got Solution, want float64) {
				t.Helper()
				check.Near(t, got.Value, want, 1e-6*max(1, math.Abs(want)), "%s", what)
				check.That(t, got.Status.OK() && got.Gap <= 2*tol, "%s: %v, gap %g", what, got.Status, got.Gap)
			}
			agree("the MLE", s.Estimate.Solution, r.MLE)
			var loglik float64
			for _, c := range in.Comparisons {
				loglik -= math.Log1p(math.Exp(s.Estimate.Values[c[1]] - s.Estimate.Values[c[0]]))
			}
			check.Near(t, loglik, r.MLE, 1e-8*max(1, math.Abs(r.MLE)), "log-likelihood of the MLE's values")
			check.That(t, s.Estimate.Norm <= r.B*(1+1e-9), "the MLE has norm %g, above %g", s.Estimate.Norm, r.B)
			for i, want := range r.Queries {
				got := s.Queries[i]
				agree("the advantage", got.Advantage, want.Adv.Value)
				agree("the upper bound", got.Upper, want.UB.Value)
				agree("the lower bound", got.Lower, want.LB.Value)
				check.That(t, got.Lower.Value <= got.Estimate+1e-6 && got.Estimate <= got.Upper.Value+1e-6,
					"the MLE %g is not between %g and %g", got.Estimate, got.Lower.Value, got.Upper.Value)
			}
			p := check.Must(New(algorithms.Setup{Domain: box, Start: r.X[0], Rand: stream(1)}, cfg))(t)
			for i, one := range r.One {
				tell(t, p, one, r.X[i], r.X[i+1])
			}
			check.Near(t, p.method.mleSolution.Value, r.MLE, 1e-8*max(1, math.Abs(r.MLE)), "MLE of a POPBO")
			for what, got := range map[string]Solution{"Solve": s.Maximum.Solution, "a POPBO": proposed(t, p)} {
				check.That(t, got.Value >= r.Joint.Value-1e-6*max(1, r.Joint.Value) && got.Status.OK() && got.Gap <= tol,
					"the largest advantage of %s is %.10g with a gap of %g (%v), reference %.10g", what, got.Value, got.Gap, got.Status, r.Joint.Value)
			}
		})
	}
}

// The optional parts of an input replace settings, and have defaults.
func TestSolveOptions(t *testing.T) {
	in := algorithms.SolveInput{Points: [][]float64{{0}, {1}, {3}}, Comparisons: [][]int{{1, 0}, {1, 0, 2}}, Queries: [][][]float64{{{2}}}}
	s := check.Must(Solve(in, Default()))(t)
	check.That(t, s.Beta == math.Sqrt2 && s.NormBound == 6 && s.Reference == 2 && s.Maximum == nil,
		"beta %g, norm bound %g, reference %d, maximum %v; want √2, 6, the last point and, without a box, none", s.Beta, s.NormBound, s.Reference, s.Maximum)
	k := kernel.Config{Family: "se-half", Variance: 2, Lengthscale: []float64{1}}
	beta, ref := 0.5, 1
	in.Beta, in.Reference, in.Known = &beta, &ref, algorithms.Known{Kernel: &k, NormBound: 1}
	other := check.Must(Solve(in, Default()))(t)
	cfg := Default()
	cfg.Kernel, cfg.NormBound, cfg.Beta = k, 1, BetaConfig{Schedule: "constant", Beta0: 0.5}
	in.Beta, in.Known = nil, algorithms.Known{}
	same := check.Must(Solve(in, cfg))(t)
	if a, b := other.Queries[0], same.Queries[0]; a.Advantage != b.Advantage || a.Upper != b.Upper || other.Reference != 1 {
		t.Errorf("known and set differ: %+v, %+v", a, b)
	}
}

// A solve that does not converge gives ErrUnsolved, with the rest of the result. A POPBO believes nothing then.
func TestSolveUnsolved(t *testing.T) {
	beta, epsilon := 1e-12, 0.0
	in := algorithms.SolveInput{
		Points:      [][]float64{{0.1}, {0.100001}, {0.9}},
		Comparisons: [][]int{{0, 1}, {1, 0}, {0, 1}, {2, 1}, {1, 2}},
		Queries:     [][][]float64{{{0.4}}}, Beta: &beta, Epsilon: &epsilon,
	}
	cfg := Default()
	cfg.NormBound = 1e9
	s, err := Solve(in, cfg)
	check.That(t, errors.Is(err, algorithms.ErrUnsolved), "error %v, want %v", err, algorithms.ErrUnsolved)
	if s == nil || len(s.Queries) != 1 {
		t.Fatalf("result %+v, want one with one query", s)
	}
	check.That(t, !s.Estimate.Status.OK() || !s.Queries[0].Upper.Status.OK(), "no status says which solve failed: %+v", s)
	cfg.Epsilon, cfg.Beta = epsilon, BetaConfig{Schedule: "constant", Beta0: beta}
	p := check.Must(New(algorithms.Setup{Domain: space.Cube(1, 0, 1), Start: in.Points[0], Rand: stream(1)}, cfg))(t)
	for _, c := range in.Comparisons {
		tell(t, p, 0, in.Points[c[0]], in.Points[c[1]])
	}
	check.Error(t, "a belief", check.Err(p.Belief([]float64{0.4})), "did not converge")
}
