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

func readReference(t *testing.T) reference {
	t.Helper()
	var r reference
	check.Read(t, "testdata/regression.json", &r)
	return r
}

func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*max(1, math.Abs(want)) }

func TestPosteriorAndEvidence(t *testing.T) {
	for i, c := range readReference(t).Posteriors {
		d := len(c.X[0])
		k := check.Must(c.Config.New(d))(t)
		g := gp.NewRegression(k, c.Noise, c.Flat)
		var x []float64
		for _, p := range c.X {
			x = append(x, p...)
		}
		check.OK(t, g.Condition(k, x, c.Y))
		for j, p := range c.Points {
			mean, variance := g.Moments(p)
			if !near(mean, c.Mean[j], 1e-11) || !near(variance, c.Var[j], 1e-11) {
				t.Errorf("set %d, point %d: mean %.14g and variance %.14g, want %.14g and %.14g", i, j, mean, variance, c.Mean[j], c.Var[j])
			}
		}
		if got := g.PointMean(1); !near(got, c.Mean[4], 1e-11) { // the fifth point is the second visited
			t.Errorf("set %d: mean %.14g at a visited point, want %.14g", i, got, c.Mean[4])
		}
		if got := g.Evidence(); !near(got, c.Evidence, 1e-11) {
			t.Errorf("set %d: evidence %.14g, want %.14g", i, got, c.Evidence)
		}
		grad := make([]float64, d+1)
		g.AddEvidenceGrad(grad)
		for j, want := range c.Gradient {
			if !near(grad[j], want, 1e-10) {
				t.Errorf("set %d: evidence's gradient[%d] = %.13g, want %.13g", i, j, grad[j], want)
			}
		}
	}
}

func TestBeta(t *testing.T) {
	r := readReference(t)
	for _, c := range r.Theorem2 {
		b := BetaConfig{Schedule: "theorem2", Factor: 0.2}
		if got := b.at(c.T, c.D); !near(got, 0.2*c.Beta, 1e-13) {
			t.Errorf("theorem 2: %+v gives %.15g", c, got)
		}
	}
	if got := (BetaConfig{Schedule: "constant", Factor: 9}).at(17, 2); got != 9 {
		t.Errorf("constant 9 gives %g", got)
	}
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
	const h = 1e-5
	for _, c := range []kernel.Config{
		{Family: "matern52", Variance: 2, Lengthscale: []float64{0.7}},
		{Family: "se-paper", Variance: 2, Lengthscale: []float64{0.4, 0.8, 1.5}},
		{Family: "linear", Variance: 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			for _, flat := range []bool{true, false} {
				t.Run(fmt.Sprintf("flat=%v", flat), func(t *testing.T) {
					for _, factor := range []float64{0, 3} {
						for _, n := range []int{0, 1, 9} {
							d := 3
							k := mustKernel(t, c, d)
							g := gp.NewRegression(k, 0.3, flat)
							x, y := data(space.Cube(d, -1, 1), n, r)
							check.OK(t, g.Condition(k, x, y))
							at, grad := []float64{0.21, -0.4, 0.6}, make([]float64, d)
							g.Bound(at, grad, factor)
							for j, v := range at {
								at[j] = v + h
								up := g.Bound(at, nil, factor)
								at[j] = v - h
								down := g.Bound(at, nil, factor)
								at[j] = v
								if want := (up - down) / (2 * h); !near(grad[j], want, 1e-7) {
									t.Errorf("%s, flat %v, factor %g, %d values: gradient[%d] = %g, differences give %g", c.Family, flat, factor, n, j, grad[j], want)
								}
							}
						}
					}
				})
			}
		})
	}
}

// The gradient of the posterior density with its priors, for one lengthscale and for several.
func TestGradientOfTheDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	box := space.Box{Lo: []float64{0, -10}, Hi: []float64{1, 30}}
	x, y := data(box, 11, r)
	const h = 1e-5
	for _, fit := range []string{"isotropic", "ard"} {
		t.Run(fit, func(t *testing.T) {
			cfg := Default()
			cfg.Fit = fit
			k := mustKernel(t, cfg.Kernel, 2)
			f := newFitter(cfg, box, gp.NewRegression(k, 0.8, true))
			f.x, f.y = x, y
			theta := []float64{-0.3, 0.4, 0.9}
			if fit == "isotropic" {
				theta = theta[1:]
			}
			grad := make([]float64, len(theta))
			f.hyper.Density(theta, grad)
			for j, v := range theta {
				theta[j] = v + h
				up := f.hyper.Density(theta, nil)
				theta[j] = v - h
				down := f.hyper.Density(theta, nil)
				theta[j] = v
				if want := (up - down) / (2 * h); !near(grad[j], want, 1e-7) {
					t.Errorf("gradient[%d] = %g, differences give %g", j, grad[j], want)
				}
			}
		})
	}
}

