package outcome_test

import (
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

func mustCollect(t *testing.T, in *reporttest.Folder) *outcome.Results {
	t.Helper()
	return check.Must(outcome.Collect(in))(t)
}

// agree compares mean and standard deviation with those of the values.
func agree(t *testing.T, what string, got stats.Summary, values []float64) {
	t.Helper()
	mean, std := reporttest.Moments(values)
	check.Close(t, what+": mean", got.Mean, mean)
	check.Close(t, what+": std", got.Std, std)
}

// The numbers of a group are those of its runs, on the grid too, in the table and in the curves.
func TestNumbersAreThoseOfTheRecords(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Runs: 7, Steps: 9, Algorithms: []string{"popbo", "qeubo"}})
	r := mustCollect(t, in)
	table, curves := outcome.NewTable(r), outcome.Curves(r)
	check.Equal(t, "rows, of 7 problems and 2 algorithms", len(table.Rows), 14)
	for _, row := range table.Rows {
		var final, onGrid, regret, gridRegret, at4, gridAt4 []float64
		for _, rec := range in.Records {
			h := &rec.Header
			if h.Problem.Name != row.Problem.Name || h.Algorithm.Label != row.Algorithm.Label {
				continue
			}
			run, grid := outcome.NewRun(rec, nil), *h.Problem.GridOptimum-*h.Problem.Optimum
			s, all, four := run.FinalSuboptimality(1), run.CumulativeRegret(9), run.CumulativeRegret(4)
			final, onGrid = append(final, s), append(onGrid, s+grid)
			regret, gridRegret = append(regret, all), append(gridRegret, all+9*grid)
			at4, gridAt4 = append(at4, four), append(gridAt4, four+4*grid)
		}
		name := row.Name() + ", " + row.Algorithm.Label
		rule := row.Rules[1]
		check.That(t, rule.Rule == "max-mle-visited" && rule.True.N == 7, "%s: %d runs by %s", name, rule.True.N, rule.Rule)
		agree(t, name, rule.True, final)
		agree(t, name+" on the grid", *rule.Grid, onGrid)
		agree(t, name+", regret", row.Regret, regret)
		agree(t, name+", regret on the grid", *row.GridRegret, gridRegret)
		found := 0
		for _, c := range curves {
			if c.Group == row.Group && c.Metric == outcome.CumulativeRegret {
				found++
				agree(t, name+", curve", c.Points[3], map[bool][]float64{false: at4, true: gridAt4}[c.Against == outcome.GridOptimum])
			}
		}
		check.Equal(t, name+": curves of the cumulative regret, one for each reference", found, 2)
	}
}

// A random problem has an optimum, a grid and random baselines of its own in every run.
func TestRandomProblem(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Runs: 5, Steps: 3})
	var want, grid []float64
	var means, second []float64
	for i, rec := range in.Records {
		p := &rec.Header.Problem
		shift := float64(i)
		*p.Optimum += shift
		*p.GridOptimum += 1.5 * shift
		u := *p.Uniform
		u.Mean += shift
		p.Uniform = &u
		f := rec.Steps[2].Recommendations[0].Utility
		want, grid = append(want, *p.Optimum-f), append(grid, *p.GridOptimum-f)
		means, second = append(means, u.Mean), append(second, u.Mean*u.Mean+u.Std*u.Std)
	}
	row := outcome.NewTable(mustCollect(t, in)).Rows[0]
	agree(t, "suboptimality", row.Rules[0].True, want)
	agree(t, "suboptimality on the grid", *row.Rules[0].Grid, grid)
	m, _ := reporttest.Moments(means)
	s, _ := reporttest.Moments(second)
	check.Close(t, "random point's mean", row.Uniform.Mean, m)
	check.Close(t, "random point's std", row.Uniform.Std, math.Sqrt(s-m*m))
	check.That(t, row.Problem.Name == "branin" && row.Random(), "the problem is not seen to be random")
}

func TestNothingToReport(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3})
	for _, r := range in.Records {
		r.Footer.Status, r.Footer.Error, r.Steps = record.Failed, "it broke", r.Steps[:1]
	}
	check.Error(t, "only failed runs", check.Err(outcome.Collect(in)), "it broke")
	damaged := &reporttest.Folder{Dir: "d", Issues: []record.Issue{{Path: "d/records/x.jsonl", What: "the file is empty", Mend: "run again"}}}
	check.Error(t, "only damaged records", check.Err(outcome.Collect(damaged)), "d/records/x.jsonl: the file is empty; run again")
	check.Error(t, "no records at all", check.Err(outcome.Collect(&reporttest.Folder{Dir: "d"})))
}

