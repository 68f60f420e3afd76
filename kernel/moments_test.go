package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// stationaryKernels returns kernels of every stationary family, in two dimensions.
func stationaryKernels(t *testing.T) (configs []Config, kernels []Kernel) {
	t.Helper()
	for _, c := range all() {
		if c.Family != "linear" && c.Nu != 50 {
			c.Variance, c.Lengthscale = 3, []float64{0.2, 0.5}
			configs, kernels = append(configs, c), append(kernels, check.Must(c.New(2))(t))
		}
	}
	return configs, kernels
}

// Moments agree with finite differences at 0, and are infinite where the derivatives do not exist.
func TestMoments(t *testing.T) {
	configs, kernels := stationaryKernels(t)
	for i, c := range configs {
		m2, m4 := c.Moments()
		at := func(h float64) float64 { return kernels[i].Eval([]float64{0, 0}, []float64{0, h * 0.5}) / c.Variance }
		second := func(h float64) float64 { return 2 * (1 - at(h)) / (h * h) }
		fourth := func(h float64) float64 { return 2 * (at(2*h) - 4*at(h) + 3) / (h * h * h * h) }
		for _, f := range []struct {
			name       string
			want       float64
			difference func(float64) float64
		}{{"m2", m2, second}, {"m4", m4, fourth}} {
			t.Run(fmt.Sprintf("%s%g/%s", c.Family, c.Nu, f.name), func(t *testing.T) {
				near, far := f.difference(0.005), f.difference(0.01)
				switch {
				case math.IsInf(f.want, 1):
					check.That(t, near >= 1.1*far, "the moment is infinite, by differences %g and %g", far, near)
				case c.Family == "matern" && c.Nu < 3: // differences converge too slowly
					check.That(t, near <= f.want && near >= far, "the moment is %g, by differences %g and %g", f.want, far, near)
				case math.Abs(near-f.want) > 0.03*f.want:
					t.Errorf("the moment is %g, by differences %g", f.want, near)
				}
			})
		}
	}
}

// No function exceeds its greatest value at the corners of a cell by more than AboveCorners says. In a small cell
// one function nearly does: k(mid,·) minus the mean of k at the corners, which exceeds them most in the middle.
func TestAboveCorners(t *testing.T) {
	configs, kernels := stationaryKernels(t)
	r := rand.New(rand.NewPCG(1, 1))
	for i, c := range configs {
		k := kernels[i]
		for _, side := range []float64{0.01, 0.1, 0.5, 3} {
			for trial := range 30 {
				lo := []float64{r.Float64(), r.Float64()}
				h := []float64{side / 2 * c.Lengthscale[0] * r.Float64(), side / 2 * c.Lengthscale[1] * r.Float64()}
				if trial%3 == 0 { // flat: curved along one side only
					h[0] *= 1e-3
				}
				mid := []float64{lo[0] + h[0], lo[1] + h[1]}
				var corners, points, alpha []float64
				for a := range 4 {
					corners = append(corners, lo[0]+2*h[0]*float64(a&1), lo[1]+2*h[1]*float64(a>>1))
				}
				if points = append(points, mid...); trial%2 == 0 {
					points, alpha = append(points, corners...), []float64{1, -0.25, -0.25, -0.25, -0.25}
				} else {
					for alpha = []float64{r.NormFloat64()}; len(alpha) < 6; {
						points, alpha = append(points, lo[0]+h[0]*4*r.Float64(), lo[1]+h[1]*4*r.Float64()), append(alpha, r.NormFloat64())
					}
				}
				f := weighted(k, points, alpha)
				var norm2 float64
				for j, a := range alpha {
					norm2 += a * f(points[2*j:2*j+2])
				}
				top := math.Inf(-1)
				for a := range 4 {
					top = max(top, f(corners[2*a:2*a+2]))
				}
				bound := c.AboveCorners(k, lo, mid) * math.Sqrt(norm2)
				above := f(mid) - top
				for range 20 {
					above = max(above, f([]float64{lo[0] + 2*h[0]*r.Float64(), lo[1] + 2*h[1]*r.Float64()})-top)
				}
				check.That(t, above <= bound+1e-12, "%v: %g above the corners of a cell with sides %g, the bound is %g", c, above, h, bound)
				_, m4 := c.Moments()
				check.That(t, trial%6 != 0 || side != 0.1 || c.Family == "matern" || math.IsInf(m4, 1) || above >= 0.9*bound,
					"%v: at most %g above the corners, the bound is %g", c, above, bound)
			}
		}
	}
	rough := Config{Family: "matern", Nu: 0.01, Variance: 1, Lengthscale: []float64{1}} // cells so small that h² is 0
	above := rough.AboveCorners(check.Must(rough.New(1))(t), []float64{0}, []float64{1e-170})
	check.That(t, above <= 1e-6, "%g above the corners of the smallest cell of a rough kernel", above)
	linear := Config{Family: "linear", Variance: 2} // its functions are greatest at a corner
	check.Equal(t, "above the corners, linear", linear.AboveCorners(check.Must(linear.New(2))(t), []float64{0, 0}, []float64{1, 1}), 0)
}
