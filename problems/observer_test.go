package problems

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The centred standard Gumbel distribution has mean 0, variance π²/6 and P(ε <= 0) = exp(-exp(-γ)).
// The tolerance is five standard errors; the seed is fixed. The fourth central moment is 27/5 of
// the squared variance.
func TestObserverNoise(t *testing.T) {
	check.Sequential(t)
	const n = 200_000
	o := NewObserver(identity(t, -1, 1), stream(1))
	var sum, square, below float64
	for range n {
		v := check.Must(o.Values(t.Context(), [][]float64{{0.25}}))(t)
		e := v[0] - 0.25
		sum += e
		square += e * e
		if e <= 0 {
			below++
		}
	}
	const variance = math.Pi * math.Pi / 6
	p := math.Exp(-math.Exp(-0.5772156649015329))
	for _, c := range []struct {
		what            string
		got, want, dev1 float64
	}{
		{"mean", sum / n, 0, math.Sqrt(variance)},
		{"variance", square / n, variance, variance * math.Sqrt(27./5-1)},
		{"share below 0", below / n, p, math.Sqrt(p * (1 - p))},
	} {
		check.Near(t, c.got, c.want, 5*c.dev1/math.Sqrt(n), "%s", c.what)
	}
}

// The point with the largest observation wins as often as with the oracle, because both have the
// same noise. The tolerance is five standard deviations of a binomial count; seeds are fixed.
func TestObservationsRankAsTheJudge(t *testing.T) {
	check.Sequential(t)
	const n = 30_000
	for seed, values := range [][]float64{{0, 0}, {0, 1}, {-2, 1.5}, {1, -1, 0.5, 2}} {
		o := NewObserver(identity(t, -100, 100), stream(uint64(seed)))
		counts := make([]float64, len(values))
		for range n {
			v := check.Must(o.Values(t.Context(), query(values...)))(t)
			best := 0
			for i := range v {
				if v[i] > v[best] {
					best = i
				}
			}
			counts[best]++
		}
		for i := range values {
			p := math.Exp(logProbability(values, i))
			if slack := 5 * math.Sqrt(n*p*(1-p)); math.Abs(counts[i]-n*p) > slack {
				t.Errorf("values %v: point %d is observed largest %.0f times of %d, should be %.0f ± %.0f", values, i, counts[i], n, n*p, slack)
			}
		}
	}
}

// constant is a source whose numbers are all equal.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

func TestGumbelIsFiniteAtTheEnds(t *testing.T) {
	for _, c := range []struct{ from, want float64 }{
		{gumbel(rand.New(constant(0))), -math.Log(53*math.Ln2) - eulerGamma},
		{gumbel(rand.New(constant(math.MaxUint64))), 53*math.Ln2 - eulerGamma},
	} {
		check.That(t, near(c.from, c.want, 1e-14), "noise of %g, should be %g", c.from, c.want)
	}
}

// The noise does not depend on the points: one number for each, and none after an error.
func TestObserverDrawsOneNumberAPoint(t *testing.T) {
	p := identity(t, -10, 10)
	a, b := NewObserver(p, stream(3)), NewObserver(p, stream(3))
	if _, err := a.Values(t.Context(), query(1, 11)); err == nil || !strings.Contains(err.Error(), "points[1][0] = 11 is outside the box") {
		t.Errorf("a point outside the box gives %v", err)
	}
	together := check.Must(a.Values(t.Context(), query(1, 2, 3)))(t)
	for i, v := range together {
		alone := check.Must(b.Values(t.Context(), query(-float64(i))))(t)
		if noise, other := v-float64(i+1), alone[0]+float64(i); !near(noise, other, 1e-14) {
			t.Errorf("point %d: noise %g, and %g where it is asked alone", i, noise, other)
		}
	}
}
