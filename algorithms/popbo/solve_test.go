package popbo

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/convex"
	"popbench/kernel"
	"popbench/space"
)

// Solve finds the reference optima to 1e-6. If the norm bound is not active, the MLE is not unique,
// so the test compares the likelihood of its values.
func TestSolveReferences(t *testing.T) {
	type value struct{ Value float64 }
	var sets []struct {
		refSet
		Queries []struct {
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
			cfg.NormBound = r.B
			cfg.Kernel = kernel.Config{Family: map[string]string{"SE": "se-half", "Matern52": "matern52"}[r.Kernel], Variance: r.Variance, Lengthscale: r.Lengthscale}
			s := check.Must(Solve(in, cfg))(t)
			agree := func(what string, got Solution, want float64) {
				t.Helper()
				if math.Abs(got.Value-want) > 1e-6*max(1, math.Abs(want)) || !got.Status.OK() || !(got.Gap <= 2*convex.Tol*max(1, r.B*math.Sqrt(4*r.Variance))) {
					t.Errorf("%s is %.10g with a gap of %g (%v), want %.10g", what, got.Value, got.Gap, got.Status, want)
				}
			}
			agree("the MLE", s.Estimate.Solution, r.MLE)
			var loglik float64
			for _, c := range in.Comparisons {
				loglik -= math.Log1p(math.Exp(s.Estimate.Values[c[1]] - s.Estimate.Values[c[0]]))
			}
			check.That(t, math.Abs(loglik-r.MLE) <= 1e-8*max(1, math.Abs(r.MLE)),
				"the MLE's values have log-likelihood %.12g, reference %.12g", loglik, r.MLE)
			check.That(t, s.Estimate.Norm <= r.B*(1+1e-9), "the MLE has norm %g, above %g", s.Estimate.Norm, r.B)
			for i, want := range r.Queries {
				got := s.Queries[i]
				agree("the advantage", got.Advantage, want.Adv.Value)
				agree("the upper bound", got.Upper, want.UB.Value)
				agree("the lower bound", got.Lower, want.LB.Value)
				check.That(t, got.Lower.Value <= got.Estimate+1e-6 && got.Estimate <= got.Upper.Value+1e-6,
					"the MLE %g is not between %g and %g", got.Estimate, got.Lower.Value, got.Upper.Value)
			}
			if got := s.Maximum.Value; got < r.Joint.Value-1e-6*max(1, r.Joint.Value) {
				t.Errorf("the largest advantage is %.10g, reference %.10g", got, r.Joint.Value)
			}
		})
	}
}

// The optional parts of an input replace settings, and have defaults.
func TestSolveOptions(t *testing.T) {
	in := algorithms.SolveInput{Points: [][]float64{{0}, {1}, {3}}, Comparisons: [][]int{{1, 0}, {1, 0, 2}}, Queries: [][][]float64{{{2}}}}
	s, err := Solve(in, Default())
	if err != nil {
		t.Fatal(err)
	}
	check.That(t, s.Beta == math.Sqrt2 && s.NormBound == 6, "beta %g, norm bound %g, want √2 and 6", s.Beta, s.NormBound)
	check.That(t, s.Reference == 2, "reference %d, want the last point, 2", s.Reference)
	check.That(t, s.Maximum == nil, "a maximum without a box: %v", s.Maximum)
	k := kernel.Config{Family: "se-half", Variance: 2, Lengthscale: []float64{1}}
	beta, ref := 0.5, 1
	in.Beta, in.Reference, in.Known = &beta, &ref, algorithms.Known{Kernel: &k, NormBound: 1}
	other, err := Solve(in, Default())
	if err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.Kernel, cfg.NormBound, cfg.Beta = k, 1, BetaConfig{Schedule: "constant", Beta0: 0.5}
	in.Beta, in.Known = nil, algorithms.Known{}
	same := check.Must(Solve(in, cfg))(t)
	if a, b := other.Queries[0], same.Queries[0]; a.Advantage != b.Advantage || a.Upper != b.Upper || other.Reference != 1 {
		t.Errorf("known and set differ: %+v, %+v", a, b)
	}
}

// A solve that does not converge gives ErrUnsolved, with the rest of the result.
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
}
