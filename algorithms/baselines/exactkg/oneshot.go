package exactkg

import (
	"popbench/algorithms/internal/utility"
	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
)

// oneShot is KG + max μ with the two maximisers as variables,
//
//	V(x₁, x₂, a, b) = p μ(a) + (1-p) μ(b) + g (c(a) - c(b)),
//
// whose maximum over a and b is KG(x₁, x₂) + max μ.
type oneShot struct {
	m     *utility.Model
	rows  [4][]float64 // of length n: prior covariances of the four points with the duels
	slope [4][]float64 // of length 2n
	w, e  []float64    // of length n: M (k₁ - k₂) and M (k_a - k_b), the posterior covariance being k(x,y) - k_xᵀ M k_y
	coef  []float64    // of length n
	grad  []float64    // of length d
}

func (o *oneShot) resize() {
	n := o.m.Len()
	for i := range o.rows {
		o.rows[i], o.slope[i] = linalg.Resize(o.rows[i], n), linalg.Resize(o.slope[i], 2*n)
	}
	o.w, o.e, o.coef = linalg.Resize(o.w, n), linalg.Resize(o.e, n), linalg.Resize(o.coef, n)
	o.grad = linalg.Resize(o.grad, o.m.Dim)
}

func (o *oneShot) point(z []float64, i int) []float64 { return z[i*o.m.Dim : (i+1)*o.m.Dim] }

// difference sets dst to M (k_i - k_j), and returns |L⁻¹ W½ (k_i - k_j)|².
func (o *oneShot) difference(dst []float64, i, j int) float64 {
	for t, v := range o.rows[i] {
		dst[t] = v - o.rows[j][t]
	}
	o.m.Post.Whiten(dst, dst)
	square := wide.Dot(dst, dst)
	o.m.Post.Unwhiten(dst, dst)
	return square
}

// ask returns the means of the link for the pair of the first two points, and sets w.
func (o *oneShot) ask(x, y []float64) gp.Means {
	m := o.m
	v := float64(2*(m.Kernel.Variance-m.K.Eval(x, y))) - o.difference(o.w, 0, 1)
	return m.Link.Means(m.Post.Mean(o.rows[0])-m.Post.Mean(o.rows[1]), max(v, 0))
}

// value is V as a search.Objective of the four points in one vector.
func (o *oneShot) value(z, grad []float64) float64 {
	m := o.m
	for i := range o.rows {
		if grad == nil {
			m.Duels.Cov(o.rows[i], m.K, o.point(z, i))
		} else {
			m.CovSlopes(o.rows[i], o.slope[i], m.K, o.point(z, i))
		}
	}
	x, y, a, b := o.point(z, 0), o.point(z, 1), o.point(z, 2), o.point(z, 3)
	duel := o.ask(x, y)
	meanA, meanB := m.Post.Mean(o.rows[2]), m.Post.Mean(o.rows[3])
	spread := m.K.Eval(a, x) - m.K.Eval(a, y) - m.K.Eval(b, x) + m.K.Eval(b, y) - wide.Dot(o.rows[2], o.w) + wide.Dot(o.rows[3], o.w)
	value := float64(duel.P*meanA) + float64(duel.Q*meanB) + float64(duel.D1*spread)
	if grad == nil {
		return value
	}
	o.difference(o.e, 2, 3)
	byMean := float64(duel.D1*(meanA-meanB)) + float64(duel.D2*spread)
	byVariance := float64(0.5 * (float64(duel.D2*(meanA-meanB)) + float64(duel.D3*spread)))
	o.slopes(grad, z, 0, byMean, -2*byVariance, -duel.D1, [4]float64{0, -2 * byVariance, duel.D1, -duel.D1})
	o.slopes(grad, z, 1, -byMean, 2*byVariance, duel.D1, [4]float64{-2 * byVariance, 0, -duel.D1, duel.D1})
	o.slopes(grad, z, 2, duel.P, -duel.D1, 0, [4]float64{duel.D1, -duel.D1, 0, 0})
	o.slopes(grad, z, 3, duel.Q, duel.D1, 0, [4]float64{-duel.D1, duel.D1, 0, 0})
	return value
}

// slopes sets the part of point i of grad: the derivatives of (byMean α + byW w + byE e)ᵀ k_i, and of the prior
// covariances with the four points, each times its weight.
func (o *oneShot) slopes(grad, z []float64, i int, byMean, byW, byE float64, weights [4]float64) {
	for t, v := range o.m.Post.Alpha {
		o.coef[t] = float64(byMean*v) + float64(byW*o.w[t]) + float64(byE*o.e[t])
	}
	x, dst := o.point(z, i), o.point(grad, i)
	o.m.GradCov(dst, o.m.K, x, o.slope[i], o.coef, o.grad)
	o.m.K.GradSum(o.grad, x, z, weights[:])
	for j, v := range o.grad {
		dst[j] += v
	}
}

// answers returns V as a function of a alone and of b alone, for the pair of the first two points, up to constants. The
// objectives are valid until the next call of another method.
func (o *oneShot) answers(pair []float64) [2]search.Objective {
	m, d := o.m, o.m.Dim
	z, slopes := make([]float64, 4*d), make([]float64, 4*d)
	copy(z, pair)
	x, y := o.point(z, 0), o.point(z, 1)
	m.Duels.Cov(o.rows[0], m.K, x)
	m.Duels.Cov(o.rows[1], m.K, y)
	duel := o.ask(x, y)
	after := func(p, g float64) search.Objective {
		return func(u, grad []float64) float64 {
			if grad == nil {
				m.Duels.Cov(o.rows[2], m.K, u)
			} else {
				m.CovSlopes(o.rows[2], o.slope[2], m.K, u)
				copy(o.point(z, 2), u)
				o.slopes(slopes, z, 2, p, -g, 0, [4]float64{g, -g, 0, 0})
				copy(grad, o.point(slopes, 2))
			}
			c := m.K.Eval(u, x) - m.K.Eval(u, y) - wide.Dot(o.rows[2], o.w)
			return float64(p*m.Post.Mean(o.rows[2])) + float64(g*c)
		}
	}
	return [2]search.Objective{after(duel.P, duel.D1), after(duel.Q, -duel.D1)}
}
