package kernel

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// all returns the kernels for tests of general properties.
func all() []Config {
	var cs []Config
	for _, f := range families {
		if f != "matern" {
			cs = append(cs, Config{Family: f, Variance: 1.7, Lengthscale: []float64{0.8}})
		}
	}
	for _, nu := range []float64{0.3, 0.5, 1, 2.2, 7.5, 50} {
		cs = append(cs, Config{Family: "matern", Nu: nu, Variance: 1.7, Lengthscale: []float64{0.8}})
	}
	return cs
}

// ard returns c with a different lengthscale for each of d coordinates.
func ard(c Config, d int) Config {
	l := make([]float64, d)
	for j := range l {
		l[j] = 0.5 + 0.3*float64(j)
	}
	return c.WithLengthscale(l)
}

func uniform(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 4*r.Float64() - 2
	}
	return v
}

func label(c Config, d int) string {
	if c.Family == "matern" {
		return fmt.Sprintf("matern-nu%g/d%d", c.Nu, d)
	}
	return fmt.Sprintf("%s/d%d", c.Family, d)
}

// scripts/reference/kernels.py computed the values in testdata from the defining formulas, in 50-digit
// arithmetic.
func TestReferenceValues(t *testing.T) {
	var cases []struct {
		Config
		X, Points, K, Gradient []float64
	}
	check.Read(t, "testdata/kernels.json", &cases)
	for _, c := range cases {
		t.Run(label(c.Config, len(c.X)), func(t *testing.T) {
			d := len(c.X)
			k := check.Must(c.Config.New(d))(t)
			got := make([]float64, len(c.K))
			k.Row(got, c.X, c.Points)
			gradient := make([]float64, d)
			for i, want := range c.K {
				// A rounding of the distance changes exp(-a) by a relative a ulp.
				tol := 1e-14 + 1e-15*math.Abs(math.Log(max(math.Abs(want), 1e-320)))
				check.Near(t, got[i], want, tol*math.Abs(want)+1e-307, "k at point %d", i)
				k.GradSum(gradient, c.X, c.Points[i*d:(i+1)*d], []float64{1})
				for j, want := range c.Gradient[i*d : (i+1)*d] {
					check.Near(t, gradient[j], want, 2*tol*math.Abs(want)+1e-305, "dk/dx[%d] at point %d", j, i)
				}
			}
		})
	}
}

// each runs a test of every kernel in some dimensions, with another lengthscale in each coordinate.
func each(t *testing.T, dims []int, test func(t *testing.T, r *rand.Rand, c Config, k Kernel)) {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 1))
	for _, c := range all() {
		for _, d := range dims {
			t.Run(label(c, d), func(t *testing.T) {
				c := ard(c, d)
				test(t, r, c, check.Must(c.New(d))(t))
			})
		}
	}
}

// weighted returns the function Σ w_i k(·, p_i).
func weighted(k Kernel, pts, w []float64) func(x []float64) float64 {
	row := make([]float64, len(w))
	return func(x []float64) (sum float64) {
		k.Row(row, x, pts)
		for i, v := range row {
			sum += w[i] * v
		}
		return sum
	}
}

func TestGradSumIsTheGradientOfASum(t *testing.T) {
	each(t, []int{1, 3, 12}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		const n = 150 // several blocks
		d := k.Dim()
		x, pts, w := uniform(r, d), uniform(r, n*d), uniform(r, n)
		for i := range n { // kinks spoil finite differences: keep x away from the points
			pts[i*d] += math.Copysign(0.05, pts[i*d]-x[0])
		}
		f := weighted(k, pts, w)
		check.Gradient(t, "sum", func(x, grad []float64) float64 {
			if grad != nil {
				k.GradSum(grad, x, pts, w)
			}
			return f(x)
		}, x, 1e-5, 1e-6)
	})
}

func TestGradLogSlopesIsTheGradientByLogLengthscales(t *testing.T) {
	each(t, []int{1, 2, 3, 7}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		if c.Family == "linear" {
			return
		}
		const n = block + 3
		d := k.Dim()
		x, pts, w, logs := uniform(r, d), uniform(r, n*d), uniform(r, n), make([]float64, d)
		copy(pts, x) // a point at distance 0
		for j, l := range c.Lengthscale {
			logs[j] = math.Log(l)
		}
		check.Gradient(t, "sum", func(logs, grad []float64) float64 {
			l := make([]float64, d)
			for j, v := range logs {
				l[j] = math.Exp(v)
			}
			k := check.Must(c.WithLengthscale(l).New(d))(t).(Stationary)
			if grad != nil {
				slopes := make([]float64, n)
				k.RowSlopes(make([]float64, n), slopes, x, pts)
				k.GradLogSlopes(grad, x, pts, slopes, w)
			}
			return weighted(k, pts, w)(x)
		}, logs, 1e-5, 1e-7)
	})
}

func TestSlopesGiveTheSameBits(t *testing.T) {
	each(t, []int{1, 2, 3, 5}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		const n = 150
		d := k.Dim()
		x, pts, w := uniform(r, d), uniform(r, n*d), uniform(r, n)
		copy(pts[7*d:], x)
		for j := range 40 { // exp of their distance underflows
			pts[(100+j)*d] = 30 * float64(j)
		}
		row, slopes, want := make([]float64, n), make([]float64, n), make([]float64, n)
		g, wantG := make([]float64, d), make([]float64, d)
		k.RowSlopes(row, slopes, x, pts)
		k.Row(want, x, pts)
		check.Same(t, "values", row, want)
		k.GradSlopes(g, x, pts, slopes, w)
		k.GradSum(wantG, x, pts, w)
		check.Same(t, "gradient", g, wantG)
	})
}

