package sgp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
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

// The evidence in fits of lengthscales, and its gradient.
func TestEvidenceOfTheFitter(t *testing.T) {
	laplace, _ := laplaceReferences(t)
	for i, c := range references(t) {
		grad, logs := make([]float64, c.D), make([]float64, c.D)
		for j, l := range c.Lengthscale {
			logs[j] = math.Log(l)
		}
		value := c.fitter(t, Default()).hyper.Density(logs, grad)
		closeAll(t, c.ID, "evidence", []float64{-value}, []float64{laplace[i].MinusEvidence}, 1e-9)
		closeAll(t, c.ID, "gradient of the evidence", grad, laplace[i].Gradient, 1e-8)
	}
}

// fitter fits the case's lengthscales in the unit box.
func (c reference) fitter(t *testing.T, cfg Config) *fitter {
	t.Helper()
	k := check.Must(kernel.Config{Family: "se-half", Variance: 1, Lengthscale: c.Lengthscale}.New(c.D))(t)
	m := newModel(c.D, c.Noise)
	for i, w := range c.Winners {
		m.Add(w, c.Losers[i])
	}
	m.Condition(k)
	cfg.NoiseStd = c.Noise
	return check.Must(newFitter(m, space.Cube(c.D, 0, 1), cfg))(t)
}

// dimScaled gives the range of lengthscales of qEUBO, which does not exclude the prior's mode.
func dimScaled(c *Config) {
	c.LengthscalePrior.Family = "dim-scaled"
	c.Fit.Lo, c.Fit.Hi = 0.01, 100
}

// withVariance also fits the variance, with qEUBO's prior.
func withVariance(c *Config) {
	dimScaled(c)
	c.VariancePrior = settings.DefaultUtility().VariancePrior
}

// gammaPrior has the mode 0.5.
func gammaPrior(c *Config) {
	c.LengthscalePrior = algorithms.Prior{Shape: 5, Rate: 8}
	c.Fit.Hi = 3
}

// The fitted hyper-parameters are more likely than any of a grid, with the priors of the settings, which have these modes.
func TestFitIsTheMaximum(t *testing.T) {
	modes := func(change func(*Config)) []float64 {
		cfg := Default()
		change(&cfg)
		return references(t)[0].fitter(t, cfg).hyper.Mode()
	}
	closeAll(t, 0, "the prior's mode", modes(gammaPrior), []float64{math.Log(0.5)}, 1e-12)
	closeAll(t, 0, "the priors' modes", modes(withVariance), []float64{math.Sqrt2 - 3, -math.Log(0.15)}, 1e-12)
	for _, change := range []func(*Config){func(*Config) {}, gammaPrior, dimScaled, withVariance} {
		cfg := Default()
		change(&cfg)
		for _, c := range references(t) {
			f := c.fitter(t, cfg)
			got := f.fit(cfg.startIn(space.Cube(c.D, 0, 1)))
			check.Equal(t, "failures", f.work.Failures, 0)
			variances := []float64{1}
			if cfg.fitsVariance() {
				variances = []float64{0.3, 3, 30, 0.9 * got.Variance, 1.1 * got.Variance}
			} else {
				check.Equal(t, "variance", got.Variance, 1)
			}
			at := func(l []float64, variance float64) float64 {
				k := cfg.Kernel.WithLengthscale(l)
				k.Variance = variance
				return f.hyper.Density(f.hyper.Logs(k), nil)
			}
			value := at(got.Lengthscale, got.Variance)
			grid := append(space.Cube(c.D, 0.1, min(cfg.Fit.Hi, 3)).Grid(9), got.Lengthscale...)
			for l := range slices.Chunk(grid, c.D) {
				for _, variance := range variances {
					v := at(l, variance)
					check.That(t, v <= value+1e-6, "case %d, prior %+v: the fit %v has the log density %.9g, %v with variance %g has %.9g",
						c.ID, cfg.LengthscalePrior, got, value, l, variance, v)
				}
			}
		}
	}
}

// To 1e-11 in the logarithm, down to an improvement of e^-500000.
func TestLogExpectedImprovement(t *testing.T) {
	// Far out the improvement is like e^(-z²/2)/z²: its logarithm falls by |z| + 2/|z|.
	for _, z := range []float64{-1e3, -1e6} {
		_, byMean, _ := logExpectedImprovement(z, 1)
		check.Near(t, byMean/-z-1, 2/(z*z), 1e-11, "the derivative by the mean at z = %g", z)
	}
	_, list := laplaceReferences(t)
	for _, c := range list {
		got, byMean, bySD := logExpectedImprovement(c.Mean, c.SD)
		at := fmt.Sprintf("mean %g, deviation %g: ", c.Mean, c.SD)
		check.Near(t, got, c.LogEI, 1e-11*max(1, math.Abs(c.LogEI)), "%sthe logarithm", at)
		h := 1e-5 * c.SD
		slope := func(byMean, bySD float64) float64 {
			up, _, _ := logExpectedImprovement(c.Mean+byMean, c.SD+bySD)
			down, _, _ := logExpectedImprovement(c.Mean-byMean, c.SD-bySD)
			return (up - down) / (2 * h)
		}
		for name, d := range map[string][2]float64{"mean": {byMean, slope(h, 0)}, "deviation": {bySD, slope(0, h)}} {
			check.Near(t, d[0], d[1], 1e-4*math.Abs(d[1])+1e-6*byMean, "%sderivative by the %s", at, name)
		}
	}
}
