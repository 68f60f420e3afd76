package challenger

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
)

// The references have 30 digits and come from scripts/reference/challenger.py.
func TestAnswers(t *testing.T) {
	var rows []struct {
		M, V          float64
		Probit, Logit [3]float64
	}
	check.Read(t, "testdata/answers.json", &rows)
	for _, r := range rows {
		for _, sign := range []float64{1, -1} {
			for _, c := range []struct {
				name string
				link link
				want [3]float64
			}{{"probit", probit(1), r.Probit}, {"logit", logit, r.Logit}} {
				m := sign * r.M
				at := fmt.Sprintf("%s, m = %g, v = %g", c.name, m, r.V)
				got := [...]float64{c.link.variance(m, r.V).value, c.link.log(m, r.V).value, c.link.entropy(m, r.V).value}
				for i, name := range []string{"variance", "log", "entropy"} {
					if name == "log" && sign < 0 {
						check.Near(t, math.Exp(got[i])+math.Exp(c.want[i]), 1, 1e-12, "%s: sum of the probabilities of both answers", at)
						continue
					}
					check.Near(t, got[i], c.want[i], 1e-12, "%s: %s", at, name)
				}
				// Relative errors: below 1e-25 the reference has fewer digits, and that of the logistic link is exact to
				// 1e-13 of the largest value only where v is large.
				if relative := math.Abs(got[0]/c.want[0] - 1); c.want[0] > 1e-25 && (c.name == "probit" || r.V < 1) && relative > 2e-11 {
					t.Errorf("%s, m = %g, v = %g: the variance %v has a relative error of %.2g", c.name, m, r.V, got[0], relative)
				}
			}
		}
	}
}

// The derivatives by m and ln v against differences.
func TestAnswerDerivatives(t *testing.T) {
	for name, l := range map[string]link{"probit": probit(math.Sqrt2), "logit": logit} {
		for what, f := range map[string]func(m, v float64) score{"variance": l.variance, "log": l.log, "entropy": l.entropy} {
			for _, m := range []float64{-5, -0.7, 0, 1.3, 8} {
				for _, v := range []float64{0.01, 0.8, 9, 120} {
					check.Gradient(t, name+" "+what, func(x, grad []float64) float64 {
						s := f(x[0], math.Exp(x[1]))
						if grad != nil {
							grad[0], grad[1] = s.byM, s.byV*math.Exp(x[1])
						}
						return s.value
					}, []float64{m, math.Log(v)}, 1e-4, 1e-8)
				}
			}
		}
	}
}

// A difference that is known has no variance, and its entropy is that of its probability. In the tails the variance of one
// that is nearly known is v σ'(m)², about v e^(-2m).
func TestKnownDifference(t *testing.T) {
	for name, l := range map[string]link{"probit": probit(1), "logit": logit} {
		for _, m := range []float64{-40, -1, 0, 2, 40} {
			v := l.variance(m, 0)
			check.That(t, v.value == 0 && v.byM == 0 && (v.byV > 0 || math.Abs(m) == 40), "%s: the variance at m = %g, v = 0 is %+v", name, m, v)
			p := math.Exp(l.log(m, 0).value)
			want := 0.0
			if p > 0 && p < 1 {
				want = -p*math.Log(p) - (1-p)*math.Log1p(-p)
			}
			check.Near(t, l.entropy(m, 0).value, want, 1e-13, "%s: entropy at m = %g, v = 0", name, m)
		}
	}
	for _, m := range []float64{-40, 40} {
		check.Near(t, logit.variance(m, 1e-6).value/1e-6/math.Exp(-80), 1, 1e-4, "the variance at m = %g, v = 1e-6, relative", m)
	}
}
