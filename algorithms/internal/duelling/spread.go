package duelling

import (
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/space"
)

// Candidates returns the points to choose from. For arms these are all arms, whatever the arguments. On a box they are a
// grid, or in three dimensions or more points drawn from r, and the points of extra that are not among these.
func (m *Model) Candidates(r *rand.Rand, extra ...[]float64) search.Candidates {
	if m.Finite() {
		return m.candidates
	}
	c := search.Candidates{Dim: m.candidates.Dim, X: append([]float64(nil), m.candidates.X...)}
	if len(c.X) == 0 {
		c = search.NewCandidates(m.domain.Bounds(), drawn, r)
	}
	there := make(map[string]bool, c.Len())
	for i := range c.Len() {
		there[space.Key(c.At(i))] = true
	}
	for _, x := range extra {
		if !there[space.Key(x)] {
			there[space.Key(x)] = true
			c.X = append(c.X, x...)
		}
	}
	return c
}

// CandidatesAndVisited returns the candidates; on a box also all points that were compared.
func (m *Model) CandidatesAndVisited(r *rand.Rand) search.Candidates {
	visited := make([][]float64, m.seen.Points.Len())
	for i := range visited {
		visited[i] = m.seen.Points.At(i)
	}
	return m.Candidates(r, visited...)
}

// Sample returns a uniform point of the domain.
func (m *Model) Sample(r *rand.Rand) []float64 {
	if m.Finite() {
		return m.candidates.At(r.IntN(m.candidates.Len())) // in the model's order of the arms, not the domain's
	}
	return m.domain.Sample(make([]float64, m.candidates.Dim), r)
}

// Means returns the estimated utility of each point, after Fit.
func (m *Model) Means(points search.Candidates) []float64 { return points.Values(m.Mean().Value) }

// Mean returns the estimated utility as a function, after Fit. It is valid until the next Learn.
func (m *Model) Mean() *Expansion {
	return &Expansion{model: m, points: m.seen.Points.X, weights: m.estimate.Weights}
}

// Expansion is a function Σ_i w_i k(x, p_i).
type Expansion struct {
	model       *Model
	points      []float64 // n×d
	weights     []float64 // length n
	row, slopes []float64 // workspaces
}

// Value is a search.Objective.
func (e *Expansion) Value(x, grad []float64) float64 {
	n := len(e.weights)
	e.row, e.slopes = linalg.Resize(e.row, n), linalg.Resize(e.slopes, n)
	if grad == nil {
		e.model.kernel.Row(e.row, x, e.points)
	} else {
		e.model.kernel.RowSlopes(e.row, e.slopes, x, e.points)
		e.model.kernel.GradSlopes(grad, x, e.points, e.slopes, e.weights)
	}
	return wide.Dot(e.row, e.weights)
}

func (m *Model) condition() {
	if m.known {
		return
	}
	n := m.duels.Len()
	m.gram, m.cov = linalg.Resize(m.gram, n*n), linalg.Resize(m.cov, n)
	clear(m.cov)
	m.duels.Gram(m.gram, m.kernel)
	m.reg.Regress(m.gram, m.cov, m.Noise) // the observed values are zeros: only the covariance is used
	m.known = true
}

// InfoGain returns the information gain ½ log det(I + DGDᵀ/ρ²) of the answers since Forget.
func (m *Model) InfoGain() float64 {
	if m.Finite() {
		return m.Posterior.InfoGain
	}
	m.condition()
	return 0.5 * m.reg.LogDet
}

// MaxMinBeta returns β of MaxMinLCB (Pásztor et al. 2024) after the answers since Forget; δ is the probability that a
// confidence interval fails.
func (m *Model) MaxMinBeta(delta float64) float64 {
	return maxMinBeta(m.NormBound, m.Lambda, m.InfoGain(), delta)
}

// maxMinBeta returns β_t = 4LB + 2L√((2κ/λ)(γ + log 1/δ)), for an information gain γ.
func maxMinBeta(norm, lambda, gain, delta float64) float64 {
	const L = arms.Lipschitz
	return float64(4*L*norm) + float64(2*L*math.Sqrt(2*arms.Kappa(norm)/lambda*(gain-fmath.Log(delta))))
}

