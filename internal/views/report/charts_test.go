package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// chartsOf are the charts of results.
func chartsOf(r *outcome.Results) []chart.Chart {
	return charting.Of(outcome.NewTable(r), outcome.Curves(r))
}

// labels returns the labels of a chart's lines.
func labels(c chart.Chart) string {
	var labels []string
	for _, l := range c.Lines {
		labels = append(labels, l.Label)
	}
	return strings.Join(labels, ", ")
}

func TestCharts(t *testing.T) {
	r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 3, Steps: 10}))
	charts := chartsOf(r)
	check.Equal(t, "charts, two of each problem", len(charts), 14)
	regret, sub := charts[4], charts[5] // Bukin
	check.Equal(t, "name", regret.Name, "bukin6-regret")
	check.Equal(t, "marks of the regret", len(regret.Marks), 0)
	check.Equal(t, "lines of the regret", labels(regret), "POP-BO")
	check.Equal(t, "lines of one algorithm, which are of its rules", labels(sub), "max-mle, max-mle-visited, min-uncertainty")
	check.Equal(t, "style of the first rule", sub.Lines[0].Style, regret.Lines[0].Style)
	check.That(t, sub.Lines[2].Style != sub.Lines[1].Style, "two rules have the style %v", sub.Lines[1].Style)
	// The paper's 0.92 is against the grid, which is 0.28 below the optimum.
	check.Contains(t, "alternative text", sub.Alt(), "Bukin", "paper: POP-BO: 1.2.")
	close(t, "mark", sub.Marks[0].Value, 0.92+0.28)
	close(t, "random points' regret after 10 steps", regret.Baselines[0].Slope*10, outcome.NewTable(r).Rows[2].Uniform.Mean*10)
	check.Equal(t, "baselines", len(sub.Baselines), 2)
	check.Equal(t, "the second of them", sub.Baselines[1].Label, "best of 11 random")
	for _, c := range charts {
		check.Equal(t, c.Name+" is logarithmic as the others of its metric are", c.Log, c.Metric == outcome.Suboptimality && charts[1].Log)
	}

	// Of several algorithms each has the rule that it selects.
	sub = chartsOf(mustCollect(t, reporttest.Results(reporttest.Options{Runs: 3, Steps: 5, Problems: []string{"levy13"}, Algorithms: []string{"sgp", "popbo"}})))[1]
	check.Equal(t, "lines of several", labels(sub), "POP-BO, SGP")
	check.Equal(t, "marks of several", len(sub.Marks), 2)
	check.Equal(t, "the second mark", sub.Marks[1].Label, "paper: SGP")
	check.Equal(t, "its style", sub.Marks[1].Style, sub.Lines[1].Style)
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
		if r.Groups = append(r.Groups, outcome.Group{Algorithm: a}); a.Name == "challenger" {
			all[a.Label], _ = about.Style(a.Name, a.Settings)
		}
	}
	owner := map[int]string{}
	for label, style := range charting.Styles(r) {
		check.Equal(t, label+" looks like", owner[style], "")
		owner[style] = label
		want, ok := all[label]
		check.That(t, !ok || style == want, "%s has style %d beside others, %d without", label, style, want)
		check.Equal(t, "the style of "+label+" is declared", about.Declared(style), ok)
	}
	for label, style := range charting.StylesOf([]string{"Random", "mine", "POP-BO"}) {
		want, ok := all[label]
		check.That(t, ok == about.Declared(style) && (!ok || style == want), "%s has style %d where only labels are known, want %d", label, style, want)
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
	asInPaper := func(r *outcome.Results) []chart.Chart {
		return charting.AsInPaper(outcome.NewTable(r), outcome.Curves(r))
	}
	r := mustCollect(t, in)
	charts := asInPaper(r)
	check.Equal(t, "charts", len(charts), 2)
	for i, metric := range []outcome.Metric{outcome.CumulativeRegret, outcome.Suboptimality} {
		c := charts[i]
		check.Equal(t, "metric", c.Metric, metric)
		for _, l := range c.Lines {
			p := &l.Points[5]
			check.Equal(t, "band around the mean", [2]float64{c.Low(p), c.High(p)}, [2]float64{p.Mean - 0.1*p.Std, p.Mean + 0.1*p.Std})
		}
		check.Contains(t, "caption", c.Caption().String(), "±0.2 standard errors", "DTS, SGP too")
	}
	check.Equal(t, "lines of the regret", labels(charts[0]), "qEUBO, POP-BO")
	check.Equal(t, "lines of the suboptimality", labels(charts[1]), "qEUBO, POP-BO, POP-BO max-MLE")
	curves := outcome.Curves(r)
	k := slices.IndexFunc(curves, func(c outcome.Curve) bool {
		return c.Algorithm == "POP-BO" && c.Metric == outcome.Suboptimality && c.Rule == "max-mle" && c.Against == outcome.Optimum
	})
	check.Equal(t, "POP-BO max-MLE is the maximiser's report", charts[1].Lines[2].Points[5].Mean, curves[k].Points[5].Mean)
	check.That(t, charts[1].Lines[2].Style != charts[1].Lines[1].Style, "the two reports look alike")

	o.Paper = "gp-7d" // whose figure of the regret is logarithmic
	r = mustCollect(t, reporttest.Results(o))
	c := asInPaper(r)[0]
	check.Equal(t, "seven dimensions: logarithmic axes", [2]bool{c.Log, c.LogSteps}, [2]bool{true, true})
	check.Equal(t, "seven dimensions: band", c.Band, 0.2)
	check.That(t, len(c.Baselines) == 1 && c.Baselines[0].At(7) == 7, "seven dimensions: baselines %+v, want one, t", c.Baselines)
	charts = chartsOf(r)
	check.Equal(t, "the steps are logarithmic in the figures with intervals", [2]bool{charts[0].LogSteps, charts[1].LogSteps}, [2]bool{true, false})
	check.Contains(t, "caption", charts[0].Caption().String(), "Both axes are logarithmic")
	o.Paper = "thermal-2d" // of whose bands nothing is said
	check.Equal(t, "charts with bands of no width", len(asInPaper(mustCollect(t, reporttest.Results(o)))), 0)
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
	sub := &chartsOf(r)[1]
	lines := strings.Split(strings.TrimSpace(string(rendered(t, func(w io.Writer) error { return WriteChartsCSV(w, sub) }))), "\n")
	check.Equal(t, "lines, of curves, baselines and marks", len(lines), 1+2*4+2*4+2)
	p := &sub.Lines[0].Points[3]
	check.Equal(t, "the fourth step", lines[4], fmt.Sprintf("levy13,suboptimality,POP-BO,line,4,%v,%v,%v,6", p.Mean, p.CI.Lo, p.CI.Hi))
	check.Contains(t, "the last mark", lines[len(lines)-1], "paper: SGP,mark,", fmt.Sprint(sub.Marks[1].Value))
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
		c := charting.OfMetric(chartsOf(r), outcome.Suboptimality)[0]
		check.Equal(t, suite+": marks", len(c.Marks), want)
		check.Equal(t, suite+": the caption explains them", strings.Contains(c.Caption().String(), "mean of 40 runs that the paper’s authors published"), want > 0)
		for _, m := range c.Marks {
			method := strings.TrimPrefix(m.Label, "paper: ")
			close(t, m.Label, m.Value, *r.Groups[0].Problem.Optimum-stats.Mean(paper.FauvelScores("cross_in_tray", method, 6)))
		}
	}
}

