package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// mould is a folder of two problems, one of which has an unknown optimum.
var mould = reporttest.Options{Problems: []string{"mould", "branin"}, Unknown: []string{"mould"}, Runs: 8}

// greatest is the greatest value in the complete records of a problem.
func greatest(problem string, folders ...*reporttest.Folder) float64 {
	best := math.Inf(-1)
	for _, in := range folders {
		for _, r := range in.Records {
			if r.Header.Problem.Name != problem || !r.OK() {
				continue
			}
			for _, s := range r.Steps {
				best = max(best, slices.Max(s.Utility))
				for _, q := range s.Recommendations {
					best = max(best, q.Utility)
				}
			}
		}
	}
	return best
}

func TestAgainstTheBetterFolder(t *testing.T) {
	peak := func(value float64) func(*record.Record) {
		return func(r *record.Record) {
			if r.Header.Cell == "mould/POP-BO/003" {
				r.Steps[1].Recommendations[2].Utility = value
			}
		}
	}
	idle := func(r *record.Record) { r.Steps[2].New = 0 } // no regret in that step
	for name, c := range map[string]struct {
		base, head *reporttest.Folder
		best       float64
		runs       int
	}{
		"better in HEAD":        {folder(mould, nil), folder(mould, peak(9)), 9, 16},
		"better in BASE":        {folder(mould, peak(9)), folder(mould, on("mould", lower(0.5))), 9, 16},
		"negative":              {folder(mould, on("mould", raised(-20))), folder(mould, on("mould", raised(-19))), math.NaN(), 16},
		"nothing new in a step": {folder(mould, idle), folder(mould, peak(9)), 9, 16},
		"in a run that fails": {folder(mould, nil), folder(mould, func(r *record.Record) {
			if peak(9)(r); r.Header.Cell == "mould/POP-BO/003" {
				r.Footer.Status, r.Footer.Error = record.Failed, "no"
			}
		}), math.NaN(), 15},
	} {
		t.Run(name, func(t *testing.T) {
			if math.IsNaN(c.best) {
				c.best = greatest("mould", c.base, c.head)
			}
			got := compared(t, c.base, c.head, Default())
			for side, in := range []*reporttest.Folder{c.base, c.head} {
				if c.runs == 15 { // one of the pair has failed
					in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool { return r.Header.Cell == "mould/POP-BO/003" })
				}
				for _, m := range []outcome.Metric{outcome.Suboptimality, outcome.MeanSuboptimality, outcome.CumulativeRegret} {
					title := strings.ToLower(outcome.Find(m).Title)
					check.Close(t, title, got.row(t, "mould", title).Mean[side], mean(in, "mould", m, c.best))
				}
				check.Close(t, "solves", got.row(t, "mould", "solves").Mean[side], 4*9)
			}
			for _, r := range got.Rows {
				found := r.Found != nil && r.Found.Value == c.best && r.Found.Runs == c.runs
				check.That(t, found == (r.Problem == "mould" && r.Kind == Quality) && (found || r.Found == nil),
					"%s on %s is against %v, want %g in %d runs", r.Metric, r.Problem, r.Found, c.best, c.runs)
			}
			got.says(t, fmt.Sprintf("mould: The optimum is unknown: regret and suboptimality are against the best value found in %d runs of both folders, %s. The optimum may be higher, and the intervals do not include that.", c.runs, strings.Replace(fmt.Sprintf("%.6g", c.best), "-", "−", 1)))
		})
	}
}

// raised adds a constant to the objective.
func raised(by float64) func(*record.Record) {
	return func(r *record.Record) {
		for i := range r.Steps {
			for k := range r.Steps[i].Utility {
				r.Steps[i].Utility[k] += by
			}
			for k := range r.Steps[i].Recommendations {
				r.Steps[i].Recommendations[k].Utility += by
			}
		}
	}
}

// Differences do not depend on what stands for the optimum, so neither do verdicts.
func TestVerdictsWithoutOptimum(t *testing.T) {
	known := mould
	known.Unknown = nil
	for _, d := range []float64{3, -3, 0.1} {
		a := compared(t, folder(known, nil), folder(known, on("mould", lower(d))), Default())
		b := compared(t, folder(mould, nil), folder(mould, on("mould", lower(d))), Default())
		for i := range a.Rows {
			check.Equal(t, a.Rows[i].Metric+" on "+a.Rows[i].Problem, b.Rows[i].Verdict, a.Rows[i].Verdict)
			check.Close(t, "difference", b.Rows[i].Value, a.Rows[i].Value)
		}
	}
}

