package gpsample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

type generator func(kernel.Config, space.Box, int, *rand.Rand) (*Function, error)

// norms are the RKHS norms of n functions of 10 knots, computed from their
// weights and sorted.
func norms(t *testing.T, g generator, c kernel.Config, box space.Box, n int) []float64 {
	t.Helper()
	r := stream(11)
	v := make([]float64, n)
	for i := range v {
		f := check.Must(g(c, box, 10, r))(t)
		v[i] = math.Sqrt(squaredNorm(t, f))
	}
	slices.Sort(v)
	return v
}

// The squared norm of a draw is χ² with as many degrees of freedom as knots, in
// any dimension, whatever the lengthscale. The Kolmogorov-Smirnov statistic times
// √n exceeds 1.95 with probability 0.001.
func TestNormIsChi(t *testing.T) {
	n := check.Few(1000, 4000)
	for _, test := range []struct {
		c   kernel.Config
		box space.Box
	}{
		{seHalf(9, 1), space.Cube(1, 0, 10)},
		{kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1}}, space.Cube(2, 0, 10)},
		{kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{5 * math.Sqrt(7)}}, space.Cube(7, 0, 10)},
		{kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{5 * math.Sqrt(12)}}, space.Cube(12, 0, 10)},
		{kernel.Config{Family: "matern52", Variance: 0.3, Lengthscale: []float64{2}}, space.Cube(1, 0, 10)},
	} {
		v := norms(t, Draw, test.c, test.box, n)
		chi2 := distuv.ChiSquared{K: 10}
		var d float64
		for i, norm := range v {
			p := chi2.CDF(norm * norm)
			d = max(d, p-float64(i)/float64(n), float64(i+1)/float64(n)-p)
		}
		if stat := d * math.Sqrt(float64(n)); stat > 1.95 {
			t.Errorf("%d-D %v: ‖f‖² is not χ² with 10 degrees of freedom: Kolmogorov-Smirnov %.2f", test.box.Dim(), test.c, stat)
		}
	}
}

// The values at the knots have the kernel's covariance: over draws the products f(x_i) f(x_j)
// exceed k(x_i, x_j) by nothing on average. The standard error of the products is estimated; the
// mean must lie within 4 of it.
func TestCovariance(t *testing.T) {
	c, box := seHalf(9, 1), space.Cube(1, 0, 3)
	k := check.Must(c.New(1))(t)
	r := stream(5)
	var same, near, far []float64
	for range 4000 {
		f := draw(t, c, box, 3, r)
		for i := range f.Len() {
			for j := range i + 1 {
				x, y := f.Knot(i), f.Knot(j)
				cov := k.Eval(x, y)
				excess := f.Value(x)*f.Value(y) - cov
				switch {
				case i == j:
					same = append(same, excess)
				case cov > 4.5:
					near = append(near, excess)
				default:
					far = append(far, excess)
				}
			}
		}
	}
	for what, v := range map[string][]float64{"variance": same, "covariance of near knots": near, "covariance of far knots": far} {
		mean, std := stat.MeanStdDev(v, nil)
		if se := std / math.Sqrt(float64(len(v))); math.Abs(mean) > 4*se {
			t.Errorf("the %s is off by %.3f ± %.3f", what, mean, se)
		}
	}
}

// Monte Carlo by an independent program in numpy: 4000 instances in 1-D, 600 in
// 2-D, lengthscale 1 of the half form, variance 9, 10 knots in [0,10]^d.
var monteCarlo = []struct {
	what                        string
	draw                        generator
	dim                         int
	norm, normSD, q05, q50, q95 float64 // of ‖f‖
	best                        float64 // mean of f*
	largest                     float64 // mean of max |f|
	regret                      float64 // mean of f* - f(x) at a random x
	above3                      float64 // share of max |f| > 3
}{
	{"authors' code", DrawAuthorsCode, 1, 1.344, 0.650, 0.42, 1.27, 2.51, 2.16, 3.36, 2.17, 0.525},
	{"paper", Draw, 1, 3.048, 0.696, 1.97, 3.03, 4.26, 4.17, 5.43, 4.13, 0.953},
	{"authors' code", DrawAuthorsCode, 2, 0.934, 0.503, 0.28, 0.85, 1.85, 1.56, 2.25, 1.56, 0.242},
	{"paper", Draw, 2, 3.063, 0.653, 2.04, 3.02, 4.14, 4.64, 5.70, 4.62, 0.985},
}

func TestStatistics(t *testing.T) {
	c := seHalf(9, 1)
	for _, mc := range monteCarlo {
		box := space.Cube(mc.dim, 0, 10)
		theirs := 4000.0
		if mc.dim == 2 {
			theirs = 600
		}
		// Differences are in standard errors of both samples together, plus half a
		// unit of the last digit printed; 4 happen once in 16,000 comparisons.
		agree := func(what string, got, want, std float64, n int, digit float64) {
			t.Helper()
			se := std * math.Sqrt(1/float64(n)+1/theirs)
			if math.Abs(got-want) > 4*se+digit/2 {
				t.Errorf("%d-D, %s: %s is %.4g, should be %.4g within 4 × %.2g", mc.dim, mc.what, what, got, want, se)
			}
		}
		v := norms(t, mc.draw, c, box, check.Few(1500, 4000))
		mean, std := stat.MeanStdDev(v, nil)
		agree("mean norm", mean, mc.norm, std, len(v), 0.001)
		agree("deviation of the norm", std, mc.normSD, std/math.Sqrt2, len(v), 0.001)
		for p, want := range map[float64]float64{0.05: mc.q05, 0.5: mc.q50, 0.95: mc.q95} {
			at := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, v, nil) }
			density := 0.04 / (at(p+0.02) - at(p-0.02))
			agree("quantile of the norm", at(p), want, math.Sqrt(p*(1-p))/density, len(v), 0.01)
		}

		// The same for the optimum, which is slower.
		r := stream(12)
		x := make([]float64, mc.dim)
		var best, largest, regret, above []float64
		for range check.Few(40, 300) / mc.dim {
			f := check.Must(mc.draw(c, box, 10, r))(t)
			top := f.Maximum().Value
			bottom := -negative(f).Maximum().Value
			best = append(best, top)
			largest = append(largest, max(top, -bottom))
			regret = append(regret, top-f.Value(box.Sample(x, r)))
			if max(top, -bottom) > 3 {
				above = append(above, 1)
			} else {
				above = append(above, 0)
			}
		}
		for _, m := range []struct {
			what  string
			v     []float64
			want  float64
			digit float64
		}{
			{"mean f*", best, mc.best, 0.01}, {"mean max |f|", largest, mc.largest, 0.01},
			{"mean regret of a random point", regret, mc.regret, 0.01}, {"share of max |f| > 3", above, mc.above3, 0.001},
		} {
			mean, std := stat.MeanStdDev(m.v, nil)
			agree(m.what, mean, m.want, std, len(m.v), m.digit)
		}
	}
}

// negative is -f.
func negative(f *Function) *Function {
	g := *f
	g.alpha = slices.Clone(f.alpha)
	for i := range g.alpha {
		g.alpha[i] = -g.alpha[i]
	}
	return &g
}
