package sgp

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"popbench/internal/gp"
	"popbench/kernel"
	"popbench/space"
)

// reference is one case of testdata/posterior.json, whose first lines say what made
// it.
type reference struct {
	ID              int
	D               int
	Lengthscale     []float64
	Noise           float64 `json:"noise_std"`
	Winners, Losers [][]float64
	Tests           [][]float64 `json:"test_points"`
	Exact           struct {
		LogProb float64     `json:"log_prob"`
		V       []float64   `json:"v_mean"`
		VCov    [][]float64 `json:"v_cov"`
		Mean    []float64   `json:"f_mean"`
		Var     []float64   `json:"f_var"`
	}
	Public struct {
		Mean []float64 `json:"f_mean"`
	} `json:"public_gibbs"`
	EP struct {
		LogZ     float64   `json:"log_Z_EP"`
		Mean     []float64 `json:"f_mean"`
		Var      []float64 `json:"f_var"`
		Mu       []float64
		SiteMean []float64 `json:"mu_tilde"`
		SiteVar  []float64 `json:"sigma2_tilde"`
	} `json:"ep_own"`
	Step struct {
		V             []float64
		Mean, Var, EI []float64
		Incumbent     []float64
		IncumbentMean float64 `json:"incumbent_mean"`
	} `json:"hb_step"`
}

// laplaceReference is a case of testdata/laplace.json, whose program is
// scripts/reference/sgp.py.
type laplaceReference struct {
	ID            int
	MinusEvidence float64   `json:"minus_log_marginal"`
	Mode          []float64 `json:"f_map_winners_then_losers"`
	Mean          []float64 `json:"f_mean"`
	Var           []float64 `json:"f_var"`
	Gradient      []float64 `json:"log_marginal_gradient"`
}

type improvement struct {
	Mean, SD float64
	LogEI    float64 `json:"log_EI"`
}

func laplaceReferences(t *testing.T) ([]laplaceReference, []improvement) {
	t.Helper()
	var file struct {
		Laplace     []laplaceReference
		Improvement []improvement `json:"expected_improvement"`
	}
	read(t, "testdata/laplace.json", &file)
	return file.Laplace, file.Improvement
}

func read(t *testing.T, name string, to any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

func references(t *testing.T) []reference {
	t.Helper()
	var file struct{ Cases []reference }
	read(t, "testdata/posterior.json", &file)
	if len(file.Cases) == 0 {
		t.Fatal("testdata/posterior.json has no cases")
	}
	return file.Cases
}

func (c *reference) model(t *testing.T) *model {
	t.Helper()
	k, err := kernel.Config{Family: "se-half", Variance: 1, Lengthscale: c.Lengthscale}.New(c.D)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(c.D, c.Noise)
	for i, w := range c.Winners {
		m.Add(w, c.Losers[i])
	}
	m.Condition(k)
	return m
}

// close fails unless got agrees to tol, relatively where want is above 1.
func close(t *testing.T, id int, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("case %d: %s is %.15g, want %.15g", id, what, got, want)
	}
}

// Moments of the posterior, sampled, are within 4 standard errors of the exact ones;
// those of the published sampler would not be. 10,000 moves, or 30,000 sweeps.
func TestPosteriorMoments(t *testing.T) {
	var bias float64
	for _, c := range references(t) {
		m := c.model(t)
		for sampler, moves := range map[string]int{"hmc": 10_000, "gibbs": 30_000} {
			got, err := m.Moments(c.Tests, sampler, moves, rand.New(rand.NewPCG(1, uint64(c.ID))))
			if err != nil {
				t.Fatal(err)
			}
			within := func(what string, got, se, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 4*se) || !(se < 0.03) {
					t.Errorf("case %d, %s: %s is %g ± %g, want %g", c.ID, sampler, what, got, se, want)
				}
			}
			for i, want := range c.Exact.V {
				within("mean of v", got.V[i], got.VErr[i], want)
				for j, want := range c.Exact.VCov[i] {
					// A covariance of Gaussian-like values has about this standard
					// error per unit of variance and independent draw.
					se := 1.5 * math.Sqrt(c.Exact.VCov[i][i]*c.Exact.VCov[j][j]) * got.VErr[i] / math.Sqrt(c.Exact.VCov[i][i])
					within("covariance of v", got.VCov[i*len(c.Winners)+j], max(se, 0.005), want)
				}
			}
			for i, want := range c.Exact.Mean {
				within("mean of f", got.F[i], got.FErr[i], want)
				within("variance of f", got.FVar[i], max(1.5*got.FErr[i], 0.005), c.Exact.Var[i])
				if sampler == "hmc" {
					bias = max(bias, math.Abs(c.Public.Mean[i]-want)/got.FErr[i])
				}
			}
		}
	}
	if bias < 10 {
		t.Errorf("the published sampler's bias is %.1f standard errors here: this test would not see it", bias)
	}
}

// The hallucination believer's step given v: to 1e-10.
func TestGivenDifferences(t *testing.T) {
	for _, c := range references(t) {
		given := c.model(t).Given(c.Step.V)
		incumbent := given.Mean(c.Step.Incumbent)
		close(t, c.ID, "mean at the incumbent", incumbent, c.Step.IncumbentMean, 1e-10)
		for i, x := range c.Tests {
			mean, variance := given.Moments(x)
			close(t, c.ID, "mean", mean, c.Step.Mean[i], 1e-10)
			close(t, c.ID, "variance", variance, c.Step.Var[i], 1e-10)
			logEI, _, _ := logExpectedImprovement(mean-incumbent, math.Sqrt(variance))
			close(t, c.ID, "expected improvement", math.Exp(logEI), c.Step.EI[i], 1e-10)
		}
	}
}

