package kernel

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

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

func mustNew(t testing.TB, c Config, d int) Kernel {
	t.Helper()
	return check.Must(c.New(d))(t)
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
			k := mustNew(t, c.Config, d)
			got := make([]float64, len(c.K))
			k.Row(got, c.X, c.Points)
			gradient := make([]float64, d)
			for i, want := range c.K {
				// A rounding of the distance changes exp(-a) by a relative a ulp.
				tol := 1e-14 + 1e-15*math.Abs(math.Log(max(math.Abs(want), 1e-320)))
				if !near(got[i], want, tol*math.Abs(want)+1e-307) {
					t.Errorf("k = %g at point %d, want %g (relative error %.2g)", got[i], i, want, got[i]/want-1)
				}
				k.GradSum(gradient, c.X, c.Points[i*d:(i+1)*d], []float64{1})
				for j, want := range c.Gradient[i*d : (i+1)*d] {
					if !near(gradient[j], want, 2*tol*math.Abs(want)+1e-305) {
						t.Errorf("dk/dx[%d] = %g at point %d, want %g (relative error %.2g)", j, gradient[j], i, want, gradient[j]/want-1)
					}
				}
			}
		})
	}
}

// near reports whether |a-b| <= tol; for NaN it is false.
func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

func TestGradSumAgainstFiniteDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range all() {
		for _, d := range []int{1, 2, 3, 5, 12} {
			t.Run(label(c, d), func(t *testing.T) {
				const n, h = 150, 1e-5 // n spans several blocks
				k := mustNew(t, ard(c, d), d)
				x, pts, w := uniform(r, d), uniform(r, n*d), uniform(r, n)
				row, g := make([]float64, n), make([]float64, d)
				f := func(x []float64) (s float64) {
					k.Row(row, x, pts)
					for i, wi := range w {
						s += wi * row[i]
					}
					return s
				}
				// Kinks spoil finite differences: keep x away from the points.
				for i := range n {
					pts[i*d] += math.Copysign(0.05, pts[i*d]-x[0])
				}
				k.GradSum(g, x, pts, w)
				for j := range x {
					y := slices.Clone(x)
					y[j] += h
					up := f(y)
					y[j] = x[j] - h
					if want := (up - f(y)) / (2 * h); !near(g[j], want, 1e-6*(1+math.Abs(want))) {
						t.Errorf("gradient[%d] = %g, differences give %g", j, g[j], want)
					}
				}
			})
		}
	}
}

// RowSlopes and GradSlopes equal Row and GradSum bit for bit, also at x itself and far away.
func TestSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, c := range all() {
		for _, d := range []int{1, 2, 3, 5} {
			t.Run(label(c, d), func(t *testing.T) {
				const n = 150
				k := mustNew(t, ard(c, d), d)
				x, pts, w := uniform(r, d), uniform(r, n*d), uniform(r, n)
				copy(pts[7*d:], x)
				for j := range 40 { // exp of their distance underflows
					pts[(100+j)*d] = 30 * float64(j)
				}
				row, slopes, want := make([]float64, n), make([]float64, n), make([]float64, n)
				g, wantG := make([]float64, d), make([]float64, d)
				k.RowSlopes(row, slopes, x, pts)
				k.Row(want, x, pts)
				k.GradSlopes(g, x, pts, slopes, w)
				k.GradSum(wantG, x, pts, w)
				check.That(t, slices.Equal(row, want), "values %v, want %v", row, want)
				check.That(t, slices.Equal(g, wantG), "gradient %v, want %v", g, wantG)
			})
		}
	}
}

func TestGradDiag(t *testing.T) {
	const h = 1e-6
	x := []float64{0.3, -0.7, 1.1}
	for _, c := range all() {
		t.Run(label(c, 3), func(t *testing.T) {
			k := mustNew(t, ard(c, 3), 3)
			g := []float64{math.NaN(), math.NaN(), math.NaN()}
			k.GradDiag(g, x)
			for j := range x {
				want := 0.0
				if c.Family == "linear" {
					y := slices.Clone(x)
					y[j] += h
					up := k.Eval(y, x)
					y[j] = x[j] - h
					want = (up - k.Eval(y, x)) / (2 * h)
				}
				check.That(t, near(g[j], want, 1e-8), "diagonal gradient[%d] = %g, want %g", j, g[j], want)
			}
		})
	}
}

func TestRowAgreesWithEvalAndIsSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, c := range all() {
		for _, d := range []int{1, 2, 3, 4, 12} {
			for _, n := range []int{0, 1, block - 1, block, block + 1, 3*block + 5} {
				t.Run(fmt.Sprintf("%s/n%d", label(c, d), n), func(t *testing.T) {
					k := mustNew(t, ard(c, d), d)
					x, pts, row := uniform(r, d), uniform(r, n*d), make([]float64, n)
					k.Row(row, x, pts)
					for i, got := range row {
						p := pts[i*d : (i+1)*d]
						if want := k.Eval(x, p); got != want {
							t.Fatalf("Row gives %g at point %d of %d, Eval %g", got, i, n, want)
						}
						if back := k.Eval(p, x); got != back {
							t.Fatalf("k(x,p) = %g, k(p,x) = %g", got, back)
						}
					}
				})
			}
		}
	}
}

