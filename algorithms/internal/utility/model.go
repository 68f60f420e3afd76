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
	"popbench/internal/math/fmath"
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
	gram   []float64 // n×n, covariances of the differences, with the kernel gramOf
	gramOf kernel.Config
	solver gp.Solver
	tol    float64 // tolerance of the posteriors that evidence computes
	// curvature is the diagonal of MAP.Curvature of the last fit, a guess for the next; nil for none. The whole matrix would
	// save a tenth of the systems, and make the state of a run large.
	curvature []float64

	row, diff, back  []float64 // length n
	slopesX, slopesY []float64 // length 2n
	grad, theta      []float64 // length d, d+1
	pair             [3]float64
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
	if m.Post.Converged {
		return nil
	}
	m.Work.Failures++
	remedy := "lower the variance"
	if m.cfg.Inference == "variational" {
		remedy += ", or give inference: laplace"
	}
	return fmt.Errorf("the posterior of %d duels with variance %g and lengthscale %g did not converge (residual %.3g); %s",
		m.Len(), m.Kernel.Variance, m.Kernel.Lengthscale, m.Post.Residual, remedy)
}

// prepare computes the prior covariances with the kernel.
func (m *Model) prepare(c kernel.Config) error {
	k, err := c.New(m.Dim)
	if err != nil {
		return err
	}
	n, of := m.Len(), m.gramOf
	m.Kernel, m.K = c, k.(kernel.Stationary)
	if len(m.gram) == n*n && c.Family == of.Family && c.Nu == of.Nu && c.Variance == of.Variance && slices.Equal(c.Lengthscale, of.Lengthscale) {
		return nil // most fits end where they have been last
	}
	m.gram, m.gramOf = linalg.Resize(m.gram, n*n), c.WithLengthscale(c.Lengthscale)
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
	known := m.Post != nil && m.Post.Converged
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

// EUBO returns the expected utility of the better of x and y,
//
//	E max(f(x), f(y)) = μ_y + δ Φ(δ/s) + s φ(δ/s),  δ = μ_x - μ_y
//
// where s is the posterior standard deviation of f(x) - f(y) (Astudillo et al. 2023, Sec. 3.3). It sets gradX
// and gradY to its gradients, unless both are nil.
func (m *Model) EUBO(x, y, gradX, gradY []float64) float64 {
	if gradX == nil {
		m.Duels.Cov(m.row, m.K, x)
		m.Duels.Cov(m.diff, m.K, y)
	} else {
		m.CovSlopes(m.row, m.slopesX, m.K, x)
		m.CovSlopes(m.diff, m.slopesY, m.K, y)
	}
	meanX, meanY := m.Post.Mean(m.row), m.Post.Mean(m.diff)
	for i, c := range m.row {
		m.diff[i] = c - m.diff[i]
	}
	m.Post.Whiten(m.diff, m.diff)
	prior, slope, weight := m.pair[:1], m.pair[1:2], m.pair[2:]
	m.K.RowSlopes(prior, slope, x, y)
	s2 := float64(2*(m.Kernel.Variance-prior[0])) - wide.Dot(m.diff, m.diff)
	b := Better(meanX, meanY, s2, m.Kernel.Variance)
	if gradX == nil {
		return b.Value
	}
	// The variance's slopes are -2 ∂k(x,y) ∓ 2 Σ c_i ∂cov_i, c = M (k_x - k_y).
	m.Post.Unwhiten(m.diff, m.diff)
	alpha, back, diff, py := m.Post.Alpha, m.back[:len(m.diff)], m.diff, 1-b.PX
	for i, c := range diff {
		move := float64(b.Slope * c)
		back[i], diff[i] = float64(b.PX*alpha[i])-move, float64(py*alpha[i])+move
	}
	m.GradCov(gradX, m.K, x, m.slopesX, m.back, m.grad)
	m.GradCov(gradY, m.K, y, m.slopesY, m.diff, m.grad)
	weight[0] = -b.Slope
	m.K.GradSlopes(m.grad, x, y, slope, weight)
	for j, v := range m.grad {
		gradX[j] += v
		gradY[j] -= v // ∂k(x, y)/∂y = -∂k(x, y)/∂x: the kernel is stationary
	}
	return b.Value
}

// Larger is E max(X, Y) of jointly Gaussian X and Y, with its derivatives: PX in the mean of X, 1 - PX in the mean
// of Y, and Slope/2 in s², the variance of X - Y.
type Larger struct{ Value, PX, Slope float64 }

// Better computes Larger from the means and s². If s² is no more than rounding error, relative to the prior
// variance, it counts as zero: the larger mean remains.
func Better(meanX, meanY, s2, prior float64) Larger {
	delta := meanX - meanY
	top := max(meanX, meanY)
	if !(s2 > 1e-14*prior) {
		p := 0.5
		if delta != 0 {
			p = math.Max(0, math.Copysign(1, delta))
		}
		return Larger{Value: top, PX: p}
	}
	// With u = |δ|/s the other option adds s (φ(u) - u Φ(-u)). This sum is positive, and small compared with top where
	// its subtraction loses digits.
	s := math.Sqrt(s2)
	u := delta / s
	phi := fmath.Exp(-u*u/2) / math.Sqrt(2*math.Pi)
	tail := float64(0.5 * fmath.Erfc(math.Abs(u)/math.Sqrt2))
	b := Larger{Value: top + float64(s*max(phi-float64(math.Abs(u)*tail), 0)), PX: tail, Slope: phi / s}
	if delta > 0 {
		b.PX = 1 - tail
	}
	return b
}
