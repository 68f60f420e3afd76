package sgp

import (
	"math"

	"popbench/internal/gp"
	"popbench/kernel"
)

// acquisition is what the second point of a duel maximises: a function of mean
// and standard deviation of f(x) given one draw of the duels' differences.
type acquisition struct {
	kernel    kernel.Kernel
	duels     *duels
	post      *gp.Posterior // of the differences f(winner) - f(loser)
	weights   []float64     // of the covariances with the distinct points in the mean
	incumbent float64       // expected improvement: on this
	ucb       float64       // standard deviations added; negative for expected improvement

	row, slope  []float64 // over the distinct points
	cov         []float64 // over the duels
	evaluations int
}

func newAcquisition(k kernel.Kernel, u *duels, post *gp.Posterior) *acquisition {
	a := &acquisition{
		kernel: k, duels: u, post: post, ucb: -1,
		weights: make([]float64, u.distinct()), row: make([]float64, u.distinct()), slope: make([]float64, u.distinct()),
		cov: make([]float64, u.len()),
	}
	u.spread(a.weights, post.Alpha())
	return a
}

// mean is the conditional mean of f(x). It leaves in row the prior covariances of
// f(x) with the values at the distinct points.
func (a *acquisition) mean(x []float64) float64 {
	a.kernel.Row(a.row, x, a.duels.points)
	var m float64
	for i, k := range a.row {
		m += float64(k * a.weights[i])
	}
	return m
}

// moments are the conditional mean and variance of f(x). It leaves the whitened
// covariances with the duels in cov.
func (a *acquisition) moments(x []float64) (mean, variance float64) {
	mean = a.mean(x)
	a.duels.difference(a.cov, a.row)
	a.post.Whiten(a.cov, a.cov)
	prior := a.kernel.Eval(x, x)
	variance = prior
	for _, v := range a.cov {
		variance -= float64(v * v)
	}
	// Differences alone do not fix f(x); rounding might, where the prior is wide.
	return mean, max(variance, 1e-12*prior)
}

// value is the logarithm of the expected improvement at x, or mean plus ucb
// standard deviations; and its gradient unless grad is nil. It is a
// search.Objective.
func (a *acquisition) value(x, grad []float64) float64 {
	a.evaluations++
	mean, variance := a.moments(x)
	sd := math.Sqrt(variance)
	var value, byMean, bySD float64
	if a.ucb >= 0 {
		value, byMean, bySD = mean+a.ucb*sd, 1, a.ucb
	} else {
		value, byMean, bySD = logExpectedImprovement(mean-a.incumbent, sd)
	}
	if grad == nil {
		return value
	}
	// With b = (G + 2σ²I)⁻¹ k the variance is k(x,x) - kᵀb, so ∂sd = ½∂k(x,x)/sd - bᵀ∂k/sd.
	a.post.Unwhiten(a.cov, a.cov)
	a.duels.spread(a.slope, a.cov)
	for i, b := range a.slope {
		a.slope[i] = float64(byMean*a.weights[i]) - bySD/sd*b
	}
	a.kernel.GradDiag(grad, x)
	diag := make([]float64, 0, 16)
	diag = append(diag, grad...)
	a.kernel.GradSum(grad, x, a.duels.points, a.slope)
	for j, v := range diag { // ½ ∂k(x,x) is GradDiag: the derivative in one argument
		grad[j] += bySD / sd * v
	}
	return value
}

// logExpectedImprovement is log E max(g, 0) for g ~ N(mean, sd²), with its
// derivatives by mean and sd, for every mean/sd down to where it is below -1e5: of
//
//	E max(g, 0) = sd (φ(z) + zΦ(z)) = sd Φ(z) q,   z = mean/sd,  q = z + φ/Φ
//
// the two terms of the sum cancel in the tail, but those of the product are what
// the probit link computes without cancellation: log Φ, h = φ/Φ and -hq.
func logExpectedImprovement(mean, sd float64) (value, byMean, bySD float64) {
	z := mean / sd
	logPhi, h, minusHQ, _ := gp.Probit{Scale: 1}.Derivs(z)
	q := z + h
	if z < 0 {
		q = -minusHQ / h
	}
	return math.Log(sd) + logPhi + math.Log(q), 1 / (sd * q), h / (sd * q)
}
