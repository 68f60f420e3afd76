package sgp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/kernel"
)

// Solution is the result of Solve for f and the differences of the n duels,
//
//	v_i = f(loser_i) + noise - f(winner_i) - noise < 0,   v ~ N(0, Σ) before the duels.
type Solution struct {
	Kernel  kernel.Config `json:"kernel"` // of f: known, set or fitted
	Sigma   [][]float64   `json:"sigma"`  // Σ, n×n
	HMC     Sampled       `json:"hmc"`    // by exact Hamiltonian Monte Carlo
	Laplace Approximation `json:"laplace"`
	EP      EPosterior    `json:"ep"`
	Step    Believed      `json:"believer"`
}

// Approximation is a Gaussian approximation of the posterior.
type Approximation struct {
	Status      string    `json:"status"`
	Residual    float64   `json:"residual"`
	LogEvidence float64   `json:"log_evidence"`
	Points      []float64 `json:"points"` // mean of f at the points: the mode, by Laplace's approximation
	Mean        []float64 `json:"mean"`   // of f at the queries
	Var         []float64 `json:"variance"`
}

// EPosterior is the posterior by expectation propagation, with the Gaussian sites that replace v_i < 0.
type EPosterior struct {
	Approximation
	V        []float64 `json:"v_mean"`
	SiteMean []float64 `json:"site_mean"`
	SiteVar  []float64 `json:"site_variance"`
	Sweeps   int       `json:"sweeps"`
}

// Believed is a step of the hallucination believer: f given v is a Gaussian process, and the value of a query
// is its expected improvement on the reference point.
type Believed struct {
	V             []float64 `json:"v"` // as given, or one draw
	Reference     []float64 `json:"reference"`
	ReferenceMean float64   `json:"reference_mean"`
	Mean          []float64 `json:"mean"` // of f at the queries
	Var           []float64 `json:"variance"`
	EI            []float64 `json:"expected_improvement"`
	LogEI         []float64 `json:"log_expected_improvement"`
}

// maxDuels is the largest number of duels: each chain draws all of v many times.
const maxDuels = 300

// defaultDraws is the number of moves to average over if the input does not say.
const defaultDraws = 20_000

