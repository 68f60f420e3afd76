package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// logitMeansOf returns the means of one distribution. It computes those of others as well, which must not matter.
func logitMeansOf(mean, sd, digits float64) (value, d1, w, slope float64) {
	var l logitMeans
	l.compute([]float64{0.3, -1e5, mean, 2, -1e3, 17}, []float64{400, 1e4, sd * sd, 0, 1, 1e-9}, digits)
	return l.value[2], l.d1[2], l.w[2], l.slope[2]
}

func TestLogitMeans(t *testing.T) {
	for _, c := range readMoments(t).Logit {
		mean, sd, want := c[0], c[1], c[2:]
		value, d1, w, slope := logitMeansOf(mean, sd, allDigits)
		for i, got := range []float64{value, d1, w} {
			check.Near(t, got, want[i], 3e-12*(math.Abs(want[i])+0.01), "N(%g, %g²): mean of derivative %d of log σ", mean, sd, i)
		}
		check.Near(t, slope, Logit{}.Means(mean, sd*sd).D2, 1e-11, "N(%g, %g²): minus the mean of derivative 3 of log σ", mean, sd)
		rough, _, _, _ := logitMeansOf(mean, sd, someDigits)
		check.Near(t, rough, want[0], 20*math.Exp(-someDigits)*(math.Abs(want[0])+0.01), "N(%g, %g²): mean of log σ to fewer digits", mean, sd)
	}
	// Arguments where e^{-g} overflows, and just not.
	for _, mean := range []float64{-1e5, -701, -692, -600, 699, 701, 1e5} {
		value, d1, w, slope := logitMeansOf(mean, 1, allDigits)
		check.That(t, math.Abs(slope) <= w, "N(%g, 1): slope %g of its curvature", mean, slope)
		logp, p, _, _ := Logit{}.Derivs(mean)
		check.Near(t, value, logp, 1e-10*math.Abs(logp)+1e-300, "N(%g, 1): mean of log σ", mean)
		check.Near(t, d1, p, 1e-10, "N(%g, 1): mean of its derivative", mean)
		check.That(t, w >= 0 && w < 1e-100, "N(%g, 1): mean of its curvature %g", mean, w)
	}
	// Two rules for large deviations.
	for _, mean := range []float64{-3e3, -700, -20, 0, 50, 800, 4e3} {
		const sd = 999
		value, d1, w, slope := logitMeansOf(mean, sd, allDigits)
		check.Near(t, slope, Logit{}.Means(mean, sd*sd).D2, 1e-13, "N(%g, %g²): mean of the slope of its curvature", mean, float64(sd))
		m, wide := logitMeansWide(mean, sd)
		check.Near(t, wide, value, 1e-11*math.Abs(value)+1e-14*sd, "N(%g, %g²): mean of log σ", mean, float64(sd))
		check.Near(t, m.Q, d1, 3e-12*(d1+0.01), "N(%g, %g²): mean of its derivative", mean, float64(sd))
		check.Near(t, m.D1, w, 3e-12*(w+0.01), "N(%g, %g²): mean of its curvature", mean, float64(sd))
	}
	// -E log σ(g) of a deviation beyond which only min(g, 0) matters; a rule in g would need 10^13 nodes.
	value, d1, _, _ := logitMeansOf(0, 1e12, allDigits)
	check.Near(t, value, -1e12/math.Sqrt(2*math.Pi), 1, "N(0, 1e24): mean of log σ")
	check.Near(t, d1, 0.5, 1e-11, "N(0, 1e24): mean of its derivative")
}

// At the optimum a and W are the means of the derivatives. In the last row rounding in G a keeps the residual above the
// tolerance; the result says that it converged, and how well.
func TestVariationalOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, c := range []struct {
		n, rank int
		scales  []float64
		tol     float64
	}{
		{1, 1, []float64{1e-6, 0.3, 10, 1e3, 1e5}, 1e-8},
		{6, 3, []float64{1e-6, 0.3, 10, 1e3, 1e5}, 1e-8},
		{25, 40, []float64{1e-6, 0.3, 10, 1e3, 1e5}, 1e-8},
		{60, 5, []float64{1e5}, 1e-6},
	} {
		for _, scale := range c.scales {
			n := c.n
			g := randomGram(n, c.rank, scale, r)
			f := new(Solver).Variational(g, n, nil, 0)
			check.That(t, f.Converged && f.Residual <= c.tol, "scale %g, n = %d: %v after %d systems, residual %g", scale, n, f.Status(), f.Newton, f.Residual)
			k := make([]float64, n)
			for i := range n {
				f.Whiten(k, g[i*n:(i+1)*n])
				variance := g[i*n+i] - wide.Dot(k, k)
				_, d1, w, _ := logitMeansOf(f.Mean(g[i*n:(i+1)*n]), math.Sqrt(variance), allDigits)
				check.Near(t, f.Alpha[i], d1, c.tol, "scale %g, n = %d: a[%d] against the mean", scale, n, i)
				check.Near(t, f.SqrtW[i]*f.SqrtW[i], w, c.tol, "scale %g, n = %d: W[%d] against the mean", scale, n, i)
			}
		}
	}
}

// With one comparison the bound is below the evidence, which is log ½ by symmetry.
func TestVariationalOfOneComparison(t *testing.T) {
	for _, g := range []float64{0.01, 1, 30} {
		f := new(Solver).Variational([]float64{g}, 1, nil, 0)
		gap := math.Log(0.5) - f.Evidence
		check.That(t, gap >= 0 && gap <= 0.1, "prior variance %g: the bound is %g below log ½", g, gap)
	}
}

// A start changes the work, not the result; it may be the solver's last result.
func TestVariationalStart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	g := randomGram(20, 20, 8, r)
	s := new(Solver)
	f := s.Variational(g, 20, nil, 0)
	cold, systems := f.Evidence, f.Newton
	check.That(t, systems <= 13, "%d systems from nothing; without the coupling of the weights to the means it takes 16", systems)
	f = s.Variational(g, 20, &f.Posterior, 0)
	check.That(t, f.Newton <= 2 && math.Abs(f.Evidence-cold) <= 1e-10, "from its own result: %d systems, bound %.12g, want %.12g", f.Newton, f.Evidence, cold)
	first := make([]float64, 19*19)
	for i := range 19 {
		copy(first[i*19:(i+1)*19], g[i*20:])
	}
	f = s.Variational(first, 19, nil, 0)
	f = s.Variational(g, 20, &f.Posterior, 0)
	check.That(t, f.Newton < systems, "from the posterior of all but the last: %d systems; from none %d", f.Newton, systems)
	check.Near(t, f.Evidence, cold, 1e-10, "bound from the posterior of all but the last, from none")
	n := testing.AllocsPerRun(10, func() { s.Variational(g, 20, &f.Posterior, 0) })
	check.That(t, n == 0, "a fit in the solver's memory allocates %g times", n)
}