func TestGradDiag(t *testing.T) {
	each(t, []int{3}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		x, g, want := uniform(r, 3), []float64{math.NaN(), math.NaN(), math.NaN()}, make([]float64, 3)
		if c.Family == "linear" {
			for j, v := range x {
				want[j] = c.Variance * v
			}
		}
		k.GradDiag(g, x)
		check.Same(t, "gradient on the diagonal", g, want)
	})
}

func TestRowIsEvalAndEvalIsSymmetric(t *testing.T) {
	each(t, []int{1, 2, 3, 4, 12}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		d := k.Dim()
		for _, n := range []int{0, 1, block - 1, block, block + 1, 3*block + 5} {
			x, pts, row := uniform(r, d), uniform(r, n*d), make([]float64, n)
			k.Row(row, x, pts)
			for i, got := range row {
				p := pts[i*d : (i+1)*d]
				want, back := k.Eval(x, p), k.Eval(p, x)
				check.That(t, got == want && got == back, "Row gives %g at point %d of %d, Eval %g, and %g with x and point exchanged", got, i, n, want, back)
			}
			w, sum := uniform(r, n), 0.0
			for i, wi := range w {
				sum += float64(wi * k.Eval(x, pts[i*d:(i+1)*d]))
			}
			check.Equal(t, "sum", Sum(k, x, pts, w), sum)
		}
	})
}

// At a data point, next to one where squares underflow, far away, and at NaN.
func TestExtremeDistances(t *testing.T) {
	each(t, []int{2}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		origin, nan, g := []float64{0, 0}, []float64{math.NaN(), 0}, make([]float64, 2)
		for _, far := range []float64{0, 1e-300, 1e-160, 1e4, 1e10, 1e200, math.MaxFloat64} {
			p := []float64{far, 0}
			k.GradSum(g, origin, p, []float64{1})
			check.That(t, c.Family == "linear" || !math.IsNaN(g[0]+g[1]) && !math.IsInf(g[0]+g[1], 0), "gradient %g at distance %g", g, far)
			if flat := far == 0 || far > 1; flat && c.Family != "linear" {
				check.Equal(t, "value", k.Eval(origin, p), map[bool]float64{true: c.Variance}[far == 0])
				check.That(t, g[0] == 0 && g[1] == 0, "gradient %g at distance %g, want 0", g, far)
			}
		}
		check.That(t, math.IsNaN(k.Eval(nan, []float64{1, 1})), "k(NaN, 1) is a number")
		k.GradSum(g, nan, []float64{1, 1}, []float64{1})
		check.That(t, c.Family == "linear" || math.IsNaN(g[0]), "gradient at NaN is %g", g)
	})
}

func TestHotLoopsDoNotAllocate(t *testing.T) {
	each(t, []int{2}, func(t *testing.T, r *rand.Rand, c Config, k Kernel) {
		const n, d = 100, 2
		x, pts, w, row, slopes, g := uniform(r, d), uniform(r, n*d), uniform(r, n), make([]float64, n), make([]float64, n), make([]float64, d)
		check.Equal(t, "allocations", testing.AllocsPerRun(2, func() {
			k.Row(row, x, pts)
			k.GradSum(g, x, pts, w)
			k.GradDiag(g, x)
			k.RowSlopes(row, slopes, x, pts)
			k.GradSlopes(g, x, pts, slopes, w)
			k.Eval(x, pts[:d])
			Sum(k, x, pts, w)
		}), 0)
	})
}

// The closed forms have the same bits on every architecture.
func TestSameBitsEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	h := fnv.New64a()
	for _, c := range all() {
		if c.Family == "matern" && c.Nu != 0.5 {
			continue
		}
		for _, d := range []int{1, 2, 3, 6} {
			k := check.Must(ard(c, d).New(d))(t)
			pts, w, row, g := uniform(r, 100*d), uniform(r, 100), make([]float64, 100), make([]float64, d)
			k.Row(row, pts[:d], pts)
			k.GradSum(g, pts[:d], pts, w)
			fmt.Fprintf(h, "%x%x", row, g)
		}
	}
	check.Equal(t, "hash of the values", h.Sum64(), uint64(0x47390d9a9aded04))
}

func TestWrongLengthsPanic(t *testing.T) {
	for _, c := range all() {
		k := check.Must(c.New(2))(t)
		p := func(n int) []float64 { return make([]float64, n) }
		for what, call := range map[string]func(){
			"Eval x":       func() { k.Eval(p(1), p(2)) },
			"Eval y":       func() { k.Eval(p(2), p(3)) },
			"Row x":        func() { k.Row(p(3), p(3), p(6)) },
			"Row points":   func() { k.Row(p(3), p(2), p(5)) },
			"GradSum dst":  func() { k.GradSum(p(1), p(2), p(4), p(2)) },
			"GradSum w":    func() { k.GradSum(p(2), p(2), p(4), p(3)) },
			"GradDiag dst": func() { k.GradDiag(p(3), p(2)) },
			"GradDiag x":   func() { k.GradDiag(p(2), p(1)) },
		} {
			check.Panics(t, label(c, 2)+", a wrong length of "+what, call)
		}
	}
}

// A row of kernel values and their slopes.
func BenchmarkRow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, d := range []int{2, 7} {
		for _, n := range []int{15, 200} {
			k := check.Must(Config{Family: "se-half", Variance: 1, Lengthscale: []float64{0.3}}.New(d))(b)
			x, points := make([]float64, d), make([]float64, n*d)
			for i := range points {
				points[i] = r.Float64()
			}
			row, slopes := make([]float64, n), make([]float64, n)
			b.Run(fmt.Sprintf("%d-D/%d points", d, n), func(b *testing.B) {
				for b.Loop() {
					k.RowSlopes(row, slopes, x, points)
				}
			})
		}
	}
}
