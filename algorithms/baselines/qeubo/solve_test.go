package qeubo

import (
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/gp"
	"popbench/kernel"
	"popbench/space"
)

// The files of testdata were computed with BoTorch 0.8.5 and the qEUBO repository. The values that the tests
// use were also computed by independent means: Laplace with numpy, which agrees to 1e-14 except for finite
// differences (1e-8), and the optimum of the variational bound in 2 numbers a duel.

// botorchBox is the log density of BoTorch's prior of the variance, flat on [0.01, 100] with Gaussian tails of
// standard deviation 0.01; ours is flat without a density.
var botorchBox = -math.Log(100 - 0.01 + 0.01*math.Sqrt(2*math.Pi))

// laplaceCase is a set of duels with the posterior by Laplace's approximation.
type laplaceCase struct {
	ID          int
	D           int
	Link        string
	X           [][]float64
	Comparisons [][2]int `json:"comparisons_winner_loser"`
	Lengthscale []float64
	Outputscale float64
	XTest       [][]float64 `json:"X_test"`
	MaxZ        float64     `json:"max_abs_z"`
	Utility     []float64   `json:"map_utility"`
	Mean        []float64   `json:"post_mean"`
	Cov         [][]float64 `json:"post_cov"`
	Evidence    float64     `json:"laplace_log_evidence"`
	WithPriors  float64     `json:"log_evidence_plus_default_botorch_priors"`
	DLength     []float64   `json:"dlogev_dlengthscale"`
	DVariance   float64     `json:"dlogev_doutputscale"`
	LogLik      float64     `json:"log_likelihood_at_map"`
	Pairs       [][2]int    `json:"eubo_pairs_index_into_X_test"`
	EUBO        []float64   `json:"eubo_qEUBO_repo"`
}

func knownKernel(variance float64, lengthscale ...float64) algorithms.Known {
	return algorithms.Known{Kernel: &kernel.Config{Family: "se-half", Variance: variance, Lengthscale: lengthscale}}
}

// input returns the case for Solve.
func (c laplaceCase) input() (algorithms.SolveInput, Config) {
	cfg := Config{settings.PairwiseGP()}
	cfg.Link = c.Link
	in := algorithms.SolveInput{Points: c.X, Known: knownKernel(c.Outputscale, c.Lengthscale...)}
	for _, p := range c.Comparisons {
		in.Comparisons = append(in.Comparisons, p[:])
	}
	in.Queries = queries(c.XTest, c.Pairs)
	return in, cfg
}

// queries asks for all points, and then for pairs of them.
func queries(x [][]float64, pairs [][2]int) (all [][][]float64) {
	for _, x := range x {
		all = append(all, [][]float64{x})
	}
	for _, p := range pairs {
		all = append(all, [][]float64{x[p[0]], x[p[1]]})
	}
	return all
}

// laplaceCases has those of laplace.json, and the maxima over the box of some of them, by their ID.
func laplaceCases(t *testing.T) ([]laplaceCase, map[int]optimum) {
	t.Helper()
	var file struct{ Datasets []laplaceCase }
	check.Read(t, "testdata/laplace.json", &file)
	var optima struct {
		Cases []optimum `json:"eubo_maximisers"`
	}
	check.Read(t, "testdata/eubo_max.json", &optima)
	byID := map[int]optimum{}
	for _, o := range optima.Cases {
		byID[o.ID] = o
	}
	return file.Datasets, byID
}

type optimum struct {
	ID   int       `json:"golden_laplace_id"`
	EUBO float64   `json:"continuous_max_eubo"`
	Mean float64   `json:"posterior_mean_max"`
	At   []float64 `json:"posterior_mean_argmax"`
}

// closeTo fails if got is off by more than tol, relative where |want| > 1.
func closeTo(t *testing.T, id int, what string, got, want, tol float64) {
	t.Helper()
	check.Near(t, got, want, tol*max(1, math.Abs(want)), "case %d: %s", id, what)
}

// closeAll does that for each of a list of numbers.
func closeAll(t *testing.T, id int, what string, got, want []float64, tol float64) {
	t.Helper()
	check.Equal(t, "numbers of "+what, len(got), len(want))
	for i, w := range want {
		closeTo(t, id, what, got[i], w, tol)
	}
}

// Comparisons so certain that BoTorch, which clamps them, does not find the mode.
func TestSureAnswers(t *testing.T) {
	var file struct {
		Cases []struct {
			Link        string
			X           [][]float64
			Comparisons [][2]int
			Lengthscale []float64
			Outputscale float64
			Map         []float64 `json:"exact_map"`
			Evidence    float64   `json:"exact_laplace_evidence"`
			MaxZ        float64   `json:"max_abs_z_exact"`
		} `json:"clamp_example"`
	}
	check.Read(t, "testdata/eubo_max.json", &file)
	for id, c := range file.Cases {
		s := check.Must(Solve(laplaceCase{Link: c.Link, X: c.X, Comparisons: c.Comparisons, Lengthscale: c.Lengthscale, Outputscale: c.Outputscale}.input()))(t)
		closeAll(t, id, "utility at the mode", s.Utility, c.Map, 1e-8)
		closeTo(t, id, "log evidence", s.Posterior.LogEvidence, c.Evidence, 1e-8)
		closeTo(t, id, "the most certain comparison", s.Posterior.Argument, c.MaxZ, 1e-8)
	}
}

