package popbo

import (
	"cmp"
	"math"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/internal/limits"
	"popbench/internal/math/fmath"
	"popbench/kernel"
)

// Config is POP-BO's settings. Default returns the paper's. Validate names the first wrong argument.
type Config struct {
	Kernel           kernel.Config    `json:"kernel" doc:"The RKHS that f is assumed to lie in."`
	FitLengthscale   string           `json:"fit_lengthscale" doc:"Choose the lengthscale by maximum marginal likelihood over the pilot comparisons, or with refit_every over those of the run: none; isotropic, one for all coordinates; ard, one for each." enum:"none,isotropic,ard"`
	RefitEvery       int              `json:"refit_every,omitempty" min:"0" max:"100000" doc:"Fit the lengthscale to the comparisons of the run, without a pilot: after the initial duels and then every so many steps; 0 to fit it once, to pilot comparisons."`
	LengthscalePrior algorithms.Prior `json:"lengthscale_prior,omitzero" doc:"Prior of each fitted lengthscale, in box widths: fits maximise marginal likelihood times prior. Left out: flat."`
	VariancePrior    algorithms.Gamma `json:"variance_prior,omitzero" doc:"Prior of the kernel's variance, which is then fitted with the lengthscales, with refit_every and lengthscale_prior. Left out: the variance is that of kernel. norm_bound is in the norm of the kernel in force."`
	InitialDuels     int              `json:"initial_duels,omitempty" min:"-1" max:"10000" doc:"Queries of random points before the first query of Alg. 1, the start being the first point: -1, 4 for each coordinate; 0, none. They count as steps."`
	NormBound        float64          `json:"norm_bound" min:"1e-9" max:"1e9" doc:"B, the bound on the RKHS norm of f."`
	AdaptNormBound   bool             `json:"adapt_norm_bound,omitempty" doc:"Double B whenever the likelihood test of the paper's appendix rejects it."`
	Beta             BetaConfig       `json:"beta" doc:"Size of the confidence set: functions at most beta_t less likely than the MLE."`
	Epsilon          float64          `json:"epsilon" min:"0" max:"1e12" doc:"epsilon_K, added to the diagonal of the kernel matrix: raise it if estimates fail."`
	Lambda           float64          `json:"lambda" min:"1e-12" max:"1e12" doc:"lambda of the duel-wise uncertainty sigma_t^ff', which min-uncertainty compares: raise it so that each duel lowers it less."`
	Recommendation   string           `json:"recommendation" doc:"Which point to recommend: max-mle, the maximiser of the minimum-norm MLE over the domain; max-mle-visited, over the visited points (the authors' code); min-uncertainty, x_t* of Eq. (best_sample_report). All three are recorded." enum:"max-mle,max-mle-visited,min-uncertainty"`
	Search           string           `json:"search" doc:"How to find the next point: joint, over x and the function together (any dimension); grid, on a regular grid (1-D and 2-D); on a finite set of arms both enumerate; random, by a uniform draw, to study the confidence set alone." enum:"joint,grid,random"`
	Restarts         int              `json:"restarts" min:"1" max:"1000" doc:"Local searches of a joint search above two dimensions: up to this many from points where it has solved, and twice as many from points with the greatest bounds."`
	Grid             int              `json:"grid" min:"2" max:"100000" doc:"Points per dimension of a grid search: raise it if f has features narrower than a hundredth of the box."`
	Batch            int              `json:"batch" min:"1" max:"16" doc:"q, new points per query; the oracle chooses among these and the last q. On a finite set of arms 1."`
}

// BetaConfig is the schedule of β_t, where t is the number of comparisons.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"sqrt(t): beta0 √t (the paper); sqrt(t+1): beta0 √(t+1) (the authors' code); constant: beta0; theory: beta_1(epsilon, delta, t) of Thm. 1." enum:"sqrt(t),sqrt(t+1),constant,theory"`
	Beta0    float64 `json:"beta0" min:"0" max:"1e9" doc:"Factor of the schedule; the theory schedule ignores it."`
	Delta    float64 `json:"delta" min:"0" max:"1" doc:"Failure probability of the theory schedule, at least 1e-12 and below 1: lower it for a larger set, which misses f less often."`
	Covering float64 `json:"log_covering,omitempty" min:"0" max:"1e9" doc:"Natural logarithm of the covering number of the RKHS ball at radius 0.01, for the theory schedule; above 0."`
}

