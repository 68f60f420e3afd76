package pfts

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/internal/math/arms/armstest"
	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
)

func TestDrawsReference(t *testing.T) {
	const draws = 20000
	sets := armstest.References(t)
	r := rng.Stream(8, "arms", "PF-TS")
	var errors float64
	for _, c := range armstest.Selections(t).PFTS {
		s := sets[c.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := arms.NewPosterior(d, s.Rho2)
		p.Update()
		p.Factor()
		f := duellingtest.Estimate(t, c.Estimator, d, s.Lambda).F
		what := fmt.Sprintf("set %d, %s", s.ID, c.Estimator)
		scale := 1.0
		if c.Scale == "program" {
			scale = sampleScale(d.Len())
		}
		check.Near(t, scale, c.Factor, 1e-12, "%s: scale", what)
		sample := make([]float64, s.K)
		for _, x := range c.Draws {
			for i, z := range [][]float64{x.Z1, x.Z2} {
				p.Draw(sample, f, scale, z)
				at := linalg.ArgMax(sample)
				check.Near(t, sample[at], x.Max[i], 1e-7, "%s: largest of a draw", what)
				check.That(t, at == x.Pair[i], "%s: arm %d is the largest of a draw, want %d", what, at, x.Pair[i])
			}
		}
		count, z := make([]float64, s.K), make([]float64, s.K)
		for range draws {
			for i := range z {
				z[i] = rng.Normal(r)
			}
			p.Draw(sample, f, scale, z)
			count[linalg.ArgMax(sample)]++
		}
		for i, n := range count {
			q := c.ArgMax[i]
			se := math.Sqrt(c.Se[i]*c.Se[i] + max(q*(1-q), 1/draws)/draws)
			errors = max(errors, math.Abs(n/draws-q)/se)
		}
	}
	// The largest of about 200 standard normal numbers is above 4.5 once in 700 times.
	check.That(t, errors <= 4.5, "a share of draws is %.2g standard errors from its probability", errors)
}

// The arm with the largest upper bound of its advantage over a fixed one: what the authors' program calls POP-BO.
func TestUpperBoundReference(t *testing.T) {
	file, sets := armstest.Selections(t), armstest.References(t)
	for _, state := range file.States {
		s := sets[state.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := arms.NewPosterior(d, s.Rho2)
		p.Update()
		for _, v := range state.POPBO {
			f, best, fixed := duellingtest.Estimate(t, "published_mean", d, s.Lambda).F, math.Inf(-1), int(v[0])
			at := -1
			for a := range f {
				if u := f[a] - f[fixed] + math.Sqrt(p.Variance(a, fixed)); u > best {
					at, best = a, u
				}
			}
			if at != int(v[1]) || math.Abs(best-v[2]) > 1e-8 {
				t.Errorf("set %d: advantage over %d is largest for %d, %g; want %g, %g", s.ID, fixed, at, best, v[1], v[2])
			}
		}
	}
}