// swept is a suite of POP-BO with other values of beta0, and random search.
func swept(problems ...string) *reporttest.Folder {
	in := reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "a", "b", "c", "random"}, Runs: 7, Steps: 5, Paper: "none"})
	for _, r := range in.Records {
		a := &r.Header.Algorithm
		k := strings.Index("abc", a.Name)
		if a.Name == "random" {
			continue
		}
		a.Name, a.Label = "popbo", fmt.Sprintf("beta0=%g", []float64{1, 10, 0.1, 3}[k+1])
		a.Settings = json.RawMessage(fmt.Sprintf(`{"beta":{"beta0":%s}}`, strings.TrimPrefix(a.Label, "beta0=")))
		r.Header.Cell = r.Header.Problem.Name + "/" + a.Label + fmt.Sprintf("/%03d", r.Header.Repetition)
	}
	return in
}

func TestDose(t *testing.T) {
	check.Sequential(t)
	in := swept("branin", "levy13")
	r := mustCollect(t, in)
	table := outcome.NewTable(r)
	doses := charting.Doses(table, r.Headline, charting.OfMetric(chartsOf(r), outcome.Suboptimality))
	check.Equal(t, "figures", len(doses), 2)
	for i := range doses {
		d := &doses[i]
		check.Equal(t, "labels", fmt.Sprint(d.Sweep.Labels), "[beta0=0.1 beta0=1 beta0=3 beta0=10]")
		check.Equal(t, "values", fmt.Sprint(d.Sweep.Values), "[0.1 1 3 10]")
		check.Equal(t, "the axis is logarithmic", d.LogX, true)
		for k, label := range d.Sweep.Labels {
			var final []float64
			for _, rec := range in.Records {
				if rec.Header.Problem.Name == d.Problem && rec.Header.Algorithm.Label == label {
					final = append(final, *rec.Header.Problem.Optimum-rec.Steps[4].Recommendations[0].Utility)
				}
			}
			mean, _ := reporttest.Moments(final)
			close(t, "mean of "+label, d.Lines[0].Points[k].Mean, mean)
		}
		check.Equal(t, "baselines", d.Baselines[0].Label+", "+d.Baselines[1].Label, "random point, best of 6 random")
	}
	check.Contains(t, "caption", chart.DoseCaption(doses).String(), "after 5 steps on 2 problems, by beta.beta0: mean over 7 runs", "Lower is better.")
	check.Contains(t, "alternative text", chart.DoseAlt(doses), "Branin: at 0.1 ", "; at 10 ")
	lines := strings.Split(strings.TrimSpace(string(rendered(t, func(w io.Writer) error { return WriteDosesCSV(w, doses) }))), "\n")
	check.Equal(t, "lines of the numbers", len(lines), 1+2*4)
	check.Contains(t, "head", lines[0], "problem,metric,setting,value,label,runs,mean,")
	check.Contains(t, "first line", lines[1], "branin,suboptimality,beta.beta0,0.1,beta0=0.1,7,")

	// The values look like steps of a scale, the other algorithm as ever.
	styles := charting.Styles(r)
	for k, label := range doses[0].Sweep.Labels {
		at, n, ok := chart.Grade(styles[label])
		check.Equal(t, "style of "+label, fmt.Sprint(at, n, ok), fmt.Sprint(k, 4, true))
	}
	check.Equal(t, "style of random search", styles["Random"], 6)

	none := tableOf(t, reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"popbo", "random"}, Runs: 2, Steps: 2})
	check.Equal(t, "figures of a suite without a sweep", len(charting.Doses(none, none.Headline, nil)), 0)
}
