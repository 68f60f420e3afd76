package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func TestHeadline(t *testing.T) {
	// SGP is 0.5 worse than POP-BO, DTS 0.1 ± 0.5 on Beale and 0.1 better on Levy13.
	results := func(runs int) *outcome.Results {
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
		return mustCollect(t, in)
	}
	r := results(12)
	table := outcome.NewTable(r)
	h := NewHeadline(table, false)
	if len(h.Rows) != 3 {
		t.Fatalf("%d rows", len(h.Rows))
	}
	for i, want := range []string{
		"DTS | 1.5 | Lowest on 1 of 2, not clearly higher on 1; ",
		"POP-BO | 1.5 | Lowest on 1 of 2; ",
		"SGP | 3.0 | Higher than the lowest on all; ",
	} {
		row := h.Rows[i]
		got := fmt.Sprintf("%s | %s | %s", row[0], row[1], row[2])
		check.That(t, strings.HasPrefix(got, want), "%q, want %q", got, want)
		check.Equal(t, "style as in the figures", h.Styles[i], charting.Styles(r)[row[0].String()])
	}
	// The sheet of each problem's best marks the best, and those that are not clearly worse, where there are runs enough.
	marks := func(table *outcome.Table) string {
		s := sheetOf(Document(table, nil), "ranking")
		text := ""
		for _, row := range s.Rows {
			for k, c := range row[1:] {
				text += fmt.Sprintf("%s %d; ", s.Columns[k+1].Title, c.Mark)
			}
		}
		return text
	}
	best, level, no := document.Best, document.Level, document.Unmarked
	check.Equal(t, "marks", marks(table), fmt.Sprintf("DTS %d; POP-BO %d; SGP %d; DTS %d; POP-BO %d; SGP %d; ", level, best, no, best, no, no))
	check.Equal(t, "marks of few runs", marks(outcome.NewTable(results(stats.MinRuns-1))), strings.Repeat(fmt.Sprintf("DTS %d; POP-BO %[1]d; SGP %[1]d; ", no), 2))

	rows := []*outcome.Row{{Exponent: 1}, {Exponent: 2}, {Exponent: 1}, {Exponent: 5}}
	for i, want := range []float64{1.5, 3, 1.5, 4} { // equal ones share their ranks
		check.Equal(t, "rank", rank(rows, rows[i], func(row *outcome.Row) float64 { return row.Exponent }), want)
	}

	one := NewHeadline(tableOf(t, reporttest.Options{Problems: []string{"beale"}, Runs: 6, Steps: 3, Norm: 5}), false)
	check.Equal(t, "rows of one algorithm", len(one.Rows), 1)
	check.Equal(t, "text above one algorithm", one.About, "")
	check.Equal(t, "title of its second column", one.Columns[1].Title, "Suboptimality")
	check.Equal(t, "title of its fifth column", one.Columns[4].Title, "Truth inside")
	check.Equal(t, "runs with the truth inside", one.Rows[0][4].String(), "100\u00a0%")
}

// With too few runs the headline explains no words that it does not say, and promises no interval.
func TestHeadlineOfFewRuns(t *testing.T) {
	for _, problems := range [][]string{{"beale"}, {"beale", "branin"}} {
		for runs, few := range map[int]bool{stats.MinRuns - 1: true, stats.MinRuns: false} {
			h := NewHeadline(tableOf(t, reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "dts"}, Runs: runs, Steps: 3}), true)
			caption := h.Caption.String()
			what := fmt.Sprintf(" on %d problems after %d runs: %s", len(problems), runs, caption)
			check.Equal(t, "words are explained"+what, h.About != "", !few)
			check.Equal(t, "the caption says that runs are few"+what, strings.Contains(caption, "fewer than 6 runs"), few)
			check.Equal(t, "the caption promises an interval"+what, strings.Contains(caption, "with its 95"), !few && len(problems) == 1)
		}
	}
}

// An algorithm that observes values is shown last and has no rank, however well it does.
func TestHeadlineWithReference(t *testing.T) {
	table := tableOf(t, reporttest.Options{Problems: []string{"bukin6", "levy13"}, Algorithms: []string{"popbo", "gpucb", "random"}, Runs: 6, Steps: 4})
	h := NewHeadline(table, true)
	check.Equal(t, "first", h.Rows[0][0].Text+h.Rows[0][1].Text, "POP-BO1.0")
	last := h.Rows[2]
	check.Equal(t, "last", last[0].Text+last[1].Text, "GP-UCB"+document.None)
	check.Contains(t, "last", last[2].String(), "Observes noisy values")
	check.Contains(t, "the tables", footnotes(Document(table, nil)), outcome.ValuesNote)
}

