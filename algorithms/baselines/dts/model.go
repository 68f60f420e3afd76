package dts

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Approximations of the posterior, with their links.
const (
	laplace       = "laplace"        // p(x beats x') = σ(f([x; x'])), the logistic link
	laplaceProbit = "laplace-probit" // p(x beats x') = Φ(f([x; x']))
	ep            = "ep"             // expectation propagation, p(x beats x') = Φ(f([x; x']))
)

// model is the Gaussian process classifier of duels: the posterior of f, the latent value of "x beats x'",
// given the comparisons. It is not safe for concurrent use.
type model struct {
	kernel      pairKernel
	inference   string
	lengthscale gp.Parameter // of fits, in box widths
	link        link
	duels       duels
	post        *gp.Approximation
	solver      gp.Solver
	work        work

	k, g    []float64 // prior covariances: 2n×2n, of the points; n×n, of the latent values of the duels
	kx, ko  []float64 // kernel of one point, and of all other points, with the 2n points
	columns []float64 // covariances of latent values with the duels', n rows

	mean, variance []float64 // of latent values, length together
	memory         sampleMemory
}

// sampleMemory is what the scores of a draw overwrite.
type sampleMemory struct{ half, values, best []float64 }

// work counts what a model has done.
type work struct {
	Posteriors int `json:"posteriors"` // number computed
	Newton     int `json:"newton"`     // number of systems factored for them
	Failures   int `json:"failures"`   // number that did not converge and were not used
}

// newModel returns the model without duels.
func newModel(prior pairKernel, inference string) *model {
	m := &model{kernel: prior, inference: inference, lengthscale: lengthscalePrior, link: logit{}, duels: duels{d: prior.k.Dim()}}
	if inference != laplace {
		m.link = probit{}
	}
	return m
}

func (m *model) setKernel(k kernel.Config) { m.kernel = newPairKernel(m.kernel.Prior, k) }

// Add adds one comparison: whether x beat other, both of length d. It adds no mirror image. Call Condition
// before any other method.
func (m *model) Add(x, other []float64, won bool) {
	sign := 1.0
	if !won {
		sign = -1
	}
	m.duels.points, m.duels.sign = append(append(m.duels.points, x...), other...), append(m.duels.sign, sign)
	m.post = nil
}

// AddDuel adds a duel; with prior se-mirrored also its mirror image.
func (m *model) AddDuel(winner, loser []float64) {
	m.Add(winner, loser, true)
	if m.kernel.Prior == mirrored {
		m.Add(loser, winner, false)
	}
}

// Condition computes the posterior given all comparisons. It is valid until the next Add or Condition. Its
// latent values are f at the duels that x won, -f at the others.
func (m *model) Condition() *gp.Approximation {
	n := m.covariances()
	var start []float64
	if m.post != nil {
		start = m.post.Alpha
	}
	switch m.inference {
	case ep:
		m.post = m.solver.EP(m.g, n, gp.Probit{Scale: 1})
	case laplaceProbit:
		m.post = m.solver.Laplace(m.g, n, gp.Probit{Scale: 1}, start)
	default:
		m.post = m.solver.Laplace(m.g, n, gp.Logit{}, start)
	}
	m.work.Posteriors++
	m.work.Newton += m.post.Newton
	return m.post
}

// covariances computes the prior covariances of the n latent values of the duels.
func (m *model) covariances() (n int) {
	n = m.duels.len()
	m.k, m.g = linalg.Resize(m.k, 4*n*n), linalg.Resize(m.g, n*n)
	m.duels.gram(m.kernel, m.g, m.k)
	return n
}

// restore sets the posterior given all comparisons to a saved one with the kernel k.
func (m *model) restore(k kernel.Config, saved gp.Saved) error {
	if len(k.Lengthscale) != m.duels.d {
		return fmt.Errorf("%d lengthscales for %d coordinates", len(k.Lengthscale), m.duels.d)
	}
	if _, err := k.New(m.duels.d); err != nil {
		return err
	}
	m.setKernel(k)
	n := m.covariances()
	var err error
	m.post, err = m.solver.Restore(m.g, n, saved)
	return err
}

// Moments sets mean and variance to the posterior moments of f([x; x']) for each of the len(mean) points x' of
// others (row-major).
func (m *model) Moments(mean, variance, x, others []float64) {
	m.inParts(others, func(from, to int, part []float64) {
		m.moments(mean[from:to], variance[from:to], x, part, false)
	})
}

// WinMoments sets p and v to mean and variance of the probability that x beats x', for each of the len(p)
// points x' of others (row-major).
func (m *model) WinMoments(p, v, x, others []float64) {
	m.Moments(p, v, x, others)
	for i, mean := range p {
		p[i], v[i] = m.link.moments(mean, v[i])
	}
}

