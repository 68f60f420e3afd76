package report

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// compared returns the table of the results, and its document with the comparison.
func compared(t *testing.T, in *reporttest.Folder, reference string) (*outcome.Table, *Comparison, *document.Document) {
	t.Helper()
	table := outcome.NewTable(mustCollect(t, in))
	c := check.Must(newComparison(table, reference, nil))(t)
	return table, c, Document(table, c)
}

// written are the files of the report.
func written(t *testing.T, table *outcome.Table, c *Comparison) map[string]string {
	t.Helper()
	files := check.Must((&Page{Table: table, Comparison: c, curves: outcome.Curves(table.Results)}).allFiles(context.Background()))(t)
	all := map[string]string{}
	for _, f := range files {
		all[f.Path] = string(f.Data)
	}
	return all
}

func TestReference(t *testing.T) {
	check.Sequential(t)
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin", "levy13", "beale"}, Algorithms: []string{"popbo", "random", "sgp", "gpucb"}, Runs: 8, Steps: 10})
	table, c, d := compared(t, in, "SGP")
	check.Equal(t, "sentences", document.Join(c.words(), " ").String(), "GP-UCB is better than SGP. Undecided: POP-BO and Random.")
	files := written(t, table, c)
	check.Golden(t, "reference.txt", textOf(t, d))
	check.Golden(t, "pairwise.csv", files["data/pairwise.csv"])
	check.Contains(t, "the caption of a question", files["table.tex"], `\caption{Better than SGP? Suboptimality after`)
	page := files["index.html"]
	check.Contains(t, "page", page, `<a href="#pairwise">`, `<details id="pairwise-problems">`, "GP-UCB is better than SGP.", "Diamond: the reference.")
	for _, name := range []string{"pairwise", "ranks", "profile-targets", "profile-data", "profile-performance"} {
		for _, path := range []string{"figures/" + name + ".svg", "figures/" + name + ".png", "figures/" + name + ".pdf", "data/" + name + ".csv"} {
			check.That(t, files[path] != "", "%s is not written", path)
		}
		check.Contains(t, "page", page, `href="data/`+name+`.csv"`)
	}
}

func TestUnknownReference(t *testing.T) {
	table := tableOf(t, reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"popbo", "random"}, Runs: 2, Steps: 2})
	for given, want := range map[string]string{
		"Randon": "report: --reference Randon is not an algorithm of synthetic; did you mean Random?",
		"xyz":    "report: --reference xyz is not an algorithm of synthetic; it has POP-BO and Random",
	} {
		check.Says(t, given, check.Err(newComparison(table, given, nil)), want)
	}
}

// Pages say what there is to compare, and no more.
func TestSensiblePages(t *testing.T) {
	one, two := []string{"branin"}, []string{"branin", "beale"}
	o := func(runs int, problems []string, algorithms ...string) reporttest.Options {
		return reporttest.Options{Problems: problems, Algorithms: algorithms, Runs: runs, Steps: 6}
	}
	unknown := o(7, two, "popbo", "random")
	unknown.Unknown = one
	without := func(out func(*record.Header) bool) func(*reporttest.Folder) {
		return func(in *reporttest.Folder) {
			in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool { return out(&r.Header) })
		}
	}
	for name, c := range map[string]struct {
		reporttest.Options
		change     func(*reporttest.Folder)
		figures    string   // of the comparison
		has, lacks []string // parts of the page
	}{
		"one method": {o(7, two, "popbo"), nil,
			"profile-targets profile-data", []string{`id="to-target"`}, []string{`id="pairwise"`, `id="ranks"`}},
		"one method on one problem": {o(7, one, "popbo"), nil, "profile-targets profile-data", []string{`id="to-target"`}, []string{`id="pairwise"`}},
		"one problem": {o(7, one, "popbo", "random"), nil,
			"pairwise profile-targets profile-data profile-performance", []string{`id="pairwise"`}, []string{`id="pairwise-problems"`, `id="ranks"`, "All problems"}},
		"unknown optimum": {unknown, nil,
			"pairwise ranks profile-targets profile-data profile-performance", []string{`id="pairwise"`, `id="pairwise-problems"`, "the best value found in 14 runs"}, nil},
		"no random points": {o(7, two, "popbo", "random"), func(in *reporttest.Folder) {
			for _, r := range in.Records {
				r.Header.Problem.Uniform = nil
			}
		}, "ranks", []string{`id="pairwise-problems"`, "in the unit of the objective", `id="ranks"`}, []string{`id="pairwise"`}},
		"a missing group": {o(7, two, "popbo", "random"), without(func(h *record.Header) bool { return h.Problem.Name == "beale" && h.Algorithm.Name == "random" }),
			"pairwise profile-targets profile-data profile-performance", []string{`id="pairwise"`, "The figures are of the 1 problem of which every ranked algorithm has a complete run"}, []string{`id="pairwise-problems"`, `id="ranks"`}},
		"a problem with a few runs": {o(7, two, "popbo", "random"), without(func(h *record.Header) bool { return h.Problem.Name == "beale" && h.Repetition > 2 }),
			"pairwise ranks profile-targets profile-data profile-performance", []string{"The mean leaves out problems on which fewer than 6 runs have a pair"}, nil},
		"comparisons to target": {o(7, one, "popbo", "random"), func(in *reporttest.Folder) {
			for _, r := range in.Records {
				r.Header.Headline = string(outcome.ToTarget)
			}
		}, "pairwise profile-targets profile-data profile-performance", []string{"A run that misses the target counts as one step more than it made"}, nil},
		"too few runs": {o(2, one, "popbo", "random"), nil,
			"pairwise profile-targets profile-data profile-performance", []string{"Undecided: Random.", "Some have fewer runs than the 6"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := reporttest.Results(c.Options)
			if c.change != nil {
				c.change(in)
			}
			table, comparison, d := compared(t, in, "")
			page := string(rendered(t, func(w io.Writer) error {
				return writeHTML(w, &Page{Table: table, Document: d, Comparison: comparison})
			}))
			var figures []string
			p := &Page{Table: table, Comparison: comparison}
			p.addComparison()
			check.OK(t, p.made.Err)
			for _, f := range p.exhibits {
				figures = append(figures, f.Name)
				check.Lacks(t, "figure "+f.Name, string(f.SVG()), "NaN", "Inf")
			}
			check.Equal(t, "figures", strings.Join(figures, " "), c.figures)
			check.Contains(t, "page", page, c.has...)
			check.Lacks(t, "page", page, append(c.lacks, "NaN")...)
		})
	}
}

// The best comes first: the lowest of a regret, the highest of a metric of which more is better.
func TestDifferencesBeginWithTheBest(t *testing.T) {
	for metric, want := range map[outcome.Metric]string{outcome.Suboptimality: "far below near above", outcome.KendallTau: "above near below far"} {
		p := &judge.Pairwise{Reference: "r", Measure: outcome.Find(metric), Overall: []*judge.Versus{
			{Label: "near", Test: judge.Test{Value: 0.1}}, {Label: "far", Test: judge.Test{Value: -3}}, {Label: "above", Test: judge.Test{Value: 2}}, {Label: "below", Test: judge.Test{Value: -0.2}},
		}}
		var got []string
		for _, row := range differences(&outcome.Results{}, p).Rows {
			got = append(got, row.Label)
		}
		check.Equal(t, string(metric), strings.Join(got, " "), want)
	}
}
