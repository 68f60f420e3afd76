package dts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/fmath"
)

// prob is the probability p(f).
func (logit) prob(f float64) float64 { return 1 / (1 + fmath.Exp(-f)) }

// testedLink is a link with its probability.
type testedLink interface {
	link
	prob(f float64) float64
}

// byBruteForce integrates p(f) and p(f)² over f ~ N(mean, variance) by a midpoint rule of 20,000 nodes over ±9
// standard deviations. For an integrand this smooth, the only error is that of the tails, 1e-19.
func byBruteForce(l testedLink, mean, variance float64) (p, v float64) {
	const nodes, extent = 20_000, 9
	var mass, first, second float64
	for i := range nodes {
		z := extent * (2*(float64(i)+0.5)/nodes - 1)
		w := math.Exp(-z * z / 2)
		q := l.prob(mean + math.Sqrt(variance)*z)
		mass += w
		first += w * q
		second += w * q * q
	}
	p = first / mass
	return p, second/mass - p*p
}

func TestMoments(t *testing.T) {
	for _, l := range []testedLink{logit{}, probit{}} {
		for _, mean := range []float64{0, 1e-3, -0.7, 3, -12, 40, 400, -1e5} {
			for _, variance := range []float64{0, 1e-10, 0.01, 0.2, 0.5, 1, 3, 40, 900, 3500} {
				p, v := l.moments(mean, variance)
				wantP, wantV := byBruteForce(l, mean, variance)
				q, u := l.moments(-mean, variance)
				check.That(t, math.Abs(p-wantP) < 2e-10 && math.Abs(v-wantV) < 2e-9,
					"%T of N(%g, %g): %.12g, %.12g, want %.12g, %.12g", l, mean, variance, p, v, wantP, wantV)
				check.That(t, math.Abs(p+q-1) <= 1e-15 && math.Abs(u-v) <= 1e-15,
					"%T of N(%g, %g) and its mirror image: means %g and %g, variances %g and %g", l, mean, variance, p, q, v, u)
			}
		}
		// Variances larger than the prior allows, beyond the range in which the integral is exact, still give a probability.
		for _, mean := range []float64{0, 1e8, -1e8} {
			p, v := l.moments(mean, 1e9)
			check.That(t, p >= 0 && p <= 1 && v >= 0 && v <= 0.25+1e-9, "%T of N(%g, 1e9): mean %g, variance %g", l, mean, p, v)
		}
	}
}

// means agrees with moments, and rough does to within its error, also for deviations that moments replaces by a smaller one.
func TestMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, l := range []testedLink{logit{}, probit{}} {
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
		l.rough(rough, variance)
		for i := range mean {
			want, _ := l.moments(mean[i], variance[i])
			check.That(t, means[i] == want && math.Abs(rough[i]-want) <= l.roughError(),
				"%T of N(%g, %g): mean %.12g, roughly %.12g, want %.12g", l, mean[i], variance[i], means[i], rough[i], want)
		}
	}
}
