package challenger

import (
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/wide"
)

// challenge is the acquisition value of a challenger x of a champion x_1: the rule for m = μ(x_1) - μ(x) and v, the
// posterior variance of f(x) - f(z), where z is x_1 or, for Brochu's expected improvement, x_0.
type challenge struct {
	m     *utility.Model
	rule  rule
	x1, z []float64
	mean  float64    // at x_1
	with  *expansion // posterior covariance with f(z)

	cov0, cov, slopes, c, buf []float64
}

func (m *method) newChallenge(x1 []float64) *challenge {
	n, d := m.Model.Len(), m.Model.Dim
	v := func(n int) []float64 { return make([]float64, n) }
	c := &challenge{m: m.Model, rule: m.rule, x1: x1, z: x1, mean: m.Model.Mean(x1, nil), cov0: v(n), cov: v(n), slopes: v(2 * n), c: v(n), buf: v(d)}
	if m.cfg.Rule == BrochuEI {
		c.z = v(d)
	}
	m.Model.Duels.Cov(c.cov0, m.Model.K, c.z)
	c.with = m.newExpansion(c.z, []float64{1}, false)
	return c
}

// variance returns v, or 0 if it is of the size of rounding relative to the prior's.
func (c *challenge) variance(v float64) float64 {
	if v > 1e-14*c.m.Kernel.Variance {
		return v
	}
	return 0
}

// value is a search.Objective of x.
func (c *challenge) value(x, grad []float64) float64 {
	m := c.m
	if grad == nil {
		m.Duels.Cov(c.cov, m.K, x)
	} else {
		m.CovSlopes(c.cov, c.slopes, m.K, x)
	}
	mean := m.Post.Mean(c.cov)
	for i, v := range c.cov0 {
		c.cov[i] -= v
	}
	m.Post.Whiten(c.cov, c.cov)
	v := float64(2*(m.Kernel.Variance-m.K.Eval(x, c.z))) - wide.Dot(c.cov, c.cov)
	s := c.rule(c.mean-mean, c.variance(v))
	if grad == nil {
		return s.value
	}
	m.Post.Unwhiten(c.cov, c.cov)
	for i, a := range m.Post.Alpha {
		c.c[i] = -float64(s.byM*a) - float64(2*s.byV*c.cov[i])
	}
	m.GradCov(grad, m.K, x, c.slopes, c.c, c.buf)
	w := [1]float64{-2 * s.byV}
	m.K.GradSum(c.buf, x, c.z, w[:])
	for j, g := range c.buf {
		grad[j] += g
	}
	return s.value
}

// values returns the values at the candidates, -Inf at the champion.
func (c *challenge) values(s *utility.Searcher) []float64 {
	cand := s.Candidates()
	out := cand.Values(c.with.value)
	scores(out, c.rule, c.mean, s.Means(), c.with.value(c.z, nil), s.Variances(), c.variance)
	exclude(out, cand, c.x1)
	return out
}

// scores replaces the posterior covariances of points with f(z) by the values of a rule. mean is the champion's,
// variance belongs to f(z); round sets variances of the size of rounding to 0.
func scores(cov []float64, r rule, mean float64, means []float64, variance float64, variances []float64, round func(float64) float64) {
	for i, c := range cov {
		cov[i] = r(mean-means[i], round(variance+variances[i]-float64(2*c))).value
	}
}

// expansion is the function Σ_p w_p k_n(p, x) of a point x, where k_n is the posterior covariance, plus the posterior
// mean if asked for. It costs as much as a mean, without the solution of a system.
type expansion struct {
	m                *utility.Model
	points, w        []float64 // row-major, and their weights
	a                []float64 // weights of the prior covariances with the duels
	cov, slopes, buf []float64
	row              []float64
}

func (m *method) newExpansion(points, w []float64, mean bool) *expansion {
	n, d := m.Model.Len(), m.Model.Dim
	e := &expansion{m: m.Model, points: points, w: w, a: make([]float64, n), cov: make([]float64, n), slopes: make([]float64, 2*n), buf: make([]float64, d),
		row: make([]float64, len(w))}
	for i, weight := range w {
		m.Model.Duels.Cov(e.cov, e.m.K, points[i*d:(i+1)*d])
		wide.AddScaled(e.a, -weight, e.cov)
	}
	m.Model.Post.Whiten(e.a, e.a)
	m.Model.Post.Unwhiten(e.a, e.a)
	if mean {
		wide.AddScaled(e.a, 1, m.Model.Post.Alpha)
	}
	return e
}

// value is a search.Objective.
func (e *expansion) value(x, grad []float64) float64 {
	e.m.K.Row(e.row, x, e.points)
	if grad == nil {
		e.m.Duels.Cov(e.cov, e.m.K, x)
	} else {
		e.m.CovSlopes(e.cov, e.slopes, e.m.K, x)
		e.m.GradCov(grad, e.m.K, x, e.slopes, e.a, e.buf)
		e.m.K.GradSum(e.buf, x, e.points, e.w)
		wide.AddScaled(grad, 1, e.buf)
	}
	return wide.Dot(e.w, e.row) + wide.Dot(e.a, e.cov)
}
