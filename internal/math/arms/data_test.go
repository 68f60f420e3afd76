package arms

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/arms/armstest"
	"popbench/kernel"
)

// data is an armstest.Dataset, or what has one.
type data interface {
	NewKernel(testing.TB) kernel.Kernel
	Features() []float64
	Tell(armstest.Duels)
}

func armsOf(t testing.TB, s data) *Arms { return armsPlus(t, s, 0) }

// armsPlus returns the arms with epsilon on the diagonal of their Gram matrix.
func armsPlus(t testing.TB, s data, epsilon float64) *Arms {
	t.Helper()
	return check.Must(NewPlus(s.NewKernel(t), s.Features(), epsilon))(t)
}

// duelsOf returns all answers.
func duelsOf(t testing.TB, s data) *Duels {
	t.Helper()
	d := NewDuels(armsOf(t, s))
	s.Tell(d)
	return d
}

// width returns the range of f_i - f_j over the set of SetLevel.
func (b *Ball) width(i, j int) Width {
	return widthOf(b.Largest(i, j, math.Inf(-1)), b.Largest(j, i, math.Inf(-1)))
}
