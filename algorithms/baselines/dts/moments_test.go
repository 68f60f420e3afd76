package dts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

// The references have 30 digits and come from scripts/reference/challenger.py.
func TestMoments(t *testing.T) {
	var rows []struct {
		M, V          float64
		Probit, Logit [3]float64 // the variance, and the logarithm of the mean at -M
	}
	check.Read(t, "../challenger/testdata/answers.json", &rows)
	for _, r := range rows {
		for l, want := range map[link][3]float64{probit{}: r.Probit, logit{}: r.Logit} {
			p, v := l.moments(-r.M, r.V)
			check.Near(t, p, math.Exp(want[1]), 2e-10, "%T of N(%g, %g): mean", l, -r.M, r.V)
			check.Near(t, v, want[0], 2e-9, "%T of N(%g, %g): variance", l, -r.M, r.V)
			q, u := l.moments(r.M, r.V)
			check.That(t, math.Abs(p+q-1) <= 1e-15 && math.Abs(u-v) <= 1e-15,
				"%T of N(%g, %g) and its mirror image: means %g and %g, variances %g and %g", l, r.M, r.V, p, q, v, u)
		}
	}
	// Means and variances far beyond what the prior allows, where the integral is not exact, still give a probability.
	for _, l := range []link{logit{}, probit{}} {
		for _, mean := range []float64{0, 400, -1e5, 1e8, -1e8} {
			for _, variance := range []float64{0, 900, 3500, 1e9} {
				p, v := l.moments(mean, variance)
				check.That(t, p >= 0 && p <= 1 && v >= 0 && v <= 0.25+1e-9, "%T of N(%g, %g): mean %g, variance %g", l, mean, variance, p, v)
				check.That(t, mean == 0 || variance > 3500 || math.Abs(p-0.5) > 0.49, "%T of N(%g, %g): mean %g", l, mean, variance, p)
			}
		}
	}
}

// means agrees with moments, and rough and variance do to within their errors, also for deviations that moments replaces by
// a smaller one.
func TestMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, l := range []link{logit{}, probit{}} {
		mean, variance := []float64{1e9, -1e9, 1, 1}, []float64{1, 0, 1e9, 0}
		for range 3000 {
			mean, variance = append(mean, 8*r.NormFloat64()), append(variance, math.Pow(10, -3+6*r.Float64()))
		}
		for _, sd := range []float64{10, 59, 61, 80, 200, 1e4} {
			for u := -8.; u <= 8; u += 0.01 {
				mean, variance = append(mean, u*sd), append(variance, sd*sd)
			}
		}
		means, rough := slices.Clone(mean), slices.Clone(mean)
		l.means(means, variance)
		l.rough(rough, slices.Clone(variance))
		for i := range mean {
			want, v := l.moments(mean[i], variance[i])
			check.Near(t, l.variance(mean[i], variance[i]), v, varianceError, "%T of N(%g, %g): variance", l, mean[i], variance[i])
			check.That(t, means[i] == want && math.Abs(rough[i]-want) <= l.roughError(),
				"%T of N(%g, %g): mean %.12g, roughly %.12g, want %.12g", l, mean[i], variance[i], means[i], rough[i], want)
		}
	}
}
