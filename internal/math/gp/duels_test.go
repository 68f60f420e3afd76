package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// randomDuels returns n duels of points of [0,1]^d, some of which are repeated.
func randomDuels(n, d int, r *rand.Rand) *Duels {
	duels := &Duels{Dim: d}
	for i := range n {
		w, l := make([]float64, d), make([]float64, d)
		for j := range d {
			w[j], l[j] = r.Float64(), r.Float64()
		}
		if i%4 == 3 {
			copy(w, duels.Loser(i-1))
		}
		duels.Add(w, l)
	}
	return duels
}

func seHalf(t testing.TB, variance float64, lengthscale []float64) kernel.Stationary {
	t.Helper()
	k := check.Must(kernel.Config{Family: "se-half", Variance: variance, Lengthscale: lengthscale}.New(len(lengthscale)))(t)
	return k.(kernel.Stationary)
}

func TestDuelsGram(t *testing.T) {
	d := randomDuels(9, 3, rand.New(rand.NewPCG(1, 2)))
	k := seHalf(t, 2, []float64{0.3, 0.5, 0.9})
	n := d.Len()
	g, c := make([]float64, n*n), make([]float64, n)
	d.Gram(g, k)
	for i := range n {
		for j := range n {
			want := k.Eval(d.Winner(i), d.Winner(j)) - k.Eval(d.Winner(i), d.Loser(j)) - k.Eval(d.Loser(i), d.Winner(j)) + k.Eval(d.Loser(i), d.Loser(j))
			check.Near(t, g[i*n+j], want, 1e-14, "G[%d,%d]", i, j)
		}
	}
	x, byslopes := []float64{0.2, 0.4, 0.8}, make([]float64, n)
	d.Cov(c, k, x)
	d.CovSlopes(byslopes, make([]float64, 2*n), k, x)
	for i, got := range c {
		check.Near(t, got, k.Eval(x, d.Winner(i))-k.Eval(x, d.Loser(i)), 1e-14, "covariance %d", i)
		check.Near(t, byslopes[i], got, 1e-14, "covariance %d with slopes, without", i)
	}
}

func TestDuelsGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	d := randomDuels(7, 3, r)
	n := d.Len()
	l := []float64{0.3, 0.5, 0.9}
	s, c := randomGram(n, n, 1, r), make([]float64, n)
	for i := range c {
		c[i] = r.NormFloat64()
	}
	check.Gradient(t, "covariance", func(x, grad []float64) float64 {
		k, cov, slopes := seHalf(t, 2, l), make([]float64, n), make([]float64, 2*n)
		d.CovSlopes(cov, slopes, k, x)
		if grad != nil {
			d.GradCov(grad, k, x, slopes, c, make([]float64, 3))
		}
		return wide.Dot(cov, c)
	}, []float64{0.2, 0.4, 0.8}, 1e-5, 1e-7)
	check.Gradient(t, "Gram matrix", func(logs, grad []float64) float64 {
		l, g := make([]float64, 3), make([]float64, n*n)
		for i, v := range logs {
			l[i] = math.Exp(v)
		}
		k := seHalf(t, 2, l)
		d.Gram(g, k)
		if grad != nil {
			d.GradLogLengthscale(grad, k, s)
		}
		return wide.Dot(g, s)
	}, []float64{math.Log(l[0]), math.Log(l[1]), math.Log(l[2])}, 1e-5, 1e-7)
}
