package outcome_test

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
)

// A lengthscale within a hundredth of an end of its range counts as being there.
func TestFitsAtTheEndsOfTheirRange(t *testing.T) {
	f := outcome.Fit{Lo: 1, Hi: 100, Values: []float64{1, 1.009, 1.011, 1.05, 50, 98.9, 99.1, 99.5, 100}}
	lower, upper := f.Ends()
	check.Equal(t, "at the lower end", lower, 2)
	check.Equal(t, "at the upper end", upper, 3)
}
