package claims

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
)

// A gap is the mean over problems of differences in units of a random point, which differ from problem to problem.
// Lengthscales are compared as geometric means. A pair of methods is swapped if the differences have opposite signs.
func TestDimensionChecks(t *testing.T) {
	two := additive(16)[:2]
	check.Equal(t, "gap", priorGap(sgp, Below(0), two).Of([][]float64{{1, 3, 4}, {6, 2, 8}}), (-0.5+0.5)/2)
	f := lengthened(sgp, Above(1), two).Of([][]float64{{math.Log(8), math.Log(2)}, {math.Log(2), math.Log(8)}})
	check.That(t, math.Abs(f-1) <= 1e-12, "a factor %g of 4 and 1/4", f)
	run := &outcome.Run{Suboptimality: [][]float64{{1, 1}}, Totals: []outcome.Total{{Name: "lengthscale_1", Sum: 8}, {Name: "lengthscale_2", Sum: 2}}}
	if l, err := logLengthscale(sgp).Of(nil, run); err != nil || math.Abs(l-math.Log(2)) > 1e-12 {
		t.Errorf("log lengthscale %g (%v) of 4 and 1", l, err)
	}
	if _, err := logLengthscale(sgp).Of(nil, &outcome.Run{Suboptimality: run.Suboptimality}); err == nil {
		t.Error("lengthscales of records that have none")
	}
	three := swapped(priorMethods, two[:1])
	for _, c := range []struct {
		means []float64 // of each method with both priors, and of a random point
		want  float64
	}{
		{[]float64{1, 1, 2, 2, 3, 3, 1}, 1},
		{[]float64{1, 2, 2, 1, 3, 3, 1}, -1},
		{[]float64{2, 4, 4, 2, 6, 6, 2}, -1},
	} {
		check.Equal(t, "least product", three.Of([][]float64{c.means}), c.want)
	}
}
