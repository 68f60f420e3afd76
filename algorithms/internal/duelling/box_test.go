package duelling

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/arms/armstest"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// newModel returns a model on a box with answers about some points of it, self-duels and repeated points among them.
func newModel(t *testing.T, d int, estimator string, r *rand.Rand) *Model {
	t.Helper()
	return newModelOf(t, kernel.Config{Family: "matern52", Variance: 1.7, Lengthscale: []float64{0.6}}, d, estimator, r)
}

func newModelOf(t *testing.T, k kernel.Config, d int, estimator string, r *rand.Rand) *Model {
	t.Helper()
	cfg := settings.DefaultDuelling()
	cfg.Kernel = k
	cfg.Estimator, cfg.Lambda, cfg.NoiseVariance, cfg.NormBound = estimator, 0.3, 0.2, 2
	box := space.Cube(d, -1, 1)
	m := check.Must(New(algorithms.Setup{Domain: box, Start: make([]float64, d)}, cfg, "allow"))(t)
	var seen [][]float64
	point := func() []float64 {
		if len(seen) > 0 && r.IntN(3) == 0 {
			return seen[r.IntN(len(seen))]
		}
		x := box.Sample(make([]float64, d), r)
		seen = append(seen, x)
		return x
	}
	for range 18 {
		x, y := point(), point()
		if r.IntN(6) == 0 {
			y = x
		}
		c := algorithms.Comparison{Points: [][]float64{x, y}, Winner: r.IntN(2)}
		if r.IntN(5) == 0 {
			c.Winner, c.Tie = 0, true
		}
		m.Learn(c)
		if r.IntN(3) == 0 { // an estimate in between changes nothing
			check.OK(t, m.Fit())
		}
	}
	check.OK(t, m.Fit())
	return m
}

func TestMaxMinBeta(t *testing.T) {
	var file struct {
		Beta []struct {
			B, Lambda, Kappa, Gamma, Delta float64
			MaxMin                         float64 `json:"maxminlcb_beta"`
		} `json:"theory_beta"`
	}
	armstest.Read(t, "selection.json", &file)
	check.Equal(t, "references", len(file.Beta), 6)
	for i, c := range file.Beta {
		check.Near(t, arms.Kappa(c.B), c.Kappa, 1e-10, "%d: κ", i)
		check.Near(t, maxMinBeta(c.B, c.Lambda, c.Gamma, c.Delta), c.MaxMin, 1e-10, "%d: β of MaxMinLCB", i)
	}
	largest := maxMinBeta(1e9, 1e-6, 1e6, 0.05) // a known bound has no limit but this
	check.That(t, !math.IsInf(largest*largest, 1), "β of norm 1e9 is %g", largest)
}

// TestUnion compares estimate, posterior and information gain on a box with the computation in R^K, with the compared
// points and all candidates as arms.
func TestUnion(t *testing.T) {
	r := rng.Stream(1, "duelling", "union")
	for _, estimator := range []string{"ridge", "published-mean", "published-sum", "ball", "published-gd"} {
		for _, d := range []int{1, 3} {
			m := newModel(t, d, estimator, r)
			union := search.Candidates{Dim: d, X: append([]float64(nil), m.seen.Points.X...)}
			for range 10 {
				union.X = append(union.X, m.domain.Sample(make([]float64, d), r)...)
			}
			all := check.Must(arms.New(m.kernel, union.X))(t)
			told := m.seen.About(all)
			post := arms.NewPosterior(told, m.Noise)
			post.Update()
			m.seen.Told = told
			want := m.newEstimator().Fit()
			m.seen.Told = nil

			f, c := m.Means(union), m.Covariance(union)
			against := m.Against(union.At(0))
			for i := range union.Len() {
				check.Near(t, f[i], want.F[i], 1e-8, "%s: f of point %d", estimator, i)
				for j := range union.Len() {
					check.Near(t, c.Variance(i, j), post.Variance(i, j), 1e-12, "σ²(%d, %d)", i, j)
				}
				check.Near(t, against.Variance(union.At(i), nil), post.Variance(i, 0), 1e-12, "σ²(%d, 0)", i)
				b := m.Belief(union.At(i))
				check.Near(t, b.Estimate, f[i], 1e-12, "belief")
				check.Near(t, b.Upper-b.Lower, 4*math.Sqrt(post.Row(i)[i]), 1e-10, "four standard deviations of a belief")
			}
			check.Near(t, m.InfoGain(), post.InfoGain, 1e-10, "information gain")
		}
	}
}