// Spread is the variance of the difference of two utilities, by the numbers of their points.
type Spread = func(i, j int) float64

// Spread returns the variances of differences between candidates. Before the first answer since Forget they are those of
// the kernel or, if [Model.Certain], zero. For arms it is valid until the next Learn.
func (m *Model) Spread(candidates search.Candidates, initial string) Spread {
	switch {
	case m.Certain(initial):
		return func(_, _ int) float64 { return 0 }
	case m.Finite():
		return m.Posterior.Variance
	}
	return m.Covariance(candidates).Variance
}

// Certain reports whether all differences count as known, as the published programs have it before the first answer: if
// initial is zero.
func (m *Model) Certain(initial string) bool { return initial == "zero" && m.Answers() == 0 }

// Covariance returns the posterior covariance of any points.
func (m *Model) Covariance(points search.Candidates) *arms.Covariance {
	m.condition()
	k, t := points.Len(), m.duels.Len()
	stride := linalg.RowLength(k)
	c := &arms.Covariance{Sigma: wide.Matrix{Data: make([]float64, k*stride), Stride: stride}}
	for i := range k {
		row := c.Sigma.Data[i*stride : i*stride+k]
		m.kernel.Row(row, points.At(i), points.X)
		c.Least = max(c.Least, arms.LeastVariance*row[i])
	}
	columns := make([]float64, t*k)
	loser := make([]float64, k)
	for s := range t {
		row := columns[s*k : (s+1)*k]
		m.kernel.Row(row, m.duels.Winner(s), points.X)
		m.kernel.Row(loser, m.duels.Loser(s), points.X)
		wide.AddScaled(row, -1, loser)
	}
	if t > 0 {
		m.reg.WhitenColumns(columns)
		white := wide.Matrix{Data: columns, Stride: k}
		linalg.AddUpper(c.Sigma, true, white, white, k, t)
	}
	return c
}

// Against is the variance of f(x) - f(y) as a function of x, for a fixed y.
type Against struct {
	model  *Model
	y      []float64
	prior  float64 // k(y, y)
	white  []float64
	cov    []float64
	slopes []float64
	buf    []float64
}

// Against returns the variance of f(x) - f(y) for this y. It is valid until the next Learn.
func (m *Model) Against(y []float64) *Against {
	m.condition()
	n, d := m.duels.Len(), len(y)
	a := &Against{
		model: m, y: y, prior: m.kernel.Eval(y, y),
		white: make([]float64, n), cov: make([]float64, n), slopes: make([]float64, 2*n), buf: make([]float64, 2*d),
	}
	m.duels.Cov(a.white, m.kernel, y)
	m.reg.Whiten(a.white, a.white)
	return a
}

// Variance returns the variance, and sets grad to its gradient in x unless grad is empty.
func (a *Against) Variance(x, grad []float64) float64 {
	m := a.model
	m.duels.CovSlopes(a.cov, a.slopes, m.kernel, x)
	m.reg.Whiten(a.cov, a.cov)
	wide.AddScaled(a.cov, -1, a.white)
	own := m.kernel.Eval(x, x)
	cross := m.kernel.Eval(x, a.y)
	v := (own - cross) + (a.prior - cross) - wide.Dot(a.cov, a.cov)
	zero := !(v > arms.LeastVariance*max(own, a.prior))
	if len(grad) == 0 || zero {
		clear(grad)
		if zero {
			return 0
		}
		return v
	}
	d := len(x)
	m.reg.Unwhiten(a.cov, a.cov)
	m.duels.GradCov(grad, m.kernel, x, a.slopes, a.cov, a.buf)
	wide.Scale(grad, -2)
	m.kernel.GradDiag(a.buf[:d], x)
	wide.AddScaled(grad, 2, a.buf[:d]) // the gradient of k(x, x) is twice the one in one argument
	m.kernel.GradSum(a.buf[:d], x, a.y, []float64{1})
	wide.AddScaled(grad, -2, a.buf[:d])
	return v
}

