package qeubo

import (
	"errors"
	"fmt"
	"math"

	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// model is the posterior of a utility f on R^d given duels. After Add it is still that of the earlier duels,
// until Condition or Fit. It is not safe for concurrent use.
type model struct {
	gp.Duels
	cfg    Config
	link   gp.Link
	kernel kernel.Config // of the prior, with a lengthscale for each coordinate
	k      kernel.Stationary
	gram   []float64 // n×n, covariances of the differences
	solver gp.Solver
	tol    float64           // tolerance of the posteriors that evidence computes
	post   *gp.Approximation // nil before Condition
	work   work

	row, diff, back  []float64 // length n
	slopesX, slopesY []float64 // length 2n
	grad, theta      []float64 // length d, d+1
}

// work counts what a model has done. It is the same in every run.
type work struct {
	Solves   int `json:"solves"`   // number of posteriors computed
	Newton   int `json:"newton"`   // number of systems factored for them
	Failures int `json:"failures"` // number of posteriors that did not converge, and of fits that did not end at a maximum
}

// newModel returns the model of a utility on R^d without duels, with a squared exponential kernel at the modes
// of its priors. It panics if the settings are invalid.
func newModel(d int, cfg Config) *model {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	m := &model{cfg: cfg, link: gp.Logit{}, Duels: gp.Duels{Dim: d}, grad: make([]float64, d)}
	m.kernel = m.modalKernel()
	if cfg.Link == "probit" {
		m.link = gp.Probit{Scale: math.Sqrt2}
	}
	return m
}

// know sets the kernel of the prior to a known one. Its lengthscales are divided by widths.
func (m *model) know(k kernel.Config, widths []float64) error {
	if k.Family == "linear" {
		return errors.New("known.kernel: linear has no lengthscale, which this model needs")
	}
	m.kernel = k.ToUnit(widths)
	return nil
}

// Condition computes the posterior with the kernel k, which it keeps.
func (m *model) Condition(k kernel.Config) error {
	if err := m.condition(k, 0); err != nil {
		return err
	}
	return m.converged()
}

// converged returns an error if the posterior did not converge.
func (m *model) converged() error {
	if m.post.Status == gp.Converged {
		return nil
	}
	m.work.Failures++
	return fmt.Errorf("the posterior of %d duels with variance %g and lengthscale %g did not converge (residual %.3g)", m.Len(), m.kernel.Variance, m.kernel.Lengthscale, m.post.Residual)
}

// prepare computes the prior covariances with the kernel.
func (m *model) prepare(c kernel.Config) error {
	k, err := c.New(m.Dim)
	if err != nil {
		return err
	}
	n := m.Len()
	m.kernel, m.k = c, k.(kernel.Stationary)
	m.gram = linalg.Resize(m.gram, n*n)
	m.row, m.diff, m.back = linalg.Resize(m.row, n), linalg.Resize(m.diff, n), linalg.Resize(m.back, n)
	m.slopesX, m.slopesY = linalg.Resize(m.slopesX, 2*n), linalg.Resize(m.slopesY, 2*n)
	m.Gram(m.gram, k)
	return nil
}

// restore sets the posterior of the duels to a saved one.
func (m *model) restore(k kernel.Config, saved gp.Saved) (err error) {
	if err = m.prepare(k); err == nil {
		m.post, err = m.solver.Restore(m.gram, m.Len(), saved)
	}
	return err
}

// condition computes the posterior to the given tolerance; 0 stands for the solver's own. It starts from the
// last posterior if that converged.
func (m *model) condition(k kernel.Config, tol float64) error {
	if err := m.prepare(k); err != nil {
		return err
	}
	n := m.Len()
	known := m.post != nil && m.post.Status == gp.Converged
	if m.cfg.Inference == "laplace" {
		var start []float64
		if known {
			start = m.post.Alpha()
		}
		m.post = m.solver.Laplace(m.gram, n, m.link, start)
	} else {
		var from *gp.Posterior
		if known {
			from = &m.post.Posterior
		}
		m.post = m.solver.Variational(m.gram, n, from, tol)
	}
	m.work.Solves++
	m.work.Newton += m.post.Newton
	return nil
}

// Mean returns the posterior mean of f(x). If grad is not nil, it is set to the gradient.
func (m *model) Mean(x, grad []float64) float64 {
	if grad == nil {
		m.Duels.Cov(m.row, m.k, x)
	} else {
		m.CovSlopes(m.row, m.slopesX, m.k, x)
		m.GradCov(grad, m.k, x, m.slopesX, m.post.Alpha(), m.grad)
	}
	return m.post.Mean(m.row)
}

// Cov returns the posterior covariance of f(x) and f(y).
func (m *model) Cov(x, y []float64) float64 {
	m.Duels.Cov(m.row, m.k, x)
	m.Duels.Cov(m.diff, m.k, y)
	m.post.Whiten(m.row, m.row)
	m.post.Whiten(m.diff, m.diff)
	return m.k.Eval(x, y) - wide.Dot(m.row, m.diff)
}

// Sd returns the posterior standard deviation of f(x).
func (m *model) Sd(x []float64) float64 { return math.Sqrt(max(m.Cov(x, x), 0)) }

// EvidenceGrad returns the gradient of the log evidence in the lengthscales and in the variance.
func (m *model) EvidenceGrad() (lengthscale []float64, variance float64) {
	g := make([]float64, m.Dim+1)
	m.evidenceGrad(g)
	for j, l := range m.kernel.Lengthscale {
		g[j] /= l
	}
	return g[:m.Dim], g[m.Dim] / m.kernel.Variance
}

// evidenceGrad sets dst to the gradient of the log evidence in the logarithms of lengthscales and variance.
func (m *model) evidenceGrad(dst []float64) {
	d := m.Dim
	s := m.post.Sensitivity()
	m.GradLogLengthscale(dst[:d], m.k, s)
	dst[d] = wide.Dot(s, m.gram) // G is proportional to the variance
}