// TestLargest: of equal values the first, or each at some time.
func TestLargest(t *testing.T) {
	r := rng.Stream(5, "duelling", "largest")
	values := []float64{1, 3, 2, 3, 3}
	chosen := map[int]bool{}
	for range 100 {
		check.Equal(t, "the index of the first of the largest values", Largest("first-index", values, r), 1)
		chosen[Largest(Random, values, r)] = true
	}
	check.That(t, maps.Equal(chosen, map[int]bool{1: true, 3: true, 4: true}),
		"of equal values at 1, 3 and 4 it chose %v", chosen)
}

// TestGradients compares gradients with central differences, on a stationary kernel and on one that is not.
func TestGradients(t *testing.T) {
	r := rng.Stream(2, "duelling", "gradients")
	m := newModel(t, 2, "ridge", r)
	linear := newModelOf(t, kernel.Config{Family: "linear", Variance: 1.7}, 2, "ridge", r)
	draw := m.Draws(m.Candidates(r)).Next(2, r)
	for name, f := range map[string]search.Objective{
		"mean": m.Mean().Value, "variance": m.Against([]float64{0.1, 0.2}).Variance, "draw": draw.Value,
		"mean, linear": linear.Mean().Value, "variance, linear": linear.Against([]float64{0.1, 0.2}).Variance,
	} {
		for range 5 {
			check.Gradient(t, name, f, m.domain.Sample(make([]float64, 2), r), 1e-5, 1e-5)
		}
	}
}

// TestDraws compares mean and covariance of draws with those of the posterior, at a candidate, at compared points, and
// between candidates. Every moment is within 4.5 standard errors. Candidates of the smooth kernel determine each other.
func TestDraws(t *testing.T) {
	for _, family := range []string{"matern52", "se-half"} {
		t.Run(family, func(t *testing.T) {
			testDraws(t, kernel.Config{Family: family, Variance: 1.7, Lengthscale: []float64{0.6}})
		})
	}
}

func testDraws(t *testing.T, k kernel.Config) {
	const draws, scale = 4000, 2.5
	r := rng.Stream(3, "duelling", "draws")
	m := newModelOf(t, k, 1, "ridge", r)
	points := m.Candidates(r)
	at := search.Candidates{Dim: 1, X: append([]float64{points.X[3], 0.02, 0.77}, m.seen.Points.X[:2]...)}
	n := at.Len()
	f, c := m.Means(at), m.Covariance(at)
	sum, square := make([]float64, n), make([]float64, n*n)
	d := m.Draws(points)
	for range draws {
		values := at.Values(d.Next(scale, r).Value)
		for i, v := range values {
			sum[i] += v - f[i]
			for j, w := range values {
				square[i*n+j] += (v - f[i]) * (w - f[j])
			}
		}
	}
	cov := func(i, j int) float64 { return scale * c.Sigma.Data[min(i, j)*c.Sigma.Stride+max(i, j)] }
	for i := range n {
		check.Near(t, sum[i]/draws, 0, 4.5*math.Sqrt(cov(i, i)/draws), "the error of the mean of point %d", i)
		for j := range n {
			se := math.Sqrt((cov(i, i)*cov(j, j) + cov(i, j)*cov(i, j)) / draws)
			check.Near(t, square[i*n+j]/draws, cov(i, j), 4.5*se, "the covariance of points %d and %d", i, j)
		}
	}
}

// TestCandidates: a grid below three dimensions, drawn points above, and each extra point once.
func TestCandidates(t *testing.T) {
	r := rng.Stream(4, "duelling", "candidates")
	for d, want := range map[int]int{1: gridSize, 2: gridSize * gridSize, 3: drawn} {
		m := newModel(t, d, "ridge", r)
		x := make([]float64, d)
		x[0] = 0.01
		c := m.Candidates(r, x, x, m.Candidates(rng.Stream(4, "same")).At(1))
		if n := m.Candidates(r).Len(); n != want || c.Len() != want+1 && d < 3 {
			t.Errorf("%d dimensions: %d candidates, %d with one more", d, n, c.Len())
		}
	}
}
