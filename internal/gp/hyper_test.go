package gp

import (
	"math"
	"testing"

	"popbench/internal/search"
)

// concave has the evidence -½ Σ (log x_i - at_i)², unknown where x_0 > limit.
func concave(at []float64, limit float64) func(x, grad []float64) float64 {
	return func(x, grad []float64) float64 {
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

func TestGammaIsNormalised(t *testing.T) {
	for _, g := range []Gamma{{3, 6}, {2, 0.15}, {1, 2}} {
		var mass, top float64
		const h = 1e-3
		for x := h / 2; x < 400; x += h { // the midpoint rule
			p := math.Exp(LogPrior(0, []Parameter{{Prior: g, LogNorm: g.LogNorm()}}, []float64{x}))
			mass += h * p
			if p > top {
				top = p
				if g.Shape > 1 && x > g.Mode()+h {
					t.Errorf("%+v: the density at %g is above that at the mode %g", g, x, g.Mode())
				}
			}
		}
		if math.Abs(mass-1) > 1e-4 {
			t.Errorf("%+v has the mass %g", g, mass)
		}
	}
	if flat := (Gamma{Shape: 1}); flat.Mode() != 1 || flat.LogNorm() != 0 {
		t.Errorf("flat: mode %g, log norm %g", flat.Mode(), flat.LogNorm())
	}
}

// With a flat prior the fit is the maximum of the evidence or the end of the
// range, with a Gamma prior where both slopes cancel: log x - at = Shape - 1 - Rate x.
func TestHyper(t *testing.T) {
	prior := Gamma{3, 6}
	params := []Parameter{
		{Prior: Gamma{Shape: 1}, Lo: 0.1, Hi: 10},
		{Prior: Gamma{Shape: 1}, Lo: 0.1, Hi: 10},
		{Prior: prior, LogNorm: prior.LogNorm(), Lo: 0.01, Hi: 100},
	}
	h := NewHyper(params, search.Settings{}, concave([]float64{0.5, 3, -1}, 100))
	for _, last := range []bool{false, true} {
		h.EvidenceLast = last
		m := h.Fit(h.Mode(), Logs([]float64{5, 5, 5}))
		slope := prior.Shape - 1 - prior.Rate*m.X[2] - (math.Log(m.X[2]) + 1)
		if !m.OK() || m.Unfinished != 0 || math.Abs(m.X[0]-math.Exp(0.5)) > 1e-6 || m.X[1] != math.Exp(math.Log(10)) || math.Abs(slope) > 1e-6 || m.Gradient > 1e-6 {
			t.Errorf("%+v, slope %g", m, slope)
		}
		want := LogPrior(concave([]float64{0.5, 3, -1}, 100)(m.X, nil), params, m.X)
		if math.Abs(m.Value-want) > 1e-12 {
			t.Errorf("value %.15g, evidence + priors are %.15g", m.Value, want)
		}
		before := m
		m.Value, m.Gradient = 0, 1
		if h.Certify(&m); m.Value != before.Value || m.Gradient != before.Gradient {
			t.Errorf("certified as %+v, was %+v", m, before)
		}
	}
}

// Without an evidence at any start there is no fit; a gradient that leads into the
// range counts.
func TestHyperCertificate(t *testing.T) {
	h := NewHyper([]Parameter{{Prior: Gamma{Shape: 1}, Lo: 0.1, Hi: 10}}, search.Settings{MaxIter: 1, Step: 1e-3}, concave([]float64{0}, 5))
	if m := h.Fit([]float64{math.Log(6)}); m.Status != search.Undefined || m.OK() || m.Unfinished != 1 {
		t.Errorf("without an evidence: %+v", m)
	}
	m := h.Fit([]float64{math.Log(0.1)})
	if m.Status != search.MaxIterations || m.OK() || math.Abs(m.Gradient+m.Logs[0]) > 1e-12 {
		t.Errorf("at the lower end, where the gradient leads into the range: %+v", m)
	}
}