// Default returns the paper's settings for the standard test functions (Sec. 6.2 and App. "Selection of
// Hyperparameters"), with lengthscale 1.
func Default() Config {
	return Config{
		Kernel:         kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}},
		FitLengthscale: "none",
		NormBound:      6,
		Beta:           BetaConfig{Schedule: "sqrt(t)", Beta0: 1, Delta: 0.1},
		Epsilon:        1e-6,
		Lambda:         1,
		Recommendation: "max-mle",
		Search:         "joint",
		Restarts:       16,
		Grid:           101,
		Batch:          1,
	}
}

// Validate returns an error that names the first wrong argument and says what is wrong with it.
func (c Config) Validate() error {
	if err := cmp.Or(c.Kernel.Validate(), limits.Check("", c)); err != nil {
		return err
	}
	if c.FitLengthscale != "none" && c.Kernel.Family == "linear" {
		return limits.Wrong("fit_lengthscale", " = %q: the linear kernel has no lengthscale; give none", c.FitLengthscale).Or("kernel.family")
	}
	if c.FitLengthscale == "none" && (c.RefitEvery > 0 || c.hasPrior()) {
		return limits.Wrong("refit_every", " and lengthscale_prior are for a fitted lengthscale; leave them out, or give fit_lengthscale: isotropic or ard").
			Or("lengthscale_prior")
	}
	if c.hasPrior() {
		if err := c.LengthscalePrior.Validate("lengthscale_prior"); err != nil {
			return err
		}
	}
	if c.fitsVariance() {
		if c.RefitEvery == 0 || !c.hasPrior() {
			return limits.Wrong("variance_prior", " is for fits to the run with a prior of the lengthscales; give refit_every above 0 and lengthscale_prior, or leave it out").
				Or("refit_every", "lengthscale_prior")
		}
		if err := c.VariancePrior.Validate("variance_prior"); err != nil {
			return err
		}
	}
	if err := c.Beta.validate(); err != nil {
		return err
	}
	if c.AdaptNormBound && c.Beta.Schedule != "theory" && c.Beta.Beta0 == 0 {
		return limits.Wrong("adapt_norm_bound", " with beta.beta0 = 0 doubles B endlessly, for any gain in likelihood; give a positive beta0").Or("beta.beta0")
	}
	if c.Batch > 1 && c.Search != "joint" {
		return limits.Wrong("search", " = %q finds one new point per query, but batch = %d; give joint", c.Search, c.Batch).Or("batch")
	}
	return nil
}

// AsksBatches reports whether queries compare more than two points.
func (c Config) AsksBatches() bool { return c.Batch > 1 }

// NeedsPilot reports whether the settings need pilot comparisons.
func (c Config) NeedsPilot() bool { return c.FitLengthscale != "none" && c.RefitEvery == 0 }

func (c Config) hasPrior() bool { return c.LengthscalePrior != algorithms.Prior{} }

func (c Config) fitsVariance() bool { return c.VariancePrior != algorithms.Gamma{} }

// with returns the settings with what is known in place of what is set.
func (c Config) with(known algorithms.Known) Config {
	if known.Kernel != nil {
		c.Kernel = *known.Kernel
	}
	if known.NormBound > 0 {
		c.NormBound = known.NormBound
	}
	return c
}

// maxGrid2 limits the grid in 2-D to a million solves per step.
const maxGrid2 = 1000

func (c BetaConfig) validate() error {
	if c.Schedule != "theory" {
		return nil
	}
	if !(c.Delta >= minDelta && c.Delta < 1) {
		return limits.Wrong("beta.delta", " = %g is not a failure probability; give a number from %g up to, but not including, 1", c.Delta, minDelta)
	}
	if !(c.Covering > 0) {
		return limits.Wrong("beta.log_covering", " = %g must be positive; the theory schedule has no default for it", c.Covering).Or("beta.schedule")
	}
	return nil
}

const minDelta = 1e-12

// Theory has the constants of the paper's confidence sets (App. "Properties of the function σ")
// for functions with |f(x)| <= B. The paper assumes k(x, x) <= 1, so that B is the norm bound.
// For a larger kernel B is the norm bound times sup sqrt(k(x, x)).
type Theory struct {
	B           float64 // bound on |f(x)|
	LogCovering float64 // natural log of N(B_f, Epsilon, ‖·‖_∞)
	Epsilon     float64 // covering radius; 1/T in the paper's regret bound
	Delta       float64 // failure probability
}