// Draws makes draws of the posterior of a model on a box.
type Draws struct {
	model  *Model
	points search.Candidates
	factor wide.Matrix // L, with LLᵀ the prior covariance of the points
}

// drawJitter is what a draw adds to the variance at the points, relative to the largest prior variance: points may determine
// each other.
const drawJitter = 1e-10

// Draws prepares draws that are exact at the points, up to a share drawJitter of the variance, and follow the kernel between
// them.
func (m *Model) Draws(points search.Candidates) *Draws {
	n := points.Len()
	stride := linalg.RowLength(n)
	l, top := make([]float64, n*stride), 0.0
	for i := range n {
		m.kernel.Row(l[i*stride:i*stride+i+1], points.At(i), points.X[:(i+1)*points.Dim])
		top = max(top, l[i*stride+i])
	}
	linalg.CholeskyOfSemidefinite(l, stride, n, drawJitter*top)
	return &Draws{m, points, wide.Matrix{Data: l, Stride: stride}}
}

// Next returns a draw from N(f, scale Σ) as a function, after Fit: the estimate, and √scale times a pathwise draw of the
// posterior (Matheron's rule). It is valid until the next Learn.
func (d *Draws) Next(scale float64, r *rand.Rand) *Expansion {
	m, n := d.model, d.points.Len()
	m.condition()
	e := &Expansion{model: m, points: slices.Clone(d.points.X), weights: make([]float64, n)}
	for i := range e.weights {
		e.weights[i] = rng.Normal(r)
	}
	// The draw of the prior at the points is Lξ, so its weights are (LLᵀ)⁻¹Lξ = L⁻ᵀξ.
	linalg.SolveLowerTransposed(d.factor.Data, d.factor.Stride, e.weights)
	t := m.duels.Len()
	differences, noise := make([]float64, t), make([]float64, t)
	for s := range t {
		differences[s] = e.Value(m.duels.Winner(s), nil) - e.Value(m.duels.Loser(s), nil)
		noise[s] = rng.Normal(r)
	}
	m.reg.Pathwise(noise, differences, noise)
	for s, c := range noise {
		e.points = append(append(e.points, m.duels.Winner(s)...), m.duels.Loser(s)...)
		e.weights = append(e.weights, c, -c)
	}
	wide.Scale(e.weights, math.Sqrt(scale))
	e.points, e.weights = append(e.points, m.seen.Points.X...), append(e.weights, m.estimate.Weights...)
	return e
}

// Belief returns the estimate at x with two standard deviations of the posterior on either side, after Fit.
func (m *Model) Belief(x []float64) algorithms.Belief {
	var variance float64
	if i := m.Arm(x); m.Finite() {
		variance = m.Posterior.Row(i)[i]
	} else {
		m.condition()
		m.cov = linalg.Resize(m.cov, m.duels.Len())
		m.duels.Cov(m.cov, m.kernel, x)
		m.reg.Whiten(m.cov, m.cov)
		variance = m.kernel.Eval(x, x) - wide.Dot(m.cov, m.cov)
	}
	sd, f := math.Sqrt(max(0, variance)), m.Mean().Value(x, nil)
	return algorithms.Belief{Estimate: f, Lower: f - float64(2*sd), Upper: f + float64(2*sd)}
}

// Metrics describes the model after Fit: the duality gap of the estimate, its Newton systems, its norm as penalised or
// bounded, the information gain of the answers, the number of self-duels so far, and the fit of the kernel, if there is one.
func (m *Model) Metrics(newton int) []algorithms.Metric {
	all := []algorithms.Metric{
		algorithms.KindCertificate.Metric("duality_gap", m.estimate.Gap),
		algorithms.KindWork.Metric("newton", float64(newton)),
		algorithms.KindState.Metric("norm", m.estimate.Norm),
		algorithms.KindState.Metric("information_gain", m.InfoGain()),
		algorithms.KindState.Metric("self_duels", float64(m.self)),
	}
	if m.hyper != nil {
		all = append(all, m.hyper.Metrics()...)
	}
	return all
}
