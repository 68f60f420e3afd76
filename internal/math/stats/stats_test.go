package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
)

// reference is testdata/scipy.json: the same numbers by SciPy and NumPy.
type reference struct {
	Samples []struct {
		Name                           string
		X                              []float64
		Mean, Std, Median, Q1, Q3, Q90 float64
	}
	Welch []struct {
		A, B     [3]float64 // n, mean, std
		T, P, DF float64
	}
	Slope struct {
		X, Y []float64
		Fits []struct {
			Fro, To int
			Slope   float64
		}
	}
}

func load(t *testing.T) (r reference) {
	t.Helper()
	check.Read(t, "testdata/scipy.json", &r)
	return r
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	check.Near(t, got, want, rel*math.Abs(want), "%s", what)
}

func TestSummaryAgainstSciPy(t *testing.T) {
	for _, s := range load(t).Samples {
		before := slices.Clone(s.X)
		got := Summarize(s.X)
		near(t, "mean", got.Mean, s.Mean, 1e-14)
		near(t, "std", got.Std, s.Std, 1e-13)
		near(t, "standard error", got.StdErr, s.Std/math.Sqrt(float64(len(s.X))), 1e-13)
		near(t, "median", got.Median, s.Median, 1e-14)
		near(t, "q1", got.Q1, s.Q1, 1e-14)
		near(t, "q3", got.Q3, s.Q3, 1e-14)
		near(t, "90 % quantile", Quantile(s.X, 0.9), s.Q90, 1e-14)
		check.That(t, slices.Equal(before, s.X), "the sample was changed")
	}
}

// Ranks compare means: runs that end alike, in another order, are a tie.
func TestMeanOfAnotherOrder(t *testing.T) {
	for _, x := range [][]float64{{0, 0, 0, 0, 0, 1}, {3727052990129, 0, 2178946556263, 2865736200343, 0, 124673520216}} {
		want := Mean(slices.Sorted(slices.Values(x)))
		for range x {
			x = append(x[1:], x[0])
			check.Equal(t, fmt.Sprint("mean of ", x), Mean(x), want)
		}
	}
	check.Equal(t, "mean of equal values", Mean(slices.Repeat([]float64{0.1}, 49)), 0.1)
	check.Near(t, Mean([]float64{1e16, 1, -1e16, 1}), 0.5, 0, "mean of values that cancel")
}

func TestTooFewValues(t *testing.T) {
	check.Equal(t, "summary of nothing", fmt.Sprint(Summarize(nil)), "{0 NaN NaN NaN {NaN NaN} NaN NaN NaN NaN NaN}")
	check.Equal(t, "summary of one value", fmt.Sprint(Summarize([]float64{3})), "{1 3 NaN NaN {NaN NaN} 3 3 3 3 3}")
}

func TestWelchAgainstSciPy(t *testing.T) {
	for _, w := range load(t).Welch {
		a := Moments{int(w.A[0]), w.A[1], w.A[2]}
		b := Moments{int(w.B[0]), w.B[1], w.B[2]}
		got := Welch(a, b)
		near(t, "t", got.T, w.T, 1e-12)
		near(t, "df", got.DF, w.DF, 1e-12)
		near(t, "p", got.P, w.P, 1e-9)
		back := Welch(b, a)
		check.That(t, back.T == -got.T && back.P == got.P, "exchanging the samples gives %+v from %+v", back, got)
	}
	two := Welch(Moments{2, 0, 1}, Moments{2, 1, 1})
	near(t, "t of two and two", two.T, -1, 1e-14)
	for _, w := range []WelchResult{Welch(Moments{1, 0, 1}, Moments{30, 0, 1}), Welch(Moments{30, 0, 0}, Moments{30, 1, 0})} {
		check.That(t, math.IsNaN(w.T) && math.IsNaN(w.P), "a test without spread or data: %+v, want NaN", w)
	}
}

func TestLogLogSlope(t *testing.T) {
	r := load(t).Slope
	for _, f := range r.Fits {
		near(t, "slope", LogLogSlope(r.X[f.Fro-1:f.To])(r.Y[f.Fro-1:f.To]), f.Slope, 1e-12)
	}
	near(t, "slope with zeros left out", LogLogSlope([]float64{0, 1, 2, 4})([]float64{5, 3, 6, 12}), 1, 1e-14)
	got := LogLogSlope([]float64{2, 2})([]float64{1, 3})
	check.That(t, math.IsNaN(got), "slope over one x = %g, want NaN", got)
}
