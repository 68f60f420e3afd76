package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// In 40-digit arithmetic (mpmath): means of log σ, of σ(-g) and of σ(g)σ(-g).
var logitMeanValues = []struct{ mean, sd, value, d1, w float64 }{
	{0, 0, -0.69314718055994531, 0.5, 0.25},
	{0.3, 0.01, -0.55436746724148982, 0.42555930290957973, 0.24445260690236586},
	{0, 0.4, -0.7127668854435937, 0.5, 0.24072060319715756},
	{1, 1, -0.40685628308753098, 0.30326532985631671, 0.17794338016486546},
	{-2, 1, -2.1827369720664516, 0.84453748146987652, 0.11575798361658412},
	{0.7, 2.5, -0.90773588527017629, 0.40906978572926861, 0.12757030502718805},
	{5, 3, -0.12284834876672506, 0.076197342034945845, 0.040524007897305901},
	{-4, 10, -6.3643948798355355, 0.65307420245323089, 0.036332002854850683},
	{2, 40, -14.99400778511134, 0.48008163180844474, 0.0099509045394074424},
	{-30, 12, -30.02655381739946, 0.99327700321146001, 0.0015488300800373697},
	{20, 0.5, -2.3355930352971612e-9, 2.3355930317949852e-9, 2.3355930247906332e-9},
	{0, 100, -39.900789622233567, 0.5, 0.0039887667968355803},
}

func TestLogitMeans(t *testing.T) {
	for _, c := range logitMeanValues {
		value, d1, w := logitMeans(c.mean, c.sd, allDigits)
		for _, v := range []struct {
			name      string
			got, want float64
		}{{"log σ", value, c.value}, {"its derivative", d1, c.d1}, {"its curvature", w, c.w}} {
			if math.Abs(v.got-v.want) > 3e-12*(math.Abs(v.want)+0.01) {
				t.Errorf("N(%g, %g²): the mean of %s is %.16g, want %.16g", c.mean, c.sd, v.name, v.got, v.want)
			}
		}
		rough, _, _ := logitMeans(c.mean, c.sd, someDigits)
		if math.Abs(rough-c.value) > 20*math.Exp(-someDigits)*(math.Abs(c.value)+0.01) {
			t.Errorf("N(%g, %g²): the mean of log σ to fewer digits is %.16g, want %.16g", c.mean, c.sd, rough, c.value)
		}
	}
	// Arguments where e^{-g} overflows, and just not.
	for _, mean := range []float64{-1e5, -701, -692, -600, 699, 701, 1e5} {
		value, d1, w := logitMeans(mean, 1, allDigits)
		logp, p, _, _ := Logit{}.Derivs(mean)
		if math.Abs(value-logp) > 1e-10*math.Abs(logp)+1e-300 || math.Abs(d1-p) > 1e-10 || !(w >= 0 && w < 1e-100) {
			t.Errorf("N(%g, 1): means %g, %g, %g; near %g, %g, 0", mean, value, d1, w, logp, p)
		}
	}
}

// At the optimum a and W are the means of the derivatives, and no other a or W has a higher bound.
func TestVariationalOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, scale := range []float64{1e-6, 0.3, 10, 1e3, 1e5} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			for _, shape := range [][2]int{{1, 1}, {6, 3}, {25, 40}} {
				t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
					n := shape[0]
					g := randomGram(n, shape[1], scale, r)
					s := new(Solver)
					f := s.Variational(g, n, nil, 0)
					if f.Status != Converged {
						t.Fatalf("scale %g, n = %d: %v after %d systems, residual %g", scale, n, f.Status, f.Newton, f.Residual)
					}
					k := make([]float64, n)
					for i := range n {
						f.Whiten(k, g[i*n:(i+1)*n])
						variance := g[i*n+i] - wide.Dot(k, k)
						_, d1, w := logitMeans(f.Mean(g[i*n:(i+1)*n]), math.Sqrt(variance), allDigits)
						check.Near(t, f.Alpha()[i], d1, 1e-8, "scale %g, n = %d: a[%d] against the mean", scale, n, i)
						if got := f.SqrtW()[i] * f.SqrtW()[i]; math.Abs(got-w) > 1e-8 {
							t.Errorf("scale %g, n = %d: W[%d] = %.12g, the mean is %.12g", scale, n, i, got, w)
						}
					}
					best := f.Evidence
					for i := range 2 * n {
						for _, move := range []float64{-0.01, 0.01} {
							v := &s.vi
							copy(v.x, f.Alpha())
							for j, w := range f.SqrtW() {
								v.x[n+j] = w * w
							}
							old := append([]float64(nil), v.x[:2*n]...)
							v.x[i] *= 1 + move
							s.evaluate(f)
							if f.Evidence > best+1e-9*(1+math.Abs(best)) {
								t.Errorf("scale %g, n = %d: coordinate %d moved by %g raises the bound from %.12g to %.12g", scale, n, i, move, best, f.Evidence)
							}
							copy(v.x, old)
							s.evaluate(f)
						}
					}
				})
			}
		})
	}
}

// Rounding in G a keeps the residual above the tolerance here. The result says that it converged, and how well.
func TestVariationalAtRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, scale := range []float64{1e5, 1e6} {
		f := Variational(randomGram(60, 5, scale, r), 60, nil)
		if f.Status != Converged || f.Residual > 1e-6 {
			t.Errorf("scale %g: %v after %d systems, residual %g", scale, f.Status, f.Newton, f.Residual)
		}
	}
}

// With one comparison the bound is below the evidence, which is log ½ by symmetry.
func TestVariationalOfOneComparison(t *testing.T) {
	for _, g := range []float64{0.01, 1, 30} {
		f := Variational([]float64{g}, 1, nil)
		if gap := math.Log(0.5) - f.Evidence; gap < 0 || gap > 0.1 {
			t.Errorf("prior variance %g: the bound is %g below log ½", g, gap)
		}
	}
}

// A start changes the work, not the result; it may be the solver's last result.
func TestVariationalStart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	g := randomGram(20, 20, 8, r)
	s := new(Solver)
	f := s.Variational(g, 20, nil, 0)
	cold, systems := f.Evidence, f.Newton
	if f = s.Variational(g, 20, &f.Posterior, 0); f.Newton > 2 || math.Abs(f.Evidence-cold) > 1e-10 {
		t.Errorf("from its own result: %d systems, bound %.12g, want %.12g", f.Newton, f.Evidence, cold)
	}
	first := make([]float64, 19*19)
	for i := range 19 {
		copy(first[i*19:(i+1)*19], g[i*20:])
	}
	f = s.Variational(first, 19, nil, 0)
	if f = s.Variational(g, 20, &f.Posterior, 0); f.Newton >= systems || math.Abs(f.Evidence-cold) > 1e-10 {
		t.Errorf("from the posterior of all but the last: %d systems, bound %.12g; from none %d, %.12g", f.Newton, f.Evidence, systems, cold)
	}
	if n := testing.AllocsPerRun(10, func() { s.Variational(g, 20, &f.Posterior, 0) }); n > 0 {
		t.Errorf("a fit in the solver's memory allocates %g times", n)
	}
}
