package qeubo

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"popbench/algorithms"
	"popbench/algorithms/internal/utility"
	"popbench/kernel"
)

// Solution is the result of Solve, in the units of the input.
type Solution struct {
	Kernel    kernel.Config `json:"kernel"`        // of the prior: known or fitted
	Fit       *Fit          `json:"fit,omitempty"` // of the kernel; nil if it is known
	Posterior Posterior     `json:"posterior"`
	Utility   []float64     `json:"utility"`           // posterior mean of f at the points
	Queries   []QueryValue  `json:"queries"`           // in the order of the input
	Cov       [][]float64   `json:"covariance"`        // of f at the queries of one point, in their order
	Maximum   *Maximum      `json:"maximum,omitempty"` // over the box; nil if no box is given
}

// Fit is the MAP fit of the hyper-parameters.
type Fit struct {
	LogPosterior float64 `json:"log_posterior"` // the maximum of log evidence + log prior
	Gradient     float64 `json:"gradient"`      // largest component of its gradient in the logarithms: the certificate
	Status       string  `json:"status"`
}

// Posterior is the Gaussian approximation by the settings' inference, for the differences g_i = f(winner_i) -
// f(loser_i).
type Posterior struct {
	Status       string      `json:"status"`
	Residual     float64     `json:"residual"`       // of the last iterate, in posterior standard deviations
	LogEvidence  float64     `json:"log_evidence"`   // a lower bound for variational
	LogPosterior float64     `json:"log_posterior"`  // log evidence + log prior of the kernel
	LogLik       float64     `json:"log_likelihood"` // at the mode; for variational its mean under the posterior
	Gradient     KernelSlope `json:"evidence_gradient"`
	Argument     float64     `json:"largest_argument"` // of the link, in absolute value
	Alpha        []float64   `json:"alpha"`            // the mean of f(x) is Σ_i alpha_i cov(f(x), g_i)
	Precision    []float64   `json:"precision"`        // of the Gaussian that replaces comparison i
}

// KernelSlope is the gradient of the log evidence.
type KernelSlope struct {
	Lengthscale []float64 `json:"lengthscale"` // length d
	Variance    float64   `json:"variance"`
}

// QueryValue is the posterior at a point, or the value of the acquisition function at a pair of points.
type QueryValue struct {
	Points [][]float64 `json:"points"`         // one or two
	Mean   *float64    `json:"mean,omitempty"` // of f, at a point
	Sd     *float64    `json:"sd,omitempty"`
	EUBO   *float64    `json:"eubo,omitempty"` // E max(f(x), f(x')), at a pair
}

// Maximum has the maxima over the box that the search found, and the proof that no pair of points has a larger
// EUBO.
type Maximum struct {
	EUBO   float64     `json:"eubo"`
	Pair   [][]float64 `json:"pair"` // its points
	Proof  Proof       `json:"proof"`
	Mean   float64     `json:"mean"` // largest posterior mean
	MeanAt []float64   `json:"mean_at"`
}

// maxPoints is the largest number of queries of one point: their covariances form a matrix.
const maxPoints = 300

