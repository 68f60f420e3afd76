package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"popbench/algorithms/baselines/qeubo"
	"popbench/internal/limits"
	"popbench/kernel"
)

// These read the data sets of qEUBO's model: of its Laplace approximation, in two
// spellings, of its variational one, and of its hyper-parameters.
var (
	qeuboLaplaceSolver = solver{
		name:  "qEUBO's Laplace model",
		keys:  []string{"X", "comparisons_winner_loser", "lengthscale", "outputscale"},
		solve: solveQEUBO((*qeuboData).laplace),
	}
	qeuboModeSolver = solver{
		name:  "the mode of qEUBO's Laplace model",
		keys:  []string{"X", "comparisons", "lengthscale", "outputscale"},
		solve: solveQEUBO((*qeuboData).mode),
	}
	qeuboVariationalSolver = solver{
		name:  "qEUBO's variational model",
		keys:  []string{"queries", "responses_index_of_winner", "lengthscale", "outputscale"},
		solve: solveQEUBO((*qeuboData).variational),
	}
	qeuboHyperSolver = solver{
		name:  "qEUBO's hyper-parameters",
		keys:  []string{"queries", "responses"},
		solve: solveQEUBO((*qeuboData).hyperparameters),
	}
)

func solveQEUBO(solve func(*qeuboData) (any, error)) func(json.RawMessage, solveOptions) (any, error) {
	return func(data json.RawMessage, _ solveOptions) (any, error) {
		var s qeuboData
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		if err := s.readDuels(); err != nil {
			return nil, err
		}
		return solve(&s)
	}
}

// qeuboData is a set of duels, as indices in a list of points or as the points
// themselves, and the prior of the utility.
type qeuboData struct {
	ID          any            `json:"id"`
	Link        string         `json:"link"`
	X           [][]float64    `json:"X" max:"1000"`
	Duels       [][2]int       `json:"comparisons_winner_loser" max:"1000"`
	Comparisons [][2]int       `json:"comparisons" max:"1000"`
	Queries     [][2][]float64 `json:"queries" max:"1000"`
	Indices     []int          `json:"responses_index_of_winner"`
	Responses   []int          `json:"responses"`
	Lengthscale numbers        `json:"lengthscale"`
	Outputscale float64        `json:"outputscale"`
	Test        [][]float64    `json:"X_test" max:"300"`
	TestPairs   [][2]int       `json:"eubo_pairs_index_into_X_test" max:"1000"`
	Pairs       [][2]int       `json:"eubo_pairs" max:"1000"`

	d    int
	duel [][2][]float64 // winner and loser
}

// readDuels sets duel and d, or says which key is wrong.
func (s *qeuboData) readDuels() error {
	if err := limits.Check("", *s); err != nil {
		return err
	}
	pairs, pairsKey := s.Duels, "comparisons_winner_loser"
	if pairs == nil {
		pairs, pairsKey = s.Comparisons, "comparisons"
	}
	for i, p := range pairs {
		for _, j := range p {
			if j < 0 || j >= len(s.X) {
				return fmt.Errorf("%s[%d] has the point %d; X has %d, from 0", pairsKey, i, j, len(s.X))
			}
		}
		s.duel = append(s.duel, [2][]float64{s.X[p[0]], s.X[p[1]]})
	}
	winners, winnersKey := s.Indices, "responses_index_of_winner"
	if winners == nil {
		winners, winnersKey = s.Responses, "responses"
	}
	if len(winners) != len(s.Queries) {
		return fmt.Errorf("%s has %d outcomes for %d queries; give one each", winnersKey, len(winners), len(s.Queries))
	}
	for i, w := range winners {
		if w != 0 && w != 1 {
			return fmt.Errorf("%s[%d] = %d is not the index of a winner; give 0 or 1", winnersKey, i, w)
		}
		s.duel = append(s.duel, [2][]float64{s.Queries[i][w], s.Queries[i][1-w]})
	}
	if len(s.duel) == 0 {
		return errors.New("there are no duels in it; give at least one")
	}
	s.d = len(s.duel[0][0])
	if s.d == 0 {
		return errors.New("the first point has no coordinates")
	}
	if err := checkDim(s.d); err != nil {
		return err
	}
	for i, duel := range s.duel {
		for _, x := range duel {
			if err := checkPoint(fmt.Sprintf("a point of duel %d", i), s.d, x); err != nil {
				return err
			}
		}
	}
	if err := checkPoints("X", s.d, s.X); err != nil {
		return err
	}
	if err := checkPoints("X_test", s.d, s.Test); err != nil {
		return err
	}
	for _, list := range [][][2]int{s.TestPairs, s.Pairs} {
		for i, p := range list {
			if min(p[0], p[1]) < 0 || max(p[0], p[1]) >= len(s.Test) {
				return fmt.Errorf("pair %d for EUBO is %v; X_test has %d points, from 0", i, p, len(s.Test))
			}
		}
	}
	return nil
}

