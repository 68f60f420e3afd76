package claims_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
	"popbench/suite"
)

// qeuboSuites are the suite files of qEUBO's paper, by name.
func qeuboSuites(t *testing.T) map[string]*suite.Suite {
	t.Helper()
	files := map[string]*suite.Suite{}
	for _, f := range configs.PaperNamed(claims.LookupStudy("qeubo-2023").Name) {
		s := check.Must(suite.Parse(f.Path, f.Text, suite.Catalogue{}))(t)
		files[s.Name] = s
	}
	return files
}

// qeuboEvidence returns runs of the suites in which the suboptimality and the best-asked regret of a method are what of
// says, in units of a random point. Scales are the published ones times scale.
func qeuboEvidence(t *testing.T, scale float64, of func(suite, label string) float64) *judge.Evidence {
	t.Helper()
	e := judge.NewEvidence(claims.LookupStudy("qeubo-2023"))
	e.Resamples = 2000
	for _, s := range qeuboSuites(t) {
		p := reporttest.Plan{Suite: s.Name, Runs: 10, Steps: 2, Random: 1, Rules: []string{"selected"},
			Regret:        func(string, string, int, int) float64 { return 0 },
			Seconds:       func(string, int) float64 { return 1 },
			Suboptimality: func(_, label, _ string, i, _ int) float64 { return of(s.Name, label) * (1 + 0.02*float64(i%2*2-1)) },
		}
		for _, problem := range s.Problems {
			p.Problems = append(p.Problems, cmp.Or(problem.Label, problem.Name))
		}
		for _, a := range s.Algorithms {
			p.Labels = append(p.Labels, a.Label)
		}
		results := p.Results()
		for _, rec := range results.Records {
			i := slices.IndexFunc(claims.PublishedScales, func(p claims.PublishedScale) bool {
				return p.Place == claims.Place{Suite: s.Name, Problem: rec.Header.Problem.Name}
			})
			if i >= 0 {
				rec.Header.Oracle = &record.Oracle{Model: "logistic", Scale: scale * claims.PublishedScales[i].Scale}
				rec.Header.Seal()
			}
			for t := range rec.Steps { // both points are as good as the recommended one
				u := rec.Steps[t].Recommendations[0].Utility
				rec.Steps[t].Utility = []float64{u, u}
			}
		}
		check.OK(t, e.Add(results))
	}
	return e
}

// Every claim of the study holds in a world in which it is true, and fails in one in which its contrary is. Every check
// is about problems and algorithms that the suite files have.
func TestClaimsOfQEUBO(t *testing.T) {
	for _, world := range []struct {
		want  judge.Verdict
		scale float64
		qeubo func(suite string) float64
	}{
		{judge.Holds, 1.01, errorRate},
		{judge.Fails, 1.1, func(suite string) float64 { return 1 - errorRate(suite) }},
	} {
		of := func(suite, label string) float64 {
			if label == claimstest.QEUBO {
				return world.qeubo(suite)
			}
			return 0.5
		}
		for _, o := range judge.Judge(qeuboEvidence(t, world.scale, of)).Outcomes {
			check.That(t, o.Verdict == world.want, "%s: %s, should be %q", o.Claim.ID, o.Verdict, world.want)
			for _, f := range slices.Concat(o.Parts, o.Beside) {
				check.That(t, f.Missing == "", "%s: %s: %s", o.Claim.ID, f.What, f.Missing)
			}
		}
	}
}

// The scales of the claims belong to suites whose oracle is calibrated to the rate of errors of the same place.
func TestPublishedScalesAreOfTheSuites(t *testing.T) {
	files := qeuboSuites(t)
	for _, p := range claims.PublishedScales {
		o := files[p.Suite].Oracle
		check.That(t, o != nil && o.ErrorRate != nil && *o.ErrorRate == errorRate(p.Suite) && o.On == "top-1%", "%s: the oracle is %+v", p.Suite, o)
	}
}

// errorRate is the rate of errors of a suite's oracle, by its name.
func errorRate(suite string) float64 {
	switch {
	case strings.HasSuffix(suite, "-10"):
		return 0.1
	case strings.HasSuffix(suite, "-30"):
		return 0.3
	}
	return 0.2
}
