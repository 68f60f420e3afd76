package qeubo

import (
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

func knownKernel(variance float64, lengthscale ...float64) algorithms.Known {
	return algorithms.Known{Kernel: &kernel.Config{Family: "se-half", Variance: variance, Lengthscale: lengthscale}}
}

// input returns the case for Solve.
func (c laplaceCase) input() (algorithms.SolveInput, Config) {
	cfg := PairwiseGP()
	cfg.Link = c.Link
	in := algorithms.SolveInput{Points: c.X, Known: knownKernel(c.Outputscale, c.Lengthscale...)}
	for _, p := range c.Comparisons {
		in.Comparisons = append(in.Comparisons, p[:])
	}
	for _, x := range c.XTest {
		in.Queries = append(in.Queries, [][]float64{x})
	}
	for _, p := range c.Pairs {
		in.Queries = append(in.Queries, [][]float64{c.XTest[p[0]], c.XTest[p[1]]})
	}
	return in, cfg
}

// closeQueries compares means, covariances and EUBO of queries, points before pairs.
func closeQueries(t *testing.T, id int, s *Solution, mean []float64, cov [][]float64, eubo []float64, tol float64) {
	t.Helper()
	if len(s.Cov) != len(mean) || len(s.Queries) != len(mean)+len(eubo) || len(eubo) == 0 {
		t.Fatalf("case %d: %d covariances and %d queries, want %d and %d", id, len(s.Cov), len(s.Queries), len(mean), len(mean)+len(eubo))
	}
	for i, want := range mean {
		closeTo(t, id, "a mean", *s.Queries[i].Mean, want, tol)
		closeTo(t, id, "a variance", *s.Queries[i].Sd**s.Queries[i].Sd, cov[i][i], tol)
		for j, want := range cov[i] {
			closeTo(t, id, "a covariance", s.Cov[i][j], want, tol)
		}
	}
	for i, want := range eubo {
		closeTo(t, id, "EUBO", *s.Queries[len(mean)+i].EUBO, want, tol)
	}
}

// Solve agrees with the reference programs for a known kernel, and finds the maxima over the box.
func TestSolveLaplaceReference(t *testing.T) {
	var file struct{ Datasets []laplaceCase }
	check.Read(t, "testdata/laplace.json", &file)
	var optima struct {
		Cases []struct {
			ID   int       `json:"golden_laplace_id"`
			EUBO float64   `json:"continuous_max_eubo"`
			Mean float64   `json:"posterior_mean_max"`
			At   []float64 `json:"posterior_mean_argmax"`
		} `json:"eubo_maximisers"`
	}
	check.Read(t, "testdata/eubo_max.json", &optima)
	compared := 0
	for _, c := range file.Datasets {
		in, cfg := c.input()
		box := space.Cube(c.D, 0, 1)
		in.Box = &box
		s := check.Must(Solve(in, cfg))(t)
		check.That(t, s.Fit == nil && s.Posterior.Status == "converged", "case %d: %v, %s", c.ID, s.Fit, s.Posterior.Status)
		for i, want := range c.Utility {
			closeTo(t, c.ID, "a utility at the mode", s.Utility[i], want, 1e-10)
		}
		closeTo(t, c.ID, "log evidence", s.Posterior.LogEvidence, c.Evidence, 1e-10)
		closeTo(t, c.ID, "log likelihood", s.Posterior.LogLik, c.LogLik, 1e-10)
		closeTo(t, c.ID, "log evidence with priors", s.Posterior.LogPosterior+botorchBox, c.WithPriors, 1e-10)
		closeTo(t, c.ID, "largest argument", s.Posterior.Argument, c.MaxZ, 1e-8)
		for j, want := range c.DLength {
			closeTo(t, c.ID, "gradient in a lengthscale", s.Posterior.Gradient.Lengthscale[j], want, 3e-8)
		}
		closeTo(t, c.ID, "gradient in the variance", s.Posterior.Gradient.Variance, c.DVariance, 3e-8)
		closeQueries(t, c.ID, s, c.Mean, c.Cov, c.EUBO, 1e-10)
		for _, w := range optima.Cases {
			if w.ID != c.ID {
				continue
			}
			compared++
			closeTo(t, c.ID, "largest EUBO", s.Maximum.EUBO, w.EUBO, 1e-9)
			closeTo(t, c.ID, "largest mean", s.Maximum.Mean, w.Mean, 1e-9)
			for j, want := range w.At {
				closeTo(t, c.ID, "where it is", s.Maximum.MeanAt[j], want, 1e-5)
			}
		}
	}
	check.That(t, compared == 2, "%d optima were compared, want 2", compared)
}

func TestSolveVariationalReference(t *testing.T) {
	for _, c := range variationalCases(t) {
		in := c.input()
		in.Known = knownKernel(c.Outputscale, c.Lengthscale...)
		for _, x := range c.XTest {
			in.Queries = append(in.Queries, [][]float64{x})
		}
		for _, p := range c.Pairs {
			in.Queries = append(in.Queries, [][]float64{c.XTest[p[0]], c.XTest[p[1]]})
		}
		s := check.Must(Solve(in, Default()))(t)
		tol := missed[c.ID]
		closeTo(t, c.ID, "the bound", s.Posterior.LogEvidence, c.Exact.ELBO, 1e-9)
		if lack := c.Exact.ELBO - s.Posterior.LogEvidence; lack > 1e-12 {
			t.Errorf("case %d: the bound is %.3g below the reference's", c.ID, lack)
		}
		for i := range c.Exact.A {
			closeTo(t, c.ID, "a", s.Posterior.Alpha[i], c.Exact.A[i], 2*tol)
			closeTo(t, c.ID, "λ", s.Posterior.Precision[i], c.Exact.Lam[i], 2*tol)
		}
		closeQueries(t, c.ID, s, c.Exact.Mean, c.Exact.Cov, c.Exact.EUBO, tol/20+1e-8)
	}
}

// Without a known kernel, Solve fits one: no start is better than those of the fit.
func TestSolveHyperparametersReference(t *testing.T) {
	var file struct{ Cases []hyperCase }
	check.Read(t, "testdata/hyperfit.json", &file)
	for _, c := range file.Cases {
		s := check.Must(Solve(duelInput(c.Queries, c.Responses), Default()))(t)
		closeTo(t, c.ID, "log evidence + log prior", s.Fit.LogPosterior, c.Exact.Value, 1e-9)
		closeTo(t, c.ID, "the same of the posterior", s.Posterior.LogPosterior, s.Fit.LogPosterior, 1e-12)
		for j, l := range s.Kernel.Lengthscale {
			closeTo(t, c.ID, "a lengthscale", l, c.Exact.Lengthscale[j], 1e-5)
		}
		closeTo(t, c.ID, "the variance", s.Kernel.Variance, c.Exact.Outputscale, 1e-5)
		check.That(t, s.Fit.Gradient <= 1e-5 && s.Maximum == nil,
			"case %d: gradient %g, optima %v without a box", c.ID, s.Fit.Gradient, s.Maximum)
	}
}

// In another box everything is the same except the units of x.
func TestSolveUnits(t *testing.T) {
	var file struct{ Datasets []laplaceCase }
	check.Read(t, "testdata/laplace.json", &file)
	c := file.Datasets[0]
	in, cfg := c.input()
	unit := space.Cube(c.D, 0, 1)
	in.Box = &unit
	want := check.Must(Solve(in, cfg))(t)
	const width, lo = 8, -3 // exact in binary
	box := space.Cube(c.D, lo, lo+width)
	move := func(points [][]float64) [][]float64 {
		out := make([][]float64, len(points))
		for i, x := range points {
			out[i] = box.FromUnit(make([]float64, c.D), x)
		}
		return out
	}
	moved := in
	moved.Box, moved.Points, moved.Queries = &box, move(in.Points), nil
	for _, q := range in.Queries {
		moved.Queries = append(moved.Queries, move(q))
	}
	moved.Known = knownKernel(c.Outputscale, c.Lengthscale...)
	for j := range moved.Known.Kernel.Lengthscale {
		moved.Known.Kernel.Lengthscale[j] *= width
	}
	got := check.Must(Solve(moved, cfg))(t)
	closeTo(t, c.ID, "log evidence", got.Posterior.LogEvidence, want.Posterior.LogEvidence, 1e-12)
	closeTo(t, c.ID, "largest EUBO", got.Maximum.EUBO, want.Maximum.EUBO, 1e-12)
	for j, l := range got.Kernel.Lengthscale {
		closeTo(t, c.ID, "a lengthscale", l, width*want.Kernel.Lengthscale[j], 1e-12)
		closeTo(t, c.ID, "gradient in it", width*got.Posterior.Gradient.Lengthscale[j], want.Posterior.Gradient.Lengthscale[j], 1e-9)
		closeTo(t, c.ID, "where the mean is largest", got.Maximum.MeanAt[j], lo+width*want.Maximum.MeanAt[j], 1e-9)
	}
}
