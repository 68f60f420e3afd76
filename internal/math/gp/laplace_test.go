package gp

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// randomGram returns A Aᵀ scale with A n×rank: singular if rank < n.
func randomGram(n, rank int, scale float64, r *rand.Rand) []float64 {
	a := make([]float64, n*rank)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	g := make([]float64, n*n)
	for i := range n {
		for j := range n {
			g[i*n+j] = scale / float64(rank) * wide.Dot(a[i*rank:(i+1)*rank], a[j*rank:(j+1)*rank])
		}
	}
	return g
}

var links = []Link{Logit{}, Probit{1}, Probit{math.Sqrt2}, Probit{0.0141}}

// fits are the approximations that tests compare with what is known of all of them.
var fits = map[string]func(s *Solver, g []float64, n int) *Approximation{
	"laplace":           func(s *Solver, g []float64, n int) *Approximation { return s.Laplace(g, n, Logit{}, nil) },
	"laplace, probit":   func(s *Solver, g []float64, n int) *Approximation { return s.Laplace(g, n, Probit{1}, nil) },
	"laplace, probit 2": func(s *Solver, g []float64, n int) *Approximation { return s.Laplace(g, n, Probit{math.Sqrt2}, nil) },
	"variational":       func(s *Solver, g []float64, n int) *Approximation { return s.Variational(g, n, nil, 0) },
	"ep":                func(s *Solver, g []float64, n int) *Approximation { return s.EP(g, n, Probit{0.7}) },
}

// The mode solves a = ∇log p(G a), also if G is singular, tiny or huge.
func TestLaplaceMode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, link := range links {
		for _, scale := range []float64{1e-8, 0.1, 1, 100, 1e6} {
			for _, shape := range [][2]int{{1, 1}, {5, 5}, {20, 7}, {40, 60}} {
				n := shape[0]
				g := randomGram(n, shape[1], scale, r)
				f := new(Solver).Laplace(g, n, link, nil)
				check.That(t, f.Converged, "%#v, scale %g, n = %d: %v after %d systems, residual %g", link, scale, n, f.Status(), f.Newton, f.Residual)
				mode := make([]float64, n)
				linalg.Mul(mode, 1, g, n, f.Alpha)
				for i, gi := range mode {
					_, d1, d2, _ := link.Derivs(gi)
					// The curvature turns the rounding of G a into an error of the gradient.
					var size float64
					for j, a := range f.Alpha {
						size += math.Abs(g[i*n+j] * a)
					}
					tol := 1e-11*math.Abs(d1) + 1e-14*size*math.Abs(d2)
					check.Near(t, f.Alpha[i], d1, tol, "%#v, scale %g, n = %d: a[%d], gradient", link, scale, n, i)
				}
			}
		}
	}
}

// A start changes the work, not the result.
func TestLaplaceStart(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	g := randomGram(20, 20, 4, r)
	cold := new(Solver).Laplace(g, 20, Logit{}, nil)
	s := new(Solver)
	warm := s.Laplace(g, 20, Logit{}, cold.Alpha)
	check.That(t, warm.Newton <= 2, "from its own result the fit takes %d systems", warm.Newton)
	short := s.Laplace(g, 20, Logit{}, cold.Alpha[:10])
	check.Near(t, short.Evidence, cold.Evidence, 1e-9, "evidence from a shorter start, from none")
	far := make([]float64, 20)
	for i := range far {
		far[i] = -1e6
	}
	f := s.Laplace(g, 20, Logit{}, far)
	check.Equal(t, "status from far away", f.Converged, true)
	check.Equal(t, "evidence from far away, where zero is better", f.Evidence, cold.Evidence)
	check.Equal(t, "systems from far away", f.Newton, cold.Newton)
}

// One comparison, by quadrature: the Gaussian has the curvature at the mode.
func TestLaplaceOfOneComparison(t *testing.T) {
	const g = 2.5
	f := new(Solver).Laplace([]float64{g}, 1, Logit{}, nil)
	_, d1, d2, _ := Logit{}.Derivs(f.Mode[0])
	check.Near(t, f.Mode[0], g*d1, 1e-14, "mode")
	k := []float64{g}
	check.Near(t, f.Mean(k), f.Mode[0], 1e-14, "mean, mode")
	f.Whiten(k, k)
	check.Near(t, g-k[0]*k[0], 1/(1/g-d2), 1e-10, "variance")
	logp, _, _, _ := Logit{}.Derivs(f.Mode[0])
	want := logp - 0.5*f.Mode[0]*f.Mode[0]/g - 0.5*math.Log(1-g*d2)
	check.Near(t, f.Evidence, want, 1e-10, "evidence")
}

// Without comparisons the posterior is the prior.
func TestFitsOfNothing(t *testing.T) {
	for name, fit := range fits {
		f := fit(new(Solver), nil, 0)
		check.Equal(t, name+": status", f.Converged, true)
		check.Equal(t, name+": mean, evidence and its gradient", [3]float64{f.Mean(nil), f.Evidence, wide.Dot(f.Sensitivity(), nil)}, [3]float64{})
	}
}

func TestFitsDoNotAllocate(t *testing.T) {
	g := randomGram(30, 30, 4, rand.New(rand.NewPCG(4, 1)))
	for name, fit := range fits {
		s := new(Solver)
		work := func() { fit(s, g, 30).Sensitivity() }
		work()
		check.Equal(t, name+": allocations", testing.AllocsPerRun(10, work), 0)
	}
}

