package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// headers changes those of the records.
func headers(o reporttest.Options, change func(h *record.Header)) *reporttest.Folder {
	in := reporttest.Results(o)
	for _, r := range in.Records {
		change(&r.Header)
	}
	return in
}

// The golden has all that a figure says, but for the points of its lines before the last.
func TestCharts(t *testing.T) {
	check.Sequential(t)
	of, inPaper := Charts, asInPaper
	growth := func(t *outcome.Table, _ []*outcome.Curve) []*figure.Chart { return GrowthCharts(t) }
	three := []string{"popbo", "qeubo", "random"}
	turned := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Algorithms: three, Paper: "gp-1d", Runs: 4, Steps: 6})
	for _, r := range turned.Records { // the report that the paper's figure calls POP-BO is the last one
		for i := range r.Steps {
			slices.Reverse(r.Steps[i].Recommendations)
		}
	}
	published := func(suite string) *reporttest.Folder {
		o := reporttest.Options{Problems: []string{"cross_in_tray"}, Algorithms: []string{"popbo", "dts"}, Runs: 2, Steps: 6, Paper: "none"}
		return headers(o, func(h *record.Header) {
			if h.Suite = suite; h.Algorithm.Name == "popbo" {
				h.Algorithm.Label = "MUC"
			}
		})
	}
	weak := headers(reporttest.Options{Problems: []string{"beale"}, Runs: 3, Steps: 4}, func(h *record.Header) { h.Headline = string(outcome.WeakRegret) })
	check.GoldenWritten(t, "charts.txt", func(w io.Writer) error {
		for _, c := range []struct {
			about string
			in    *reporttest.Folder
			of    func(*outcome.Table, []*outcome.Curve) []*figure.Chart
		}{
			{"One algorithm: its rules, and the paper's numbers", reporttest.Results(reporttest.Options{Problems: []string{"bukin6", "beale"}, Runs: 7, Steps: 10}), of},
			{"Several, each with the rule that it selects", reporttest.Results(reporttest.Options{Problems: []string{"levy13"}, Algorithms: []string{"sgp", "popbo"}, Runs: 3, Steps: 5}), of},
			{"Another headline", weak, of},
			{"Published runs", published("fauvel-2021"), of},
			{"The same in a suite that does not repeat them", published("mine"), of},
			{"As in the paper, one of its methods with two reports", turned, inPaper},
			{"As in the paper, on logarithmic axes", reporttest.Results(reporttest.Options{Problems: []string{"gp7"}, Algorithms: three, Paper: "gp-7d", Runs: 4, Steps: 6}), inPaper},
			{"The same with intervals", reporttest.Results(reporttest.Options{Problems: []string{"gp7"}, Algorithms: three, Paper: "gp-7d", Runs: 4, Steps: 6}), of},
			{"As in a paper that does not say how wide its bands are", reporttest.Results(reporttest.Options{Paper: "thermal-2d", Runs: 4, Steps: 6}), inPaper},
			{"As in the paper, of an unknown optimum", reporttest.Results(reporttest.Options{Problems: []string{"gp1", "gp2"}, Runs: 6, Steps: 5, Paper: "gp-1d", Unknown: []string{"gp2"}}), inPaper},
			{"Growth", reporttest.Results(reporttest.Options{Problems: []string{"gp1", "gp2"}, Algorithms: []string{"popbo", "dts"}, Paper: "gp-1d", Runs: 3, Steps: 5}), growth},
			{"Coverage", reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Algorithms: []string{"popbo", "dts"}, Runs: 3, Steps: 4, Norm: 5}), CoverageCharts},
			{"Coverage where no norm is known", reporttest.Results(reporttest.Options{Problems: []string{"beale", "gp1"}, Algorithms: []string{"popbo", "dts"}, Runs: 3, Steps: 4}), CoverageCharts},
		} {
			fmt.Fprintf(w, "%s\n%s\n", c.about, strings.Repeat("=", len(c.about)))
			table := outcome.NewTable(mustCollect(t, c.in))
			charts := c.of(table, outcome.Curves(table.Results))
			for _, c := range charts {
				write(w, c, c.Caption().String(), c.Alt())
			}
			if all := OfMetric(charts, outcome.Suboptimality); len(all) > 1 {
				fmt.Fprintf(w, "Together: %s\n\n", figure.Overview("", all).Caption)
			}
		}
		partly := reporttest.Swept() // two values on Branin
		partly.Records = slices.DeleteFunc(partly.Records, func(r *record.Record) bool {
			return r.Header.Problem.Name == "branin" && r.Header.Algorithm.Label > "beta0=1"
		})
		for _, in := range []*reporttest.Folder{reporttest.Swept(), partly} {
			r := mustCollect(t, in)
			table := outcome.NewTable(r)
			fmt.Fprint(w, "A sweep\n=======\n")
			for _, metric := range []outcome.Metric{outcome.Suboptimality, outcome.CumulativeRegret} {
				doses := DoseCharts(table, outcome.Find(metric), OfMetric(Charts(table, outcome.Curves(r)), metric))
				drawn := figure.Doses("", doses)
				for i := range doses {
					fmt.Fprintf(w, "%s %v %v, logarithmic: %v\n", doses[i].Sweep.Setting, doses[i].Sweep.Labels, doses[i].Sweep.Values, doses[i].LogSweep)
					write(w, doses[i], drawn.Caption.String(), drawn.Alt)
				}
			}
		}
		fmt.Fprint(w, "Beliefs\n=======\n")
		in := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Runs: 4, Steps: 30, Norm: 5, Snapshots: []int{10, 20, 30}})
		charts := BeliefCharts(mustCollect(t, in))
		for i, inside := range [][]bool{{true, true, true}, {false, false, false}, {true, false, false}} {
			c := charts[i]
			fmt.Fprintf(w, "%s %s %v %g %g %d\n%s\n", c.Name, "data/"+c.File+".csv", c.Inside, c.Lo, c.Hi, len(charts), c.Alt())
			c.Inside = inside
			fmt.Fprintf(w, "%s\n", c.Caption())
		}
		charts[0].Inside, charts[0].Panels = nil, charts[0].Panels[:1]
		fmt.Fprintf(w, "%s\n", charts[0].Caption())
		// Groups in which no two differ, none within another: a with b, b with c, d with e; and all, if nothing differs.
		// With too few runs, here where it would be 2, there are neither groups nor a critical difference.
		for _, critical := range []float64{1, 9, math.NaN(), 2} {
			ranks := &judge.Ranks{FriedmanResult: stats.FriedmanResult{Ranks: []float64{4.6, 1.2, 2.1, 3.0, 4.1}}, Critical: critical, Few: critical == 2}
			r := RanksChart("ranks", "Average rank", []string{"e", "a", "b", "c", "d"}, ranks, func(label string) bool { return label == "c" && critical == 1 })
			if r.Stands = "your algorithm"; critical == 9 {
				r.Intervals = []stats.Interval{{Lo: 1, Hi: 2}}
			}
			fmt.Fprintf(w, "\n%s\n%s\n%v %v %v\n", r.Caption(), r.Alt(), r.Labels, r.Alike, r.Marks)
		}
		return nil
	})
	none := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Algorithms: three, Runs: 2, Steps: 2})))
	check.Equal(t, "figures of a suite without a sweep", len(DoseCharts(none, none.Headline, nil)), 0)
}