func TestRelations(t *testing.T) {
	// The paper prints 0.31 ± 0.29 over 30 runs: its standard error is 0.053. Ours have a mean of 0.14 and more, with 0.029.
	for name, c := range map[string]struct {
		more, best float64
		want       [3]outcome.Relation // to the paper, a random point, and the best of 31
	}{
		"below the paper":      {0, 0.14, [3]outcome.Relation{outcome.Lower, outcome.Lower, outcome.Equal}},
		"near the paper":       {0.15, 0.14, [3]outcome.Relation{outcome.Equal, outcome.Lower, outcome.Higher}},
		"above the paper":      {0.35, 0.14, [3]outcome.Relation{outcome.Higher, outcome.Lower, outcome.Higher}},
		"near a random point":  {0.76, 0.14, [3]outcome.Relation{outcome.Higher, outcome.Equal, outcome.Higher}},
		"above a random point": {0.9, 0.14, [3]outcome.Relation{outcome.Higher, outcome.Higher, outcome.Higher}},
		"below the best of 31": {0, 0.2, [3]outcome.Relation{outcome.Lower, outcome.Lower, outcome.Lower}},
		"one run":              {0, 0.14, [3]outcome.Relation{outcome.TooFew, outcome.TooFew, outcome.TooFew}},
	} {
		in := reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Runs: 30, Steps: 3})
		if name == "one run" {
			in.Records = in.Records[:1]
		}
		for i, rec := range in.Records {
			p := &rec.Header.Problem
			p.Uniform = &record.Uniform{Mean: 0.9, Std: 0.8, K: 31, BestMean: c.best, BestStd: 0.03}
			*p.GridOptimum = *p.Optimum
			rec.Steps[2].Recommendations[0].Utility = *p.Optimum - 0.1 - 0.02*float64(i%5) - c.more
		}
		v := outcome.NewTable(mustCollect(t, in)).Rows[0].Against
		check.Equal(t, name, [3]outcome.Relation{v.Paper, v.Random, v.Best}, c.want)
	}
}

func TestSolverHealth(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3})
	for i, r := range in.Records {
		for k := range r.Steps {
			r.Steps[k].Metrics = record.Metrics{{Name: "beta", Value: 7}, {Name: "mle_solves", Value: 2}, {Name: "solves", Value: 3}, {Name: "retries", Value: float64(i)}, {Name: "failures", Value: 0}, {Name: "duality_gap", Value: float64(k) * 1e-9}}
		}
	}
	got := mustCollect(t, in).Groups[0].Health
	check.Equal(t, "health", got, (outcome.Health{Known: true, Solves: 30, Retries: 3, Failures: 0, MaxGap: 2e-9}))
}

func TestNaturalOrder(t *testing.T) {
	want := []string{"", "b = 0.01", "b = 0.1", "b = 1", "b = 3", "b = 10", "b = 10 x", "random"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, outcome.Natural)
	check.That(t, slices.Equal(got, want), "order %q, want %q", got, want)
	check.That(t, outcome.Natural("1.0", "1") != 0 && outcome.Natural("x1", "x1") == 0, "different texts are equal, or equal ones differ")
}

// Runs that are left out, groups of few runs, imported numbers and unknown names are noted.
func TestNotes(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 8, Steps: 5})
	for i, f := range []record.Footer{{Error: "no"}, {Outcome: record.Crash, Error: "after step 1: exit code 3."}, {Error: "no"}} {
		rec := in.Records[i]
		rec.Steps, rec.Footer = rec.Steps[:1], f
		rec.Footer.Status = record.Failed
	}
	short := in.Records[4]
	short.Header.Budget, short.Steps = 3, short.Steps[:3]
	for _, rec := range in.Records {
		if rec.Header.Headline = "beauty"; rec.Header.Problem.Name == "branin" {
			rec.Header.Imported = &record.Imported{File: "their.csv"}
		}
	}
	r := mustCollect(t, in)
	check.Same(t, "notes on the group", r.Groups[0].Notes, []string{
		"2 runs left out (0, 2): failed after 1 of 5 steps (no).",
		"1 run left out (1): the program ended after 1 of 5 steps (exit code 3).",
		"1 run left out (4): 3 steps where the others have 5."})
	notes := strings.Join(r.Notes, "\n")
	check.Contains(t, "notes", notes, `the metric "beauty" for its headline, which is unknown`, "Fewer than 6 complete runs (POP-BO on Beale): too few for intervals")
	check.Contains(t, "warnings", strings.Join(r.Warnings, "\n"), "the numbers of POP-BO were read from their.csv.")
	check.Equal(t, "the headline in place of the unknown one", r.Headline.Name, outcome.Suboptimality)
	for _, rec := range in.Records {
		rec.Header.Headline = string(outcome.WeakRegret)
	}
	check.Equal(t, "the suite's headline", mustCollect(t, in).Headline.Name, outcome.WeakRegret)
}

// Groups stand by problem, even if two have one title, and then by algorithm.
func TestOrderOfGroups(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"levy13", "beale"}, Algorithms: []string{"random", "popbo"}, Runs: 1, Steps: 2, Paper: "none"})
	var order []string
	for _, rec := range in.Records {
		rec.Header.Problem.Title = "A"
	}
	for _, g := range mustCollect(t, in).Groups {
		order = append(order, g.Problem.Name+" "+g.Algorithm.Name)
	}
	check.Equal(t, "order", strings.Join(order, ", "), "beale popbo, beale random, levy13 popbo, levy13 random")
}

func TestFirst(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"random", "gpucb", "popbo"}, Runs: 2, Steps: 2})
	first := func() string {
		r := check.Must(outcome.Collect(in))(t)
		return r.First()
	}
	check.Equal(t, "first of the records", first(), "POP-BO")
	in.List = &record.List{}
	for _, label := range []string{"GP-UCB", "Random", "POP-BO"} {
		in.List.Add("branin/"+label, 0)
	}
	check.Equal(t, "first of the list that learns from comparisons", first(), "Random")
}

// A lengthscale within a hundredth of an end of its range counts as being there.
func TestFitsAtTheEndsOfTheirRange(t *testing.T) {
	f := outcome.Fit{Lo: 1, Hi: 100, Values: []float64{1, 1.009, 1.011, 1.05, 50, 98.9, 99.1, 99.5, 100}}
	lower, upper := f.Ends()
	check.Equal(t, "at the lower end", lower, 2)
	check.Equal(t, "at the upper end", upper, 3)
}
