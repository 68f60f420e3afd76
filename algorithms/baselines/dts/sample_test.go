package dts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// The features reproduce the kernel to within residual at all points, and are far fewer than the points.
func TestFeaturesReproduceTheKernel(t *testing.T) {
	grid := append(space.Cube(2, 0, 1).Grid(12), 0.123, 0.456, 0.123, 0.456)
	cube := space.Cube(5*150, 0, 1).Sample(make([]float64, 5*150), rand.New(rand.NewPCG(2, 9)))
	for _, c := range []struct {
		points      []float64
		lengthscale []float64
		least, most int // features
	}{
		{grid, []float64{0.4, 0.5}, 40, 60},
		{cube, []float64{0.3, 0.3, 0.3, 0.3, 0.3}, 140, 150},
	} {
		d := len(c.lengthscale)
		k := check.Must(kernel.Config{Family: "se-half", Variance: 1, Lengthscale: c.lengthscale}.New(d))(t)
		f := newFeatures(k, c.points, nil)
		check.That(t, f.n == len(c.points)/d && f.rank >= c.least && f.rank <= c.most,
			"%d-D: %d features of %d points", d, f.rank, f.n)
		for i := range f.n {
			for j := range f.n {
				got := wide.Dot(f.of(nil, []int{i}), f.of(nil, []int{j}))
				if want := k.Eval(c.points[d*i:d*(i+1)], c.points[d*j:d*(j+1)]); math.Abs(got-want) > residual {
					t.Fatalf("%d-D, points %d and %d: the features give %g, the kernel %g", d, i, j, got, want)
				}
			}
		}
	}
}

// Draws have the moments of the posterior, at pairs of points near the duels and far from them: all means and variances are
// within 5 standard errors of the draws, with a fixed seed. Far from the duels the variance is that of the prior: the draws
// do not fade.
func TestDrawsHaveThePosteriorsMoments(t *testing.T) {
	draws := float64(check.Few(2000, 8000))
	for _, prior := range priors {
		for _, inference := range []string{laplace, ep} {
			m := randomModel(pairs(prior, 3, []float64{0.25, 0.4}), inference, 6)
			points := []float64{0.1, 0.2, 0.8, 0.3, 0.5, 0.9, 3, 3, -2, 4}
			const n = 5
			f := newFeatures(m.kernel.k, append(slices.Clone(points), m.duels.points...), nil)
			mean, variance := make([]float64, n*n), make([]float64, n*n)
			for i := range n {
				m.Moments(mean[i*n:(i+1)*n], variance[i*n:(i+1)*n], points[2*i:2*i+2], points)
			}
			r := rand.New(rand.NewPCG(6, 7))
			sum, square := make([]float64, n*n), make([]float64, n*n)
			for range int(draws) {
				m.draw(f, r).latent(f.phi, f.n, n, 0, n, func(_ int, values []float64) {
					for at, v := range values { // a column for each first point
						i := at%n*n + at/n
						sum[i] += v / draws
						square[i] += (v - mean[i]) * (v - mean[i]) / draws
					}
				})
			}
			for i, v := range variance {
				check.Near(t, sum[i], mean[i], 5*math.Sqrt(v/draws)+1e-9, "%s, %s, pair %d: mean", prior, inference, i)
				check.Near(t, square[i], v, 5*v*math.Sqrt(2/draws)+1e-9, "%s, %s, pair %d: variance", prior, inference, i)
			}
			far := m.kernel.cov(1, 1, 0, 0)
			check.Near(t, variance[3*n+4], far, 1e-3*far, "%s, %s: the variance far from the duels", prior, inference)
		}
	}
}
