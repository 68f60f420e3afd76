package check

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Near fails the test if got is farther than tol from want, or is no number.
func Near(t testing.TB, got, want, tol float64, format string, args ...any) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: got %.17g, want %.17g within %.3g", fmt.Sprintf(format, args...), got, want, tol)
	}
}

// Close fails the test if got differs from want by more than rounding.
func Close(t testing.TB, what string, got, want float64) {
	t.Helper()
	Near(t, got, want, 1e-12*(1+math.Abs(want)), "%s", what)
}

// Gradient fails the test for each derivative of f at x that is not within tol of the central difference with steps of h,
// relative where that is above 1; and if f without a gradient has another value.
func Gradient(t testing.TB, what string, f func(x, grad []float64) float64, x []float64, h, tol float64) {
	t.Helper()
	grad := make([]float64, len(x))
	with := f(x, grad)
	if value := f(x, nil); value != with {
		t.Errorf("%s at %.3g: got %.12g with a gradient, %.12g without", what, x, with, value)
	}
	for j, v := range x {
		up, down := slices.Clone(x), slices.Clone(x)
		up[j], down[j] = v+h, v-h
		if want := (f(up, nil) - f(down, nil)) / (2 * h); !(math.Abs(grad[j]-want) <= tol*max(1, math.Abs(want))) {
			t.Errorf("%s at %.3g: derivative %d is %.10g, by differences %.10g", what, x, j, grad[j], want)
		}
	}
}
