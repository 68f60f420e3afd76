package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func TestCharts(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 3, Steps: 10}))
	table := outcome.NewTable(r)
	charts := charting.Of(table, outcome.Curves(r))
	if len(charts) != 14 {
		t.Fatalf("%d charts, want two of each problem", len(charts))
	}
	regret, sub := charts[4], charts[5] // Bukin
	check.Equal(t, "name", regret.Name, "bukin6-regret")
	check.Equal(t, "marks of the regret", len(regret.Marks), 0)
	check.Equal(t, "the regret is logarithmic", regret.Log, false)
	check.Equal(t, "lines of the regret", labels(regret), "POP-BO")
	if len(sub.Lines) != 3 {
		t.Fatalf("one algorithm is not shown with its three rules: %+v", sub.Lines)
	}
	check.Equal(t, "third rule", sub.Lines[2].Label, "min-uncertainty")
	check.Equal(t, "style of the first rule", sub.Lines[0].Style, regret.Lines[0].Style)
	check.That(t, sub.Lines[2].Style != sub.Lines[1].Style, "two rules have the style %v", sub.Lines[1].Style)
	// The paper's 0.92 is against the grid, which is 0.28 below the optimum.
	if len(sub.Marks) != 1 || sub.Marks[0].Label != "paper: POP-BO" {
		t.Fatalf("marks %+v", sub.Marks)
	}
	close(t, "mark", sub.Marks[0].Value, 0.92+0.28)
	close(t, "random points' regret after 10 steps", regret.Baselines[0].Slope*10, table.Rows[2].Uniform.Mean*10)
	check.That(t, len(sub.Baselines) == 2 && sub.Baselines[1].Label == "best of 11 random", "baselines %+v", sub.Baselines)
	for _, c := range charts {
		check.That(t, c.Log == (c.Metric == outcome.Suboptimality && charts[1].Log),
			"%s: the scale differs from that of the other charts of its metric", c.Name)
	}
	check.Contains(t, "alternative text", sub.Alt(), "Bukin", "paper: POP-BO: 1.2.")
}

func TestChartsOfSeveralAlgorithms(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 3, Steps: 5, Problems: []string{"levy13"}, Algorithms: []string{"sgp", "popbo"}}))
	sub := charting.Of(outcome.NewTable(r), outcome.Curves(r))[1]
	check.That(t, len(sub.Lines) == 2 && sub.Lines[0].Label == "POP-BO" && sub.Lines[1].Label == "SGP",
		"lines %+v, want each algorithm by the rule it selects", sub.Lines)
	check.That(t, len(sub.Marks) == 2 && sub.Marks[1].Label == "paper: SGP" && sub.Marks[1].Style == sub.Lines[1].Style,
		"marks %+v", sub.Marks)
}

var six = []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "random"}

// An algorithm looks the same whichever others there are, and no two look the same.
func TestLooks(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: six, Runs: 2, Steps: 2})
	all := charting.Styles(mustCollect(t, in))
	for _, some := range [][]string{{"popbo"}, {"random", "sgp"}, {"dts", "gpucb", "popbo", "qeubo"}} {
		for label, style := range charting.Styles(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: some, Runs: 2, Steps: 2}))) {
			check.That(t, style == all[label], "%s has style %d among %v, %d among all", label, style, some, all[label])
		}
	}
	// Other settings of an algorithm, some that are not known here, and rules of one method.
	r := mustCollect(t, in)
	for _, a := range []record.Algorithm{{Name: "popbo", Label: "B = 3"}, {Name: "mine", Label: "mine", Settings: []byte("7")}, {Name: "popbo", Label: "B = 96"},
		{Name: "yours", Label: "yours"}, {Name: "challenger", Label: "MUC", Settings: []byte(`{"rule":"muc"}`)}, {Name: "challenger", Label: "EIIG", Settings: []byte(`{"rule":"eiig"}`)}} {
		r.Groups = append(r.Groups, outcome.Group{Algorithm: a})
	}
	for label, settings := range map[string]string{"MUC": `{"rule":"muc"}`, "EIIG": `{"rule":"eiig"}`} {
		all[label], _ = about.Style("challenger", []byte(settings))
	}
	owner := map[int]string{}
	for label, style := range charting.Styles(r) {
		if other, ok := owner[style]; ok {
			t.Errorf("%s looks like %s", label, other)
		}
		if want, ok := all[label]; ok && style != want {
			t.Errorf("%s has style %d beside others, %d without", label, style, want)
		}
		if _, ok := all[label]; about.Declared(style) != ok {
			t.Errorf("%s has style %d, declared: %v", label, style, !ok)
		}
		owner[style] = label
	}
	for label, style := range charting.StylesOf([]string{"Random", "mine", "POP-BO"}) {
		if want, ok := all[label]; ok != about.Declared(style) || ok && style != want {
			t.Errorf("%s has style %d where only labels are known, want %d", label, style, want)
		}
	}
}

