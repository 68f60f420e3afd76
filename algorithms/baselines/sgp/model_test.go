package sgp

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// Covariances by the distinct points are those by all points of the duels, and so is the gradient of a sum of them.
func TestDistinctPoints(t *testing.T) {
	a, r := begun(t, 2, 20, func(*Config) {})
	check.OK(t, check.Err(a.m.hallucinate()))
	m, n := a.m.model, a.m.model.Len()
	check.That(t, len(m.points)/2 <= n+6, "%d distinct points of %d duels", len(m.points)/2, n)
	gram, k := make([]float64, n*n), a.m.kernel.(kernel.Stationary)
	m.Gram(gram, k)
	s := make([]float64, n*n)
	for i, v := range gram {
		check.Near(t, m.gram[i], v, 1e-14, "covariance %d", i)
		check.Near(t, m.sigma[i], m.gram[i%n*n+i/n]+map[bool]float64{true: 2 * m.noise * m.noise}[i%(n+1) == 0], 1e-14, "Σ %d", i)
		s[i] = r.NormFloat64()
		s[i%n*n+i/n] = s[i]
	}
	got, want := make([]float64, 2), make([]float64, 2)
	m.GradLogLengthscale(got, k, s)
	m.Duels.GradLogLengthscale(want, k, s)
	for j, v := range want {
		check.Near(t, got[j], v, 1e-11, "slope in lengthscale %d", j)
	}
	g := m.Given(a.m.draw.V)
	for i, mean := range g.PointMeans() {
		check.Near(t, mean, g.Mean(m.at(i)), 1e-10, "mean at point %d", i)
	}
	// The same moments by the duels.
	cov := make([]float64, n)
	points := space.Cube(2, 0, 1).Grid(5)
	means, variances := g.MomentsOf(points)
	for i := range means {
		x := points[2*i : 2*i+2]
		mean, variance := g.Moments(x)
		m.Cov(cov, k, x)
		check.Near(t, mean, g.post.Mean(cov), 1e-10, "mean")
		check.Near(t, means[i], mean, 1e-10, "mean with others")
		check.Near(t, variances[i], variance, 1e-10, "variance with those of others")
		g.post.Whiten(cov, cov)
		check.Near(t, variance, k.Eval(x, x)-wide.Dot(cov, cov), 1e-10, "variance")
	}
}
