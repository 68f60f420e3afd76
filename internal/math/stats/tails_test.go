package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"popbench/internal/check"
)

// The quantiles were computed with 40 digits (mpmath, bisection of the regularised incomplete beta function).
func TestStudentTailQuantile(t *testing.T) {
	for _, c := range []struct{ p, df, t float64 }{
		{0.5, 4, 0},
		{0.3, 7, 0.54910965794728501},
		{0.025, 29, 2.0452296421327043},
		{2.25e-15, 29, 14.830705126457424},
		{2.25e-15, 479, 8.1029880918133035}, // gonum's inverse: 8.34
		{5e-34, 479, 13.09964144381891},
		{1e-198, 29, 33088772.040022201},
		{1e-100, 1, 3.1830988618379067e+99},
	} {
		near(t, "quantile", StudentTailQuantile(c.p, c.df), c.t, 1e-12)
		student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: c.df}
		near(t, "tail", student.CDF(-c.t), c.p, 1e-11)
		near(t, "tail below", student.CDF(c.t), 1-c.p, 1e-15)
	}
	q := StudentTailQuantile(0, 3)
	check.That(t, math.IsInf(q, 1), "probability 0: %v", q)
}

func TestNormalTailQuantile(t *testing.T) {
	for _, z := range []float64{-3, 0, 0.5, 1.96, 7.84, 12.16, 37} {
		check.Near(t, NormalTailQuantile(NormalTail(z)), z, 1e-13, "the quantile of the tail of %v", z)
	}
}
