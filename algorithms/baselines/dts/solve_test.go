package dts

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// reference is one case of testdata/gpc.json: posteriors by other people's programs, with which scikit-learn
// and GPy agree, and scores by summation over a grid.
type reference struct {
	ID          int
	D, N        int
	Kernel      string
	Variance    float64
	Lengthscale []float64
	X           [][]float64
	Y           []float64
	Tests       [][]float64  `json:"X_test"`
	Logistic    referenceFit `json:"laplace_logistic"`
	Probit      referenceFit `json:"laplace_probit"`
	EP          referenceFit `json:"ep_probit"`
	Copeland    struct {
		C      []float64
		Best   int       `json:"argmax_index"`
		PlugIn []float64 `json:"C_plugin_mean"`
		Row    []float64 `json:"var_sigma_row"`
	} `json:"soft_copeland_posterior"`
}

type referenceFit struct {
	Mode     []float64 `json:"f_mode"`
	W        []float64
	Evidence float64   `json:"log_marginal"`
	Mean     []float64 `json:"f_mean"`
	Var      []float64 `json:"f_var"`
	Pi       []float64
	VarSigma []float64 `json:"var_sigma"`

	PostMean []float64 `json:"post_mean"`
	Nu       []float64 `json:"nu_tilde"`
	Tau      []float64 `json:"tau_tilde"`
	LogZ     float64   `json:"log_Z"`
}

func references(t *testing.T) []reference {
	t.Helper()
	var file struct{ Cases []reference }
	check.Read(t, "testdata/gpc.json", &file)
	check.Equal(t, "cases", len(file.Cases), 7)
	return file.Cases
}

// near fails for every got[i] that is not within tol of want[i], relative to 1 + |want|.
func near(t *testing.T, c reference, name string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("case %d: %s has %d numbers, want %d", c.ID, name, len(got), len(want))
	}
	for i, w := range want {
		check.That(t, math.Abs(got[i]-w) <= tol*(1+math.Abs(w)),
			"case %d: %s[%d] = %.10g, want %.10g", c.ID, name, i, got[i], w)
	}
}

func (c reference) signed(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x * (2*c.Y[i] - 1)
	}
	return out
}

// input returns the case for Solve, which mirrors the duels of se itself. It returns false if the case has
// duels of se that are not mirrored.
func (c reference) input() (algorithms.SolveInput, bool) {
	box := space.Cube(c.D, 0, 1)
	in := algorithms.SolveInput{Box: &box}
	seen := map[string]bool{}
	for i, z := range c.X {
		winner, loser := z[:c.D], z[c.D:]
		if c.Y[i] == 0 {
			winner, loser = loser, winner
		}
		if key := fmt.Sprint(winner, loser, 1-c.Y[i]); c.Kernel == "se" && seen[key] {
			continue
		}
		seen[fmt.Sprint(winner, loser, c.Y[i])] = true
		in.Points = append(in.Points, winner, loser)
		in.Comparisons = append(in.Comparisons, []int{len(in.Points) - 2, len(in.Points) - 1})
	}
	for _, z := range c.Tests {
		in.Queries = append(in.Queries, [][]float64{z[:c.D], z[c.D:]})
	}
	return in, c.Kernel == "pref" || 2*len(in.Comparisons) == len(c.X)
}

// Solve agrees with the reference programs.
func TestSolveReferences(t *testing.T) {
	solved := 0
	for _, c := range references(t) {
		in, ok := c.input()
		if !ok {
			continue
		}
		solved++
		cfg := Default()
		cfg.Prior, cfg.Inference, cfg.Fit = mirrored, laplace, "none"
		if c.Kernel == "pref" {
			cfg.Prior = preference
		}
		cfg.Kernel = kernel.Config{Family: "se-half", Variance: c.Variance, Lengthscale: c.Lengthscale[:c.D]}
		s := check.Must(Solve(in, cfg))(t)
		for _, part := range []struct {
			name     string
			got      Posterior
			want     referenceFit
			mean     []float64 // at the sites
			evidence float64
			tol      float64
		}{
			{"laplace", s.Laplace, c.Logistic, c.Logistic.Mode, c.Logistic.Evidence, 1e-7},
			{"laplace-probit", s.LaplaceProbit, c.Probit, c.Probit.Mode, c.Probit.Evidence, 1e-7},
			{"ep", s.EP, c.EP, c.EP.PostMean, c.EP.LogZ, 1e-6},
		} {
			near(t, c, part.name+" log evidence", []float64{part.got.LogEvidence}, []float64{part.evidence}, part.tol)
			var mean, variance, p, v []float64
			for _, q := range part.got.Queries {
				mean, variance = append(mean, q.Mean), append(variance, q.Var)
				p, v = append(p, q.Probability), append(v, q.ProbVar)
			}
			near(t, c, part.name+" mean", mean, part.want.Mean, part.tol)
			near(t, c, part.name+" variance", variance, part.want.Var, part.tol)
			near(t, c, part.name+" probability", p, part.want.Pi, part.tol)
			if part.name == "laplace" {
				near(t, c, "variance of the probability", v, part.want.VarSigma, part.tol)
			}
			if c.Kernel == "pref" { // f of [winner; loser], where the reference has f of the row
				near(t, c, part.name+" sites", part.got.Mean, c.signed(part.mean), part.tol)
			}
		}
		if c.Kernel == "pref" {
			near(t, c, "W", s.Laplace.Precision, c.Logistic.W, 1e-7)
			near(t, c, "tau", s.EP.Precision, c.EP.Tau, 1e-6)
			near(t, c, "nu", s.EP.Shift, c.signed(c.EP.Nu), 1e-6)
		}
		near(t, c, "scores", s.Copeland.Scores, c.Copeland.C, 1e-7)
		near(t, c, "scores of the mean", s.Copeland.OfMean, c.Copeland.PlugIn, 1e-7)
		near(t, c, "variance against the winner", s.Copeland.ProbVar, c.Copeland.Row, 1e-7)
		check.That(t, s.Copeland.Best == c.Copeland.Best,
			"case %d: the Condorcet winner is %d, want %d", c.ID, s.Copeland.Best, c.Copeland.Best)
	}
	check.That(t, solved == 6, "%d cases were solved, want 6", solved)
}

// A kernel is fitted in the box; a known one is used by all three approximations.
func TestSolveKernel(t *testing.T) {
	box := space.Box{Lo: []float64{-10}, Hi: []float64{10}}
	in := algorithms.SolveInput{
		Box: &box, Points: [][]float64{{-8}, {0}, {8}}, Comparisons: [][]int{{1, 0}, {1, 2}}, Queries: [][][]float64{{{1}, {9}}},
	}
	fitted := check.Must(Solve(in, Default()))(t)
	again := Default()
	again.Fit, again.Kernel = "none", fitted.EP.Kernel
	check.Near(t, check.Must(Solve(in, again))(t).EP.LogEvidence, fitted.EP.LogEvidence, 1e-9, "evidence")
	l := fitted.Laplace.Kernel.Lengthscale[0] // 0.02 to 5 box widths
	check.That(t, l >= 0.4 && l <= 100, "the lengthscale is %g in a box of width 20", l)
	known := fitted.EP.Kernel
	in.Known = algorithms.Known{Kernel: &known}
	check.Equal(t, "the variance of f, twice that of a utility", check.Must(Solve(in, Default()))(t).Laplace.Kernel.Variance, 2*known.Variance)
}
