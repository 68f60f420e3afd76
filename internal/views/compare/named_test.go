package compare

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
		check.That(t, row.Metric != "utility regret" && !strings.Contains(row.Metric, "Kendall"),
			"%s is compared without its name", row.Metric)
	}
	o.Metrics = []string{"utility-regret", "kendall-*", "weak preference regret", "suboptimality"}
	c := compared(t, base, head, o)
	found := max(greatest("mould", base), greatest("mould", head))
	var names []string
	for _, row := range c.Rows {
		if row.Problem != "mould" {
			continue
		}
		names = append(names, row.Metric)
		for side, in := range []*reporttest.Folder{base, head} {
			var values []float64
			for _, r := range in.Records {
				if r.Header.Problem.Name != "mould" {
					continue
				}
				run := outcome.NewRun(r, nil)
				run.Against(&outcome.BestFound{Value: found})
				name := map[string]outcome.Metric{"utility regret": outcome.UtilityRegret, "suboptimality": outcome.Suboptimality, "1 − Kendall’s tau": outcome.KendallTau}[row.Metric]
				v := outcome.Find(name).Final(run)
				if name == outcome.KendallTau {
					v = 1 - v
				}
				values = append(values, v/float64(c.Rows[0].Runs[0]))
			}
			want := 0.0
			for _, v := range values {
				want += v
			}
			check.That(t, math.Abs(row.Mean[side]-want) <= 1e-9, "%s: mean %g, want %g", row.Metric, row.Mean[side], want)
		}
	}
	// What the optimum enters in another way than as a term cannot be shifted to the best value that both folders found.
	check.Equal(t, "metrics of a problem with an unknown optimum", strings.Join(names, ", "), "suboptimality, utility regret, 1 − Kendall’s tau")
	check.Contains(t, "notes", strings.Join(c.Notes, " "), "not every run has weak preference regret")
	known := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Problem == "branin" && r.Metric == "weak preference regret" })
	check.That(t, known >= 0, "no weak preference regret on branin, whose optimum is known")
}
