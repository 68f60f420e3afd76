package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
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

// The mode solves a = ∇log p(G a), also if G is singular, tiny or huge.
func TestLaplaceMode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, link := range links {
		for _, scale := range []float64{1e-8, 0.1, 1, 100, 1e6} {
			t.Run(fmt.Sprint(scale), func(t *testing.T) {
				for _, shape := range [][2]int{{1, 1}, {5, 5}, {20, 7}, {40, 60}} {
					t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
						n := shape[0]
						g := randomGram(n, shape[1], scale, r)
						f := Laplace(g, n, link, nil)
						if f.Status != Converged {
							t.Fatalf("%#v, scale %g, n = %d: %v after %d systems, residual %g", link, scale, n, f.Status, f.Newton, f.Residual)
						}
						mode := make([]float64, n)
						mulSym(mode, g, f.Alpha(), n)
						for i, gi := range mode {
							_, d1, d2, _ := link.Derivs(gi)
							// The curvature turns the rounding of G a into an error of the gradient.
							var size float64
							for j, a := range f.Alpha() {
								size += math.Abs(g[i*n+j] * a)
							}
							if math.Abs(f.Alpha()[i]-d1) > 1e-11*math.Abs(d1)+1e-14*size*math.Abs(d2) {
								t.Errorf("%#v, scale %g, n = %d: a[%d] = %.12g but the gradient is %.12g", link, scale, n, i, f.Alpha()[i], d1)
							}
						}
					})
				}
			})
		}
	}
}

// A start changes the work, not the result.
func TestLaplaceStart(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	g := randomGram(20, 20, 4, r)
	cold := Laplace(g, 20, Logit{}, nil)
	s := new(Solver)
	warm := s.Laplace(g, 20, Logit{}, cold.Alpha())
	check.That(t, warm.Newton <= 2, "from its own result the fit takes %d systems", warm.Newton)
	short := s.Laplace(g, 20, Logit{}, cold.Alpha()[:10])
	if math.Abs(short.Evidence-cold.Evidence) > 1e-9 {
		t.Errorf("evidence %.12g from a shorter start, %.12g from none", short.Evidence, cold.Evidence)
	}
	far := make([]float64, 20)
	for i := range far {
		far[i] = -1e6
	}
	if f := s.Laplace(g, 20, Logit{}, far); f.Status != Converged || math.Abs(f.Evidence-cold.Evidence) > 1e-9 {
		t.Errorf("from far away: %v, evidence %.12g, want %.12g", f.Status, f.Evidence, cold.Evidence)
	}
}

// One comparison, by quadrature: the Gaussian has the curvature at the mode.
func TestLaplaceOfOneComparison(t *testing.T) {
	const g = 2.5
	f := Laplace([]float64{g}, 1, Logit{}, nil)
	_, d1, d2, _ := Logit{}.Derivs(f.Mode[0])
	check.Near(t, f.Mode[0], g*d1, 1e-14, "mode")
	k := []float64{g}
	check.Near(t, f.Mean(k), f.Mode[0], 1e-14, "mean, mode")
	f.Whiten(k, k)
	if v, want := g-k[0]*k[0], 1/(1/g-d2); math.Abs(v-want) > 1e-10*want {
		t.Errorf("variance %g, want %g", v, want)
	}
	logp, _, _, _ := Logit{}.Derivs(f.Mode[0])
	want := logp - 0.5*f.Mode[0]*f.Mode[0]/g - 0.5*math.Log(1-g*d2)
	check.Near(t, f.Evidence, want, 1e-10, "evidence")
}

// Without comparisons the posterior is the prior.
func TestLaplaceOfNothing(t *testing.T) {
	f := Laplace(nil, 0, Logit{}, nil)
	check.Equal(t, "status", f.Status, Converged)
	check.Equal(t, "mean", f.Mean(nil), 0)
	if f.Evidence != 0 || f.EvidenceGrad(nil) != 0 {
		t.Errorf("evidence %g with gradient %g", f.Evidence, f.EvidenceGrad(nil))
	}
}

func TestSolverDoesNotAllocate(t *testing.T) {
	g := randomGram(30, 30, 4, rand.New(rand.NewPCG(4, 1)))
	s := new(Solver)
	s.Laplace(g, 30, Logit{}, nil).Sensitivity()
	if n := testing.AllocsPerRun(10, func() { s.Laplace(g, 30, Logit{}, nil).Sensitivity() }); n > 0 {
		t.Errorf("a fit in the solver's memory allocates %g times", n)
	}
}

func TestEvidenceGrad(t *testing.T) {
	fits := map[string]func(s *Solver, g []float64, n int) *Approximation{
		"variational": func(s *Solver, g []float64, n int) *Approximation { return s.Variational(g, n, nil, 0) },
		"ep":          func(s *Solver, g []float64, n int) *Approximation { return s.EP(g, n, Probit{0.7}) },
	}
	for _, link := range links[:3] {
		fits[fmt.Sprintf("laplace %#v", link)] = func(s *Solver, g []float64, n int) *Approximation { return s.Laplace(g, n, link, nil) }
	}
	for name, fit := range fits {
		const n, h = 8, 1e-3
		r := rand.New(rand.NewPCG(3, 1))
		g, dG := randomGram(n, n, 3, r), randomGram(n, 3, 1, r)
		at := func(step float64) float64 {
			moved := make([]float64, n*n)
			for i := range g {
				moved[i] = g[i] + step*dG[i]
			}
			return fit(new(Solver), moved, n).Evidence
		}
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		s := new(Solver)
		s.Laplace(g, n, Logit{}, nil) // what it leaves behind must not matter
		if got := fit(s, g, n).EvidenceGrad(dG); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
			t.Errorf("%s: the evidence changes by %.12g, by differences %.12g", name, got, want)
		}
	}
}