// What another algorithm found counts, even if it is not compared.
func TestFoundByAnother(t *testing.T) {
	o := mould
	o.Algorithms = []string{"popbo", "random"}
	head := folder(o, func(r *record.Record) {
		if r.Header.Cell == "mould/Random/002" {
			r.Steps[0].Utility[0] = 9
		}
	})
	c := compared(t, folder(mould, nil), head, Default())
	found := c.row(t, "mould", "suboptimality").Found
	check.That(t, found.Value == 9 && found.Runs == 24, "%+v", found)
	// Rounding of a value is relative to it.
	exactly := Default()
	exactly.MinEffect = 0
	check.Close(t, "smallest difference", compared(t, folder(mould, nil), head, exactly).row(t, "mould", "suboptimality").Minimum, valueSlack*10)
}

func TestFoundTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := compared(t, folder(mould, nil), folder(mould, func(rec *record.Record) {
		on("mould", lower(3))(rec)
		for i := range rec.Steps {
			rec.Steps[i].Recommendations[1].Utility += 0.2 * r.NormFloat64()
		}
	}), Default())
	check.GoldenWritten(t, "found.txt", func(w io.Writer) error { return document.WriteText(w, c.Document()) })
	check.GoldenWritten(t, "found.xml", c.WriteJUnit)
	var b bytes.Buffer
	check.OK(t, errors.Join(c.WriteJSON(&b), document.WriteMarkdown(&b, c.Document())))
	const found = "against the best value found in 16 runs of both folders"
	check.Contains(t, "JSON and Markdown", b.String(), "\"best_found\": {\n        \"value\": ", "\"runs\": 16\n", found)
	check.Contains(t, "regression", c.Regression(), found)
	costs := Default()
	costs.Metrics = []string{"solves"}
	for _, n := range compared(t, folder(mould, nil), folder(mould, nil), costs).Notes {
		check.Lacks(t, "note on costs", n, "best value found")
	}
}

// A run that fails before its program has said what the box is does not make it another experiment.
func TestFailedBeforeItsBox(t *testing.T) {
	o := mould
	o.Unknown = []string{"branin"}
	boxless := func(repetitions int) *reporttest.Folder {
		return folder(o, on("branin", func(r *record.Record) {
			if r.Header.Repetition < repetitions {
				r.Header.Problem = record.Problem{Name: "branin", Scale: r.Header.Problem.Scale}
				r.Steps, r.Footer = nil, record.Footer{Kind: "footer", Status: record.Failed, Error: "no"}
			}
		}))
	}
	c := compared(t, folder(o, nil), boxless(1), Default())
	check.Equal(t, "failures", len(c.Failures), 1)
	c = compared(t, boxless(1), folder(o, nil), Default())
	check.Equal(t, "title", c.row(t, "branin", "suboptimality").Title, "Branin")
	c = compared(t, boxless(8), folder(o, nil), Default())
	c.says(t, "branin/POP-BO: fewer than two complete runs on a side. Not compared.")
}

// Metrics that the usual comparison leaves out are compared where they are named, by either name.
func TestNamedMetrics(t *testing.T) {
	base, head := folder(mould, nil), folder(mould, func(r *record.Record) {
		for i := range r.Steps {
			r.Steps[i].Utility[0] -= 0.25 // the older point of the duel
		}
	})
	for _, side := range []*reporttest.Folder{base, head} {
		for _, r := range side.Records {
			tau := 0.5 + 0.01*float64(r.Header.Repetition)
			if side == head {
				tau += 0.25
			}
			r.Header.HeldOut = &record.HeldOutPlan{Duels: 10, Points: 10}
			r.Steps[len(r.Steps)-1].HeldOut = &record.HeldOut{Duels: 10, Tau: &tau}
		}
	}
	o := Default()
	for _, row := range compared(t, base, head, o).Rows {
		check.That(t, row.Metric != "utility regret" && !strings.Contains(row.Metric, "Kendall"), "%s is compared without its name", row.Metric)
	}
	o.Metrics = []string{"utility-regret", "kendall-*", "weak preference regret", "suboptimality"}
	c := compared(t, base, head, o)
	best := max(greatest("mould", base), greatest("mould", head))
	var names []string
	for _, row := range c.Rows {
		if row.Problem != "mould" {
			continue
		}
		names = append(names, row.Metric)
		for side, in := range []*reporttest.Folder{base, head} {
			check.Close(t, "mean of "+row.Metric, row.Mean[side], map[string]float64{
				"utility regret":    mean(in, "mould", outcome.UtilityRegret, best),
				"suboptimality":     mean(in, "mould", outcome.Suboptimality, best),
				"1 − Kendall’s tau": 1 - mean(in, "mould", outcome.KendallTau, best),
			}[row.Metric])
		}
	}
	// What the optimum enters in another way than as a term cannot be shifted to the best value that both folders found.
	check.Equal(t, "metrics of a problem with an unknown optimum", strings.Join(names, ", "), "suboptimality, utility regret, 1 − Kendall’s tau")
	c.says(t, "not every run has weak preference regret")
	known := slices.IndexFunc(c.Rows, func(r *Row) bool { return r.Problem == "branin" && r.Metric == "weak preference regret" })
	check.That(t, known >= 0, "no weak preference regret on branin, whose optimum is known")
}
