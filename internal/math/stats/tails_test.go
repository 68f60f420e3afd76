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
		near(t, "tail", studentTail(c.t, c.df), c.p, 1e-11)
	}
	q := StudentTailQuantile(0, 3)
	check.That(t, math.IsInf(q, 1), "probability 0: %v", q)
}

func TestNormalTailQuantile(t *testing.T) {
	for _, z := range []float64{-3, 0, 0.5, 1.96, 7.84, 12.16, 37} {
		check.Near(t, NormalTailQuantile(NormalTail(z)), z, 1e-13, "the quantile of the tail of %v", z)
	}
}

func TestDistributions(t *testing.T) {
	for _, x := range []float64{0, 0.01, 0.7, 1.3, 4, 25} {
		near(t, "normal", normalCDF(x), distuv.UnitNormal.CDF(x), 1e-15)
		near(t, "normal below 0", normalCDF(-x), distuv.UnitNormal.CDF(-x), 1e-15)
		for _, df := range []float64{1, 4.6, 29, 479} {
			student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
			near(t, "Student's tail", studentTail(x, df), student.CDF(-x), 1e-15)
			near(t, "Student's density", studentDensity(x, df), student.Prob(x), 1e-15)
			p := 1 - math.Exp(-x-0.8)
			near(t, "Student's quantile", studentQuantile(p, df), student.Quantile(p), 1e-15)
			near(t, "chi-squared tail", chiSquaredTail(x, df), distuv.ChiSquared{K: df}.Survival(x), 1e-15)
			near(t, "F tail", fTail(x, df, 7), distuv.F{D1: df, D2: 7}.Survival(x), 1e-15)
		}
	}
}
