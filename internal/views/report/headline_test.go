package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// uneven are results in which SGP is 0.5 worse than POP-BO, DTS 0.1 ± 0.5 on Beale and 0.1 better on Levy13.
func uneven(runs int) *reporttest.Folder {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "levy13"}, Algorithms: []string{"popbo", "sgp", "dts"}, Runs: runs, Steps: 4})
	for _, rec := range in.Records {
		i := rec.Header.Repetition
		value := 0.2 + 0.01*float64(i)
		switch rec.Header.Algorithm.Name + " on " + rec.Header.Problem.Name {
		case "sgp on beale", "sgp on levy13":
			value += 0.5
		case "dts on levy13":
			value -= 0.1
		case "dts on beale":
			value += 0.1 + 0.5*float64(i%2*2-1)
		}
		rec.Steps[3].Recommendations[0].Utility = *rec.Header.Problem.Optimum - value
	}
	return in
}

// The golden has the headline of each suite, and the marks in its table of each problem's best.
func TestHeadlines(t *testing.T) {
	check.Sequential(t)
	of := func(runs int, problems ...string) *reporttest.Folder {
		return reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "dts"}, Runs: runs, Steps: 3})
	}
	partly := outside(t) // Mine has no run on Beale
	partly.List = nil
	partly.Records = slices.DeleteFunc(partly.Records, func(r *record.Record) bool {
		return r.Header.Algorithm.Label == "Mine" && r.Header.Problem.Name == "beale"
	})
	none := outside(t) // nothing ran on Beale
	for _, r := range none.Records {
		if r.Header.Problem.Name == "beale" {
			r.Steps, r.Footer.Status, r.Footer.Steps = nil, record.Failed, 0
		}
	}
	check.GoldenWritten(t, "headlines.txt", func(w io.Writer) error {
		for _, c := range []struct {
			about string
			in    *reporttest.Folder
		}{
			{"Twelve runs", uneven(12)}, {"Too few runs to tell", uneven(stats.MinRuns - 1)},
			{"One algorithm, of which the norm is known", reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 6, Steps: 3, Norm: 5})},
			{"Few runs on one problem", of(stats.MinRuns-1, "beale")}, {"Few runs on two", of(stats.MinRuns-1, "beale", "branin")},
			{"Enough on one", of(stats.MinRuns, "beale")}, {"Enough on two", of(stats.MinRuns, "beale", "branin")},
			{"One observes values", reporttest.Results(reporttest.Options{Problems: []string{"bukin6", "levy13"}, Algorithms: []string{"popbo", "gpucb", "random"}, Runs: 6, Steps: 4})},
			{"One has no run on a problem", partly}, {"A problem without runs", none},
			{"Utility regret", named(outcome.UtilityRegret, "beale")}, {"Weak regret", named(outcome.WeakRegret, "beale", "branin")},
			{"Kendall's tau", named(outcome.KendallTau, "beale")}, {"Kendall's tau on two problems", named(outcome.KendallTau, "beale", "branin")},
			{"Cumulative regret", named(outcome.CumulativeRegret, "beale")},
		} {
			table := outcome.NewTable(mustCollect(t, c.in))
			for _, brief := range []bool{false, true} {
				h := newHeadline(table, brief)
				d := &document.Document{Title: document.Textf("%s; in brief: %v", c.about, brief), Summary: []document.Text{h.About}, Sheets: []document.Sheet{h.Sheet}}
				check.OK(t, document.WriteText(w, d))
				fmt.Fprintln(w, "Styles:", h.Styles)
			}
			if s := sheetOf(Document(table, nil), "ranking"); s != nil {
				for _, row := range s.Rows {
					fmt.Fprintf(w, "%s:", row[0])
					for k, c := range row[1:] {
						fmt.Fprintf(w, " %s %d", s.Columns[k+1].Title, c.Mark)
					}
					fmt.Fprintln(w)
				}
			}
			fmt.Fprintln(w)
		}
		return nil
	})
	scores := []float64{1, 2, 1, 5}
	for i, want := range []float64{1.5, 3, 1.5, 4} { // equal ones share their ranks
		check.Equal(t, "rank", rank(scores, scores[i]), want)
	}
	idle := outcome.NewTable(mustCollect(t, none))
	rendered(t, tableCSV(idle))
	check.Equal(t, "charts of the other problem", len(Charts(idle, outcome.Curves(idle.Results))), 2)
	for i, s := range Document(idle, nil).Sheets {
		there := slices.ContainsFunc(s.Rows, func(row []document.Cell) bool { return row[0].String() == "Beale" })
		check.Equal(t, "a row of what did not run in the sheet "+s.ID, there, i == 0)
	}
}

