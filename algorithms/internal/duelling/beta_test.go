package duelling

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/internal/math/arms/armstest"
)

func TestMaxMinBeta(t *testing.T) {
	for i, c := range armstest.Selections(t).Beta {
		check.Near(t, arms.Kappa(c.B), c.Kappa, 1e-10, "%d: κ", i)
		check.Near(t, maxMinBeta(c.B, c.Lambda, c.Gamma, c.Delta), c.MaxMin, 1e-10, "%d: β of MaxMinLCB", i)
	}
}
