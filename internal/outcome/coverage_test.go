package outcome_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func metric(t *testing.T, s *record.Step, name string) float64 {
	t.Helper()
	v, ok := s.Metrics.Get(name)
	if !ok {
		t.Fatalf("there is no metric %s", name)
	}
	return v
}

// countInside counts by the definition, not by way of this package.
func countInside(t *testing.T, records []*record.Record, norm float64) (steps, runs, total int, at []int) {
	t.Helper()
	at = make([]int, len(records[0].Steps))
	for _, rec := range records {
		all := true
		for i := range rec.Steps {
			s := &rec.Steps[i]
			if s.TrueLogLikelihood >= metric(t, s, "log_likelihood")-metric(t, s, "beta") && norm <= metric(t, s, "norm_bound") {
				steps++
				at[i]++
			} else {
				all = false
			}
			total++
		}
		if all {
			runs++
		}
	}
	return steps, runs, total, at
}

func TestCoverageIsThatOfTheRecords(t *testing.T) {
	for _, norm := range []float64{5, 6, 7} { // the bound is 6
		t.Run(fmt.Sprintf("norm %g", norm), func(t *testing.T) {
			in := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Runs: 9, Steps: 7, Norm: norm})
			// In some steps of a run the bound is another.
			for k := range in.Records[2].Steps[:3] {
				m := in.Records[2].Steps[k].Metrics
				m[slices.IndexFunc(m, func(m record.Metric) bool { return m.Name == "norm_bound" })].Value = 4
			}
			r := mustCollect(t, in)
			row := outcome.NewTable(r).Rows[0]
			c := row.Coverage
			steps, runs, total, at := countInside(t, in.Records, norm)
			if want := (outcome.Containment{Steps: stats.Share{Count: steps, N: total}, Runs: stats.Share{Count: runs, N: 9}}); !c.Known || !c.NormKnown || c.Inside != want {
				t.Errorf("norm %g: inside %+v, the records have %+v", norm, c.Inside, want)
			}
			ball := map[float64]int{5: 8, 6: 8, 7: 0}[norm]
			if want := (stats.Share{Count: ball, N: 9}); c.Ball != want {
				t.Errorf("norm %g: in the ball %+v, want %+v", norm, c.Ball, want)
			}
			steps, runs, total, likely := countInside(t, in.Records, 0)
			if want := (outcome.Containment{Steps: stats.Share{Count: steps, N: total}, Runs: stats.Share{Count: runs, N: 9}}); c.Likely != want {
				t.Errorf("norm %g: likely %+v, the records have %+v", norm, c.Likely, want)
			}
			if steps == 0 || steps == total {
				t.Fatalf("%d of %d steps: this proves nothing", steps, total)
			}
			if runs == 0 || runs == 9 {
				t.Fatalf("%d of 9 runs: this proves nothing", runs)
			}

			found := 0
			for _, curve := range outcome.Curves(r) {
				want := map[outcome.Metric][]int{outcome.InSet: at, outcome.InLikelihoodSet: likely}[curve.Metric]
				if want == nil {
					continue
				}
				found++
				for i, p := range curve.Points {
					ci := stats.Share{Count: want[i], N: 9}.Wilson(0.95)
					check.That(t, math.Abs(p.Mean-float64(want[i])/9) <= 1e-15 && p.CI == ci && p.N == 9,
						"norm %g, %s after step %d: %+v, want %d of 9 and %v", norm, curve.Metric, i+1, p, want[i], ci)
				}
			}
			check.That(t, found == 2, "norm %g: %d curves", norm, found)
		})
	}
}

// The theorem is about the Bradley-Terry-Luce oracle; of another one there is no coverage.
func TestCoverageOfAnotherOracle(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Runs: 3, Steps: 4, Norm: 5})
	if c := outcome.NewTable(mustCollect(t, in)).Rows[0].Coverage; !c.Known || !c.NormKnown {
		t.Fatalf("%+v: this proves nothing", c)
	}
	for _, r := range in.Records {
		r.Header.Oracle = &record.Oracle{Model: "noiseless"}
	}
	if c := outcome.NewTable(mustCollect(t, in)).Rows[0].Coverage; c.Known {
		t.Errorf("%+v", c)
	}
}

// In the set-up of the authors' program the norm is known to be too large, which
// decides it; in any other it is not.
func TestCoverageInTheAuthorsSetUp(t *testing.T) {
	const theirs = `{"kernel":{"family":"matern52","variance":1,"lengthscale":[7]},"norm_bound":6}`
	for name, c := range map[string]struct {
		problem, scale, settings string
		bound, lengthscale       float64
		known                    bool
	}{
		"theirs":             {"branin", "standardise", theirs, 10, 10, true},
		"not shifted":        {"branin", "std", theirs, 10, 10, true},
		"a smaller bound":    {"branin", "std", theirs, 3, 10, true},
		"a larger bound":     {"branin", "std", theirs, 30, 10, false},
		"raw":                {"branin", "raw", theirs, 10, 10, false},
		"another length":     {"branin", "std", theirs, 10, 9.9, false},
		"another kernel":     {"branin", "std", strings.Replace(theirs, "52", "32", 1), 10, 10, false},
		"another variance":   {"branin", "std", strings.Replace(theirs, `e":1`, `e":2`, 1), 10, 10, false},
		"another problem":    {"gp1", "std", theirs, 10, 10, false},
		"no kernel is known": {"branin", "std", `[]`, 10, 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := reporttest.Results(reporttest.Options{Problems: []string{c.problem}, Runs: 2, Steps: 3})
			for _, rec := range in.Records {
				rec.Header.Problem.Scale = c.scale
				rec.Header.Algorithm.Settings = []byte(c.settings)
				for i := range rec.Steps {
					m := rec.Steps[i].Metrics
					m[slices.IndexFunc(m, func(m record.Metric) bool { return m.Name == "norm_bound" })].Value = c.bound
					rec.Steps[i].Metrics = append(m, record.Metric{Name: "lengthscale_1", Value: c.lengthscale}, record.Metric{Name: "lengthscale_2", Value: c.lengthscale})
				}
			}
			got := outcome.NewTable(mustCollect(t, in)).Rows[0].Coverage
			check.That(t, got.NormKnown == c.known && got.Inside.Steps.Count == 0 && got.Ball.Count == 0,
				"%+v, should be known: %v", got, c.known)
		})
	}
}