func write(w io.Writer, c *figure.Chart, caption, alt string) {
	fmt.Fprintf(w, "%s (%s, %s), %s of %s on %q, %d steps, log %v, log steps %v\n", c.Name, c.File, "data/"+c.File+".csv", c.Metric, c.Problem, c.Title, c.Steps, c.Log, c.LogSteps)
	for _, l := range c.Lines {
		last := &l.Points[len(l.Points)-1]
		fmt.Fprintf(w, "  %s, style %d: %d points, %.6g [%.6g, %.6g]\n", l.Label, l.Style, len(l.Points), last.Mean, c.Low(last), c.High(last))
	}
	for _, b := range c.Baselines {
		fmt.Fprintf(w, "  %s: %.6g at 1, %.6g at 9\n", b.Label, b.At(1), b.At(9))
	}
	for _, m := range c.Marks {
		fmt.Fprintf(w, "  mark %s, style %d: %.6g\n", m.Label, m.Style, m.Value)
	}
	fmt.Fprintf(w, "  %s\n  %s\n\n", caption, alt)
}

func TestFileNames(t *testing.T) {
	got := strings.Join(FileNames([]string{"shubert_5.12", "a/b", "a b", "ß", "con"}), " ")
	check.Equal(t, "file names", got, "shubert_5-12 a-b a-b-3 - con-5")
}
