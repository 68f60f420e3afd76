package verify

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/views/report/reporttest"
	"popbench/suite"
)

// asPublished is evidence of runs with the published scores, and with those of random duels for Brochu's expected
// improvement, all plus what more adds.
func asPublished(t *testing.T, more func(label string) float64) *judge.Evidence {
	t.Helper()
	e := judge.NewEvidence(claims.LookupStudy(claims.FauvelSuite))
	e.Resamples = 300
	plan := reporttest.Plan{
		Suite: claims.FauvelSuite, Problems: fauvelProblems(), Labels: append(slices.Clone(claims.FauvelRules), "Brochu EI", claims.RandomDuels),
		Runs: 40, Steps: 80, Rules: []string{"max-mean"}, Random: 2,
		Regret:  func(string, string, int, int) float64 { return 0 },
		Seconds: func(string, int) float64 { return 0 },
		Suboptimality: func(problem, label, _ string, i, t int) float64 {
			as := label
			if label == "Brochu EI" {
				as = claims.RandomDuels
			}
			k, found := slices.BinarySearch(fauvelDuels, t)
			if !found {
				return 0
			}
			return 1 - (paper.FauvelScores(problem, as, fauvelDuels[k])[i] + more(label))
		},
	}
	check.OK(t, e.Add(plan.Results()))
	return e
}

// The published runs, taken for ours, are like the published runs.
func TestPublishedRunsAreLikeThemselves(t *testing.T) {
	check.Sequential(t)
	e := asPublished(t, func(string) float64 { return 0 })
	got := verdicts(e)
	for id, want := range map[string]judge.Verdict{"fauvel-1": judge.Holds, "fauvel-4": judge.Holds, "fauvel-5": judge.Fails, "fauvel-6": judge.Holds} {
		check.Equal(t, id, got[id].Verdict, want)
	}
	for _, o := range got {
		for _, f := range slices.Concat(o.Parts, o.Beside) {
			check.That(t, f.Published != nil || math.Abs(f.Value-f.Printed) < 1e-12 || o.Claim.ID == "fauvel-5",
				"%s, %s: %v, but %v of the published runs", o.Claim.ID, f.What, f.Value, f.Printed)
			check.That(t, f.Published == nil || o.Claim.ID == "fauvel-6" || math.Abs(f.Value) < 1e-12, "%s, %s: %v", o.Claim.ID, f.What, f.Value)
		}
	}
	for _, f := range got["fauvel-6"].Beside[2:] {
		check.That(t, f.Value == 1, "%s, of the published order with itself: %v", f.What, f.Value)
	}
	all := comparePublished(e.Suites[claims.FauvelSuite])
	check.That(t, len(all) == 18*6, "%d comparisons", len(all))
	for _, p := range all {
		for k := range fauvelDuels {
			check.That(t, len(p.ours[k]) == 40 && math.Abs(p.ours[k][7]-p.theirs[k][7]) <= 1e-12,
				"%s on %s: %v, published %v", p.group.Algorithm.Label, p.group.Problem.Name, p.ours[k], p.theirs[k])
		}
		check.That(t, p.adjusted == 1, "%s on %s: p = %v", p.group.Algorithm.Label, p.group.Problem.Name, p.adjusted)
	}
}

// A rule that scores 3 more than the published runs is higher on each problem, and only that rule.
func TestDifferencesFromPublishedRuns(t *testing.T) {
	check.Sequential(t)
	more := map[string]float64{claimstest.DTS: 3, "KSS": -3}
	e := asPublished(t, func(label string) float64 { return more[label] })
	v := judge.Judge(e)
	o := outcomeOf(v, "fauvel-2")
	check.Same(t, "verdicts on fauvel-2", []judge.Verdict{o.Verdict, o.Parts[1].Verdict, o.Parts[2].Verdict}, []judge.Verdict{judge.Fails, judge.Holds, judge.Fails})
	for _, p := range comparePublished(e.Suites[claims.FauvelSuite]) {
		ours, theirs := p.scores()
		want, on := more[p.group.Algorithm.Label], p.group.Algorithm.Label+" on "+p.group.Problem.Name
		check.That(t, math.Abs(ours-theirs-want) <= 1e-9, "%s: %v more than published, want %v", on, ours-theirs, want)
		clear := p.adjusted < 1-judge.Level
		check.That(t, clear == (want != 0) || p.group.Problem.Name == "bohachevsky1_log", "%s: p = %v", on, p.adjusted)
	}
	for _, row := range distributions(comparePublished(e.Suites[claims.FauvelSuite])).Rows {
		if sign := map[string]string{claimstest.DTS: "+", "KSS": "−"}[row[1].String()]; sign != "" && row[0].String() != "bohachevsky1_log" {
			check.That(t, strings.HasPrefix(row[5].String(), sign), "effect of %s on %s: %s", row[1], row[0], row[5])
		}
	}
	// No two numbers of the golden are equal but for rounding.
	sheets, _ := fauvelAlso(asPublished(t, func(label string) float64 { return more[label] + 0.27 }).Suites[claims.FauvelSuite])
	check.GoldenWritten(t, "fauvel.txt", func(w io.Writer) error { return document.WriteText(w, &document.Document{Sheets: sheets}) })
	files := check.Must(Files(v, nil, func(string) bool { return false }))(t)
	page := string(files[len(files)-1].Data)
	check.Contains(t, "the page", page, "Our scores minus the published ones", "In 18 of them ours is clearly higher, in 18 clearly lower")
	check.Equal(t, "figures", strings.Count(page, "<figure"), 1)
}

// Runs that are shorter than the published ones are not compared.
func TestNoRunsToCompare(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"dts"}, Runs: 1, Steps: 79})
	in.Records[0].Header.Problem.Name = "forrester"
	sheets, figures := fauvelAlso(check.Must(outcome.Collect(in))(t))
	check.That(t, sheets == nil && figures == nil, "%v, %v", sheets, figures)
}

// The suite has the problems and the rules of the comparison, and the protocol of the published runs.
func TestFauvelsSuite(t *testing.T) {
	files := configs.PaperNamed(claims.FauvelSuite)
	check.Equal(t, "suites", len(files), 1)
	s := check.Must(suite.Parse(files[0].Path, files[0].Text, suite.Catalogue{}))(t)
	var problems, labels []string
	for _, p := range s.Problems {
		problems = append(problems, p.Name)
		check.That(t, p.Scale == "standardise-uniform" && paper.FauvelScores(p.Name, "MUC", 80) != nil,
			"%s has the scale %s, or no published runs", p.Name, p.Scale)
	}
	for _, a := range s.Algorithms {
		labels = append(labels, a.Label)
	}
	check.Equal(t, "name", s.Name, claims.FauvelSuite)
	check.Same(t, "problems", problems, fauvelProblems())
	check.Same(t, "algorithms", labels, append(slices.Clone(claims.FauvelRules), "Brochu EI", claims.RandomDuels))
	check.Equal(t, "steps, and how many are random", [2]int{s.Steps, s.FirstDuels}, [2]int{fauvelDuels[len(fauvelDuels)-1], fauvelDuels[0]})
}

func TestRanks(t *testing.T) {
	check.That(t, math.Abs(claims.Concordance([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4})-4.0/6) <= 1e-15, "concordance")
}

// fauvelProblems are the problems of the experiment.
func fauvelProblems() (names []string) {
	for _, s := range claims.LookupStudy(claims.FauvelSuite).Claims()[0].Parts[0].Samples {
		names = append(names, s.Problem)
	}
	return names
}
