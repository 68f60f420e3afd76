package sgp

import (
	"math"
	"slices"

	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// model is the posterior of a utility f ~ GP(0, k) given duels, where each option's value has independent noise
// N(0, σ²):
//
//	v_i = f(loser_i) + ε - f(winner_i) - ε' < 0,   v ~ N(0, Σ),   Σ = D K Dᵀ + 2σ²I
//
// with D K Dᵀ the covariances of the differences of f. The posterior of f is a regression on v, mixed
// over v ~ N(0, Σ) truncated to v < 0: a skew Gaussian process. It is not safe for concurrent use.
type model struct {
	gp.Duels           // call Condition after Add
	points   []float64 // the p distinct points of the duels, p×d: about half of all, since the last winner duels again
	win, los []int     // for each duel, the indices of its points: a row of D is 1 at the winner and -1 at the loser
	noise    float64   // σ

	k       kernel.Kernel
	between []float64 // K, p×p
	slopes  []float64 // of the kernel for K, lower triangle by rows
	gram    []float64 // D K Dᵀ, n×n
	sigma   []float64 // Σ

	row, sens []float64 // workspaces
}

// newModel returns the model of a utility on R^d without duels. noise is the deviation σ, positive.
func newModel(d int, noise float64) *model {
	return &model{noise: noise, Duels: gp.Duels{Dim: d}}
}

// Add appends a duel. It copies the points, of length d.
func (m *model) Add(winner, loser []float64) {
	m.Duels.Add(winner, loser)
	m.win, m.los = append(m.win, m.index(winner)), append(m.los, m.index(loser))
}

// index returns the index of x among the points, and adds it if it is new.
func (m *model) index(x []float64) int {
	p := len(m.points) / m.Dim
	for i := range p {
		if slices.Equal(x, m.at(i)) {
			return i
		}
	}
	m.points = append(m.points, x...)
	return p
}

func (m *model) at(i int) []float64 { return m.points[i*m.Dim : (i+1)*m.Dim] }

// differences sets dst, of length n, to D v.
func (m *model) differences(dst, v []float64) {
	for i, w := range m.win {
		dst[i] = v[w] - v[m.los[i]]
	}
}

// spread sets dst, of length p, to Dᵀv.
func (m *model) spread(dst, v []float64) {
	clear(dst)
	for i, w := range m.win {
		dst[w] += v[i]
		dst[m.los[i]] -= v[i]
	}
}

// Condition computes the covariances of the duels under the kernel. The methods below use the last ones.
func (m *model) Condition(k kernel.Kernel) {
	n, p := m.Len(), len(m.points)/m.Dim
	m.k, m.gram, m.sigma = k, linalg.Resize(m.gram, n*n), linalg.Resize(m.sigma, n*n)
	m.between, m.slopes, m.row = linalg.Resize(m.between, p*p), linalg.Resize(m.slopes, p*(p+1)/2), linalg.Resize(m.row, p)
	for i := range p {
		row := m.between[i*p : i*p+i+1]
		k.RowSlopes(row, m.slopesOf(i), m.at(i), m.points[:(i+1)*m.Dim])
		for j, v := range row {
			m.between[j*p+i] = v
		}
	}
	for i, w := range m.win {
		copy(m.row, m.between[w*p:(w+1)*p])
		wide.AddScaled(m.row, -1, m.between[m.los[i]*p:])
		m.differences(m.gram[i*n:(i+1)*n], m.row)
	}
	copy(m.sigma, m.gram)
	for i := range n {
		m.sigma[i*n+i] += float64(2 * m.noise * m.noise)
	}
}

// slopesOf returns the slopes of the kernel between point i and points 0 to i.
func (m *model) slopesOf(i int) []float64 {
	from := i * (i + 1) / 2
	return m.slopes[from : from+i+1]
}

// GradLogLengthscale sets dst, of length d, to the gradient of Σ_ij s_ij (D K Dᵀ)_ij in the logarithms of the lengthscales,
// after Condition with the same kernel. s is n×n and symmetric. The sum is that of Dᵀ s D and K.
func (m *model) GradLogLengthscale(dst []float64, k kernel.Stationary, s []float64) {
	n, p := m.Len(), len(m.points)/m.Dim
	m.sens = linalg.Resize(m.sens, p*n) // Dᵀ s
	clear(m.sens)
	for i, w := range m.win {
		wide.AddScaled(m.sens[w*n:(w+1)*n], 1, s[i*n:])
		wide.AddScaled(m.sens[m.los[i]*n:(m.los[i]+1)*n], -1, s[i*n:])
	}
	clear(dst)
	gradient := make([]float64, m.Dim)
	for i := range p {
		m.spread(m.row, m.sens[i*n:(i+1)*n])
		// Twice for the other triangle; the diagonal does not depend on the lengthscales.
		k.GradLogSlopes(gradient, m.at(i), m.points[:i*m.Dim], m.slopesOf(i)[:i], m.row[:i])
		wide.AddScaled(dst, 2, gradient)
	}
}

// Laplace returns the Gaussian approximation of the posterior for fits of lengthscales: the differences of f
// have the link Φ(g/(√2 σ)). The result is in the memory of s; start is as for gp.Solver.Laplace.
func (m *model) Laplace(s *gp.Solver, start []float64) *gp.Approximation {
	return s.Laplace(m.gram, m.Len(), m.link(), start)
}

// EP returns the Gaussian approximation by expectation propagation, with the same link.
func (m *model) EP(s *gp.Solver) *gp.Approximation { return s.EP(m.gram, m.Len(), m.link()) }

func (m *model) link() gp.Probit { return gp.Probit{Scale: math.Sqrt2 * m.noise} }

// Given returns the posterior of f for known v, of length n: a Gaussian process. It is valid until the next Add
// or Condition.
func (m *model) Given(v []float64) *given {
	g := m.newGiven()
	for i, vi := range v {
		g.c[i] = -vi // as a difference winner - loser
	}
	g.post.Regress(m.gram, g.c, 2*m.noise*m.noise)
	return g
}

// newGiven returns a posterior that is not set yet.
func (m *model) newGiven() *given {
	n, p := m.Len(), len(m.points)/m.Dim
	v := func(n int) []float64 { return make([]float64, n) }
	return &given{model: m, row: v(p), slopes: v(p), weight: v(p), cov: v(n), white: v(n), c: v(n), buf: v(m.Dim)}
}

// given is a posterior of f given the differences. It is not safe for concurrent use.
type given struct {
	model *model
	post  gp.Posterior
	alpha []float64   // length p, Dᵀ times that of post, from the first Mean on
	m     wide.Matrix // the Whitener of post, from the first Moments on

	row, slopes, weight []float64 // length p, of the kernel
	cov                 []float64 // length n, prior covariances of f(x) with f(winner_i) - f(loser_i), of the last Moments
	white               []float64 // length n, the same after Whiten
	c                   []float64
	buf                 []float64 // length d
}

// Mean returns the mean of f(x).
func (g *given) Mean(x []float64) float64 {
	g.model.k.Row(g.row, x, g.model.points)
	return wide.Dot(g.row, g.weights())
}

// PointMeans returns the means of f at the points of the model.
func (g *given) PointMeans() []float64 {
	mean := make([]float64, len(g.row))
	linalg.Mul(mean, 1, g.model.between, len(mean), g.weights())
	return mean
}

func (g *given) weights() []float64 {
	if g.alpha == nil {
		g.alpha = make([]float64, len(g.row))
		g.model.spread(g.alpha, g.post.Alpha)
	}
	return g.alpha
}

// Moments returns mean and variance of f(x).
func (g *given) Moments(x []float64) (mean, variance float64) {
	if g.m.Data == nil {
		g.m = g.post.Whitener()
	}
	g.model.k.RowSlopes(g.row, g.slopes, x, g.model.points)
	g.model.differences(g.cov, g.row)
	linalg.MulLower(g.white, g.m, g.cov)
	return wide.Dot(g.row, g.weights()), atLeast(g.model.k.Eval(x, x), -wide.Dot(g.white, g.white))
}

// MomentsOf returns means and variances of f at many points, row-major.
func (g *given) MomentsOf(points []float64) (mean, variance []float64) {
	m, count := g.model, len(points)/g.model.Dim
	rows, columns := make([]float64, len(g.row)*count), make([]float64, len(g.cov)*count)
	mean, variance = make([]float64, count), make([]float64, count)
	for i := range g.row {
		m.k.Row(rows[i*count:(i+1)*count], m.at(i), points)
	}
	linalg.MulT(mean, 1, rows, count, g.weights())
	for i, w := range m.win {
		row := columns[i*count : (i+1)*count]
		copy(row, rows[w*count:])
		wide.AddScaled(row, -1, rows[m.los[i]*count:])
	}
	g.post.WhitenColumns(columns)
	for i := range g.cov {
		row := columns[i*count : (i+1)*count]
		wide.AddProduct(variance, -1, row, row)
	}
	for i, less := range variance {
		x := points[i*m.Dim : (i+1)*m.Dim]
		variance[i] = atLeast(m.k.Eval(x, x), less)
	}
	return mean, variance
}

// atLeast returns the variance prior + less. Differences alone never determine f(x), but rounding can make the variance of
// a wide prior zero or less.
func atLeast(prior, less float64) float64 { return max(prior+less, 1e-12*prior) }

// gradient sets dst to the gradient of a function of mean and deviation sd of f(x), given its derivatives in
// these, after Moments at the same x.
func (g *given) gradient(dst, x []float64, sd, byMean, bySD float64) {
	// With b = Σ⁻¹k the variance is k(x,x) - kᵀb; ∂sd = (½∂k(x,x) - bᵀ∂k)/sd.
	linalg.MulLowerT(g.c, g.m, g.white)
	g.model.spread(g.weight, g.c)
	for i, a := range g.weights() {
		g.weight[i] = float64(byMean*a) - float64(bySD/sd*g.weight[i])
	}
	g.model.k.GradSlopes(dst, x, g.model.points, g.slopes, g.weight)
	g.model.k.GradDiag(g.buf, x)
	for j, v := range g.buf {
		dst[j] += float64(bySD / sd * v)
	}
}
