package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms/baselines/sgp"
	"popbench/internal/gp"
	"popbench/internal/limits"
	"popbench/kernel"
)

// sgpSolver reads the data sets of the skew Gaussian process.
var sgpSolver = solver{
	name: "SGP",
	keys: []string{"winners", "losers", "noise_std"},
	solve: func(data json.RawMessage, o solveOptions) (any, error) {
		var s sgpData
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		return s.solve(o.draws)
	},
}

// duelSolver reads a single duel of numbers.
var duelSolver = solver{
	name: "a single duel",
	keys: []string{"winner", "loser", "noise_std"},
	solve: func(data json.RawMessage, o solveOptions) (any, error) {
		var s struct {
			sgpData
			Winner, Loser float64
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		s.Winners, s.Losers = points{{s.Winner}}, points{{s.Loser}}
		m, err := s.model()
		if err != nil {
			return nil, err
		}
		sampled, err := sampleSGP(m, s.X, "hmc", o.draws)
		if err != nil {
			return nil, err
		}
		return duelSolution{X: s.X, Mean: sampled.F, Err: sampled.FErr, Var: sampled.FVar, LogProb: sampled.LogProb}, nil
	},
}

type duelSolution struct {
	X       points    `json:"x"`
	Mean    []float64 `json:"mean"`
	Err     []float64 `json:"mean_se"`
	Var     []float64 `json:"var"`
	LogProb float64   `json:"log_prob"`
}

// truncatedSolver reads where a standard normal variable is cut off.
var truncatedSolver = solver{
	name: "a truncated normal variable",
	keys: []string{"lower"},
	solve: func(data json.RawMessage, o solveOptions) (any, error) {
		var s struct {
			Lower float64 `json:"lower" min:"-1e6" max:"1e6"`
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		if err := limits.Check("", s); err != nil {
			return nil, err
		}
		t := truncatedSolution{Lower: s.Lower}
		t.Mean, t.Var, t.LogZ = gp.TruncatedNormalMoments(s.Lower)
		t.MeanExact, t.SDExact = t.Mean, math.Sqrt(t.Var)
		var sum, sum2 float64
		r := solveRand()
		for range o.draws {
			e := gp.TruncatedNormal(s.Lower, r) - t.Mean
			sum, sum2 = sum+e, sum2+e*e
		}
		e := sum / float64(o.draws)
		t.MeanDrawn, t.SDDrawn = t.Mean+e, math.Sqrt(sum2/float64(o.draws)-e*e)
		return t, nil
	},
}

type truncatedSolution struct {
	Lower     float64 `json:"lower"`
	Mean      float64 `json:"mean"`
	Var       float64 `json:"var"`
	LogZ      float64 `json:"logZ"`
	MeanExact float64 `json:"mean_exact"`
	SDExact   float64 `json:"sd_exact"`
	MeanDrawn float64 `json:"mean_drawn"`
	SDDrawn   float64 `json:"sd_drawn"`
}

// solveRand is the same stream every time: the same file, the same output.
func solveRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// points are points, or in one dimension their numbers.
type points [][]float64

func (p *points) UnmarshalJSON(data []byte) error {
	var flat []float64
	if json.Unmarshal(data, &flat) == nil {
		*p = nil
		for _, x := range flat {
			*p = append(*p, []float64{x})
		}
		return nil
	}
	return json.Unmarshal(data, (*[][]float64)(p))
}

// sgpData is a set of duels and the prior of f.
type sgpData struct {
	ID          any     `json:"id"`
	Lengthscale numbers `json:"lengthscale"`
	Variance    float64 `json:"kernel_variance"`
	Noise       float64 `json:"noise_std"`
	Winners     points  `json:"winners" max:"300"`
	Losers      points  `json:"losers" max:"300"`
	Tests       points  `json:"test_points" max:"1000"`
	X           points  `json:"x" max:"1000"` // the same, of a data set whose solution is the sampled one alone
	Step        struct {
		V         []float64 `json:"v" itemMin:"-1e15" itemMax:"0"`
		Incumbent []float64 `json:"incumbent"`
	} `json:"hb_step"`
}

// sgpSolution is what bench solve prints of one.
type sgpSolution struct {
	ID      any        `json:"id,omitempty"`
	Exact   *sampled   `json:"exact"`         // by Hamiltonian Monte Carlo
	Gibbs   *sampled   `json:"gibbs_correct"` // by Gibbs sampling
	Laplace laplaceSGP `json:"laplace_public"`
	EP      epSGP      `json:"ep_own"`
	Step    stepSGP    `json:"hb_step"`
}

// sampled is the exact posterior but for standard errors, those of the draws.
type sampled struct {
	Method  string      `json:"method"`
	Moves   int         `json:"n"`
	KV      [][]float64 `json:"K_v"`
	LogProb float64     `json:"log_prob"`
	LogErr  float64     `json:"log_prob_se"`
	V       []float64   `json:"v_mean"`
	VErr    []float64   `json:"v_mean_se"`
	VCov    [][]float64 `json:"v_cov"`
	F       []float64   `json:"f_mean"`
	FErr    []float64   `json:"f_mean_se"`
	FVar    []float64   `json:"f_var"`
	Refused int         `json:"refused"` // moves
}

type predictedSGP struct {
	Mean     []float64 `json:"f_mean"`
	Var      []float64 `json:"f_var"`
	Status   string    `json:"status"`
	Residual float64   `json:"residual"`
}

type laplaceSGP struct {
	MinusEvidence float64   `json:"minus_log_marginal"`
	Mode          []float64 `json:"f_map_winners_then_losers"`
	predictedSGP
}

// epSGP has the sites and the mean of v = f(loser) - f(winner) + noise < 0.
type epSGP struct {
	Mu         []float64 `json:"mu"`
	MuSite     []float64 `json:"mu_tilde"`
	Sigma2Site []float64 `json:"sigma2_tilde"`
	LogZ       float64   `json:"log_Z_EP"`
	Sweeps     int       `json:"sweeps"`
	predictedSGP
}

// stepSGP is one step of the hallucination believer.
type stepSGP struct {
	V             []float64 `json:"v"`
	Mean          []float64 `json:"mean"`
	Var           []float64 `json:"var"`
	Incumbent     []float64 `json:"incumbent"`
	IncumbentMean float64   `json:"incumbent_mean"`
	EI            []float64 `json:"EI"`
	LogEI         []float64 `json:"log_EI"`
}

// model builds the model of the data set, or says which key is wrong.
func (s *sgpData) model() (*sgp.Model, error) {
	if len(s.Winners) == 0 || len(s.Winners[0]) == 0 {
		return nil, errors.New("winners is empty; give a point for each duel")
	}
	if len(s.Losers) != len(s.Winners) {
		return nil, fmt.Errorf("losers has %d points and winners %d; give one of each for a duel", len(s.Losers), len(s.Winners))
	}
	d := len(s.Winners[0])
	if err := errors.Join(limits.Check("", *s), checkDim(d)); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		name string
		p    points
	}{{"winners", s.Winners}, {"losers", s.Losers}, {"test_points", s.Tests}, {"x", s.X}} {
		if err := checkPoints(list.name, d, list.p); err != nil {
			return nil, err
		}
	}
	if s.Variance == 0 {
		s.Variance = 1
	}
	cfg := sgp.Default()
	cfg.Noise = s.Noise
	cfg.Kernel = kernel.Config{Family: "se-half", Variance: s.Variance, Lengthscale: s.Lengthscale}
	if err := cfg.Validate(); err != nil {
		return nil, inKeys(err, "kernel.variance", "kernel_variance", "noise", "noise_std")
	}
	k, err := cfg.Kernel.New(d)
	if err != nil {
		return nil, err
	}
	m := sgp.NewModel(d, s.Noise)
	for i, w := range s.Winners {
		m.Add(w, s.Losers[i])
	}
	m.Condition(k)
	return m, nil
}

func (s *sgpData) solve(draws int) (any, error) {
	m, err := s.model()
	if err != nil {
		return nil, err
	}
	if s.X != nil && s.Tests == nil {
		return sampleSGP(m, s.X, "hmc", draws)
	}
	out := &sgpSolution{ID: s.ID}
	if out.Exact, err = sampleSGP(m, s.Tests, "hmc", draws); err != nil {
		return nil, err
	}
	if out.Gibbs, err = sampleSGP(m, s.Tests, "gibbs", draws); err != nil {
		return nil, err
	}

	var solver gp.Solver
	fit := m.Laplace(&solver)
	out.Laplace = laplaceSGP{MinusEvidence: -fit.Evidence, predictedSGP: s.predict(m, fit)}
	k := make([]float64, m.Len())
	for _, x := range slices.Concat(s.Winners, s.Losers) {
		m.Covariance(k, x)
		out.Laplace.Mode = append(out.Laplace.Mode, fit.Mean(k))
	}

	fit = m.EP(&solver)
	out.EP = epSGP{LogZ: fit.Evidence, Sweeps: fit.Newton, predictedSGP: s.predict(m, fit)}
	noise := 2 * s.Noise * s.Noise
	for i, mean := range fit.Mode { // of g = f(winner) - f(loser), whose noise is part of the link
		tau := fit.SqrtW()[i] * fit.SqrtW()[i]
		a := fit.Alpha()[i] // Σ⁻¹ times the mean of the noisy differences, as of g
		out.EP.Mu = append(out.EP.Mu, -(mean + noise*a))
		out.EP.MuSite = append(out.EP.MuSite, -(mean + a/tau))
		out.EP.Sigma2Site = append(out.EP.Sigma2Site, 1/tau-noise)
	}
	return out, s.step(m, &out.Step)
}

// predict gives the approximation's mean and variance of f at the test points.
func (s *sgpData) predict(m *sgp.Model, fit *gp.Fit) predictedSGP {
	p := predictedSGP{Status: fit.Status.String(), Residual: fit.Residual}
	k := make([]float64, m.Len())
	for _, x := range s.Tests {
		m.Covariance(k, x)
		p.Mean = append(p.Mean, fit.Mean(k))
		fit.Whiten(k, k)
		variance := s.Variance
		for _, v := range k {
			variance -= v * v
		}
		p.Var = append(p.Var, variance)
	}
	return p
}

// step believes the given differences, or else one draw of them, and improves on the
// given incumbent, or else on the last winner.
func (s *sgpData) step(m *sgp.Model, out *stepSGP) error {
	out.V, out.Incumbent = s.Step.V, s.Step.Incumbent
	if out.V == nil {
		d, err := m.Draw("hmc", sgp.Default().BurnIn, 0, solveRand())
		if err != nil {
			return notConverged{err}
		}
		out.V = d.V
	}
	if len(out.V) != m.Len() {
		return fmt.Errorf("hb_step.v has %d numbers for %d duels", len(out.V), m.Len())
	}
	if out.Incumbent == nil {
		out.Incumbent = s.Winners[len(s.Winners)-1]
	}
	if err := checkPoint("hb_step.incumbent", len(s.Winners[0]), out.Incumbent); err != nil {
		return err
	}
	given := m.Given(out.V)
	out.IncumbentMean = given.Mean(out.Incumbent)
	for _, x := range s.Tests {
		mean, variance := given.Moments(x)
		logEI, _, _ := sgp.LogExpectedImprovement(mean-out.IncumbentMean, math.Sqrt(variance))
		out.Mean, out.Var = append(out.Mean, mean), append(out.Var, variance)
		out.EI, out.LogEI = append(out.EI, math.Exp(logEI)), append(out.LogEI, logEI)
	}
	return nil
}

func sampleSGP(m *sgp.Model, tests points, sampler string, draws int) (*sampled, error) {
	r := solveRand()
	mom, err := m.Moments(tests, sampler, draws, r)
	if err != nil {
		return nil, notConverged{err}
	}
	out := &sampled{
		Method: sampler, Moves: draws, KV: square(m.Covariances()),
		V: mom.V, VErr: mom.VErr, VCov: square(mom.VCov), F: mom.F, FErr: mom.FErr, FVar: mom.FVar, Refused: mom.Work.Refused,
	}
	if out.LogProb, out.LogErr, err = m.LogProb(draws, r); err != nil {
		return nil, notConverged{err}
	}
	return out, nil
}

// square is a row-major square matrix as rows.
func square(a []float64) [][]float64 {
	n := int(math.Round(math.Sqrt(float64(len(a)))))
	return slices.Collect(slices.Chunk(a, max(n, 1)))
}
