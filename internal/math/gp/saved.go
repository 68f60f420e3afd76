package gp

import (
	"errors"
	"fmt"
	"slices"

	"popbench/internal/math/linalg"
)

// Saved is a converged approximation as plain data. With the same prior covariances, Solver.Restore gives the
// same approximation.
type Saved struct {
	A     []float64 `json:"a"`
	SqrtW []float64 `json:"sqrt_w"`
	// Variational says that Variational computed it, which rounds B differently.
	Variational bool    `json:"variational,omitempty"`
	Evidence    float64 `json:"evidence"`
	Residual    float64 `json:"residual"`
}

// Save returns the approximation as plain data.
func (f *Approximation) Save() Saved {
	return Saved{slices.Clone(f.Alpha), slices.Clone(f.SqrtW), f.variational, f.Evidence, f.Residual}
}

// Restore returns a saved approximation for the prior covariances g of n values, in the solver's memory: the
// posterior bit for bit, with its evidence and its certificate, but without LogLik and the data for Sensitivity.
// It factors one matrix.
func (s *Solver) Restore(g []float64, n int, saved Saved) (*Approximation, error) {
	if len(saved.A) != n || len(saved.SqrtW) != n {
		return nil, fmt.Errorf("posterior: %d and %d weights for %d comparisons", len(saved.A), len(saved.SqrtW), n)
	}
	if slices.ContainsFunc(saved.SqrtW, func(w float64) bool { return w < 0 }) {
		return nil, errors.New("posterior: a weight in sqrt_w is negative")
	}
	f := s.begin(g, n, saved.A)
	copy(f.SqrtW, saved.SqrtW)
	if f.variational = saved.Variational; f.variational {
		s.variance = linalg.Resize(s.variance, n)
		s.factorWithRows(f)
	} else {
		f.factor(g)
	}
	linalg.Mul(f.Mode, 1, g, n, f.Alpha)
	f.Evidence, f.Residual, f.Converged = saved.Evidence, saved.Residual, true
	return f, nil
}
