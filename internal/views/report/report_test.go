package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

var six = []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "random"}

// troubled is a small folder with one of each trouble: a failed run, a missing
// run, a run of another length, a damaged file.
func troubled() *reporttest.Folder {
	in := reporttest.Results(reporttest.Options{Runs: 8, Steps: 12})
	failed := in.Records[3] // beale 3
	failed.Footer.Status, failed.Footer.Error = record.Failed, "no solve of step 8 converged"
	failed.Steps = failed.Steps[:7]
	short := in.Records[8+5] // branin 5
	short.Header.Budget, short.Steps = 10, short.Steps[:10]
	in.Records = slices.Delete(in.Records, 16+2, 16+3) // bukin6 2
	in.Issues = []record.Issue{{Path: in.Dir + "/records/levy13/POP-BO/099.jsonl", Line: 4, What: "the checksum differs", Mend: "run the suite again"}}
	return in
}

var troubledTable = sync.OnceValue(func() *outcome.Table {
	results, err := outcome.Collect(troubled())
	if err != nil {
		panic(err)
	}
	return outcome.NewTable(results)
})

func mustCollect(t *testing.T, in *reporttest.Folder) *outcome.Results {
	t.Helper()
	return check.Must(outcome.Collect(in))(t)
}

func rendered(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, write(&b))
	return b.Bytes()
}

// tableOf is the table of the results of such a folder.
func tableOf(t *testing.T, o reporttest.Options) *outcome.Table {
	t.Helper()
	return outcome.NewTable(mustCollect(t, reporttest.Results(o)))
}

// textOf is a document as text.
func textOf(t *testing.T, d *document.Document) string {
	t.Helper()
	return string(rendered(t, func(w io.Writer) error { return document.WriteText(w, d) }))
}

// flat is a text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// sheetOf is the sheet of a document with the identifier; nil if there is none.
func sheetOf(d *document.Document, id string) *document.Sheet {
	k := slices.IndexFunc(d.Sheets, func(s document.Sheet) bool { return s.ID == id })
	if k < 0 {
		return nil
	}
	return &d.Sheets[k]
}

// rowsOf are the cells of a sheet, a row a line.
func rowsOf(s *document.Sheet) string {
	var lines []string
	for _, row := range s.Rows {
		var texts []string
		for _, c := range row {
			texts = append(texts, c.String())
		}
		lines = append(lines, strings.Join(texts, " | "))
	}
	return strings.Join(lines, "\n")
}

// documentOf is that of the results of such a folder.
func documentOf(t *testing.T, o reporttest.Options) *document.Document {
	t.Helper()
	return Document(tableOf(t, o), nil)
}

// A sheet that would have nothing to say is not there.
func TestNoEmptySheets(t *testing.T) {
	for id, o := range map[string]reporttest.Options{
		"ranking":  {Problems: []string{"beale"}, Runs: stats.MinRuns, Steps: 2},
		"beliefs":  {Problems: []string{"beale"}, Runs: 2, Steps: 3},
		"coverage": {Problems: []string{"beale"}, Algorithms: []string{"dts"}, Runs: 2, Steps: 2},
		"verdict":  {Runs: 1, Steps: 3},
	} {
		check.That(t, sheetOf(documentOf(t, o), id) == nil, "there is an empty sheet: %s", id)
	}
}

// footnotes are those of a document, a line each.
func footnotes(d *document.Document) string { return document.Join(d.Footnotes(), "\n").String() }

func TestGoldens(t *testing.T) {
	check.Sequential(t)
	of := func(d *document.Document, write func(io.Writer, *document.Document) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(w, d) }
	}
	table := troubledTable()
	d := Document(table, nil)
	check.GoldenWritten(t, "table.txt", of(d, document.WriteText))
	check.GoldenWritten(t, "table.md", of(d, document.WriteMarkdown))
	check.GoldenWritten(t, "table.tex", of(d, document.WriteLaTeX))
	check.GoldenWritten(t, "table.csv", tableCSV(table))
	one := outcome.Curves(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Runs: stats.MinRuns, Steps: 2})))
	check.GoldenWritten(t, "curves.csv", curvesCSV(one))

	unknown := outcome.NewTable(mould(t, "mould", "beale")) // the optimum of mould
	check.Golden(t, "unknown.txt", textOf(t, Document(unknown, nil)))

	// Of a confidence set only one part can be checked if no norm is known.
	check.Golden(t, "norms.txt", textOf(t, documentOf(t, reporttest.Options{Problems: []string{"beale", "gp1"}, Algorithms: []string{"popbo", "dts"}, Runs: 3, Steps: 4})))

	// All that a suite of drawn 1-D functions has: a norm, beliefs, the paper's curve.
	gp := tableOf(t, reporttest.Options{Problems: []string{"gp1"}, Algorithms: []string{"popbo", "dts"}, Paper: "gp-1d", Runs: stats.MinRuns, Steps: 50, Norm: 5.5, Snapshots: []int{10, 30}})
	d = Document(gp, nil)
	check.GoldenWritten(t, "gp.txt", of(d, document.WriteText))
	check.GoldenWritten(t, "gp.tex", of(d, document.WriteLaTeX))
	check.GoldenWritten(t, "orders.csv", ordersCSV(gp.Growth))
	sgp := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"levy13"}, Algorithms: []string{"popbo", "sgp"}, Runs: stats.MinRuns, Steps: 4})))
	charts := Charts(sgp, outcome.Curves(sgp.Results))
	check.GoldenWritten(t, "charts.csv", chartsCSV(charts[1]))
	swept := outcome.NewTable(mustCollect(t, reporttest.Swept()))
	charts = Charts(swept, outcome.Curves(swept.Results))
	doses := DoseCharts(swept, swept.Headline, OfMetric(charts, outcome.Suboptimality))
	check.GoldenWritten(t, "doses.csv", dosesCSV(doses))
	times := tableOf(t, reporttest.Options{Problems: []string{"beale"}, Algorithms: six, Runs: stats.MinRuns, Steps: 2})
	check.GoldenWritten(t, "times.csv", timesCSV(times.Times))
	beliefs := BeliefCharts(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Runs: 1, Steps: 2, Snapshots: []int{2}})))
	check.GoldenWritten(t, "beliefs.csv", beliefCSV(beliefs[0]))
	check.GoldenWritten(t, "beside.txt", func(w io.Writer) error {
		for _, o := range []reporttest.Options{{Algorithms: six[:2]}, {Problems: []string{"beale"}}, {Paper: "none"}, {Problems: []string{"gp1"}, Paper: "gp-1d"}} {
			o.Runs, o.Steps = 2, 2
			r := mustCollect(t, reporttest.Results(o))
			fmt.Fprintf(w, "%s\n%s\n%s\n\n", besideFigures(r), besideThing(r, "confidence-set"), besideThing(r, "time"))
		}
		return nil
	})
	check.GoldenWritten(t, "growth.csv", growthCSV(gp.Growth, "gp1"))
}