// Laplace's approximation to 1e-9, the gradient of its evidence to 1e-8; expectation
// propagation to 1e-6, as its reference is.
func TestApproximations(t *testing.T) {
	var solver gp.Solver
	laplace, _ := laplaceReferences(t)
	for i, c := range references(t) {
		m := c.model(t)
		predict := func(fit *gp.Fit, what string, mean, variance []float64, tol float64) {
			t.Helper()
			if fit.Status != gp.Converged {
				t.Fatalf("case %d: %s: %v", c.ID, what, fit.Status)
			}
			k := make([]float64, m.Len())
			for i, x := range c.Tests {
				m.Covariance(k, x)
				close(t, c.ID, what+" mean", fit.Mean(k), mean[i], tol)
				fit.Whiten(k, k)
				left := 1.0
				for _, v := range k {
					left -= v * v
				}
				close(t, c.ID, what+" variance", left, variance[i], tol)
			}
		}
		want := laplace[i]
		if want.ID != c.ID {
			t.Fatalf("laplace.json has case %d where posterior.json has %d", want.ID, c.ID)
		}
		fit := m.Laplace(&solver)
		close(t, c.ID, "Laplace evidence", -fit.Evidence, want.MinusEvidence, 1e-9)
		predict(fit, "Laplace", want.Mean, want.Var, 1e-9)
		k := make([]float64, m.Len())
		for i, x := range slices.Concat(c.Winners, c.Losers) {
			m.Covariance(k, x)
			close(t, c.ID, "Laplace mode", fit.Mean(k), want.Mode[i], 1e-9)
		}
		grad := make([]float64, c.D)
		f := c.fitter(m)
		logs := make([]float64, c.D)
		for j, l := range c.Lengthscale {
			logs[j] = math.Log(l)
		}
		close(t, c.ID, "evidence of the fitter", -f.hyper.Density(logs, grad), want.MinusEvidence, 1e-9)
		for j, g := range grad {
			close(t, c.ID, "gradient of the evidence", g, want.Gradient[j], 1e-8)
		}
		fit = m.EP(&solver)
		close(t, c.ID, "EP evidence", fit.Evidence, c.EP.LogZ, 1e-6)
		predict(fit, "EP", c.EP.Mean, c.EP.Var, 1e-6)
	}
}

// fitter fits the case's lengthscales in the unit box.
func (c *reference) fitter(m *model) *fitter {
	cfg := Default()
	cfg.Noise = c.Noise
	return newFitter(m, space.Cube(c.D, 0, 1), cfg)
}

// The lengthscales that a fit returns are more likely than any of a grid.
func TestFitIsTheMaximum(t *testing.T) {
	for _, c := range references(t) {
		m := c.model(t)
		f := c.fitter(m)
		start := make([]float64, c.D)
		for j := range start {
			start[j] = Default().Fit.Start
		}
		got := f.fit(start)
		if f.work.Failures > 0 {
			t.Errorf("case %d: %d failures", c.ID, f.work.Failures)
		}
		at := func(l []float64) float64 {
			return f.evidence(Default().Kernel.WithLengthscale(l), nil)
		}
		value := at(got)
		grid := space.Cube(c.D, Default().Fit.Lo, Default().Fit.Hi).Grid(9)
		for i := 0; i < len(grid); i += c.D {
			if v := at(grid[i : i+c.D]); v > value+1e-6 {
				t.Errorf("case %d: the fit %v has log evidence %.9g, %v has %.9g", c.ID, got, value, grid[i:i+c.D], v)
			}
		}
	}
}

// To 1e-11 of the logarithm, down to where the improvement is e^-500000.
func TestLogExpectedImprovement(t *testing.T) {
	// Far out the improvement is like e^(-z²/2)/z²: its logarithm falls by |z| + 2/|z|.
	for _, z := range []float64{-1e3, -1e6} {
		if _, byMean, _ := logExpectedImprovement(z, 1); math.Abs(byMean/-z-1-2/(z*z)) > 1e-11 {
			t.Errorf("at z = %g the derivative by the mean is %.17g", z, byMean)
		}
	}
	_, list := laplaceReferences(t)
	for _, c := range list {
		got, byMean, bySD := logExpectedImprovement(c.Mean, c.SD)
		if !(math.Abs(got-c.LogEI) <= 1e-11*max(1, math.Abs(c.LogEI))) {
			t.Errorf("mean %g, deviation %g: %.17g, want %.17g", c.Mean, c.SD, got, c.LogEI)
		}
		h := 1e-5 * c.SD
		value := func(mean, sd float64) float64 { v, _, _ := logExpectedImprovement(mean, sd); return v }
		for _, d := range []struct {
			name      string
			got, want float64
		}{
			{"mean", byMean, (value(c.Mean+h, c.SD) - value(c.Mean-h, c.SD)) / (2 * h)},
			{"deviation", bySD, (value(c.Mean, c.SD+h) - value(c.Mean, c.SD-h)) / (2 * h)},
		} {
			if !(math.Abs(d.got-d.want) <= 1e-4*math.Abs(d.want)+1e-6*byMean) {
				t.Errorf("mean %g, deviation %g: derivative by the %s is %.9g, by differences %.9g", c.Mean, c.SD, d.name, d.got, d.want)
			}
		}
	}
}