// named are the records of a suite that names its headline. The estimates of POP-BO are better than those of qEUBO, and
// random search has none.
func named(headline outcome.Metric, problems ...string) *reporttest.Folder {
	in := reporttest.Results(reporttest.Options{Paper: "none", Problems: problems, Algorithms: []string{"qeubo", "popbo", "random"}, Runs: 8, Steps: 6})
	for _, rec := range in.Records {
		h := &rec.Header
		h.Headline, h.HeldOut = string(headline), &record.HeldOutPlan{Duels: 100, Points: 20}
		if h.Algorithm.Name == "random" {
			continue
		}
		tau := 0.5 + 0.01*float64(h.Repetition)
		if h.Algorithm.Name == "popbo" {
			tau += 0.2
		}
		rec.Steps[5].HeldOut = &record.HeldOut{Duels: 100, LogLoss: 1 - tau, TrueLogLoss: 0.1, Tau: &tau}
	}
	return in
}

// The option of a report replaces the suite's headline, in the page, its figures and its files. No report is ranked by a
// metric that no run has.
func TestHeadlineOfTheReport(t *testing.T) {
	check.Sequential(t)
	of := func(in *reporttest.Folder, headline outcome.Metric) (*Report, error) {
		return Of(t.Context(), mustCollect(t, in), Options{Headline: outcome.Find(headline)})
	}
	r := check.Must(of(named("", "beale", "branin"), outcome.PreferenceRegret))(t)
	check.Contains(t, "the page", string(r.File("index.html")), "Rank, preference regret", `<section id="metrics">`, `<section id="about">`, `id="figure-beale-preference-regret"`, `id="figure-overview-preference-regret"`)
	check.Contains(t, "the curves", string(r.File("data/beale.csv")), ",preference-regret,")
	check.Lacks(t, "the curves", string(r.File("data/beale.csv")), "weak-regret")
	check.Contains(t, "the table", string(r.File("table.csv")), "preference_regret_mean", "kendall_tau_ci_hi", "self_duels_mean")

	unscored := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 2})
	check.Error(t, "--headline that no run has", check.Err(of(unscored, outcome.KendallTau)), "no run of", "has the metric kendall-tau; give another --headline")
	for _, rec := range unscored.Records {
		rec.Header.Headline = string(outcome.KendallTau)
	}
	r = check.Must(of(unscored, ""))(t)
	check.Contains(t, "the table", flat(string(r.File("table.txt"))), "names the metric kendall-tau for its headline, which no run has; the suboptimality is in its place.")
	check.Equal(t, "headline", r.Headline.Name, outcome.Suboptimality)
}

// docs/metrics.md has the table of all metrics between its marks. With -update the test writes it.
func TestMetricsPage(t *testing.T) {
	const path = "../../../docs/metrics.md"
	page := check.Must(os.ReadFile(path))(t)
	of := func(title document.Text, of func(m *outcome.Measure) document.Text) document.Column[*outcome.Measure] {
		return document.Column[*outcome.Measure]{Title: title, Words: true, Of: func(m *outcome.Measure) document.Cell { return document.Prose(of(m)) }}
	}
	d := &document.Document{Sheets: []document.Sheet{document.Tabulate(document.Sheet{ID: "all"}, outcome.Measures,
		of("Name", func(m *outcome.Measure) document.Text { return document.Text(m.Name) }),
		of("After t steps", func(m *outcome.Measure) document.Text { return document.Textf("$%s$", document.Text(m.Formula)) }),
		of("Unit", func(m *outcome.Measure) document.Text {
			if m.Higher {
				return document.Text(m.Unit) + ", higher is better"
			}
			return document.Text(m.Unit)
		}),
		of("In words", func(m *outcome.Measure) document.Text { return document.Text(m.About) }))}}
	text := string(rendered(t, func(w io.Writer) error { return document.WriteMarkdown(w, d) }))
	table := text[strings.Index(text, "| Name"):]
	if i := strings.Index(table, "\n\n"); i >= 0 {
		table = table[:i]
	}
	before, rest, begun := strings.Cut(string(page), "<!-- printed from outcome.Measures -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end of what is printed -->\n")
	check.That(t, begun && ended, "%s lacks the marks of the table", path)
	check.Golden(t, filepath.Join("..", path), before+"<!-- printed from outcome.Measures -->\n\n"+strings.TrimSpace(table)+"\n\n<!-- end of what is printed -->\n"+after)
}