// Sigma returns the range of σ(u) for |u| <= 2B.
func (c Theory) Sigma() (lo, hi float64) { return arms.Logistic(-2 * c.B), arms.Logistic(2 * c.B) }

// SigmaPrime returns the range of σ′(u) for |u| <= 2B.
func (c Theory) SigmaPrime() (lo, hi float64) {
	s, t := c.Sigma()
	return s * t, 0.25
}

// Bp is B_p = σ̄/σ̲ - σ̲/σ̄.
func (c Theory) Bp() float64 {
	lo, hi := c.Sigma()
	return hi/lo - lo/hi
}

// H is H_σ = 1/(2σ̄²).
func (c Theory) H() float64 {
	_, hi := c.Sigma()
	return 0.5 / (hi * hi)
}

// CL is C_L = 1 + 2/(1 + e^{-2B}).
func (c Theory) CL() float64 {
	_, hi := c.Sigma()
	return 1 + float64(2*hi)
}

// logUnion is log(π²t²N/(6δ)), of the union bound over the cover and all t.
func (c Theory) logUnion(t int) float64 {
	return fmath.Log(math.Pi*math.Pi/6) + float64(2*fmath.Log(float64(t))) + c.LogCovering - fmath.Log(c.Delta)
}

// Beta1 is β_1(ε, δ, t) of Thm. conf_set_f, t >= 1.
func (c Theory) Beta1(t int) float64 {
	n := float64(t)
	return math.Sqrt(32*n*c.B*c.B*c.logUnion(t)) + float64(c.CL()*c.Epsilon*n)
}

// Beta2 is β_2(ε, δ, t) of Lemma obj_ell_po. The logarithm has 6δ, as in the lemma's proof. The
// statement prints 3δ, which is the proof's value at δ/2, where the lemma uses it.
func (c Theory) Beta2(t int) float64 {
	n := float64(t)
	_, dhi := c.SigmaPrime()
	bp := c.Bp()
	return float64(8*c.H()*dhi*dhi*c.Epsilon*c.Epsilon*n) + float64(2*c.CL()*c.Epsilon*n) + math.Sqrt(8*n*bp*bp*c.logUnion(t))
}

// Beta is β(ε, δ/2, t), the squared radius of Lemma obj_ell_po ("Elliptical Bound"):
// (β_2 + 2β_1)/(σ̲′² H_σ), both at δ/2. The statement prints the factor σ̲′²/H_σ, but its proof
// divides by σ̲′²: the mean value theorem gives Σ(Δp)² >= σ̲′² Σ(Δu)². Beta grows like e^{6B} and
// is +Inf from B = 118 on.
func (c Theory) Beta(t int) float64 {
	c.Delta /= 2
	dlo, _ := c.SigmaPrime()
	return (c.Beta2(t) + float64(2*c.Beta1(t))) / (dlo * dlo * c.H())
}

// at returns β_t for t comparisons under the bound |f| <= b.
func (c BetaConfig) at(t int, b float64) float64 {
	switch c.Schedule {
	case "sqrt(t)":
		return c.Beta0 * math.Sqrt(float64(t))
	case "sqrt(t+1)":
		return c.Beta0 * math.Sqrt(float64(t+1))
	case "constant":
		return c.Beta0
	case "theory":
		return c.theory(b).Beta1(max(t, 1))
	}
	panic("popbo: unknown beta.schedule " + c.Schedule)
}

// elliptical returns the β of the recommendation rule, Eq. best_sample_report: the elliptical
// radius under the theory schedule, and β_t, its practical substitute, under the others.
func (c BetaConfig) elliptical(t int, b float64) float64 {
	if c.Schedule == "theory" {
		return c.theory(b).Beta(max(t, 1))
	}
	return c.at(t, b)
}

// coverRadius is ε of the theory schedule. The paper takes 1/T; this is its value for 100 steps.
const coverRadius = 0.01

func (c BetaConfig) theory(b float64) Theory {
	return Theory{B: b, LogCovering: c.Covering, Epsilon: coverRadius, Delta: c.Delta}
}