// together is the number of points whose moments are computed at once: few enough that the columns of 30 duels
// stay in the cache.
const together = 256

// inParts calls do for parts of the points, with the range of their numbers. During the call, ko has the kernel
// of the part with the points of the duels.
func (m *model) inParts(points []float64, do func(from, to int, part []float64)) {
	d := m.duels.d
	for from, n := 0, len(points)/d; from < n; from += together {
		to := min(from+together, n)
		part := points[from*d : to*d]
		m.ko = linalg.Resize(m.ko, 2*m.duels.len()*(to-from))
		for i := range 2 * m.duels.len() {
			m.kernel.k.Row(m.ko[i*(to-from):(i+1)*(to-from)], m.duels.points[i*d:(i+1)*d], part)
		}
		do(from, to, part)
	}
}

// moments is Moments for a part of the points whose kernel is in ko. If second is set, it computes them for
// f([x'; x]).
func (m *model) moments(mean, variance, x, others []float64, second bool) {
	if m.post == nil {
		panic("dts: moments before Condition")
	}
	n, cols := m.duels.len(), len(mean)
	m.kx = linalg.Resize(m.kx, 2*n)
	m.kernel.k.Row(m.kx, x, m.duels.points)
	m.columns = linalg.Resize(m.columns, n*cols)
	clear(mean)
	for i, sign := range m.duels.sign {
		xa, xb := m.kx[2*i], m.kx[2*i+1]
		otherA, otherB := m.ko[2*i*cols:][:cols], m.ko[(2*i+1)*cols:][:cols]
		if second {
			xa, xb, otherA, otherB = xb, xa, otherB, otherA
		}
		m.kernel.cross(m.columns[i*cols:(i+1)*cols], mean, m.post.SqrtW[i], m.post.Alpha[i], sign, xa, xb, otherA, otherB)
	}
	m.post.SolveColumns(m.columns)
	m.kernel.k.Row(variance, x, others)
	m.kernel.variances(variance)
	wide.SubtractSquares(variance, m.columns, cols, n)
}

// lengthscalePrior is for lengthscales in box widths if the settings have no prior. qEUBO's public code has it, too.
var lengthscalePrior = gp.Parameter{Prior: gp.Gamma{Shape: 3, Rate: 6}, Lo: 0.02, Hi: 5}

// variancePrior is the prior of qEUBO's public code, which has the same link (Astudillo et al., AISTATS 2023).
var variancePrior = gp.Parameter{Prior: gp.Gamma{Shape: 2, Rate: 0.15}, Lo: 0.01, Hi: 1000}

// Fit sets lengthscales and variance of the kernel exp(-r²/2) on [0,1]^d to the maximum of evidence times
// prior, found from the current ones and from the priors' mode, and computes the posterior.
func (m *model) Fit() gp.MAP {
	hyper := m.hyper()
	starts := [][]float64{hyper.Logs(m.kernel.Kernel), hyper.Mode()}
	if m.lengthscale != lengthscalePrior {
		starts = append(starts, hyper.ModeStarts()[1:]...)
	}
	best := hyper.Fit(starts...)
	hyper.Density(best.Logs, nil) // leaves the model at the best posterior
	return best
}

func (m *model) hyper() *gp.Hyper {
	n, d := m.duels.len(), m.duels.d
	dG := make([]float64, n*n)
	prior := gp.KernelPrior{Kernel: m.kernel.Kernel, Widths: slices.Repeat([]float64{1}, d), Lengthscale: m.lengthscale, Variance: variancePrior}
	settings := search.Settings{MaxIter: 50, Step: 0.1, GradTol: 1e-5, ValueTol: 1e-10, Basin: 0.05}
	fit := gp.NewHyper(prior, settings, func(k kernel.Config, grad []float64) float64 {
		m.setKernel(k)
		fit := m.Condition()
		if !fit.Converged {
			m.work.Failures++
			return math.NaN()
		}
		if grad != nil {
			s := fit.Sensitivity()
			for j := range d {
				m.duels.gramSlope(m.kernel, dG, m.k, j)
				grad[j] += wide.Dot(s, dG)
			}
			grad[d] += wide.Dot(s, m.g)
		}
		return fit.Evidence
	})
	fit.EvidenceLast = true
	return fit
}

func modalKernel(lengthscale gp.Parameter, d int) kernel.Config {
	l, v := lengthscale.Prior.Mode(), variancePrior.Prior.Mode()
	return kernel.Config{Family: "se-half", Variance: v, Lengthscale: slices.Repeat([]float64{l}, d)}
}
