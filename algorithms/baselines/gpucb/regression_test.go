package gpucb

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// reference has the data that scripts/reference/gpucb.py makes.
type reference struct {
	Posteriors []struct {
		kernel.Config
		Noise     float64
		Flat      bool
		X, Points [][]float64
		Y         []float64
		Mean, Var []float64
		Evidence  float64
		Gradient  []float64 // in the logarithms of lengthscales and variance
	}
	Theorem2 []struct {
		T, D int
		Beta float64
	}
}

func TestReferences(t *testing.T) {
	var r reference
	check.Read(t, "testdata/regression.json", &r)
	for i, c := range r.Posteriors {
		d := len(c.X[0])
		k := mustKernel(t, c.Config, d)
		g := gp.NewRegression(k, c.Noise, c.Flat)
		check.OK(t, g.Condition(k, slices.Concat(c.X...), c.Y))
		for j, p := range c.Points {
			mean, variance := g.Moments(p)
			check.Near(t, mean, c.Mean[j], 1e-11, "set %d: mean at point %d", i, j)
			check.Near(t, variance, c.Var[j], 1e-11, "set %d: variance at point %d", i, j)
		}
		// The fifth point is the second visited.
		check.Near(t, g.PointMean(1), c.Mean[4], 1e-11, "set %d: mean at a visited point", i)
		check.Near(t, g.Evidence(), c.Evidence, 1e-11, "set %d: evidence", i)
		grad := make([]float64, d+1)
		g.AddEvidenceGrad(grad)
		for j, want := range c.Gradient {
			check.Near(t, grad[j], want, 1e-10, "set %d: evidence's gradient[%d]", i, j)
		}
	}
	for _, c := range r.Theorem2 {
		b := BetaConfig{Schedule: "theorem2", Factor: 0.2}
		check.Near(t, b.at(c.T, c.D), 0.2*c.Beta, 1e-13, "theorem 2 at t = %d in %d-D", c.T, c.D)
	}
	check.Equal(t, "constant", BetaConfig{Schedule: "constant", Factor: 9}.at(17, 2), 9)
}

// data returns n values of a wave at random points of the box.
func data(box space.Box, n int, r *rand.Rand) (x, y []float64) {
	d := box.Dim()
	for range n {
		p := box.Sample(make([]float64, d), r)
		x = append(x, p...)
		y = append(y, 3*math.Sin(3*p[0])+float64(d)*p[d-1]+0.5*r.NormFloat64())
	}
	return x, y
}

func mustKernel(t testing.TB, c kernel.Config, d int) kernel.Kernel {
	t.Helper()
	return check.Must(c.New(d))(t)
}

func TestGradientOfTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []kernel.Config{
		{Family: "matern52", Variance: 2, Lengthscale: []float64{0.7}},
		{Family: "se-paper", Variance: 2, Lengthscale: []float64{0.4, 0.8, 1.5}},
		{Family: "linear", Variance: 2},
	} {
		k := mustKernel(t, c, 3)
		for _, n := range []int{0, 1, 9} {
			g := gp.NewRegression(k, 0.3, n != 1)
			x, y := data(space.Cube(3, -1, 1), n, r)
			check.OK(t, g.Condition(k, x, y))
			bound := func(x, grad []float64) float64 { return g.Bound(x, grad, 3) }
			check.Gradient(t, fmt.Sprintf("%s, %d values", c.Family, n), bound, []float64{0.21, -0.4, 0.6}, 1e-5, 1e-7)
			at, grad := []float64{0.1, 0.2, 0.3}, make([]float64, 3)
			check.Equal(t, "allocations of an evaluation", testing.AllocsPerRun(10, func() { g.Bound(at, grad, 3) }), 0)
		}
	}
}

// In runs, the density of a fit is never below that of the best of ten full searches, from the priors' mode and
// from quasi-random hyper-parameters, by more than 1e-4.
func TestFitIsAsGoodAsManyClimbs(t *testing.T) {
	for d := 1; d <= 3; d++ {
		box := space.Cube(d, 0, 1)
		p := mustNew(t, box, uint64(20+d), defaults)
		many := newFitter(Default(), box, gp.NewRegression(p.m.model.Kernel, p.m.model.Noise, p.m.model.Constant))
		spread := search.NewCandidates(many.hyper.Box, 9, nil)
		starts := append(spread.Best(make([]float64, 9), 9, nil), many.hyper.Mode())
		for range 25 {
			play(t, p, 1)
			many.x, many.y = p.m.model.X, p.m.model.Y
			got, best := many.hyper.Density(many.hyper.Logs(p.m.kernel), nil), many.hyper.Fit(starts...)
			check.That(t, got >= best.Value-1e-4,
				"%d-D, %d values: log density %.6f at the fit, %.6f after full searches", d, len(many.y), got, best.Value)
		}
	}
}

// Starts are peaks among the candidates, the best first.
func TestStartsArePeaks(t *testing.T) {
	p := mustNew(t, space.Cube(2, -1, 1), 4, func(c *Config) { c.Fit, c.Kernel.Lengthscale = "none", []float64{0.5} })
	play(t, p, 15)
	c, g := p.m.cand, p.m.model
	best := c.best(3, 5)
	for i, x := range best {
		bound := g.Bound(x, nil, 3)
		check.That(t, i == 0 || bound <= g.Bound(best[i-1], nil, 3), "starts %v", best)
		for j, score := range c.score {
			check.That(t, search.SquareDistance(c.box, x, c.At(j)) >= 0.005 || score <= bound+1e-9, "the start %v has %g, a candidate beside it, %v, %g", x, bound, c.At(j), score)
		}
	}
}

// Above two dimensions half of the starts are from the grid and half quasi-random; for the mean there are half as many.
func TestStartsOfBothKinds(t *testing.T) {
	p := mustNew(t, space.Cube(6, 0, 1), 4, defaults)
	play(t, p, 5)
	check.Equal(t, "starts for the mean", len(p.m.cand.best(0, 8)), 4)
	for i, x := range p.m.cand.best(3, 8) {
		inside := slices.ContainsFunc(x, func(u float64) bool { return u != 0 && u != 0.5 && u != 1 })
		check.Equal(t, fmt.Sprintf("whether start %d is off the grid", i), inside, i >= 4)
	}
}