// model is that of the duels with the settings, before any posterior.
func (s *qeuboData) model(cfg qeubo.Config) *qeubo.Model {
	m := qeubo.NewModel(s.d, cfg)
	for _, duel := range s.duel {
		m.Add(duel[0], duel[1])
	}
	return m
}

// condition returns the model with the posterior for the data's hyper-parameters.
func (s *qeuboData) condition(cfg qeubo.Config) (*qeubo.Model, error) {
	if s.Link != "" {
		cfg.Link = s.Link
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	l := s.Lengthscale
	if len(l) == 1 {
		for len(l) < s.d {
			l = append(l, l[0])
		}
	}
	if len(l) != s.d {
		return nil, fmt.Errorf("lengthscale has %d values for %d coordinates; give one for all, or one for each", len(l), s.d)
	}
	if err := (kernel.Config{Family: "se-half", Variance: s.Outputscale, Lengthscale: l}).Validate(); err != nil {
		return nil, inKeys(err, "kernel.variance", "outputscale")
	}
	m := s.model(cfg)
	if err := m.Condition(qeubo.Hyper{Lengthscale: l, Variance: s.Outputscale}); err != nil {
		return nil, notConverged{err}
	}
	return m, nil
}

// solved is how well a posterior was solved for.
type solved struct {
	Status   string  `json:"status"`
	Residual float64 `json:"residual"` // of Newton's method, in posterior standard deviations
}

func solvedOf(m *qeubo.Model) solved {
	return solved{m.Posterior().Status.String(), m.Posterior().Residual}
}

// qeuboLaplace is what bench solve prints of a Laplace approximation.
type qeuboLaplace struct {
	ID       any         `json:"id,omitempty"`
	MaxZ     float64     `json:"max_abs_z"`
	Utility  []float64   `json:"map_utility"`
	Mean     []float64   `json:"post_mean"`
	Cov      [][]float64 `json:"post_cov"`
	Evidence float64     `json:"laplace_log_evidence"`
	Priors   float64     `json:"log_evidence_plus_default_botorch_priors"`
	DLength  []float64   `json:"dlogev_dlengthscale"`
	DVar     float64     `json:"dlogev_doutputscale"`
	LogLik   float64     `json:"log_likelihood_at_map"`
	EUBO     []float64   `json:"eubo_qEUBO_repo"`
	solved
	MaxEUBO qeuboMaxima `json:"eubo_maximiser"`
}

// qeuboMaxima is the optima over [0,1]^d.
type qeuboMaxima struct {
	EUBO   float64     `json:"continuous_max_eubo"`
	Pair   [][]float64 `json:"continuous_argmax"`
	Mean   float64     `json:"posterior_mean_max"`
	MeanAt []float64   `json:"posterior_mean_argmax"`
}

func (s *qeuboData) laplace() (any, error) {
	m, err := s.condition(qeubo.PairwiseGP())
	if err != nil {
		return nil, err
	}
	f := m.Posterior()
	out := qeuboLaplace{
		ID: s.ID, MaxZ: s.maxZ(m), Utility: means(m, s.X), Mean: means(m, s.Test), Cov: covariances(m, s.Test),
		Evidence: f.Evidence, Priors: m.LogPosterior() + botorchBox, LogLik: f.LogLik, EUBO: eubos(m, s.Test, s.TestPairs),
		solved: solvedOf(m),
	}
	out.DLength, out.DVar = m.EvidenceGrad()
	search := qeubo.NewSearcher(m, nil)
	search.Look()
	x, y, value := search.MaxEUBO()
	out.MaxEUBO = qeuboMaxima{EUBO: value, Pair: [][]float64{x, y}}
	out.MaxEUBO.MeanAt, out.MaxEUBO.Mean = search.MaxMean()
	return out, nil
}

// botorchBox is the log density of BoTorch's prior of the outputscale, flat on
// [0.01, 100] with Gaussian tails of standard deviation 0.01.
var botorchBox = -math.Log(100 - 0.01 + 0.01*math.Sqrt(2*math.Pi))

// qeuboMode is what bench solve prints of the mode alone.
type qeuboMode struct {
	Utility  []float64 `json:"exact_map"`
	Evidence float64   `json:"exact_laplace_evidence"`
	MaxZ     float64   `json:"max_abs_z_exact"`
	solved
}

func (s *qeuboData) mode() (any, error) {
	m, err := s.condition(qeubo.PairwiseGP())
	if err != nil {
		return nil, err
	}
	return qeuboMode{Utility: means(m, s.X), Evidence: m.Posterior().Evidence, MaxZ: s.maxZ(m), solved: solvedOf(m)}, nil
}

// maxZ is the largest argument of the link.
func (s *qeuboData) maxZ(m *qeubo.Model) float64 {
	var largest float64
	for _, g := range m.Posterior().Mode {
		largest = max(largest, math.Abs(g))
	}
	if s.Link == "logit" {
		return largest
	}
	return largest / math.Sqrt2
}

// qeuboVariational is what bench solve prints of a variational model.
type qeuboVariational struct {
	ID    any              `json:"id,omitempty"`
	Exact variationalExact `json:"exact_vi"`
}

type variationalExact struct {
	ELBO   float64     `json:"elbo"`
	A      []float64   `json:"a"`
	Lambda []float64   `json:"lam"`
	Mean   []float64   `json:"post_mean"`
	Cov    [][]float64 `json:"post_cov"`
	EUBO   []float64   `json:"eubo"`
	solved
}

func (s *qeuboData) variational() (any, error) {
	m, err := s.condition(qeubo.Default())
	if err != nil {
		return nil, err
	}
	f := m.Posterior()
	lambda := make([]float64, f.Len())
	for i, w := range f.SqrtW() {
		lambda[i] = w * w
	}
	return qeuboVariational{ID: s.ID, Exact: variationalExact{
		ELBO: f.Evidence, A: f.Alpha(), Lambda: lambda,
		Mean: means(m, s.Test), Cov: covariances(m, s.Test), EUBO: eubos(m, s.Test, s.Pairs),
		solved: solvedOf(m),
	}}, nil
}

// qeuboHyper is what bench solve prints of hyper-parameters.
type qeuboHyper struct {
	ID      any                     `json:"id,omitempty"`
	Exact   qeuboHyperMax           `json:"exact_joint_max"`
	BoTorch map[string]laplaceHyper `json:"botorch_pairwisegp_default_fit"`
}

type hyperValues struct {
	Lengthscale []float64 `json:"lengthscale"`
	Outputscale float64   `json:"outputscale"`
	Status      string    `json:"status"`
	Gradient    float64   `json:"projected_gradient"` // in the logarithms
}

type qeuboHyperMax struct {
	Value float64 `json:"elbo_plus_log_prior"`
	hyperValues
}

type laplaceHyper struct {
	Value float64 `json:"log_evidence_plus_log_priors"`
	hyperValues
}

func (s *qeuboData) hyperparameters() (any, error) {
	out := qeuboHyper{ID: s.ID, BoTorch: map[string]laplaceHyper{}}
	value, at, err := s.fit(qeubo.Default())
	if err != nil {
		return nil, err
	}
	out.Exact = qeuboHyperMax{value, at}
	for _, link := range []string{"logit", "probit"} {
		cfg := qeubo.PairwiseGP()
		cfg.Link = link
		value, at, err := s.fit(cfg)
		if err != nil {
			return nil, err
		}
		out.BoTorch[link] = laplaceHyper{value + botorchBox, at}
	}
	return out, nil
}

// fit climbs from the prior's mode and from functions of little and of much
// variance.
func (s *qeuboData) fit(cfg qeubo.Config) (float64, hyperValues, error) {
	m := s.model(cfg)
	starts := []qeubo.Hyper{m.Restart(), m.Restart(), m.Restart()}
	starts[1].Variance, starts[2].Variance = 0.1, 50
	fit, err := m.Fit(starts, qeubo.Exact)
	if err != nil {
		err = notConverged{err}
	}
	return fit.Value, hyperValues{m.Hyper().Lengthscale, m.Hyper().Variance, fit.Status.String(), fit.Gradient}, err
}

func means(m *qeubo.Model, points [][]float64) []float64 {
	out := make([]float64, len(points))
	for i, x := range points {
		out[i] = m.Mean(x, nil)
	}
	return out
}

func covariances(m *qeubo.Model, points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, x := range points {
		out[i] = make([]float64, len(points))
		for j, y := range points {
			out[i][j] = m.Cov(x, y)
		}
	}
	return out
}

func eubos(m *qeubo.Model, points [][]float64, pairs [][2]int) []float64 {
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		out[i] = m.EUBO(points[p[0]], points[p[1]], nil, nil)
	}
	return out
}
