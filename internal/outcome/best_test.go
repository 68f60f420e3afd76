package outcome_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// visits is a run on an objective whose optimum is unknown: the value of the new point of each step, and of the points
// that two rules then recommend.
type visits struct {
	label      string
	repetition int
	steps      [][3]float64
}

// objective are the records of runs on one objective. A random point has the value 2 on average, the best of 3 has 4.
func objective(runs ...visits) *reporttest.Folder {
	in := &reporttest.Folder{Dir: "results/objective"}
	for _, v := range runs {
		rec := &record.Record{
			Header: record.Header{
				Suite: "objective", Repetition: v.repetition, ConfigHash: "c0ffee", Budget: len(v.steps),
				Problem: record.Problem{Name: "mould", Title: "Injection moulding", Lo: []float64{0}, Hi: []float64{1}, Scale: "raw", Factor: 1,
					Uniform: &record.Uniform{Mean: -2, Std: 1, K: 3, BestMean: -4, BestStd: 0.5}},
				Algorithm: record.Algorithm{Name: v.label, Label: v.label, Settings: json.RawMessage("{}"), Feedback: record.Comparisons, Disclosed: record.DisclosedNone},
			},
			Footer: record.Footer{Kind: "footer", Steps: len(v.steps), Status: record.OK},
		}
		rec.Header.Seal()
		old := -100.0
		for i, f := range v.steps {
			rec.Steps = append(rec.Steps, record.Step{Kind: "step", T: i + 1, Points: [][]float64{{0}, {0}}, New: 1, Utility: []float64{old, f[0]},
				Recommendations: []record.Recommendation{{Rule: "a", X: []float64{0}, Utility: f[1]}, {Rule: "b", X: []float64{0}, Utility: f[2]}}})
			old = f[0]
		}
		in.Records = append(in.Records, rec)
	}
	return in
}

// runs are two of one algorithm and one of another, of two steps. The best value is 3.
func runs() *reporttest.Folder {
	return objective(
		visits{"A", 0, [][3]float64{{1, 1, 0}, {2, 2, 2}}},
		visits{"A", 1, [][3]float64{{0, 0, 0}, {-1, -1, -1}}},
		visits{"B", 0, [][3]float64{{3, 1, 1}, {1, 0, 0}}})
}

func TestBestFound(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*reporttest.Folder)
		best   float64
		runs   int
	}{
		"queried by another algorithm": {func(*reporttest.Folder) {}, 3, 3},
		"recommended, never queried":   {func(in *reporttest.Folder) { in.Records[1].Steps[0].Recommendations[0].Utility = 7 }, 7, 3},
		"recommended by another rule":  {func(in *reporttest.Folder) { in.Records[1].Steps[0].Recommendations[1].Utility = 7 }, 7, 3},
		"the starting point":           {func(in *reporttest.Folder) { in.Records[2].Steps[0].Utility[0] = 7 }, 7, 3},
		"in a failed run": {func(in *reporttest.Folder) {
			in.Records[1].Steps[0].Utility[1] = 7
			in.Records[1].Steps, in.Records[1].Footer = in.Records[1].Steps[:1], record.Footer{Kind: "footer", Steps: 1, Status: record.Failed, Error: "no"}
		}, 3, 2},
		"in a run of another length": {func(in *reporttest.Folder) {
			in.Records[2].Steps, in.Records[2].Header.Budget = in.Records[2].Steps[:1], 1
			in.Records = append(in.Records, objective(visits{"B", 1, [][3]float64{{1, 1, 1}, {1, 1, 1}}}).Records...)
		}, 3, 4},
		"zero":     {func(in *reporttest.Folder) { raise(in, -3) }, 0, 3},
		"negative": {func(in *reporttest.Folder) { raise(in, -10) }, -7, 3},
	} {
		t.Run(name, func(t *testing.T) {
			in := runs()
			c.change(in)
			r, selected := mustCollect(t, in), check.Must(outcome.CollectSelected(in))(t)
			for _, rec := range in.Records { // all is as if the records stated that optimum, and the random points below it
				h := &rec.Header.Problem
				h.Optimum = &c.best
				h.Uniform = &record.Uniform{Mean: c.best + h.Uniform.Mean, Std: 1, K: 3, BestMean: c.best + h.Uniform.BestMean, BestStd: 0.5}
			}
			known := mustCollect(t, in)
			for i, g := range r.Groups {
				check.Equal(t, "best found of "+g.Algorithm.Label, *g.BestFound, outcome.BestFound{Value: c.best, Runs: c.runs})
				of := func(run *outcome.Run) []any { return []any{run.Optimum, run.Regret, run.Suboptimality, *run.Uniform} }
				for k, run := range g.Runs {
					check.Same(t, "run", of(run), of(known.Groups[i].Runs[k]))
					check.Same(t, "selected alone", selected.Groups[i].Runs[k].Suboptimality, run.Suboptimality[:1])
				}
				notes := strings.Join(g.Notes, "\n")
				check.Contains(t, "notes", notes, fmt.Sprintf("The optimum is unknown: regret and suboptimality are against the best value found in %d runs, %s.",
					c.runs, strings.Replace(fmt.Sprint(c.best), "-", "−", 1)))
				check.Lacks(t, "notes", notes, "exceeds")
				check.Equal(t, "every run has an instance of its own", g.Random(), false)
			}
			for _, curve := range outcome.Curves(r) {
				check.That(t, curve.Against == outcome.Found && curve.BestFound.Value == c.best, "%s is against %s, %+v", curve.Metric, curve.Against, curve.BestFound)
			}
		})
	}
}

