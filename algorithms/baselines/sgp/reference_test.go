package sgp

import (
	"math"
	"testing"

	"popbench/algorithms/baselines/settings"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// reference is one case of testdata/posterior.json, whose first lines name its source.
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

// laplaceReference is a case of testdata/laplace.json, made by scripts/reference/sgp.py.
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
	check.Read(t, "testdata/laplace.json", &file)
	return file.Laplace, file.Improvement
}

func references(t *testing.T) []reference {
	t.Helper()
	var file struct{ Cases []reference }
	check.Read(t, "testdata/posterior.json", &file)
	if len(file.Cases) == 0 {
		t.Fatal("testdata/posterior.json has no cases")
	}
	return file.Cases
}

func (c *reference) model(t *testing.T) *model {
	t.Helper()
	k := check.Must(kernel.Config{Family: "se-half", Variance: 1, Lengthscale: c.Lengthscale}.New(c.D))(t)
	m := newModel(c.D, c.Noise)
	for i, w := range c.Winners {
		m.Add(w, c.Losers[i])
	}
	m.Condition(k)
	return m
}

// The evidence in fits of lengthscales, and its gradient.
func TestEvidenceOfTheFitter(t *testing.T) {
	laplace, _ := laplaceReferences(t)
	for i, c := range references(t) {
		want := laplace[i]
		grad, logs := make([]float64, c.D), make([]float64, c.D)
		for j, l := range c.Lengthscale {
			logs[j] = math.Log(l)
		}
		value := c.fitter(t, c.model(t), Default()).hyper.Density(logs, grad)
		closeAll(t, c.ID, "evidence", []float64{-value}, []float64{want.MinusEvidence}, 1e-9)
		closeAll(t, c.ID, "gradient of the evidence", grad, want.Gradient, 1e-8)
	}
}

// fitter fits the case's lengthscales in the unit box.
func (c *reference) fitter(t *testing.T, m *model, cfg Config) *fitter {
	t.Helper()
	cfg.NoiseStd = c.Noise
	return check.Must(newFitter(m, space.Cube(c.D, 0, 1), cfg))(t)
}

// dimScaled has the range of lengthscales of qEUBO, which does not exclude the prior's mode.
func dimScaled() Config {
	cfg := Default()
	cfg.LengthscalePrior.Family = "dim-scaled"
	cfg.Fit.Lo, cfg.Fit.Hi = 0.01, 100
	return cfg
}

// withVariance also fits the variance, with qEUBO's prior.
func withVariance() Config {
	cfg := dimScaled()
	cfg.VariancePrior = settings.DefaultUtility().VariancePrior
	return cfg
}

// The fitted hyper-parameters are more likely than any of a grid; with priors, evidence times priors is larger.
func TestFitIsTheMaximum(t *testing.T) {
	for _, cfg := range []Config{Default(), dimScaled(), withVariance()} {
		for _, c := range references(t) {
			f := c.fitter(t, c.model(t), cfg)
			got := f.fit(cfg.startIn(space.Cube(c.D, 0, 1)))
			check.That(t, f.work.Failures <= 0, "case %d: %d failures", c.ID, f.work.Failures)
			variances := []float64{1}
			if cfg.fitsVariance() {
				variances = []float64{0.3, 3, 30, 0.9 * got.Variance, 1.1 * got.Variance}
			} else {
				check.Equal(t, "variance", got.Variance, 1)
			}
			at := func(l []float64, variance float64) float64 {
				k := Default().Kernel.WithLengthscale(l)
				k.Variance = variance
				v := f.evidence(k, nil)
				for _, x := range l {
					if z := math.Log(x) - math.Sqrt2 - math.Log(float64(c.D))/2; cfg.LengthscalePrior.Family != "" {
						v -= math.Log(x) + z*z/6
					}
				}
				if cfg.fitsVariance() {
					v += math.Log(variance) - 0.15*variance // of Gamma(2, 0.15)
				}
				return v
			}
			value := at(got.Lengthscale, got.Variance)
			grid := space.Cube(c.D, Default().Fit.Lo, min(cfg.Fit.Hi, 3)).Grid(9)
			for i := -c.D; i < len(grid); i += c.D {
				l := got.Lengthscale
				if i >= 0 {
					l = grid[i : i+c.D]
				}
				for _, variance := range variances {
					if v := at(l, variance); v > value+1e-6 {
						t.Errorf("case %d, prior %+v: the fit %v has the log density %.9g, %v with variance %g has %.9g",
							c.ID, cfg.LengthscalePrior, got, value, l, variance, v)
					}
				}
			}
		}
	}
}

// To 1e-11 in the logarithm, down to an improvement of e^-500000.
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
		check.That(t, math.Abs(got-c.LogEI) <= 1e-11*max(1, math.Abs(c.LogEI)),
			"mean %g, deviation %g: %.17g, want %.17g", c.Mean, c.SD, got, c.LogEI)
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
