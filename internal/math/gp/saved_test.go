package gp

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

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
			if back.Status != Converged || back.Residual != fit.Residual {
				t.Errorf("restored as %v with residual %v, not %v", back.Status, back.Residual, fit.Residual)
			}
			if back.Evidence != fit.Evidence || back.logDet != fit.logDet {
				t.Errorf("evidence %v, not %v; log|B| %v, not %v", back.Evidence, fit.Evidence, back.logDet, fit.logDet)
			}
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
		if _, err := new(Solver).Restore(g, 1, saved); err == nil {
			t.Errorf("%+v is restored", saved)
		}
	}
}