func TestNotes(t *testing.T) {
	options := reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "dts"}, Runs: 3, Steps: 4}
	for name, tc := range map[string]struct {
		change func(*reporttest.Folder)
		want   string
	}{
		"a value above the optimum": {func(in *reporttest.Folder) { in.Records[0].Steps[1].Utility[1] = 1.5 }, "Run 0 found a value that exceeds the stated optimum 1.25 by 0.25: that is not the optimum."},
		"a failed solve": {func(in *reporttest.Folder) {
			m := in.Records[0].Steps[1].Metrics
			m[slices.IndexFunc(m, func(m record.Metric) bool { return m.Name == "failures" })].Value = 2
		}, "2 solves failed"},
		"a missing group": {func(in *reporttest.Folder) {
			in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
				return r.Header.Problem.Name == "branin" && r.Header.Algorithm.Name == "dts"
			})
		}, "There is no record of DTS on Branin."},
		"a rule that is not always there": {func(in *reporttest.Folder) {
			in.Records[1].Steps[2].Recommendations = in.Records[1].Steps[2].Recommendations[:2]
		}, "1 run left out (1): no report by min-uncertainty after step 3"},
		"another selected rule": {func(in *reporttest.Folder) { slices.Reverse(in.Records[1].Steps[0].Recommendations) }, "1 run left out (1): no report by max-mle after step 1"},
		"an unknown experiment": {func(in *reporttest.Folder) {
			for _, r := range in.Records {
				r.Header.Paper = "no-such"
			}
		}, `the paper's experiment "no-such"`},
		"a run that was not timed": {func(in *reporttest.Folder) { delete(in.Timings, in.Records[2].Header.Cell) }, "1 run of 3 has no timing file, and is not in the times."},
		"runs that were not timed": {func(in *reporttest.Folder) { clear(in.Timings) }, "3 runs of 3 have no timing file"},
		"many damaged files": {func(in *reporttest.Folder) {
			in.Issues = slices.Repeat([]record.Issue{{Path: "x", What: "bad", Mend: "mend"}}, 14)
		}, "And 4 more files like these."},
	} {
		t.Run(name, func(t *testing.T) {
			in := reporttest.Results(options)
			tc.change(in)
			check.Contains(t, "the notes", footnotes(Document(outcome.NewTable(mustCollect(t, in)), nil)), tc.want)
		})
	}
}

func TestWithoutPaperAndBaselines(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Paper: "none", Runs: stats.MinRuns, Steps: 3})
	in.Timings = nil
	for _, r := range in.Records {
		r.Header.Problem.Uniform, r.Header.Problem.GridOptimum, r.Header.Algorithm.InForce = nil, nil, nil
		for i := range r.Steps {
			r.Steps[i].Metrics = nil
		}
	}
	d := Document(outcome.NewTable(mustCollect(t, in)), nil)
	var titles []string
	for _, s := range d.Sheets {
		for _, c := range s.Columns {
			titles = append(titles, c.Title.String())
		}
	}
	got, want := strings.Join(titles, ", "), "Problem, POP-BO, 95\u00a0% interval, Problem, max-mle (selected), max-mle-visited, min-uncertainty, Problem, R_T, 95\u00a0% interval, Exponent, "+
		"Problem, Suboptimality, Mean suboptimality, Best-asked regret, Cumulative regret, Utility regret, Preference regret, Weak regret, Weak preference regret, Self-duels"
	check.That(t, got == want, "columns\n  %s\nwant\n  %s", got, want)
	check.That(t, footnotes(d) == "" && len(d.Summary) == 0, "notes %q, summary %q", footnotes(d), d.Summary)
}

// Labels are the user's: they stand as they are written, and no part of them is taken for a formula.
func TestOddNames(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "sgp"}, Runs: 2, Steps: 2})
	const odd = `[a|b] 50% <i>*x*_y_</i> & $z^2$ {q} \w R_T`
	for _, r := range in.Records {
		r.Header.Algorithm.Label, r.Header.Problem.Title, r.Header.SuiteTitle = r.Header.Algorithm.Name+odd, "P"+odd, "S"+odd
	}
	text := textOf(t, Document(outcome.NewTable(mustCollect(t, in)), nil))
	check.Contains(t, "the text", text, "popbo"+odd, "sgp"+odd, "P"+odd, "S"+odd)
	check.Lacks(t, "the text", text, "z²")
}

func init() { figure.PixelsPerInch = 30 } // a hundredth of the pixels, which take a third of a report's time
