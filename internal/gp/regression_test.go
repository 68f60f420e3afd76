package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/linalg"
)

// (G + variance I) a = y and log|G + variance I|, also where G is singular.
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
				if got := linalg.Dot(g[i*n:(i+1)*n], p.Alpha()) + variance*p.Alpha()[i]; math.Abs(got-y[i]) > 1e-9 {
					t.Errorf("rank %d, variance %g: row %d of (G + variance I) a is %.12g, want %.12g", rank, variance, i, got, y[i])
				}
			}
		}
	}
	// One value: the mean is y g/(g+s), the variance g s/(g+s).
	const g, s, y = 2.5, 0.3, -1.4
	var p Posterior
	p.Regress([]float64{g}, []float64{y}, s)
	k := []float64{g}
	if mean := p.Mean(k); math.Abs(mean-y*g/(g+s)) > 1e-15 {
		t.Errorf("mean %g", mean)
	}
	p.Whiten(k, k)
	if v := g - k[0]*k[0]; math.Abs(v-g*s/(g+s)) > 1e-15 {
		t.Errorf("variance %g", v)
	}
	if got := p.LogDetB() + math.Log(s); math.Abs(got-math.Log(g+s)) > 1e-15 {
		t.Errorf("log determinant %g", got)
	}
}