func TestSensitivity(t *testing.T) {
	for name, fit := range fits {
		const n, h = 8, 1e-3
		r := rand.New(rand.NewPCG(3, 1))
		g, dG := randomGram(n, n, 3, r), randomGram(n, 3, 1, r)
		at := func(step float64) float64 {
			moved := slices.Clone(g)
			wide.AddScaled(moved, step, dG)
			return fit(new(Solver), moved, n).Evidence
		}
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		s := new(Solver)
		s.Laplace(g, n, Logit{}, nil) // what it leaves behind must not matter
		check.Near(t, wide.Dot(fit(s, g, n).Sensitivity(), dG), want, 1e-8*(1+math.Abs(want)), "%s: change of the evidence, by differences", name)
	}
}

func TestWhitenManyIsWhiten(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	const n, m = 7, 5
	f := new(Solver).Laplace(randomGram(n, n, 4, r), n, Logit{}, nil)
	rows, columns := make([]float64, m*n), make([]float64, n*m)
	for i := range rows {
		rows[i] = r.NormFloat64()
		columns[i%n*m+i/n] = rows[i]
	}
	want := slices.Clone(rows)
	for j := range m {
		f.Whiten(want[j*n:(j+1)*n], want[j*n:(j+1)*n])
	}
	f.WhitenColumns(columns)
	for i, v := range want {
		check.Near(t, columns[i%n*m+i/n], v, 1e-14, "number %d of columns", i)
	}
}

// Matheron's rule: the weights c of a draw solve (G + W⁻¹)(a - c) = prior + W^-½ noise, as the posterior's own weights are
// a = (G + W⁻¹)⁻¹ of what was observed.
func TestPathwise(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(10, 1))
	g := randomGram(n, n, 2, r)
	f := new(Solver).Laplace(g, n, Logit{}, nil)
	c, prior, noise := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		prior[i], noise[i] = r.NormFloat64(), r.NormFloat64()
	}
	f.Pathwise(c, prior, noise)
	for i, a := range f.Alpha {
		c[i] = a - c[i]
	}
	for i, w := range f.SqrtW {
		got := wide.Dot(g[i*n:(i+1)*n], c) + c[i]/(w*w)
		check.Near(t, got, prior[i]+noise[i]/w, 1e-12, "value %d", i)
	}
}

// An approximation saved as JSON is restored to the last bit.
func TestSavedIsTheSame(t *testing.T) {
	const n = 23
	r := rand.New(rand.NewPCG(1, 2))
	g := randomGram(n, 17, 5, r)
	for name, f := range fits {
		t.Run(name, func(t *testing.T) {
			fit := f(new(Solver), g, n)
			text := check.Must(json.Marshal(fit.Save()))(t)
			var saved Saved
			check.OK(t, json.Unmarshal(text, &saved))
			back := check.Must(new(Solver).Restore(g, n, saved))(t)
			check.Equal(t, "status", back.Converged, true)
			check.Equal(t, "residual, evidence and log|B|", [3]float64{back.Residual, back.Evidence, back.LogDet}, [3]float64{fit.Residual, fit.Evidence, fit.LogDet})
			k, white, again := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range k {
				k[i] = r.NormFloat64()
			}
			fit.Whiten(white, k)
			back.Whiten(again, k)
			check.That(t, back.Mean(k) == fit.Mean(k) && slices.Equal(white, again), "other bits after it was restored")
		})
	}
}

func TestRestoreRefusesBadPosterior(t *testing.T) {
	g := []float64{1}
	for _, saved := range []Saved{{}, {A: []float64{1}}, {A: []float64{1}, SqrtW: []float64{-1}}} {
		_, err := new(Solver).Restore(g, 1, saved)
		check.That(t, err != nil, "%+v is restored", saved)
	}
}

// From a predicted start the mode of other covariances is the same, after fewer systems than from the weights of the last.
func TestPredictedStart(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	const n = 30
	link, plain, predicted := Probit{0.0141}, 0, 0
	for range 20 {
		d, g, other := Duels{Dim: 3}, make([]float64, n*n), make([]float64, n*n)
		for range n {
			x := make([]float64, 6)
			for j := range x {
				x[j] = r.Float64()
			}
			d.Add(x[:3], x[3:])
		}
		k := kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{0.3, 0.3, 0.3}}
		d.Gram(g, check.Must(k.New(3))(t))
		k.Lengthscale = []float64{0.33, 0.27, 0.31}
		d.Gram(other, check.Must(k.New(3))(t))
		want := new(Solver).Laplace(other, n, link, nil)
		var s Solver
		last := slices.Clone(s.Laplace(g, n, link, nil).Alpha)
		fit := s.Laplace(other, n, link, s.Predict(other))
		predicted += 1 + fit.Newton
		check.That(t, fit.Converged, "%v", fit.Status())
		check.Near(t, fit.Evidence, want.Evidence, 1e-9*math.Abs(want.Evidence), "evidence")
		for i, v := range fit.Mode {
			check.Near(t, v, want.Mode[i], 1e-9, "mode %d", i)
		}
		plain += new(Solver).Laplace(other, n, link, last).Newton
	}
	check.That(t, float64(predicted) < 0.8*float64(plain), "%d systems with predictions, %d without", predicted, plain)
}
