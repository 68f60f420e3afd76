package outcome_test

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/record"
)

// byHand is a run of three steps on a function with the optimum 10, whose first step is a batch of two new points.
func byHand() *record.Record {
	step := func(t int, values []float64, fresh int, selected, other float64, solves, gap float64) record.Step {
		s := record.Step{T: t, Utility: values, New: fresh, Metrics: record.Metrics{{Name: "solves", Value: solves}, {Name: "duality_gap", Value: gap}}}
		s.Recommendations = []record.Recommendation{{Rule: "a", Utility: selected}}
		if !math.IsNaN(other) {
			s.Recommendations = append(s.Recommendations, record.Recommendation{Rule: "b", Utility: other})
		}
		return s
	}
	rec := &record.Record{Steps: []record.Step{
		step(1, []float64{4, 6, 8}, 2, 5, 7, 2, 1e-9),
		step(2, []float64{8, 9}, 1, 8, math.NaN(), 3, 1e-7),
		step(3, []float64{9, 9.5}, 1, 7, 9, 4, 1e-8),
	}}
	rec.Header.Problem.Optimum = new(10.0)
	return rec
}

func TestRunByHand(t *testing.T) {
	rec := byHand()
	run := outcome.NewRun(rec, nil)
	nan := math.NaN()
	for what, c := range map[string][2]float64{
		"R_1":                      {run.CumulativeRegret(1), 3}, // the mean of 10 − 6 and 10 − 8
		"R_3":                      {run.CumulativeRegret(3), 4.5},
		"S_T":                      {run.FinalSuboptimality(0), 3},
		"S_T of b":                 {run.FinalSuboptimality(1), 1},
		"mean S":                   {run.MeanSuboptimality(0, 1, 3), 10. / 3},
		"mean S of steps 2 and 3":  {run.MeanSuboptimality(0, 2, 3), 2.5},
		"mean S of b":              {run.MeanSuboptimality(1, 1, 3), nan}, // which recommends nothing after step 2
		"roughness":                {run.Roughness(1), math.Sqrt2 * 2},    // of −3 and 1
		"roughness of one":         {run.Roughness(2), nan},
		"U":                        {run.Unit(), nan},
		"seconds":                  {run.StepSeconds(), nan},
		"solves":                   {run.Total("solves").Sum, 9},
		"gap":                      {run.Total("duality_gap").Max, 1e-7},
		"a metric that is missing": {run.Total("newton").Sum, nan},
	} {
		check.That(t, c[0] == c[1] || math.Abs(c[0]-c[1]) <= 1e-12 || math.IsNaN(c[0]) && math.IsNaN(c[1]), "%s is %g, want %g", what, c[0], c[1])
	}
	rec.Header.Problem.Uniform = &record.Uniform{Mean: 6}
	got := outcome.NewRun(rec, []string{"b"})
	check.That(t, got.Unit() == 6 && math.IsNaN(got.FinalSuboptimality(0)), "b is not selected, but has suboptimality %g", got.FinalSuboptimality(0))
}

// Two best arms that mirror each other have values with other last bits, and a mean depends on the order of its values:
// neither is a difference between methods.
func TestRoundingIsNoDifference(t *testing.T) {
	of := func(utility float64) *outcome.Run {
		rec := byHand()
		rec.Header.Problem.Uniform = &record.Uniform{Mean: 0.4, Std: 0.2}
		rec.Header.Problem.Optimum = new(0.3)
		for i := range rec.Steps {
			s := &rec.Steps[i]
			s.Recommendations[0].Utility = utility
			for j := range s.Utility {
				s.Utility[j] = utility
				s.Points = append(s.Points, []float64{float64(j)})
			}
		}
		return outcome.NewRun(rec, nil)
	}
	for _, m := range outcome.Measures {
		if exact := m.Final(of(0.3)); m.Unit == outcome.Utility {
			check.Equal(t, m.Title+" of an optimum's mirror", m.Final(of(0.3-5e-16)), exact)
			check.That(t, m.Final(of(0.3-1e-11)) > exact, "%s: 1e-11 is a difference", m.Title)
		}
	}
	values := []float64{-0.6058410691996475, 0.3, 0.1, 0.2, 0.3, 0.3}
	sums := map[float64]bool{}
	for i := range values {
		sum := 0.0
		for j := range values {
			sum += of(values[(i+j)%len(values)]).FinalSuboptimality(0)
		}
		sums[sum] = true
	}
	check.That(t, len(sums) == 1, "the same values in other orders have the sums %v", sums)
}