// A run whose record states the optimum is measured against it, also beside an imported one that does not.
func TestKnownBesideUnknown(t *testing.T) {
	in, top := runs(), 10.0
	for _, rec := range in.Records[:2] {
		rec.Header.Problem.Optimum = &top
	}
	r := mustCollect(t, in)
	check.That(t, r.Groups[0].BestFound == nil && r.Groups[1].BestFound != nil, "%v, %v", r.Groups[0].BestFound, r.Groups[1].BestFound)
	check.Equal(t, "suboptimality of A", r.Groups[0].Runs[0].FinalSuboptimality(0), 8)
	check.Equal(t, "suboptimality of B", r.Groups[1].Runs[0].FinalSuboptimality(0), 3)
}

// raise adds a constant to the objective.
func raise(in *reporttest.Folder, by float64) {
	for _, rec := range in.Records {
		rec.Header.Problem.Uniform.Mean -= by
		rec.Header.Problem.Uniform.BestMean -= by
		for i := range rec.Steps {
			s := &rec.Steps[i]
			for k := range s.Utility {
				s.Utility[k] += by
			}
			for k := range s.Recommendations {
				s.Recommendations[k].Utility += by
			}
		}
	}
}

// A step that proposes nothing new has no regret, whatever stands for the optimum.
func TestNothingNew(t *testing.T) {
	in := runs()
	in.Records[0].Steps[0].New = 0
	g := mustCollect(t, in).Groups[0]
	check.Close(t, "R_1", g.Runs[0].CumulativeRegret(1), 0)
	check.Close(t, "R_2", g.Runs[0].CumulativeRegret(2), 1)
	check.Equal(t, "terms of R_2", g.Runs[0].Regrets(), 1)
}

func TestAboutBestFound(t *testing.T) {
	in := func(title string, runs int) *outcome.Group {
		return &outcome.Group{Problem: record.Problem{Name: title}, BestFound: &outcome.BestFound{Runs: runs}}
	}
	a, b, fewer, known := in("A", 60), in("B", 60), in("D", 1), &outcome.Group{Problem: record.Problem{Name: "C"}}
	for _, c := range []struct {
		want     string
		problems []*outcome.Group
	}{
		{"", nil},
		{"", []*outcome.Group{known}},
		{" The optimum is unknown; regret is against the best value found in 1 run.", []*outcome.Group{fewer}},
		{" On A, whose optimum is unknown, regret is against the best value found in 60 runs.", []*outcome.Group{known, a}},
		{" On A and B, whose optima are unknown, regret is against the best value found in 60 runs on each.", []*outcome.Group{a, known, b}},
		{" On A, D and B, whose optima are unknown, regret is against the best value found on each, in 60, 1 and 60 runs.", []*outcome.Group{a, fewer, b}},
	} {
		check.Equal(t, "text", outcome.AboutBestFound(c.problems, (*outcome.Group).Best), c.want)
	}
	joined := (&outcome.BestFound{Value: 3, Runs: 60}).Join(&outcome.BestFound{Value: 4, Runs: 1})
	check.Equal(t, "of two folders", joined.String(), "the best value found in 61 runs of both folders")
	check.Equal(t, "the better value", joined.Value, 4)
}

// A cell may fail before its program has said what the problem is.
func TestFailedBeforeItsInstance(t *testing.T) {
	in := runs()
	h := &in.Records[0].Header
	h.Problem = record.Problem{Name: h.Problem.Name, Scale: h.Problem.Scale}
	in.Records[0].Steps, in.Records[0].Footer = nil, record.Footer{Kind: "footer", Status: record.Failed, Error: "no"}
	for _, g := range mustCollect(t, in).Groups {
		check.Equal(t, "title", g.Name(), "Injection moulding")
		check.Equal(t, "dimensions", len(g.Problem.Lo), 1)
		check.Equal(t, "runs", g.BestFound.Runs, 2)
	}
}

// The paper's curve is of regret against the optimum, and its table of functions whose optimum is known.
func TestNotThePaper(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 6, Steps: 5, Paper: "gp-1d", Unknown: []string{"beale"}}
	table := outcome.NewTable(mustCollect(t, reporttest.Results(o)))
	for _, c := range table.Growth.Curves {
		check.That(t, c.Problem != "beale", "there is a curve of the growth on Beale")
	}
	check.Equal(t, "curves", len(table.Growth.Curves), 2)
	check.Contains(t, "notes", strings.Join(table.Notes, "\n"), "The growth of the regret on Beale is not compared with the paper's: the optimum is unknown.")
	o.Paper = "test-functions"
	table = outcome.NewTable(mustCollect(t, reporttest.Results(o)))
	for _, row := range table.Rows {
		check.Equal(t, "the paper prints a number for "+row.Name(), row.Printed != nil, row.Problem.Name == "branin")
	}
}