// Before any value the fit is the mode of the priors. With values of a known process it finds the process.
func TestFit(t *testing.T) {
	box := space.Box{Lo: []float64{0, 10}, Hi: []float64{2, 50}}
	cfg := Default()
	k := mustKernel(t, cfg.Kernel, 2)
	f := newFitter(cfg, box, gp.NewRegression(k, 0.05, true))
	c, ok := f.fit(cfg.Kernel, nil, nil)
	if !ok {
		t.Error("without values: the fit did not converge")
	}
	if !near(c.Lengthscale[0], 2./3, 1e-6) || !near(c.Lengthscale[1], 40./3, 1e-6) || !near(c.Variance, 1/0.15, 1e-6) {
		t.Errorf("without values: %v, want the priors' mode", c)
	}

	// Values drawn with lengthscales of 0.15 and 0.6 box widths.
	truth := kernel.Config{Family: "matern52", Variance: 4, Lengthscale: []float64{0.3, 24}}
	r := rand.New(rand.NewPCG(3, 1))
	const n = 120
	var x, y []float64
	g := gp.NewRegression(mustKernel(t, truth, 2), 0.05, false)
	for range n { // each value given those before it
		p := box.Sample(make([]float64, 2), r)
		mean, variance := g.Moments(p)
		v := mean + math.Sqrt(variance+g.Noise)*r.NormFloat64()
		check.OK(t, g.Add(p, []float64{v}))
		x, y = append(x, p...), append(y, v)
	}
	c, ok = f.fit(c, x, y)
	// The tolerance is half in the logarithm: with 120 values the posterior's deviation is about 0.2.
	if !ok || math.Abs(math.Log(c.Lengthscale[0]/0.3)) > 0.5 || math.Abs(math.Log(c.Lengthscale[1]/24)) > 0.5 {
		t.Errorf("fitted %v (%v), drawn from %v", c, ok, truth)
	}
	t.Logf("%v after %d evaluations", c, f.evaluations)

	grad := make([]float64, 3)
	theta := []float64{math.Log(c.Lengthscale[0] / 2), math.Log(c.Lengthscale[1] / 40), math.Log(c.Variance)}
	value := f.hyper.Density(theta, grad)
	for j, v := range grad {
		if math.Abs(v) > 1e-4*math.Abs(value) {
			t.Errorf("gradient[%d] = %g at the fit", j, v)
		}
	}
}

// In runs, the density of a fit is never below that of the best of ten full searches, from the priors' mode and
// from quasi-random hyper-parameters, by more than 1e-4.
func TestFitIsAsGoodAsManyClimbs(t *testing.T) {
	for d := 1; d <= 3; d++ {
		box := space.Cube(d, 0, 1)
		p := mustNew(t, setup(box, uint64(20+d)), Default())
		many := newFitter(Default(), box, gp.NewRegression(p.m.model.Kernel, p.m.model.Noise, p.m.model.Constant))
		spread := search.NewCandidates(many.hyper.Box(), 9, nil)
		starts := [][]float64{many.hyper.Mode()}
		for i := range spread.Len() {
			starts = append(starts, spread.At(i))
		}
		for range 25 {
			play(t, p, 1, wave, 0.5, rand.New(rand.NewPCG(1, uint64(p.m.model.Len()))))
			many.x, many.y = p.m.model.X, p.m.model.Y
			got, best := many.hyper.Density(many.hyper.Logs(p.m.kernel), nil), many.hyper.Fit(starts...)
			if got < best.Value-1e-4 {
				t.Errorf("%d-D, %d values: log density %.6f at the fit, %.6f after full searches", d, len(many.y), got, best.Value)
			}
		}
	}
}

// The candidates, updated by rows, agree with a solve.
func TestCandidatesFollowTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	box := space.Cube(2, -1, 1)
	for _, flat := range []bool{true, false} {
		t.Run(fmt.Sprintf("flat=%v", flat), func(t *testing.T) {
			k := mustKernel(t, kernel.Config{Family: "matern32", Variance: 3, Lengthscale: []float64{0.5}}, 2)
			g := gp.NewRegression(k, 0.2, flat)
			c := newCandidates(box, r)
			c.Follow(g)
			x, y := data(box, 15, r)
			for i, v := range y {
				check.OK(t, g.Add(x[2*i:2*i+2], []float64{v}))
				c.Follow(g)
			}
			once := candidates{Candidates: c.Candidates, Tracked: gp.NewTracked(c.X, c.Len()), box: box, score: make([]float64, c.Len())}
			once.Follow(g)
			once.best(3, 5)
			best := c.best(3, 5)
			if !slices.Equal(c.score, once.score) {
				t.Errorf("flat %v: followed one by one the bounds have other bits than at once", flat)
			}
			for i := range c.Len() {
				if got, want := c.score[i], g.Bound(c.At(i), nil, 3); !near(got, want, 1e-12) {
					t.Fatalf("flat %v: candidate %d has %.15g, want %.15g", flat, i, got, want)
				}
			}
			for i := 1; i < len(best); i++ {
				if g.Bound(best[i], nil, 3) > g.Bound(best[i-1], nil, 3) || c.same(best[i], best[i-1]) {
					t.Errorf("starts %v", best)
				}
			}
		})
	}
}

func TestNoAllocationInTheSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	box := space.Cube(3, -1, 1)
	k := mustKernel(t, kernel.Config{Family: "matern52", Variance: 3, Lengthscale: []float64{0.5}}, 3)
	g := gp.NewRegression(k, 0.2, true)
	x, y := data(box, 40, r)
	check.OK(t, g.Condition(k, x, y))
	grad := make([]float64, 3)
	if a := testing.AllocsPerRun(100, func() { g.Bound(x[:3], grad, 3) }); a != 0 {
		t.Errorf("%g allocations an evaluation", a)
	}
}
