package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGradLogSlopesAgainstFiniteDifferences(t *testing.T) {
	const h = 1e-5
	r := rand.New(rand.NewPCG(5, 1))
	for _, c := range all() {
		if c.Family == "linear" {
			continue
		}
		for _, d := range []int{1, 2, 3, 7} {
			t.Run(label(c, d), func(t *testing.T) {
				const n = block + 3
				c := ard(c, d)
				x, pts, w, row := uniform(r, d), uniform(r, n*d), uniform(r, n), make([]float64, n)
				copy(pts, x) // a point at distance 0
				f := func(l []float64) float64 {
					mustNew(t, c.WithLengthscale(l), d).Row(row, x, pts)
					var s float64
					for i, k := range row {
						s += w[i] * k
					}
					return s
				}
				k, ok := mustNew(t, c, d).(Stationary)
				if !ok {
					t.Fatalf("%s is not Stationary", label(c, d))
				}
				got := make([]float64, d)
				slopes := make([]float64, len(w))
				k.RowSlopes(make([]float64, len(w)), slopes, x, pts)
				k.GradLogSlopes(got, x, pts, slopes, w)
				for j := range got {
					l := c.WithLengthscale(c.Lengthscale).Lengthscale
					l[j] = c.Lengthscale[j] * math.Exp(h)
					up := f(l)
					l[j] = c.Lengthscale[j] * math.Exp(-h)
					if want := (up - f(l)) / (2 * h); !near(got[j], want, 1e-7*(1+math.Abs(want))) {
						t.Errorf("∂/∂log l[%d] = %.10g, differences give %.10g", j, got[j], want)
					}
				}
			})
		}
	}
}
