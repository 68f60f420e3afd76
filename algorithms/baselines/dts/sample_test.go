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

// Draws have the moments of the posterior, at pairs of points near the duels and far from them: all means and
// covariances are within 5 standard errors of 8,000 draws, with a fixed seed. Far from the duels the variance
// is that of the prior: the draws do not fade.
func TestDrawsHaveThePosteriorsMoments(t *testing.T) {
	draws := check.Few(2000, 8000)
	for _, prior := range priors {
		for _, inference := range []string{laplace, ep} {
			m := randomModel(pairs(prior, 3, []float64{0.25, 0.4}), inference, 6)
			points := []float64{0.1, 0.2, 0.8, 0.3, 0.5, 0.9, 3, 3, -2, 4}
			const n = 5
			f := newFeatures(m.kernel.k, append(slices.Clone(points), m.duels.points...), nil)
			wantMean, want := posterior(m, points)
			r := rand.New(rand.NewPCG(6, 7))
			sum, square := make([]float64, n*n), make([]float64, n*n*n*n)
			latent := make([]float64, n*n)
			for range draws {
				m.draw(f, r).latent(latent, f.phi, f.n, n, 0, n)
				for i := range latent {
					sum[i] += latent[i] / float64(draws)
					for j := range latent {
						square[i*n*n+j] += (latent[i] - wantMean[i]) * (latent[j] - wantMean[j]) / float64(draws)
					}
				}
			}
			at := func(i, j int) float64 { return want[i*n*n+j] }
			for i := range latent {
				slack := 5*math.Sqrt(max(at(i, i), 0)/float64(draws)) + 1e-9
				check.Near(t, sum[i], wantMean[i], slack, "%s, %s, pair %d: mean", prior, inference, i)
				for j := range latent {
					slack := 5*math.Sqrt(max(at(i, i)*at(j, j)+at(i, j)*at(i, j), 0)/float64(draws)) + 1e-9
					check.Near(t, square[i*n*n+j], at(i, j), slack, "%s, %s, pairs %d, %d: covariance", prior, inference, i, j)
				}
			}
			far, variance := at(3*n+4, 3*n+4), m.kernel.variance(0)
			check.Near(t, far, variance, 1e-3*variance, "%s, %s: the variance far from the duels", prior, inference)
		}
	}
}

// posterior returns the mean and the covariance of f at all pairs of the points, from the kernel's definition.
func posterior(m *model, points []float64) (mean, cov []float64) {
	k := func(a, b []float64) float64 { return m.kernel.k.Eval(a, b) }
	pair := func(a, b, c, d []float64) float64 { return m.kernel.cov(k(a, c), k(b, d), k(a, d), k(b, c)) }
	var zs [][2][]float64
	for x := range slices.Chunk(points, 2) {
		for y := range slices.Chunk(points, 2) {
			zs = append(zs, [2][]float64{x, y})
		}
	}
	var white [][]float64
	for _, z := range zs {
		row := make([]float64, m.duels.len())
		for i, sign := range m.duels.sign {
			p := m.duels.points[4*i : 4*i+4]
			row[i] = sign * pair(z[0], z[1], p[:2], p[2:])
		}
		mean = append(mean, m.post.Mean(row))
		m.post.Whiten(row, row)
		white = append(white, row)
	}
	for i, z := range zs {
		for j, y := range zs {
			cov = append(cov, pair(z[0], z[1], y[0], y[1])-wide.Dot(white[i], white[j]))
		}
	}
	return mean, cov
}
