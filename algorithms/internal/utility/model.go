// Package utility is what methods share that learn a utility from duels: the Gaussian process posterior of the
// utility with its MAP hyper-parameters (Model), the search for points and pairs that maximise the posterior
// mean or an acquisition function (Searcher), and the state of a method between duels (Base). A method adds its
// acquisition function.
//
// # Model
//
// The utility f has a Gaussian process prior with the squared exponential kernel and one lengthscale for each
// coordinate, or with a known kernel. The oracle prefers x to y with a probability that depends on f(x) - f(y), the
// link. After each comparison, lengthscales and variance maximise evidence times prior, unless the kernel is known,
// and the posterior of f is approximated by a Gaussian, as package internal/math/gp describes. All is in unit
// coordinates of the domain.
package utility

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"popbench/algorithms/baselines/settings"
	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Model is the posterior of a utility f on R^d given duels. After Add it remains the posterior given the earlier
// duels until Condition or Fit. It is not safe for concurrent use.
type Model struct {
	gp.Duels
	Kernel kernel.Config     // of the prior, with a lengthscale for each coordinate
	K      kernel.Stationary // Kernel, in d dimensions; nil before Condition
	Post   *gp.Approximation // nil before Condition
	Work   Work

	cfg    settings.Utility
	Link   gp.Link   // the probability of a comparison as a function of the difference of utilities
	gram   []float64 // n×n, covariances of the differences
	solver gp.Solver
	tol    float64 // tolerance of the posteriors that evidence computes

	row, diff, back  []float64 // length n
	slopesX, slopesY []float64 // length 2n
	grad, theta      []float64 // length d, d+1
}

// Work counts what a model has done. It is the same in every run.
type Work struct {
	Solves   int `json:"solves"`   // number of posteriors computed
	Newton   int `json:"newton"`   // number of systems factored for them
	Failures int `json:"failures"` // number of posteriors that did not converge, and of fits that did not end at a maximum
}

// NewModel returns the model of a utility on R^d without duels, with a squared exponential kernel at the modes
// of its priors. It panics if the settings are invalid.
func NewModel(d int, cfg settings.Utility) *Model {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	m := &Model{cfg: cfg, Link: gp.Logit{}, Duels: gp.Duels{Dim: d}, grad: make([]float64, d)}
	m.Kernel = m.ModalKernel()
	if cfg.Link == "probit" {
		m.Link = gp.Probit{Scale: math.Sqrt2}
	}
	return m
}

// Know sets the kernel of the prior to a known one. Its lengthscales are divided by widths.
func (m *Model) Know(k kernel.Config, widths []float64) error {
	if k.Family == "linear" {
		return errors.New("known.kernel: linear has no lengthscale, which this model needs")
	}
	m.Kernel = k.ToUnit(widths)
	return nil
}

// Condition computes the posterior with the kernel k, which it keeps.
func (m *Model) Condition(k kernel.Config) error {
	if err := m.condition(k, 0); err != nil {
		return err
	}
	return m.converged()
}

func (m *Model) converged() error {
	if m.Post.Status == gp.Converged {
		return nil
	}
	m.Work.Failures++
	return fmt.Errorf("the posterior of %d duels with variance %g and lengthscale %g did not converge (residual %.3g)",
		m.Len(), m.Kernel.Variance, m.Kernel.Lengthscale, m.Post.Residual)
}

// prepare computes the prior covariances with the kernel.
func (m *Model) prepare(c kernel.Config) error {
	k, err := c.New(m.Dim)
	if err != nil {
		return err
	}
	n := m.Len()
	m.Kernel, m.K = c, k.(kernel.Stationary)
	m.gram = linalg.Resize(m.gram, n*n)
	m.row, m.diff, m.back = linalg.Resize(m.row, n), linalg.Resize(m.diff, n), linalg.Resize(m.back, n)
	m.slopesX, m.slopesY = linalg.Resize(m.slopesX, 2*n), linalg.Resize(m.slopesY, 2*n)
	m.Gram(m.gram, k)
	return nil
}

// Restore sets the posterior of the duels to a saved one.
func (m *Model) Restore(k kernel.Config, saved gp.Saved) (err error) {
	if err = m.prepare(k); err == nil {
		m.Post, err = m.solver.Restore(m.gram, m.Len(), saved)
	}
	return err
}

// condition computes the posterior to the given tolerance; 0 stands for the solver's own. It starts from the
// last posterior if that converged.
func (m *Model) condition(k kernel.Config, tol float64) error {
	if err := m.prepare(k); err != nil {
		return err
	}
	n := m.Len()
	known := m.Post != nil && m.Post.Status == gp.Converged
	if m.cfg.Inference == "laplace" {
		var start []float64
		if known {
			start = m.Post.Alpha
		}
		m.Post = m.solver.Laplace(m.gram, n, m.Link, start)
	} else {
		var from *gp.Posterior
		if known {
			from = &m.Post.Posterior
		}
		m.Post = m.solver.Variational(m.gram, n, from, tol)
	}
	m.Work.Solves++
	m.Work.Newton += m.Post.Newton
	return nil
}

// Mean returns the posterior mean of f(x). If grad is not nil, it is set to the gradient.
func (m *Model) Mean(x, grad []float64) float64 {
	if grad == nil {
		m.Duels.Cov(m.row, m.K, x)
	} else {
		m.CovSlopes(m.row, m.slopesX, m.K, x)
		m.GradCov(grad, m.K, x, m.slopesX, m.Post.Alpha, m.grad)
	}
	return m.Post.Mean(m.row)
}

// Cov returns the posterior covariance of f(x) and f(y).
func (m *Model) Cov(x, y []float64) float64 {
	m.Duels.Cov(m.row, m.K, x)
	m.Duels.Cov(m.diff, m.K, y)
	m.Post.Whiten(m.row, m.row)
	m.Post.Whiten(m.diff, m.diff)
	return m.K.Eval(x, y) - wide.Dot(m.row, m.diff)
}

// Sd returns the posterior standard deviation of f(x).
func (m *Model) Sd(x []float64) float64 { return math.Sqrt(max(m.Cov(x, x), 0)) }

// PriorVariance returns the prior variance of the difference of utilities in duel i.
func (m *Model) PriorVariance(i int) float64 { return m.gram[i*m.Len()+i] }

// EvidenceGrad returns the gradient of the log evidence in the lengthscales and in the variance.
func (m *Model) EvidenceGrad() (lengthscale []float64, variance float64) {
	g := make([]float64, m.Dim+1)
	m.evidenceGrad(g)
	for j, l := range m.Kernel.Lengthscale {
		g[j] /= l
	}
	return g[:m.Dim], g[m.Dim] / m.Kernel.Variance
}

// evidenceGrad sets dst to the gradient of the log evidence in the logarithms of lengthscales and variance.
func (m *Model) evidenceGrad(dst []float64) {
	d := m.Dim
	s := m.Post.Sensitivity()
	m.GradLogLengthscale(dst[:d], m.K, s)
	dst[d] = wide.Dot(s, m.gram) // G is proportional to the variance
}

// ModalKernel returns the kernel at the modes of the priors, a start of a fit.
func (m *Model) ModalKernel() kernel.Config {
	l, v := m.lengthscalePrior().Mode(), gp.Gamma(m.cfg.VariancePrior).Mode()
	return kernel.Config{Family: "se-half", Lengthscale: slices.Repeat([]float64{l}, m.Dim), Variance: v}
}

func (m *Model) lengthscalePrior() gp.Prior {
	p := m.cfg.LengthscalePrior
	return gp.NewPrior(string(p.Family), p.Shape, p.Rate, m.Dim)
}
