package report

import (
	"strings"
	"testing"

	"popbench/internal/report/reporttest"
)

func TestCharts(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 6, Steps: 10}))
	table := NewTable(r)
	charts := Charts(table, Curves(r))
	if len(charts) != 14 {
		t.Fatalf("%d charts, want two of each problem", len(charts))
	}
	regret, sub := charts[4], charts[5] // Bukin
	if regret.Name != "bukin6-regret" || len(regret.Lines) != 1 || regret.Lines[0].Label != "POP-BO" || len(regret.Marks) != 0 || regret.Log {
		t.Errorf("regret chart %+v", regret)
	}
	if len(sub.Lines) != 3 || sub.Lines[2].Label != "min-uncertainty" || sub.Lines[2].Style != 2 {
		t.Errorf("one algorithm is not shown with its three rules: %+v", sub.Lines)
	}
	// The paper's 0.92 is against the grid, which is 0.28 below the optimum.
	if len(sub.Marks) != 1 || sub.Marks[0].Label != "paper: POP-BO" {
		t.Fatalf("marks %+v", sub.Marks)
	}
	close(t, "mark", sub.Marks[0].Value, 0.92+0.28)
	close(t, "random points' regret after 10 steps", regret.Baselines[0].Slope*10, table.Rows[2].Uniform.Mean*10)
	if len(sub.Baselines) != 2 || sub.Baselines[1].Label != "best of 11 random" {
		t.Errorf("baselines %+v", sub.Baselines)
	}
	for _, c := range charts {
		if c.Log != (c.Metric == Suboptimality && charts[1].Log) {
			t.Errorf("%s: the scale differs from that of the other charts of its metric", c.Name)
		}
	}
	if alt := sub.Alt(); !strings.Contains(alt, "Bukin") || !strings.Contains(alt, "paper: POP-BO: 1.20") {
		t.Errorf("alternative text %q", alt)
	}
}

func TestChartsOfSeveralAlgorithms(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 3, Steps: 5, Problems: []string{"levy13"}, Algorithms: []string{"sgp", "popbo"}}))
	sub := Charts(NewTable(r), Curves(r))[1]
	if len(sub.Lines) != 2 || sub.Lines[0].Label != "POP-BO" || sub.Lines[1].Label != "SGP" {
		t.Errorf("lines %+v, want each algorithm by the rule it selects", sub.Lines)
	}
	if len(sub.Marks) != 2 || sub.Marks[1].Label != "paper: SGP" || sub.Marks[1].Style != sub.Lines[1].Style {
		t.Errorf("marks %+v", sub.Marks)
	}
}

func TestFileNames(t *testing.T) {
	got := strings.Join(fileNames([]string{"shubert_5.12", "a/b", "a b", "ß"}), " ")
	if want := "shubert_5-12 a-b a-b-3 -"; got != want {
		t.Errorf("file names %q, want %q", got, want)
	}
}
