package dts

import (
	"math"
	"testing"
)

// byBruteForce integrates p(f) and p(f)² over f ~ N(mean, variance) by a midpoint
// rule of 20,000 nodes over ±9 standard deviations: an integrand this smooth leaves
// no error but that of the tails, 1e-19.
func byBruteForce(l link, mean, variance float64) (p, v float64) {
	const nodes, reach = 20_000, 9
	var mass, first, second float64
	for i := range nodes {
		z := reach * (2*(float64(i)+0.5)/nodes - 1)
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
	for _, l := range []link{logit{}, probit{}} {
		for _, mean := range []float64{0, 1e-3, -0.7, 3, -12, 40, 400, -1e5} {
			for _, variance := range []float64{0, 1e-10, 0.01, 0.2, 0.5, 1, 3, 40, 900, 3500} {
				p, v := l.moments(mean, variance)
				wantP, wantV := byBruteForce(l, mean, variance)
				if !(math.Abs(p-wantP) < 2e-10) || !(math.Abs(v-wantV) < 2e-9) {
					t.Errorf("%T of N(%g, %g): %.12g, %.12g, want %.12g, %.12g", l, mean, variance, p, v, wantP, wantV)
				}
				q, u := l.moments(-mean, variance)
				if math.Abs(p+q-1) > 1e-15 || math.Abs(u-v) > 1e-15 {
					t.Errorf("%T of N(%g, %g) and of its mirror image: means add up to 1 + %g, variances differ by %g", l, mean, variance, p+q-1, u-v)
				}
			}
		}
	}
}

// What is more doubtful than all that the prior allows, beyond the range in which
// the integral is exact: still a probability.
func TestMomentsFarOut(t *testing.T) {
	for _, l := range []link{logit{}, probit{}} {
		for _, mean := range []float64{0, 1e8, -1e8} {
			p, v := l.moments(mean, 1e9)
			if !(p >= 0 && p <= 1 && v >= 0 && v <= 0.25+1e-9) {
				t.Errorf("%T of N(%g, 1e9): mean %g, variance %g", l, mean, p, v)
			}
		}
	}
}

func BenchmarkMoments(b *testing.B) {
	for b.Loop() {
		logit{}.moments(0.8, 2.5)
	}
}
