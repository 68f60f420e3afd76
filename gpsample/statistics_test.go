package gpsample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

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
		for range check.Few(24, 300) / mc.dim {
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
