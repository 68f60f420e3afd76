package outcome_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func mustCollect(t *testing.T, in *reporttest.Folder) *outcome.Results {
	t.Helper()
	return check.Must(outcome.Collect(in))(t)
}

func close(t *testing.T, what string, got, want float64) {
	t.Helper()
	check.That(t, math.Abs(got-want) <= 1e-12*(1+math.Abs(want)), "%s = %.17g, the records have %.17g", what, got, want)
}

func TestNumbersAreThoseOfTheRecords(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Runs: 7, Steps: 9, Algorithms: []string{"popbo", "qeubo"}})
	// Two new points in one step: their mean counts.
	s := &in.Records[4].Steps[5]
	s.Points, s.Utility, s.New = append(s.Points, s.Points[0]), append(s.Utility, -3.5), 2
	r := mustCollect(t, in)
	table, curves := outcome.NewTable(r), outcome.Curves(r)
	if len(table.Rows) != 14 {
		t.Fatalf("%d rows, want 7 problems × 2 algorithms", len(table.Rows))
	}

	for i := range table.Rows {
		row := &table.Rows[i]
		var final, onGrid, regret, at4 []float64
		for _, rec := range in.Records {
			h := &rec.Header
			if h.Problem.Name != row.Problem.Name || h.Algorithm.Label != row.Algorithm.Label {
				continue
			}
			var sum float64
			for k, s := range rec.Steps {
				var f float64
				for _, v := range s.Utility[len(s.Utility)-s.New:] {
					f += v / float64(s.New)
				}
				sum += *h.Problem.Optimum - f
				if k == 3 {
					at4 = append(at4, sum)
				}
			}
			last := rec.Steps[len(rec.Steps)-1].Recommendations[1]
			regret = append(regret, sum)
			final = append(final, *h.Problem.Optimum-last.Utility)
			onGrid = append(onGrid, *h.Problem.GridOptimum-last.Utility)
		}
		name := row.Name() + ", " + row.Algorithm.Label
		rule := row.Rules[1]
		if rule.Rule != "max-mle-visited" || rule.True.N != 7 {
			t.Fatalf("%s: rule %q over %d runs", name, rule.Rule, rule.True.N)
		}
		mean, std := reporttest.Moments(final)
		close(t, name+": mean", rule.True.Mean, mean)
		close(t, name+": std", rule.True.Std, std)
		mean, std = reporttest.Moments(onGrid)
		close(t, name+": grid mean", rule.Grid.Mean, mean)
		close(t, name+": grid std", rule.Grid.Std, std)
		mean, std = reporttest.Moments(regret)
		close(t, name+": regret mean", row.Regret.Mean, mean)
		close(t, name+": regret std", row.Regret.Std, std)
		grid := *row.Problem.GridOptimum - *row.Problem.Optimum
		close(t, name+": grid regret mean", row.GridRegret.Mean, mean+9*grid)

		mean, std = reporttest.Moments(at4)
		found := 0
		for _, c := range curves {
			if c.Problem == row.Problem.Name && c.Algorithm == row.Algorithm.Label && c.Metric == outcome.CumulativeRegret {
				found++
				want := mean
				if c.Against == outcome.GridOptimum {
					want += 4 * grid
				}
				close(t, name+": curve mean", c.Points[3].Mean, want)
				close(t, name+": curve std", c.Points[3].Std, std)
			}
		}
		check.That(t, found == 2, "%s: %d curves of the cumulative regret, want two references", name, found)
	}
}

// A random problem has an optimum, a grid and random baselines of its own in
// every run.
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
	mean, std := reporttest.Moments(want)
	close(t, "mean", row.Rules[0].True.Mean, mean)
	close(t, "std", row.Rules[0].True.Std, std)
	mean, std = reporttest.Moments(grid)
	close(t, "grid mean", row.Rules[0].Grid.Mean, mean)
	close(t, "grid std", row.Rules[0].Grid.Std, std)
	m, _ := reporttest.Moments(means)
	s, _ := reporttest.Moments(second)
	close(t, "random point's mean", row.Uniform.Mean, m)
	close(t, "random point's std", row.Uniform.Std, math.Sqrt(s-m*m))
	check.That(t, row.Problem.Name == "branin" && row.Random(), "the problem is not seen to be random")
}

func TestNothingToReport(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3})
	for _, r := range in.Records {
		r.Footer.Status, r.Footer.Error, r.Steps = record.Failed, "it broke", r.Steps[:1]
	}
	check.Error(t, "only failed runs", check.Err(outcome.Collect(in)), "it broke")
	damaged := &reporttest.Folder{Dir: "d", Issues: []record.Issue{{Path: "d/records/x.jsonl", What: "the file is empty", Mend: "run again"}}}
	if _, err := outcome.Collect(damaged); err == nil || !strings.Contains(err.Error(), "d/records/x.jsonl: the file is empty; run again") {
		t.Errorf("only damaged records: %v", err)
	}
	check.Error(t, "no records at all", check.Err(outcome.Collect(&reporttest.Folder{Dir: "d"})))
}

func TestRelations(t *testing.T) {
	// The synthetic Branin ends near 0.1 by max-mle: set it exactly.
	verdict := func(t *testing.T, change func(v []float64, u *record.Uniform)) outcome.Relations {
		in := reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Runs: 30, Steps: 3})
		v := make([]float64, len(in.Records))
		for i := range v {
			v[i] = 0.1 + 0.02*float64(i%5) // mean 0.14, std 0.029
		}
		u := &record.Uniform{Mean: 0.9, Std: 0.8, K: 31, BestMean: 0.14, BestStd: 0.03}
		change(v, u)
		for i, rec := range in.Records {
			p := &rec.Header.Problem
			p.Uniform = u
			*p.GridOptimum = *p.Optimum
			rec.Steps[2].Recommendations[0].Utility = *p.Optimum - v[i]
		}
		return outcome.NewTable(mustCollect(t, in)).Rows[0].Against
	}
	add := func(d float64) func([]float64, *record.Uniform) {
		return func(v []float64, _ *record.Uniform) {
			for i := range v {
				v[i] += d
			}
		}
	}
	// The paper prints 0.31 ± 0.29 over 30 runs: its standard error is 0.053.
	for _, tc := range []struct {
		name                string
		change              func([]float64, *record.Uniform)
		paper, random, best outcome.Relation
	}{
		{"below the paper", add(0), outcome.Lower, outcome.Lower, outcome.Equal},
		{"near the paper", add(0.15), outcome.Equal, outcome.Lower, outcome.Higher},
		{"above the paper", add(0.35), outcome.Higher, outcome.Lower, outcome.Higher},
		{"near a random point", add(0.76), outcome.Higher, outcome.Equal, outcome.Higher},
		{"above a random point", add(0.9), outcome.Higher, outcome.Higher, outcome.Higher},
		{"below the best of 31", func(_ []float64, u *record.Uniform) { u.BestMean = 0.2 }, outcome.Lower, outcome.Lower, outcome.Lower},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if v := verdict(t, tc.change); v.Paper != tc.paper || v.Random != tc.random || v.Best != tc.best {
				t.Errorf("paper %q (p = %.3g), random %q, best %q; want %q, %q, %q", v.Paper, v.PaperTest.P, v.Random, v.Best, tc.paper, tc.random, tc.best)
			}
		})
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
	check.That(t, outcome.Natural("1.0", "1") != 0 && outcome.Natural("x1", "x1") == 0,
		"different texts are equal, or equal ones differ")
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