// What the paper draws: its methods, one of them with two reports, in bands of
// its width.
func TestPaperCharts(t *testing.T) {
	o := reporttest.Options{Problems: []string{"gp1"}, Algorithms: []string{"popbo", "qeubo", "random"}, Paper: "gp-1d", Runs: 4, Steps: 6}
	in := reporttest.Results(o)
	for _, rec := range in.Records { // the report that the figure calls POP-BO
		for i := range rec.Steps {
			slices.Reverse(rec.Steps[i].Recommendations)
		}
	}
	r := mustCollect(t, in)
	curves := outcome.Curves(r)
	charts := charting.AsInPaper(outcome.NewTable(r), curves)
	if len(charts) != 2 || charts[0].Metric != outcome.CumulativeRegret || charts[1].Metric != outcome.Suboptimality {
		t.Fatalf("%d charts", len(charts))
	}
	for _, c := range charts {
		for _, l := range c.Lines {
			if p := &l.Points[5]; c.High(p) != p.Mean+0.1*p.Std || c.Low(p) != p.Mean-0.1*p.Std {
				t.Errorf("%s: a band from %g to %g around %g ± %g", c.Name, c.Low(p), c.High(p), p.Mean, p.Std)
			}
		}
		if want := "±0.2 standard errors"; !strings.Contains(c.Caption().String(), want) || !strings.Contains(c.Caption().String(), "DTS, SGP too") {
			t.Errorf("caption %q", c.Caption())
		}
	}
	check.Equal(t, "lines of the regret", labels(charts[0]), "qEUBO, POP-BO")
	check.Equal(t, "lines of the suboptimality", labels(charts[1]), "qEUBO, POP-BO, POP-BO max-MLE")
	k := slices.IndexFunc(curves, func(c outcome.Curve) bool {
		return c.Algorithm == "POP-BO" && c.Metric == outcome.Suboptimality && c.Rule == "max-mle" && c.Against == outcome.Optimum
	})
	if charts[1].Lines[2].Points[5].Mean != curves[k].Points[5].Mean || charts[1].Lines[2].Style == charts[1].Lines[1].Style {
		t.Error("POP-BO max-MLE is not the maximiser's report, or looks like another")
	}

	o.Paper = "gp-7d" // whose figure of the regret is logarithmic
	r = mustCollect(t, reporttest.Results(o))
	charts = charting.AsInPaper(outcome.NewTable(r), outcome.Curves(r))
	c := charts[0]
	check.Equal(t, "seven dimensions: the regret is logarithmic", c.Log, true)
	check.Equal(t, "seven dimensions: the steps are logarithmic", c.LogSteps, true)
	check.Equal(t, "seven dimensions: band", c.Band, 0.2)
	check.That(t, len(c.Baselines) == 1 && c.Baselines[0].At(7) == 7,
		"seven dimensions: baselines %+v, want one, t", c.Baselines)
	if c := charting.Of(outcome.NewTable(r), outcome.Curves(r)); !c[0].LogSteps || c[1].LogSteps || !strings.Contains(c[0].Caption().String(), "Both axes are logarithmic") {
		t.Error("the figure with intervals has other axes")
	}
	o.Paper = "thermal-2d" // of whose bands nothing is said
	r = mustCollect(t, reporttest.Results(o))
	if charts := charting.AsInPaper(outcome.NewTable(r), outcome.Curves(r)); charts != nil {
		t.Errorf("%d charts with bands of no width", len(charts))
	}
}

