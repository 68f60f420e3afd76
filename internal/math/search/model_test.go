package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// The step stays within its bounds, the fall is that of the model and positive, and at the end no free
// coordinate has a slope; also for a B that rounding has made slightly indefinite.
func TestModelStep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for run := range 500 {
		d := 1 + r.IntN(6)
		if run%5 == 4 {
			d = rotateFrom + r.IntN(8)
		}
		m := newModel(d)
		a, u, g := make([]float64, d*d), make([]float64, d), make([]float64, d)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		for i := range d {
			u[i], g[i] = float64(r.IntN(5))/4, r.NormFloat64()
			for j := range d {
				m.b[i*d+j] = wide.Dot(a[i*d:(i+1)*d], a[j*d:(j+1)*d])
				if run%5 == 0 { // rank 1
					m.b[i*d+j] = a[i] * a[j]
				}
			}
			if run%5 == 0 {
				m.b[i*d+i] *= 1 - 1e-13
			}
		}
		radius := 0.6 * r.Float64()
		fall := m.minimise(u, g, radius)
		model, pull := 0.0, 0.0
		for i, p := range m.p {
			check.That(t, p >= max(-radius, -u[i]) && p <= min(radius, 1-u[i]), "p[%d] = %g from %g with radius %g", i, p, u[i], radius)
			bp := wide.Dot(m.b[i*d:(i+1)*d], m.p)
			model -= p * (g[i] + bp/2)
			if slices.Contains(m.free, i) {
				pull = max(pull, math.Abs(g[i]+bp))
			} else if p != max(-radius, -u[i]) && p != min(radius, 1-u[i]) {
				t.Fatalf("p[%d] = %g is held, yet at no bound", i, p)
			}
		}
		check.That(t, math.Abs(fall-model) <= 1e-9*(1+maxAbs(m.b)) && fall >= 0 && (fall != 0 || maxAbs(m.p) <= 0), "fall %g, the model's is %g", fall, model)
		check.That(t, pull <= 1e-6*(1+maxAbs(m.b)), "a free coordinate still pulls by %g", pull)
	}
}

// Steps that vanish or gradients that overflow do not change the model.
func TestModelRefusesNonsense(t *testing.T) {
	for _, c := range []struct{ s, y []float64 }{
		{[]float64{0, 0}, []float64{0, 0}},
		{[]float64{0, 0}, []float64{1, 2}},
		{[]float64{1, 0}, []float64{1e200, 0}},
		{[]float64{1e-320, 0}, []float64{1, 0}},
		{[]float64{1, 0}, []float64{math.MaxFloat64, math.MaxFloat64}},
	} {
		m := newModel(2)
		m.setIdentity(3)
		s, y := slices.Clone(c.s), slices.Clone(c.y)
		m.update(s, y)
		check.That(t, slices.Equal(m.b, []float64{3, 0, 0, 3}), "s = %g, y = %g: B = %g", c.s, c.y, m.b)
	}
	m := newModel(2)
	m.setIdentity(3)
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		m.setIdentity(scale)
		check.That(t, slices.Equal(m.b, []float64{3, 0, 0, 3}), "scale %g: B = %g", scale, m.b)
	}
}

// Long steps along a valley add up rounding errors, until an update would leave a negative curvature. It happened in a fit
// of SGP, whose next step was then not a number.
func TestModelStaysDefinite(t *testing.T) {
	m := newModel(2)
	copy(m.b, []float64{1.9024342872199285e+08, -4.698683734645066e+07, -4.698683734645066e+07, 1.1604936363126976e+07})
	m.update([]float64{-0.08564873301806619, -0.3467802600119133}, []float64{-7.17695238686481, -17.68858868597578})
	check.That(t, m.b[0] > 0 && m.b[3] > 0, "B = %g", m.b)
	fall := m.minimise([]float64{0.54, 0.35}, []float64{0.96, 10.5}, 0.1)
	check.That(t, fall > 0 && finite(fall), "the model falls by %g in the step %g", fall, m.p)
}
