package gp

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
)

// concave returns the evidence -½ Σ (log x_i - at_i)², undefined where x_0 > limit.
func concave(at []float64, limit float64) func(k kernel.Config, grad []float64) float64 {
	return func(k kernel.Config, grad []float64) float64 {
		x := append(slices.Clone(k.Lengthscale), k.Variance)[:len(at)]
		if x[0] > limit {
			return math.NaN()
		}
		var v float64
		for i, xi := range x {
			miss := math.Log(xi) - at[i]
			v -= miss * miss / 2
			if grad != nil {
				grad[i] -= miss
			}
		}
		return v
	}
}

// Where the priors say all, the curvature that they give makes a fit short.
func TestFitStartsWithThePriorsCurvature(t *testing.T) {
	parameter := func(g Gamma) Parameter { return Parameter{Prior: g, LogNorm: g.LogNorm(), Lo: 0.01, Hi: 100} }
	h := NewHyper(KernelPrior{Widths: []float64{1}, Lengthscale: parameter(Gamma{40, 80}), Variance: parameter(Gamma{2, 0.15})},
		search.Settings{GradTol: 1e-4}, func(kernel.Config, []float64) float64 { return 0 })
	start := h.Mode()
	start[0], start[1] = start[0]+0.05, start[1]-0.05
	m := h.Fit(start)
	check.That(t, m.Status == search.Converged && m.Evaluations <= 4, "%v after %d evaluations, want 4 at most", m.Status, m.Evaluations)
}

// With a flat prior the fit is the maximum of the evidence or the end of the range. With a Gamma prior it is
// where both slopes cancel: log x - at = Shape - 1 - Rate x. With the dim-scaled prior that is
// log x - at = -1 - (log x - Mean)/SD².
func TestHyper(t *testing.T) {
	gamma, scaled := Gamma{3, 6}, DimScaled(50)
	for prior, slope := range map[Prior]func(v float64) float64{
		gamma:  func(v float64) float64 { return gamma.Shape - 1 - gamma.Rate*v },
		scaled: func(v float64) float64 { return -1 - (math.Log(v)-scaled.Mean)/3 },
	} {
		h := NewHyper(KernelPrior{
			Widths:      []float64{2, 1},
			Lengthscale: Parameter{Prior: Gamma{Shape: 1}, Lo: 0.1, Hi: 10},
			Variance:    Parameter{Prior: prior, LogNorm: prior.LogNorm(), Lo: 0.01, Hi: 100},
		}, search.Settings{}, concave([]float64{0.5, 3, -1}, 100))
		for _, last := range []bool{false, true} {
			h.EvidenceLast, h.SearchedLogs = last, !last
			m := h.Fit(h.Mode(), h.Logs(kernel.Config{Variance: 5, Lengthscale: []float64{5, 5}}))
			l, v := m.Kernel.Lengthscale, m.Kernel.Variance
			check.That(t, m.OK() && m.Unfinished == 0, "%T: %v, %d searches unfinished", prior, m.Status, m.Unfinished)
			check.Near(t, l[0], math.Exp(0.5), 1e-6, "%T: lengthscale, e^½", prior)
			check.Near(t, l[1], math.Exp(math.Log(10)), 0, "%T: lengthscale, bound", prior)
			check.Near(t, slope(v), math.Log(v)+1, 1e-6, "%T: slope of the prior in the variance, of the evidence", prior)
			check.That(t, m.Gradient <= 1e-6, "%T: certificate %g", prior, m.Gradient)
			want := h.AddLogPrior(concave([]float64{0.5, 3, -1}, 100)(m.Kernel, nil), m.Kernel)
			check.Near(t, m.Value, want, 1e-12, "%T: evidence and priors", prior)
			before := m.Value + m.Gradient
			m.Value, m.Gradient = 0, 1
			h.Certify(&m)
			check.Near(t, m.Value+m.Gradient, before, 0, "%T: value and gradient certified", prior)
		}
	}
}

// Without an evidence at any start there is no fit. A gradient that points into the range counts.
func TestHyperCertificate(t *testing.T) {
	h := NewHyper(KernelPrior{Widths: []float64{1}, Lengthscale: Parameter{Prior: Gamma{Shape: 1}, Lo: 0.1, Hi: 10}}, search.Settings{MaxIter: 1, Step: 1e-3}, concave([]float64{0}, 5))
	m := h.Fit([]float64{math.Log(6)})
	check.That(t, m.Status == search.Undefined && !m.OK() && m.Unfinished == 1, "without an evidence: %+v", m)
	m = h.Fit([]float64{math.Log(0.1)})
	check.That(t, m.Status == search.MaxIterations && !m.OK(), "at the lower end: %+v", m)
	check.Near(t, m.Gradient, -m.Logs[0], 1e-12, "gradient at the lower end, where it leads into the range")
}

// scripts/reference/priors.py computed testdata/priors.json with scipy.
func TestPriors(t *testing.T) {
	var file struct {
		Cases []struct {
			Family            string
			Shape, Rate, Mode float64
			D                 int
			X, Slope          []float64
			Density           []float64 `json:"log_density"`
		}
	}
	check.Read(t, "testdata/priors.json", &file)
	for _, c := range file.Cases {
		p := NewPrior(c.Family, c.Shape, c.Rate, c.D)
		check.That(t, math.Abs(p.Mode()/c.Mode-1) <= 1e-6, "mode %.9g, want %.9g", p.Mode(), c.Mode)
		for i, x := range c.X {
			log := math.Log(x)
			check.Near(t, p.addLog(p.LogNorm(), x, log), c.Density[i], 1e-12*max(1, math.Abs(c.Density[i])), "log density at %g", x)
			check.Near(t, p.slope(x, log), c.Slope[i], 1e-6*max(1, math.Abs(c.Slope[i])), "slope at %g", x)
		}
	}
	g, h := Gamma{3, 6}, 1e-4
	at := math.Log(g.Mode())
	check.Near(t, g.curvature(), (g.slope(math.Exp(at-h), at-h)-g.slope(math.Exp(at+h), at+h))/(2*h), 1e-6, "curvature at the mode")
	flat, log := Gamma{Shape: 1}, math.Log(7)
	check.Equal(t, "mode, density and slope of the flat prior", [3]float64{flat.Mode(), flat.addLog(flat.LogNorm(), 7, log), flat.slope(7, log)}, [3]float64{1, 0, 0})
}
