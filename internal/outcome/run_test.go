package outcome_test

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
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
		if got, want := c[0], c[1]; math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	rec.Header.Problem.Uniform = &record.Uniform{Mean: 6}
	if got := outcome.NewRun(rec, []string{"b"}); got.Unit() != 6 || !math.IsNaN(got.FinalSuboptimality(0)) {
		t.Errorf("b is not selected, but has suboptimality %g", got.FinalSuboptimality(0))
	}
}

// The last point of a curve and the table's cell are one quantity.
func TestCurvesEndAtTheTable(t *testing.T) {
	for name, o := range map[string]reporttest.Options{"one function": {Problems: []string{"bukin6"}}, "few runs": {Problems: []string{"bukin6"}, Runs: 3}} {
		t.Run(name, func(t *testing.T) {
			r := mustCollect(t, reporttest.Results(o))
			row := outcome.NewTable(r).Rows[0]
			rules := map[string]outcome.RuleSummary{}
			for _, rule := range row.Rules {
				rules[rule.Rule] = rule
			}
			same := func(c *outcome.Curve, want stats.Summary) {
				t.Helper()
				got := c.Points[len(c.Points)-1]
				if got.N < stats.MinRuns { // NaN equals nothing
					got.CI, want.CI = stats.Interval{}, stats.Interval{}
				}
				check.That(t, got == want,
					"%s by %q against %s ends at %+v, the table has %+v", c.Metric, c.Rule, c.Against, got, want)
			}
			checked := 0
			for _, c := range outcome.Curves(r) {
				switch {
				case c.Metric == outcome.Suboptimality && c.Against == outcome.Optimum:
					same(&c, rules[c.Rule].True)
				case c.Metric == outcome.Suboptimality:
					same(&c, *rules[c.Rule].Grid)
				case c.Metric == outcome.CumulativeRegret && c.Against == outcome.Optimum:
					same(&c, row.Regret)
				case c.Metric == outcome.CumulativeRegret:
					same(&c, *row.GridRegret)
				default:
					continue
				}
				checked++
			}
			check.That(t, checked == 2*(len(row.Rules)+1), "%d curves", checked)
		})
	}
}