func TestBeside(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2, Algorithms: []string{"popbo", "sgp"}}))
	check.Contains(t, "beside the figures", BesideFigures(r), "Sec. 6.2: Tab. 2, suboptimality", "App. “Details About the Results in Tab. 2”: Fig. 9,", "Fig. 10, cumulative regret", "Fig. 11, cumulative regret")
	check.Equal(t, "beside a thing that the paper does not show", BesideThing(r, "confidence-set"), "")
	r = mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2, Problems: []string{"beale"}}))
	check.Equal(t, "beside the figures of Beale", BesideFigures(r), "Sec. 6.2: Tab. 2, suboptimality of the recommended point "+
		"after the last step, mean and standard deviation, of all four methods. App. “Details About the Results in Tab. 2”: "+
		"Fig. 9, cumulative regret and suboptimality of POP-BO on all seven functions; Fig. 10, cumulative regret and "+
		"suboptimality of all four methods on Beale, Branin, Bukin and Cross-in-Tray.")
	r = mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2, Paper: "none"}))
	check.Equal(t, "beside runs that repeat nothing", BesideFigures(r), "")
}

func TestChartsCSV(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"levy13"}, Algorithms: []string{"popbo", "sgp"}, Runs: stats.MinRuns, Steps: 4}))
	charts := charting.Of(outcome.NewTable(r), outcome.Curves(r))
	sub := &charts[1]
	lines := check.Must(csv.NewReader(bytes.NewReader(rendered(t, func(w io.Writer) error { return WriteChartsCSV(w, sub) }))).ReadAll())(t)
	if want := 1 + 2*4 + 2*4 + 2; len(lines) != want { // lines, baselines and marks
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	p := &sub.Lines[0].Points[3]
	if got, want := strings.Join(lines[4], " "), strings.Join([]string{"levy13", "suboptimality", "POP-BO", "line", "4", fmt.Sprint(p.Mean), fmt.Sprint(p.CI.Lo), fmt.Sprint(p.CI.Hi), "6"}, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	last := lines[len(lines)-1]
	check.That(t, last[2] == "paper: SGP" && last[3] == "mark" && last[5] == fmt.Sprint(sub.Marks[1].Value),
		"the last mark is %v", last)
}

func TestFileNames(t *testing.T) {
	got := strings.Join(charting.FileNames([]string{"shubert_5.12", "a/b", "a b", "ß", "con"}), " ")
	check.Equal(t, "file names", got, "shubert_5-12 a-b a-b-3 - con-5")
}

// Scores of published runs are marks in the figures of the suite that repeats them, and of no other.
func TestPublishedRuns(t *testing.T) {
	for suite, want := range map[string]int{"fauvel-2021": 2, "mine": 0} {
		in := reporttest.Results(reporttest.Options{Problems: []string{"cross_in_tray"}, Algorithms: []string{"popbo", "dts", "sgp"}, Runs: 2, Steps: 6, Paper: "none"})
		for _, rec := range in.Records {
			rec.Header.Suite = suite
			if rec.Header.Algorithm.Name == "popbo" {
				rec.Header.Algorithm.Label = "MUC"
			}
		}
		r := mustCollect(t, in)
		c := charting.OfMetric(charting.Of(outcome.NewTable(r), outcome.Curves(r)), outcome.Suboptimality)[0]
		check.Equal(t, suite+": marks", len(c.Marks), want)
		check.Equal(t, suite+": the caption explains them", strings.Contains(c.Caption().String(), "mean of 40 runs that the paper’s authors published"), want > 0)
		for _, m := range c.Marks {
			method := strings.TrimPrefix(m.Label, "paper: ")
			got := *r.Groups[0].Problem.Optimum - stats.Mean(paper.FauvelScores("cross_in_tray", method, 6))
			check.That(t, math.Abs(m.Value-got) <= 1e-12, "%s is at %g, want %g", m.Label, m.Value, got)
		}
	}
}
