package gp

import (
	"math"
	"math/rand/v2"
	"slices"
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
	x := []float64{0.2, 0.4, 0.8}
	d.Cov(c, k, x)
	for i, got := range c {
		check.Near(t, got, k.Eval(x, d.Winner(i))-k.Eval(x, d.Loser(i)), 1e-14, "covariance %d", i)
	}
}

func TestDuelsGradients(t *testing.T) {
	const h = 1e-5
	r := rand.New(rand.NewPCG(2, 2))
	d := randomDuels(7, 3, r)
	n := d.Len()
	l := []float64{0.3, 0.5, 0.9}
	s, c := randomGram(n, n, 1, r), make([]float64, n)
	for i := range c {
		c[i] = r.NormFloat64()
	}
	buf, g := make([]float64, n), make([]float64, n*n)
	inX := func(x []float64) float64 {
		d.Cov(buf, seHalf(t, 2, l), x)
		return wide.Dot(buf, c)
	}
	inL := func(l []float64) float64 {
		d.Gram(g, seHalf(t, 2, l))
		return wide.Dot(g, s)
	}
	x, got := []float64{0.2, 0.4, 0.8}, make([]float64, 3)
	difference := func(f func([]float64) float64, at []float64, j int, log bool) float64 {
		up, down := slices.Clone(at), slices.Clone(at)
		if log {
			up[j], down[j] = at[j]*math.Exp(h), at[j]*math.Exp(-h)
		} else {
			up[j], down[j] = at[j]+h, at[j]-h
		}
		return (f(up) - f(down)) / (2 * h)
	}
	slopes := make([]float64, 2*d.Len())
	d.CovSlopes(make([]float64, d.Len()), slopes, seHalf(t, 2, l), x)
	d.GradCov(got, seHalf(t, 2, l), x, slopes, c, make([]float64, 3))
	for j := range got {
		check.Near(t, got[j], difference(inX, x, j, false), 1e-7, "∂/∂x[%d], by differences", j)
	}
	d.Gram(make([]float64, d.Len()*d.Len()), seHalf(t, 2, l))
	d.GradLogLengthscale(got, seHalf(t, 2, l), s)
	for j := range got {
		check.Near(t, got[j], difference(inL, l, j, true), 1e-7, "∂/∂log l[%d], by differences", j)
	}
}
