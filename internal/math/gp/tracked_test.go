package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// The tracked moments are those of the regression, whether values come one at a time, together, or with another regression.
func TestTrackedFollowsTheRegression(t *testing.T) {
	const d, points = 2, 5
	k := check.Must(kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{1, 2}}.New(d))(t)
	r := rand.New(rand.NewPCG(1, 1))
	random := func(n int) []float64 {
		x := make([]float64, n*d)
		for i := range x {
			x[i] = 4 * r.Float64()
		}
		return x
	}
	x := random(points)
	tracked := NewTracked(x, points)
	for _, constant := range []bool{true, false} {
		g := NewRegression(k, 0.1, constant)
		for _, more := range []int{3, 1, 1, 4} {
			at, y := random(more), make([]float64, more)
			for i := range y {
				y[i] = 3 + wide.Dot(at[i*d:(i+1)*d], at[i*d:])
			}
			check.OK(t, g.Add(at, y))
			tracked.Follow(g)
			means, bounds := make([]float64, points), make([]float64, points)
			tracked.Bounds(means, 0)
			tracked.Bounds(bounds, 1.5)
			for i := range points {
				mean, variance := g.Moments(x[i*d : (i+1)*d])
				bound := mean + 1.5*math.Sqrt(variance)
				check.Near(t, means[i], mean, 1e-10, "constant %t, %d values: mean %d", constant, g.Len(), i)
				check.Near(t, bounds[i], bound, 1e-10, "constant %t, %d values: bound %d", constant, g.Len(), i)
			}
		}
	}
}