func TestDistanceZero(t *testing.T) {
	x := []float64{0.1, 1e5}
	for _, c := range all() {
		t.Run(label(c, 2), func(t *testing.T) {
			k := mustNew(t, ard(c, 2), 2)
			if got := k.Eval(x, x); c.Family != "linear" && got != c.Variance {
				t.Errorf("k(x,x) = %g, want %g", got, c.Variance)
			}
			// At a data point, next to one, and where squares underflow.
			for _, step := range []float64{0, 1e-160, 1e-300} {
				g, p := make([]float64, 2), []float64{step, 0}
				k.GradSum(g, make([]float64, 2), p, []float64{1})
				for j := range g {
					if math.IsNaN(g[j]) || math.IsInf(g[j], 0) {
						t.Errorf("gradient %g at distance %g of a data point", g, step)
					}
				}
				if step == 0 && c.Family != "linear" && (g[0] != 0 || g[1] != 0) {
					t.Errorf("gradient %g at a data point, want 0", g)
				}
			}
		})
	}
}

func TestFarPointsAndNaN(t *testing.T) {
	for _, c := range all() {
		t.Run(label(c, 1), func(t *testing.T) {
			if c.Family == "linear" {
				return
			}
			k := mustNew(t, c, 1)
			g := []float64{math.NaN()}
			for _, far := range []float64{1e4, 1e10, 1e200, math.MaxFloat64} {
				if got := k.Eval([]float64{0}, []float64{far}); got != 0 {
					t.Errorf("k = %g at distance %g, want 0", got, far)
				}
				if k.GradSum(g, []float64{0}, []float64{far}, []float64{1}); g[0] != 0 {
					t.Errorf("gradient %g at distance %g, want 0", g[0], far)
				}
			}
			nan := []float64{math.NaN()}
			if got := k.Eval(nan, []float64{1}); !math.IsNaN(got) {
				t.Errorf("k(NaN, 1) = %g", got)
			}
			if k.GradSum(g, nan, []float64{1}, []float64{1}); !math.IsNaN(g[0]) {
				t.Errorf("gradient at NaN is %g", g[0])
			}
		})
	}
}

// A kernel matrix of distinct random points has a Cholesky factor once its diagonal is raised by the rounding error.
func TestPositiveSemidefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range all() {
		for _, d := range []int{1, 2, 7} {
			t.Run(label(c, d), func(t *testing.T) {
				const n = 60
				k, pts, m := mustNew(t, ard(c, d), d), uniform(r, n*d), mat.NewSymDense(n, nil)
				row, trace := make([]float64, n), 0.0
				for i := range n {
					k.Row(row, pts[i*d:(i+1)*d], pts)
					for j := i; j < n; j++ {
						m.SetSym(i, j, row[j])
					}
					trace += row[i]
				}
				for i := range n {
					m.SetSym(i, i, m.At(i, i)+1e-14*trace)
				}
				check.That(t, new(mat.Cholesky).Factorize(m), "the kernel matrix is not positive semidefinite")
			})
		}
	}
}

func TestGeneralMaternEqualsClosedForms(t *testing.T) {
	for nu, closed := range map[float64]profile{0.5: matern12, 1.5: matern32, 2.5: matern52} {
		t.Run(fmt.Sprintf("nu=%g", nu), func(t *testing.T) {
			c := math.Sqrt(2 * nu)
			a := newStationary(closed, c, 1.3, []float64{0.7}, 1)
			b := newStationary(maternNu, c, 1.3, []float64{0.7}, 1)
			b.bessel = newBesselProfile(nu)
			if k := mustNew(t, Config{Family: "matern", Nu: nu, Variance: 1, Lengthscale: []float64{1}}, 1).(*stationary); k.profile != closed {
				t.Errorf("not evaluated in closed form")
			}
			var ga, gb [1]float64
			for r := 1e-9; r < 200; r *= 1.07 {
				x, y, tol := []float64{0}, []float64{r}, 3e-15*(1+r)
				if va, vb := a.Eval(x, y), b.Eval(x, y); !near(va, vb, tol*va) {
					t.Errorf("r = %g: closed form %g, Bessel %g", r, va, vb)
				}
				a.GradSum(ga[:], x, y, []float64{1})
				b.GradSum(gb[:], x, y, []float64{1})
				if !near(ga[0], gb[0], tol*math.Abs(ga[0])) {
					t.Errorf("r = %g: gradient in closed form %g, Bessel %g", r, ga[0], gb[0])
				}
			}
		})
	}
}

func TestHotLoopsDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, c := range all() {
		t.Run(label(c, 2), func(t *testing.T) {
			const n, d = 100, 2
			k := mustNew(t, c, d)
			x, pts, w, row, g := uniform(r, d), uniform(r, n*d), uniform(r, n), make([]float64, n), make([]float64, d)
			slopes := make([]float64, n)
			if a := testing.AllocsPerRun(10, func() {
				k.Row(row, x, pts)
				k.GradSum(g, x, pts, w)
				k.GradDiag(g, x)
				k.RowSlopes(row, slopes, x, pts)
				k.GradSlopes(g, x, pts, slopes, w)
				k.Eval(x, pts[:d])
			}); a != 0 {
				t.Errorf("%g allocations", a)
			}
		})
	}
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
			k := mustNew(t, ard(c, d), d)
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
		k := mustNew(t, c, 2)
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
			t.Run(label(c, 2)+"/"+what, func(t *testing.T) {
				check.That(t, panics(call), "a wrong length does not panic")
			})
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
