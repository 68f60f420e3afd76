package pfts

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
)

func TestDrawsReference(t *testing.T) {
	const draws = 20000
	sets := armstest.References(t)
	r := rng.Stream(8, "arms", "PF-TS")
	var errors float64
	var file struct {
		PFTS []struct {
			Set       int
			Estimator string
			Scale     string
			Factor    float64 `json:"covariance_factor"`
			Draws     []struct {
				Z1, Z2 []float64
				Pair   [2]int
				Max    [2]float64
			}
			ArgMax []float64 `json:"p_argmax"`
			Se     []float64
		}
	}
	armstest.Read(t, "selection.json", &file)
	check.Equal(t, "references", len(file.PFTS), 22)
	for _, c := range file.PFTS {
		s := sets[c.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := duellingtest.Posterior(d, s.Rho2)
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
