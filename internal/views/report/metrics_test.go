package report

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

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

// A headline that this version does not know is noted, and the suboptimality is in its place.
func TestUnknownHeadline(t *testing.T) {
	results := mustCollect(t, named("beauty", "beale"))
	check.Equal(t, "headline", results.Headline.Name, outcome.Suboptimality)
	check.Contains(t, "notes", strings.Join(results.Notes, " "), `"beauty"`)
}

// The option of a report replaces the suite's headline, in the page, its figures and its files.
func TestHeadlineOfTheReport(t *testing.T) {
	check.Sequential(t)
	dir, in := t.TempDir(), named("", "beale", "branin")
	folder := check.Must(record.Create(dir))(t)
	defer folder.Close()
	for _, rec := range in.Records {
		check.OK(t, folder.Put(rec, in.Timings[rec.Header.Cell]))
	}
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
