package verify

import (
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
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
		check.That(t, got[id].Verdict == want, "%s: %s, want %s%s", id, got[id].Verdict, want, describe(got[id]))
	}
	for _, o := range got {
		for _, f := range slices.Concat(o.Parts, o.Beside) {
			check.That(t, f.Published != nil || math.Abs(f.Value-f.Printed) < 1e-12 || o.Claim.ID == "fauvel-5",
				"%s, %s: %v, but %v of the published runs", o.Claim.ID, f.What, f.Value, f.Printed)
			check.That(t, f.Published == nil || o.Claim.ID == "fauvel-6" || math.Abs(f.Value) < 1e-12,
				"%s, %s: %v", o.Claim.ID, f.What, f.Value)
		}
	}
	for _, f := range got["fauvel-6"].Beside[2:] {
		check.That(t, f.Value == 1, "%s, of the published order with itself: %v", f.What, f.Value)
	}
	all := comparePublished(e.Suites[claims.FauvelSuite])
	check.That(t, len(all) == 18*6, "%d comparisons", len(all))
	for _, p := range all {
		for k := range fauvelDuels {
			if len(p.ours[k]) != 40 || math.Abs(p.ours[k][7]-p.theirs[k][7]) > 1e-12 {
				t.Fatalf("%s on %s: %v, published %v", p.group.Algorithm.Label, p.group.Problem.Name, p.ours[k], p.theirs[k])
			}
		}
		check.That(t, p.adjusted == 1, "%s on %s: p = %v", p.group.Algorithm.Label, p.group.Problem.Name, p.adjusted)
	}
}

// A rule that scores 3 more than the published runs is higher on each problem, and only that rule.
func TestDifferencesFromPublishedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("resamples a lot")
	}
	e := asPublished(t, func(label string) float64 {
		switch label {
		case claimstest.DTS:
			return 3
		case "KSS":
			return -3
		}
		return 0
	})
	v := judge.Judge(e)
	if o := outcomeOf(v, "fauvel-2"); o.Verdict != judge.Fails || o.Parts[2].Verdict != judge.Fails || o.Parts[1].Verdict != judge.Holds {
		t.Errorf("fauvel-2: %s%s", o.Verdict, describe(*o))
	}
	for _, p := range comparePublished(e.Suites[claims.FauvelSuite]) {
		ours, theirs := p.scores()
		want := map[string]float64{claimstest.DTS: 3, "KSS": -3}[p.group.Algorithm.Label]
		if math.Abs(ours-theirs-want) > 1e-9 {
			t.Errorf("%s on %s: %v more than published, want %v", p.group.Algorithm.Label, p.group.Problem.Name, ours-theirs, want)
		}
		if clear := p.adjusted < 1-judge.Level; clear != (want != 0) && p.group.Problem.Name != "bohachevsky1_log" {
			t.Errorf("%s on %s: p = %v", p.group.Algorithm.Label, p.group.Problem.Name, p.adjusted)
		}
	}
	files := check.Must(Files(v, nil, func(string) bool { return false }))(t)
	page := string(files[len(files)-1].Data)
	check.Contains(t, "the page", page, "Our scores minus the published ones", "In 18 of them ours is clearly higher, in 18 clearly lower")
	check.Equal(t, "figures", strings.Count(page, "<figure"), 1)
}

// Without a suite there is nothing to compare.
func TestNoRunsToCompare(t *testing.T) {
	if sheets, figures := also(judge.Judge(judge.NewEvidence(claims.LookupStudy(claims.FauvelSuite)))); sheets != nil || figures != nil {
		t.Errorf("%v, %v", sheets, figures)
	}
}

// The suite has the problems and the rules of the comparison, and the protocol of the published runs.
func TestFauvelsSuite(t *testing.T) {
	files := configs.PaperNamed(claims.FauvelSuite)
	if len(files) != 1 {
		t.Fatalf("%d suites", len(files))
	}
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
	if want := append(slices.Clone(claims.FauvelRules), "Brochu EI", claims.RandomDuels); s.Name != claims.FauvelSuite || !slices.Equal(problems, fauvelProblems()) || !slices.Equal(labels, want) {
		t.Errorf("%s: %v, %v", s.Name, problems, labels)
	}
	check.That(t, s.Steps == fauvelDuels[len(fauvelDuels)-1] && s.FirstDuels == fauvelDuels[0],
		"%d steps, %d of them random", s.Steps, s.FirstDuels)
}

func TestRanks(t *testing.T) {
	if got := ranks([]float64{2, 5, 1, 2}); !slices.Equal(got, []float64{2.5, 1, 4, 2.5}) {
		t.Error(got)
	}
	if got := claims.Concordance([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}); math.Abs(got-4.0/6) > 1e-15 {
		t.Error(got)
	}
}

// fauvelProblems are the problems of the experiment.
func fauvelProblems() (names []string) {
	for _, s := range claims.LookupStudy(claims.FauvelSuite).Claims()[0].Parts[0].Samples {
		names = append(names, s.Problem)
	}
	return names
}