// missed returns by how much the reference's a and λ violate the equations a = E σ(-g), λ = E σ(g)σ(-g) of the
// optimum. The reference stopped when its bound was right to 1e-9, which allows errors of the square root of
// that in a and λ. Our numbers satisfy these equations to rounding (tests of package gp).
var missed = []float64{2.1e-5, 1.5e-8, 4.4e-3}

type variationalCase struct {
	ID          int
	Queries     [][2][]float64
	Responses   []int `json:"responses_index_of_winner"`
	Lengthscale []float64
	Outputscale float64
	XTest       [][]float64 `json:"X_test"`
	Pairs       [][2]int    `json:"eubo_pairs"`
	Exact       struct {
		ELBO   float64
		A, Lam []float64
		Mean   []float64   `json:"post_mean"`
		Cov    [][]float64 `json:"post_cov"`
		EUBO   []float64   `json:"eubo"`
	} `json:"exact_vi"`
}

// duelInput has a comparison for each pair of points, given the index of the winner.
func duelInput(pairs [][2][]float64, winners []int) (in algorithms.SolveInput) {
	for i, q := range pairs {
		n := len(in.Points)
		in.Points = append(in.Points, q[0], q[1])
		in.Comparisons = append(in.Comparisons, []int{n + winners[i], n + 1 - winners[i]})
	}
	return in
}

// hyperCase is a set of duels with the hyper-parameters of largest posterior density.
type hyperCase struct {
	ID        int
	D         int
	Queries   [][2][]float64
	Responses []int
	Exact     struct {
		Lengthscale []float64
		Outputscale float64
		Value       float64 `json:"elbo_plus_log_prior"`
	} `json:"exact_joint_max"`
	BoTorch map[string]struct {
		Lengthscale []float64
		Outputscale float64
		Value       float64 `json:"log_evidence_plus_log_priors"`
	} `json:"botorch_pairwisegp_default_fit"`
}

// closeQueries compares means, covariances and EUBO of queries, points before pairs.
func closeQueries(t *testing.T, id int, s *Solution, mean []float64, cov [][]float64, eubo []float64, tol float64) {
	t.Helper()
	check.That(t, len(s.Queries) == len(mean)+len(eubo) && len(eubo) > 0, "case %d: %d queries, want %d", id, len(s.Queries), len(mean)+len(eubo))
	for i, want := range mean {
		closeTo(t, id, "a mean", *s.Queries[i].Mean, want, tol)
		closeTo(t, id, "a variance", *s.Queries[i].Sd**s.Queries[i].Sd, cov[i][i], tol)
		closeAll(t, id, "covariance", s.Cov[i], cov[i], tol)
	}
	for i, want := range eubo {
		closeTo(t, id, "EUBO", *s.Queries[len(mean)+i].EUBO, want, tol)
	}
}

// Solve agrees with the reference programs for a known kernel, and finds the maxima over the box.
func TestSolveLaplaceReference(t *testing.T) {
	cases, optima := laplaceCases(t)
	check.Equal(t, "optima", len(optima), 2)
	for _, c := range cases {
		in, cfg := c.input()
		box := space.Cube(c.D, 0, 1)
		in.Box = &box
		s := check.Must(Solve(in, cfg))(t)
		check.That(t, s.Fit == nil && s.Posterior.Status == "converged", "case %d: %v, %s", c.ID, s.Fit, s.Posterior.Status)
		closeAll(t, c.ID, "utility at the mode", s.Utility, c.Utility, 1e-10)
		closeTo(t, c.ID, "log evidence", s.Posterior.LogEvidence, c.Evidence, 1e-10)
		closeTo(t, c.ID, "log likelihood", s.Posterior.LogLik, c.LogLik, 1e-10)
		closeTo(t, c.ID, "log evidence with priors", s.Posterior.LogPosterior+botorchBox, c.WithPriors, 1e-10)
		closeTo(t, c.ID, "largest argument", s.Posterior.Argument, c.MaxZ, 1e-8)
		closeAll(t, c.ID, "gradient in lengthscales", s.Posterior.Gradient.Lengthscale, c.DLength, 3e-8)
		closeTo(t, c.ID, "gradient in the variance", s.Posterior.Gradient.Variance, c.DVariance, 3e-8)
		closeQueries(t, c.ID, s, c.Mean, c.Cov, c.EUBO, 1e-10)
		if o, ok := optima[c.ID]; ok {
			closeTo(t, c.ID, "largest EUBO", s.Maximum.EUBO, o.EUBO, 1e-9)
			closeTo(t, c.ID, "largest mean", s.Maximum.Mean, o.Mean, 1e-9)
			closeAll(t, c.ID, "where it is", s.Maximum.MeanAt, o.At, 1e-5)
		}
	}
}

