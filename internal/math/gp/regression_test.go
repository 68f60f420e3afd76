package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// (G + variance I) a = y and log|G + variance I|, also if G is singular.
func TestRegress(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, rank := range []int{3, 12} {
		for _, variance := range []float64{2e-4, 1, 50} {
			const n = 12
			g := randomGram(n, rank, 2, r)
			y := make([]float64, n)
			for i := range y {
				y[i] = r.NormFloat64()
			}
			var p Posterior
			p.Regress(g, y, variance)
			for i := range y {
				got := wide.Dot(g[i*n:(i+1)*n], p.Alpha()) + variance*p.Alpha()[i]
				check.Near(t, got, y[i], 1e-9, "rank %d, variance %g: row %d of (G + variance I) a", rank, variance, i)
			}
		}
	}
	// With one value the mean is y g/(g+s), the variance g s/(g+s).
	const g, s, y = 2.5, 0.3, -1.4
	var p Posterior
	p.Regress([]float64{g}, []float64{y}, s)
	k := []float64{g}
	check.Near(t, p.Mean(k), y*g/(g+s), 1e-15, "mean")
	p.Whiten(k, k)
	check.Near(t, g-k[0]*k[0], g*s/(g+s), 1e-15, "variance")
	check.Near(t, p.logDet+math.Log(s), math.Log(g+s), 1e-15, "log determinant")
}

// If one of several values cannot be added, nothing changes.
func TestAddIsAllOrNothing(t *testing.T) {
	k := check.Must(kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{1}}.New(1))(t)
	g := NewRegression(k, 1e-17, true)
	check.OK(t, g.Add([]float64{3}, []float64{2}))
	mean, variance := g.Moments([]float64{1})
	check.Equal(t, "a repeated point without noise", g.Add([]float64{5, 3}, []float64{7, 2}), ErrSingular)
	if m, v := g.Moments([]float64{1}); m != mean || v != variance || g.Len() != 1 {
		t.Errorf("%d values, mean %g and variance %g; want 1, %g and %g", g.Len(), m, v, mean, variance)
	}
	if up := g.Bound([]float64{1}, make([]float64, 1), 2); math.Abs(up-mean-2*math.Sqrt(variance)) > 1e-12 {
		t.Errorf("bound %g, want %g", up, mean+2*math.Sqrt(variance))
	}
}
