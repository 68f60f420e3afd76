package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// With independent comparisons EP is exact. Φ(g) under N(0, v) has mass ½, mean vβ and variance v - (vβ)² with β =
// φ(0)/(½√(1+v)).
func TestEPOfIndependentComparisons(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, v := range []float64{1e-12, 0.3, 2.5, 1e8} {
			for _, scale := range []float64{0.1, 1, 3} {
				g := make([]float64, n*n)
				for i := range n {
					g[i*n+i] = v
				}
				f := new(Solver).EP(g, n, Probit{scale})
				mean := v * math.Sqrt(2/math.Pi) / math.Sqrt(scale*scale+v)
				check.Equal(t, "status", f.Converged, true)
				check.Near(t, f.Mode[n-1], mean, 1e-9*mean, "v = %g, scale %g: mean", v, scale)
				check.Near(t, f.Evidence, -float64(n)*math.Ln2, 1e-9, "v = %g, scale %g: evidence", v, scale)
				k := g[:n]
				f.Whiten(k, k)
				want := v - mean*mean
				check.Near(t, v-k[0]*k[0], want, 1e-7*want, "v = %g, scale %g: variance", v, scale)
			}
		}
	}
}

// The moments of every comparison's latent value match, computed from the public results; also if G is
// singular, has a row of zeros, or is huge.
func TestEPMatchesMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, scale := range []float64{1e-6, 1, 100, 1e4} {
		for _, shape := range [][2]int{{5, 5}, {20, 7}, {40, 60}} {
			n := shape[0]
			g := randomGram(n, shape[1], scale, r)
			for i := range n { // a point against itself
				g[2*n+i], g[i*n+2] = 0, 0
			}
			f := new(Solver).EP(g, n, Probit{1})
			check.That(t, f.Converged, "scale %g, n = %d: %v after %d sweeps, residual %g", scale, n, f.Status(), f.Newton, f.Residual)
			k := make([]float64, n)
			for i := range n {
				copy(k, g[i*n:])
				mean := f.Mean(k)
				f.Whiten(k, k)
				v := g[i*n+i] - wide.Dot(k, k)
				tau := f.SqrtW[i] * f.SqrtW[i]
				nu := f.Alpha[i] + tau*mean
				cv := v / (1 - tau*v)
				cm := (mean - v*nu) / (1 - tau*v)
				z := cm / math.Sqrt(1+cv)
				h := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (0.5 * math.Erfc(-z/math.Sqrt2))
				check.Near(t, mean, cm+cv*h/math.Sqrt(1+cv), 1e-8*math.Sqrt(1+v), "scale %g, n = %d: mean of g[%d], wanted by its comparison", scale, n, i)
				check.Near(t, v, cv-cv*cv*h*(z+h)/(1+cv), 1e-8*(1+v), "scale %g, n = %d: variance of g[%d], wanted by its comparison", scale, n, i)
			}
		}
	}
}