// Solve computes the posterior of the utility given duels, by the settings' inference. At the queries it
// computes the posterior's moments and the expected utility of the better option. If a box is given, it finds
// the maxima of these over the box, and in one and two dimensions proves the largest EUBO to a gap of 1e-3 of the
// larger of the maximum and 1e-3 √(2v), where v is the variance of the prior. The kernel is the known one, or
// else a squared exponential fitted to the duels. Without a box the settings' priors are in the units of x. The
// error wraps algorithms.ErrUnsolved if a fit did not converge, and algorithms.ErrUnproved if the proof did not
// succeed.
func Solve(in algorithms.SolveInput, cfg Config) (*Solution, error) {
	if err := in.Validate(algorithms.Uses{Points: true, Pairs: true}); err != nil {
		return nil, err
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if len(in.Comparisons) == 0 {
		return nil, errors.New("comparisons is empty; give at least one")
	}
	points := 0
	for _, q := range in.Queries {
		points += len(q) % 2
	}
	if points > maxPoints {
		return nil, fmt.Errorf("queries has %d single points; give at most %d", points, maxPoints)
	}
	unit := in.Unit()
	m := utility.NewModel(in.Dim(), cfg.Utility)
	for _, duel := range unit.Duels() {
		m.Add(duel[0], duel[1])
	}
	out := &Solution{Queries: []QueryValue{}}
	var err error
	fitted := true
	if in.Known.Kernel == nil {
		out.Fit, fitted, err = fitKernel(m)
	} else {
		if err := m.Know(*in.Known.Kernel, in.Frame().Widths()); err != nil {
			return nil, err
		}
		err = m.Condition(m.Kernel)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", algorithms.ErrUnsolved, err)
	}
	out.Kernel = m.Kernel.FromUnit(in.Frame().Widths())
	out.describe(m, cfg)
	for j, l := range out.Kernel.Lengthscale {
		out.Posterior.Gradient.Lengthscale[j] *= m.Kernel.Lengthscale[j] / l
	}
	for _, x := range unit.Points {
		out.Utility = append(out.Utility, m.Mean(x, nil))
	}
	out.query(m, in, unit)
	if in.Box != nil {
		out.Maximum = maximum(m, in)
	}
	if !fitted {
		return out, fmt.Errorf("%w: the fit of the hyper-parameters is not a maximum; its gradient is %.3g", algorithms.ErrUnsolved, out.Fit.Gradient)
	}
	if out.Maximum != nil {
		return out, out.Maximum.Proof.Err("the largest EUBO")
	}
	return out, nil
}

func maximum(m *utility.Model, in algorithms.SolveInput) *Maximum {
	s := utility.NewSearcher(m, nil)
	s.Update()
	best, mean := s.MaxEUBO(), s.MaxMean()
	z, value := best.X, best.Value
	var proof Proof
	switch {
	case in.MaxPairs < 0:
		proof.Proof = algorithms.Unproved("no proof was asked for")
	case m.Dim > provedDim:
		proof.Proof = algorithms.Unproved("proofs are for one and two dimensions")
	default:
		z, value, proof = prove(s, z, value, cmp.Or(in.MaxPairs, proofPairs))
	}
	x, y := z[:m.Dim], z[m.Dim:]
	return &Maximum{
		EUBO: value, Pair: [][]float64{in.Box.FromUnit(x, x), in.Box.FromUnit(y, y)}, Proof: proof,
		Mean: mean.Value, MeanAt: in.Box.FromUnit(mean.X, mean.X),
	}
}

// fitKernel fits the kernel, from the prior's mode and from functions of small and large variance. It reports
// whether the fit ended at a maximum.
func fitKernel(m *utility.Model) (*Fit, bool, error) {
	starts := []kernel.Config{m.ModalKernel(), m.ModalKernel(), m.ModalKernel()}
	starts[1].Variance, starts[2].Variance = 0.1, 50
	fit, err := m.Fit(utility.Exact, starts...)
	if err != nil {
		return nil, false, err
	}
	return &Fit{LogPosterior: fit.Value, Gradient: fit.Gradient, Status: fit.Status.String()}, fit.OK(), nil
}

func (out *Solution) describe(m *utility.Model, cfg Config) {
	f := m.Post
	p := Posterior{
		Status: f.Status(), Residual: f.Residual, LogEvidence: f.Evidence, LogPosterior: m.LogPosterior(), LogLik: f.LogLik,
		Alpha: f.Alpha, Precision: make([]float64, f.Len()),
	}
	p.Gradient.Lengthscale, p.Gradient.Variance = m.EvidenceGrad()
	for i, w := range f.SqrtW {
		p.Precision[i] = w * w
		p.Argument = max(p.Argument, math.Abs(f.Mode[i]))
	}
	if cfg.Link == "probit" {
		p.Argument /= math.Sqrt2
	}
	out.Posterior = p
}

func (out *Solution) query(m *utility.Model, in, unit algorithms.SolveInput) {
	var points [][]float64
	for i, q := range unit.Queries {
		v := QueryValue{Points: in.Queries[i]}
		if len(q) == 1 {
			points = append(points, q[0])
			mean, sd := m.Mean(q[0], nil), m.Sd(q[0])
			v.Mean, v.Sd = &mean, &sd
		} else {
			eubo := m.EUBO(q[0], q[1], nil, nil)
			v.EUBO = &eubo
		}
		out.Queries = append(out.Queries, v)
	}
	out.Cov = make([][]float64, len(points))
	for i, x := range points {
		out.Cov[i] = make([]float64, len(points))
		for j, y := range points {
			out.Cov[i][j] = m.Cov(x, y)
		}
	}
}
