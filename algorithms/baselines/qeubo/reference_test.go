package qeubo

import (
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
)

// The files of testdata were computed with BoTorch 0.8.5 and the qEUBO repository. The values that the tests
// use were also computed by independent means: Laplace with numpy, which agrees to 1e-14 except for finite
// differences (1e-8), and the optimum of the variational bound in 2 numbers a duel.

// botorchBox is the log density of BoTorch's prior of the variance, flat on [0.01, 100] with Gaussian tails of
// standard deviation 0.01; ours is flat without a density.
var botorchBox = -math.Log(100 - 0.01 + 0.01*math.Sqrt(2*math.Pi))

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

func (c laplaceCase) model(t testing.TB) *utility.Model {
	t.Helper()
	cfg := PairwiseGP()
	cfg.Link = c.Link
	m := utility.NewModel(c.D, cfg.Utility)
	for _, p := range c.Comparisons {
		m.Add(c.X[p[0]], c.X[p[1]])
	}
	check.OK(t, m.Condition(*knownKernel(c.Outputscale, c.Lengthscale...).Kernel))
	return m
}

// closeTo fails if got is off by more than tol, relative where |want| > 1.
func closeTo(t *testing.T, id int, what string, got, want, tol float64) {
	t.Helper()
	check.That(t, math.Abs(got-want) <= tol*max(1, math.Abs(want)), "case %d: %s is %.12g, want %.12g", id, what, got, want)
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
		m := laplaceCase{D: 1, Link: c.Link, X: c.X, Comparisons: c.Comparisons, Lengthscale: c.Lengthscale, Outputscale: c.Outputscale}.model(t)
		for i, x := range c.X {
			closeTo(t, id, "a utility at the mode", m.Mean(x, nil), c.Map[i], 1e-8)
		}
		closeTo(t, id, "log evidence", m.Post.Evidence, c.Evidence, 1e-8)
		widest := 0.0
		for _, g := range m.Post.Mode {
			widest = max(widest, math.Abs(g))
		}
		if c.Link == "probit" {
			widest /= math.Sqrt2
		}
		closeTo(t, id, "the most certain comparison", widest, c.MaxZ, 1e-8)
	}
}

// missed returns by how much the reference's a and λ violate the equations a = E σ(-g), λ = E σ(g)σ(-g) of the
// optimum. The reference stopped when its bound was right to 1e-9, which allows errors of the square root of
// that in a and λ. Our numbers satisfy these equations to rounding (tests of package gp).
var missed = []float64{2.1e-5, 1.5e-8, 4.4e-3}

type variationalCase struct {
	ID          int
	D           int
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

func variationalCases(t *testing.T) []variationalCase {
	t.Helper()
	var file struct{ Cases []variationalCase }
	check.Read(t, "testdata/variational.json", &file)
	return file.Cases
}

func (c variationalCase) input() algorithms.SolveInput { return duelInput(c.Queries, c.Responses) }

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

func (c hyperCase) model(cfg Config) *utility.Model {
	m := utility.NewModel(c.D, cfg.Utility)
	for i, q := range c.Queries {
		m.Add(q[c.Responses[i]], q[1-c.Responses[i]])
	}
	return m
}

// The fit in a step comes close to the maximum, which Solve finds. With data for which BoTorch's default fit ends at a flat
// utility, as does its own exact optimum, the default prior does not.
func TestHyperparametersReference(t *testing.T) {
	var file struct{ Cases []hyperCase }
	check.Read(t, "testdata/hyperfit.json", &file)
	for _, c := range file.Cases {
		m := c.model(Default())
		if fit, err := m.Fit(utility.Quick, m.ModalKernel()); err != nil || c.Exact.Value-fit.Value > 1e-5 {
			t.Errorf("case %d: a quick fit reaches %.9g (%v), an exact one %.9g", c.ID, fit.Value, err, c.Exact.Value)
		}

		flat := Default()
		flat.Inference = "laplace"
		m = c.model(flat)
		fit, err := m.Fit(utility.Quick, m.ModalKernel())
		check.That(t, err == nil && fit.OK() && m.Kernel.Variance >= 1, "case %d: %v, %v, %+v", c.ID, err, fit.Status, m.Kernel)

		// Never worse than the end of BoTorch's fit. Its box has soft ends, and in case 1 it went slightly
		// beyond one.
		for link, there := range c.BoTorch {
			cfg := PairwiseGP()
			cfg.Link = link
			m := c.model(cfg)
			fit, err := m.Fit(utility.Exact, m.ModalKernel())
			check.That(t, err == nil && fit.OK(), "case %d, %s: %v (%v)", c.ID, link, err, fit.Status)
			if value := fit.Value + botorchBox; value < there.Value-1e-3 {
				t.Errorf("case %d, %s: the fit reaches %.6g at %+v, BoTorch's %.6g", c.ID, link, value, m.Kernel, there.Value)
			}
		}
	}
}