func TestSolveVariationalReference(t *testing.T) {
	var file struct{ Cases []variationalCase }
	check.Read(t, "testdata/variational.json", &file)
	for _, c := range file.Cases {
		in := duelInput(c.Queries, c.Responses)
		in.Known, in.Queries = knownKernel(c.Outputscale, c.Lengthscale...), queries(c.XTest, c.Pairs)
		s := check.Must(Solve(in, Default()))(t)
		tol := missed[c.ID]
		closeTo(t, c.ID, "the bound", s.Posterior.LogEvidence, c.Exact.ELBO, 1e-9)
		check.That(t, s.Posterior.LogEvidence >= c.Exact.ELBO-1e-12, "case %d: the bound is below the reference's", c.ID)
		closeAll(t, c.ID, "a", s.Posterior.Alpha, c.Exact.A, 2*tol)
		closeAll(t, c.ID, "λ", s.Posterior.Precision, c.Exact.Lam, 2*tol)
		closeQueries(t, c.ID, s, c.Exact.Mean, c.Exact.Cov, c.Exact.EUBO, tol/20+1e-8)
	}
}

// In another box everything is the same except the units of x.
func TestSolveUnits(t *testing.T) {
	solve := func(width, lo float64) *Solution {
		x := func(u, v float64) []float64 { return []float64{lo + width*u, lo + width*v} }
		box := space.Cube(2, lo, lo+width)
		return check.Must(Solve(algorithms.SolveInput{
			Box: &box, Points: [][]float64{x(0.125, 0.25), x(0.75, 0.5), x(0.5, 1)}, Comparisons: [][]int{{1, 0}, {1, 2}, {0, 2}},
			Known: knownKernel(3, 0.5*width, 0.25*width), MaxPairs: -1,
		}, Default()))(t)
	}
	const width, lo = 8, -3 // exact in binary
	want, got := solve(1, 0), solve(width, lo)
	closeTo(t, 0, "log evidence", got.Posterior.LogEvidence, want.Posterior.LogEvidence, 1e-12)
	closeTo(t, 0, "largest EUBO", got.Maximum.EUBO, want.Maximum.EUBO, 1e-12)
	for j, l := range got.Kernel.Lengthscale {
		closeTo(t, 0, "a lengthscale", l, width*want.Kernel.Lengthscale[j], 1e-12)
		closeTo(t, 0, "gradient in it", width*got.Posterior.Gradient.Lengthscale[j], want.Posterior.Gradient.Lengthscale[j], 1e-9)
		closeTo(t, 0, "where the mean is largest", got.Maximum.MeanAt[j], lo+width*want.Maximum.MeanAt[j], 1e-9)
	}
}

// A fit in a step comes close to the maximum, which Solve finds. With data for which BoTorch's default fit ends at a flat
// utility, as does its own exact optimum, the default prior does not.
func TestHyperparametersReference(t *testing.T) {
	var file struct{ Cases []hyperCase }
	check.Read(t, "testdata/hyperfit.json", &file)
	for _, c := range file.Cases {
		fit := func(cfg Config, p utility.Precision) (gp.MAP, kernel.Config) {
			m := utility.NewModel(c.D, cfg.Utility)
			for i, q := range c.Queries {
				m.Add(q[c.Responses[i]], q[1-c.Responses[i]])
			}
			fit := check.Must(m.Fit(p, m.ModalKernel()))(t)
			return fit, m.Kernel
		}
		quick, _ := fit(Default(), utility.Quick)
		check.That(t, c.Exact.Value-quick.Value <= 1e-5, "case %d: a quick fit reaches %.9g, an exact one %.9g", c.ID, quick.Value, c.Exact.Value)

		s := check.Must(Solve(duelInput(c.Queries, c.Responses), Default()))(t)
		closeTo(t, c.ID, "log evidence + log prior", s.Fit.LogPosterior, c.Exact.Value, 1e-9)
		closeTo(t, c.ID, "the same of the posterior", s.Posterior.LogPosterior, s.Fit.LogPosterior, 1e-12)
		closeAll(t, c.ID, "lengthscales", s.Kernel.Lengthscale, c.Exact.Lengthscale, 1e-5)
		closeTo(t, c.ID, "the variance", s.Kernel.Variance, c.Exact.Outputscale, 1e-5)
		check.That(t, s.Fit.Gradient <= 1e-5 && s.Maximum == nil, "case %d: gradient %g, optima %v without a box", c.ID, s.Fit.Gradient, s.Maximum)

		flat := Default()
		flat.Inference = "laplace"
		got, k := fit(flat, utility.Quick)
		check.That(t, got.OK() && k.Variance >= 1, "case %d: %v, %+v", c.ID, got.Status, k)
		// Never worse than the end of BoTorch's fit. Its box has soft ends, and in case 1 it went slightly beyond one.
		for link, there := range c.BoTorch {
			cfg := Config{settings.PairwiseGP()}
			cfg.Link = link
			got, k := fit(cfg, utility.Exact)
			check.That(t, got.OK() && got.Value+botorchBox >= there.Value-1e-3,
				"case %d, %s: the fit (%v) reaches %.6g at %+v, BoTorch's %.6g", c.ID, link, got.Status, got.Value+botorchBox, k, there.Value)
		}
	}
}