// An algorithm that has no run on a problem is not said to be anything there, nor a problem without runs to be one of
// several.
func TestHeadlineWithoutRuns(t *testing.T) {
	in := outside(t)
	in.List = nil
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
		return r.Header.Algorithm.Label == "Mine" && r.Header.Problem.Name == "beale"
	})
	words := func() (all []string) {
		h := NewHeadline(outcome.NewTable(mustCollect(t, in)), true)
		for _, row := range h.Rows {
			all = append(all, row[0].String()+": "+row[2].String())
		}
		return all
	}
	check.Contains(t, "in words", strings.Join(words(), "\n"), "Mine: ", "has runs on 1 of 2 problems only")
	for _, r := range in.Records { // now nothing ran on Beale
		if r.Header.Problem.Name == "beale" {
			r.Steps, r.Footer.Status, r.Footer.Steps = nil, record.Failed, 0
		}
	}
	check.Lacks(t, "in words", strings.Join(words(), "\n"), "of 2")
	for i, s := range Document(outcome.NewTable(mustCollect(t, in)), nil).Sheets {
		there := slices.ContainsFunc(s.Rows, func(row []document.Cell) bool { return row[0].String() == "Beale" })
		check.Equal(t, "a row in the sheet "+s.ID, there, i == 0)
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

func TestHeadlineOfTheSuite(t *testing.T) {
	check.Sequential(t)
	for _, c := range []struct {
		headline outcome.Metric
		problems []string
		columns  string
		first    string // "" if the synthetic regrets decide it
		words    string // of the second line
		curve    bool
	}{
		{outcome.UtilityRegret, []string{"beale"}, "Algorithm, Utility regret, In words, Suboptimality, Cumulative regret", "", "", true},
		{outcome.WeakRegret, []string{"beale", "branin"}, "Algorithm, Rank, weak regret, In words, Rank, suboptimality, Rank, regret", "", "", true},
		{outcome.KendallTau, []string{"beale"}, "Algorithm, Kendall’s tau, In words, Suboptimality, Cumulative regret", "POP-BO", "Lower than POP-BO", false},
		{outcome.KendallTau, []string{"beale", "branin"}, "Algorithm, Rank, Kendall’s tau, In words, Rank, suboptimality, Rank, regret", "POP-BO", "Lower than the highest on all", false},
		{outcome.CumulativeRegret, []string{"beale"}, "Algorithm, Cumulative regret, In words, Suboptimality", "", "", true},
	} {
		results := mustCollect(t, named(c.headline, c.problems...))
		table := outcome.NewTable(results)
		h := NewHeadline(table, true)
		var titles []string
		for _, column := range h.Columns {
			titles = append(titles, column.Title.String())
		}
		check.Equal(t, string(c.headline)+": columns", strings.Join(titles, ", "), c.columns)
		if c.first == "" && len(c.problems) == 1 {
			best := slices.MinFunc(table.Rows, func(a, b outcome.Row) int { return cmp.Compare(a.Score(table.Headline), b.Score(table.Headline)) })
			c.first = best.Algorithm.Label
		}
		if c.first != "" {
			check.Equal(t, string(c.headline)+": the best", h.Rows[0][0].Text.String(), c.first)
		}
		if c.words != "" {
			check.Equal(t, string(c.headline)+": the second in words", h.Rows[1][2].Text.String(), c.words)
		}
		charts := charting.OfMetric(charting.Of(table, outcome.Curves(results)), c.headline)
		check.Equal(t, string(c.headline)+": it has curves", len(charts) == len(c.problems), c.curve)
		for _, chart := range charts {
			check.Equal(t, "lines", len(chart.Lines), 3)
			row := table.Rows[0]
			last := chart.Lines[0].Points[5].Mean
			if want := row.Metric(table.Headline).Mean; row.Algorithm.Label == chart.Lines[0].Label && row.Problem.Name == chart.Problem && last != want {
				t.Errorf("%s: the curve ends at %g, the table has %g", c.headline, last, want)
			}
		}
		var page bytes.Buffer
		d := Document(table, nil)
		check.OK(t, WriteHTML(&page, &Page{Table: table, Document: d}))
		check.Contains(t, "the page", page.String(), `<section id="metrics">`, `<section id="about">`, "Kendall’s tau", "Held-out log-loss")
	}
}

// The option of a report replaces the suite's headline, in the page, its figures and its files.
func TestHeadlineOfTheReport(t *testing.T) {
	check.Sequential(t)
	dir, in := t.TempDir(), named("", "beale", "branin")
	check.OK(t, in.Write(dir))
	records := check.Must(record.Open(dir))(t)
	r := check.Must(Make(t.Context(), records, Options{Headline: outcome.Find(outcome.PreferenceRegret)}))(t)
	check.Contains(t, "the page", string(r.File("index.html")), "Rank, preference regret", `id="beale-preference-regret"`, `id="overview-preference-regret"`)
	check.Contains(t, "the curves", string(r.File("data/beale.csv")), ",preference-regret,")
	check.Lacks(t, "the curves", string(r.File("data/beale.csv")), "weak-regret")
	check.Contains(t, "the table", string(r.File("table.csv")), "preference_regret_mean", "kendall_tau_ci_hi", "self_duels_mean")
}

// docs/metrics.md has the table of all metrics between its marks. With -update the test writes it.
func TestMetricsPage(t *testing.T) {
	const path = "../../../docs/metrics.md"
	page := check.Must(os.ReadFile(path))(t)
	all := make([]int, len(outcome.Measures))
	for k := range all {
		all[k] = k
	}
	of := func(title document.Text, of func(m *outcome.Measure) document.Text) document.Column[int] {
		return document.Column[int]{Title: title, Words: true, Of: func(k int) document.Cell { return document.Prose(of(&outcome.Measures[k])) }}
	}
	d := &document.Document{Sheets: []document.Sheet{document.Tabulate(document.Sheet{ID: "all"}, all,
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
	if !begun || !ended {
		t.Fatalf("%s lacks the marks of the table", path)
	}
	golden.Check(t, filepath.Join("..", path), before+"<!-- printed from outcome.Measures -->\n\n"+strings.TrimSpace(table)+"\n\n<!-- end of what is printed -->\n"+after)
}