// Solve computes the posterior of f given the duels by Hamiltonian Monte Carlo, whatever the sampler of the settings,
// by Laplace's approximation, and by expectation propagation; and a step of the hallucination believer. It takes the
// known kernel, or else the kernel of the settings, whose lengthscales are fitted if fit.refit_every is above 0; a fit
// needs a box. Random numbers are the same in every call. The error wraps algorithms.ErrUnsolved if a computation did
// not converge.
func Solve(in algorithms.SolveInput, cfg Config) (*Solution, error) {
	if err := in.Validate(algorithms.Uses{Orders: true, Points: true, Reference: true, Differences: true}); err != nil {
		return nil, err
	}
	if in.Known.Kernel != nil {
		cfg.Kernel, cfg.Fit.RefitEvery = *in.Known.Kernel, 0
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	duels := in.Duels()
	switch n := len(duels); {
	case n == 0:
		return nil, errors.New("comparisons is empty; give at least one")
	case n > maxDuels:
		return nil, fmt.Errorf("comparisons has %d losers; give %d at most", n, maxDuels)
	case in.Differences != nil && len(in.Differences) != n:
		return nil, fmt.Errorf("differences has %d numbers for %d duels", len(in.Differences), n)
	}
	m := newModel(in.Dim(), cfg.noise())
	for _, duel := range duels {
		m.Add(duel[0], duel[1])
	}
	out := &Solution{Kernel: cfg.Kernel}
	if cfg.Fit.RefitEvery > 0 {
		if in.Box == nil {
			return nil, errors.New("settings.fit: lengthscales are fitted in units of the box; give a box, or fit.refit_every = 0")
		}
		f, err := newFitter(m, *in.Box, cfg)
		if err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
		out.Kernel = f.fit(cfg.startIn(*in.Box))
	}
	k, err := out.Kernel.New(in.Dim())
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	m.Condition(k)
	out.Sigma = slices.Collect(slices.Chunk(m.sigma, len(duels)))

	s := solver{in: in, m: m, noise: 2 * m.noise * m.noise}
	for _, q := range in.Queries {
		s.queries = append(s.queries, q[0])
	}
	if out.HMC, err = s.sample(cmp.Or(in.Draws, defaultDraws)); err != nil {
		return nil, err
	}
	var solver gp.Solver
	fit := m.Laplace(&solver, nil)
	out.Laplace = s.approximation(fit)
	failed := !fit.Converged
	fit = m.EP(&solver)
	out.EP = s.ep(fit)
	if out.Step, err = s.hallucinate(cfg.BurnIn); err != nil {
		return nil, err
	}
	if failed || !fit.Converged {
		return out, fmt.Errorf("%w: an approximation did not converge, as its status says", algorithms.ErrUnsolved)
	}
	return out, nil
}

// solver has the model of an input.
type solver struct {
	in      algorithms.SolveInput
	m       *model
	noise   float64 // 2σ²
	queries [][]float64
}

// solveRand returns the same stream in every call: the same input gives the same output.
func solveRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func (s *solver) sample(draws int) (Sampled, error) {
	r := solveRand()
	out, err := s.m.Moments(s.queries, "hmc", draws, r)
	if err == nil {
		out.LogProb, out.LogErr, err = s.m.LogProb(draws, r)
	}
	if err != nil {
		return Sampled{}, fmt.Errorf("%w: %w", algorithms.ErrUnsolved, err)
	}
	return *out, nil
}

func (s *solver) approximation(fit *gp.Approximation) Approximation {
	out := Approximation{Status: fit.Status(), Residual: fit.Residual, LogEvidence: fit.Evidence, Mean: []float64{}, Var: []float64{}}
	g := s.m.newGiven()
	g.post = fit.Posterior
	for _, x := range s.in.Points {
		out.Points = append(out.Points, g.Mean(x))
	}
	for _, x := range s.queries {
		mean, variance := g.Moments(x)
		out.Mean, out.Var = append(out.Mean, mean), append(out.Var, variance)
	}
	return out
}

func (s *solver) ep(fit *gp.Approximation) EPosterior {
	out := EPosterior{Approximation: s.approximation(fit), Sweeps: fit.Newton}
	for i, mean := range fit.Mode { // of f(winner) - f(loser), whose noise is part of the link
		tau := fit.SqrtW[i] * fit.SqrtW[i]
		a := fit.Alpha[i] // Σ⁻¹ times the mean of the noisy differences, as of f(winner) - f(loser)
		out.V = append(out.V, -(mean + float64(s.noise*a)))
		out.SiteMean = append(out.SiteMean, -(mean + a/tau))
		out.SiteVar = append(out.SiteVar, 1/tau-s.noise)
	}
	return out
}

// hallucinate computes a step with the given differences, or else with one draw of them.
func (s *solver) hallucinate(burnIn int) (Believed, error) {
	out := Believed{V: s.in.Differences, Reference: s.in.Points[s.in.Ref()], Mean: []float64{}, Var: []float64{}, EI: []float64{}, LogEI: []float64{}}
	if out.V == nil {
		d, err := s.m.Draw("hmc", burnIn, 0, solveRand())
		if err != nil {
			return out, fmt.Errorf("%w: %w", algorithms.ErrUnsolved, err)
		}
		out.V = d.V
	}
	given := s.m.Given(out.V)
	out.ReferenceMean = given.Mean(out.Reference)
	for _, x := range s.queries {
		mean, variance := given.Moments(x)
		logEI, _, _ := logExpectedImprovement(mean-out.ReferenceMean, math.Sqrt(variance))
		out.Mean, out.Var = append(out.Mean, mean), append(out.Var, variance)
		out.EI, out.LogEI = append(out.EI, fmath.Exp(logEI)), append(out.LogEI, logEI)
	}
	return out, nil
}
