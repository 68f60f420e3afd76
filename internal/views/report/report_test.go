package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n  got  %q\n  want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

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

// cells are those of a sheet, a row a line; "" if the document has no such sheet.
func cells(d *document.Document, id string) string {
	s := sheetOf(d, id)
	if s == nil {
		return ""
	}
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
	return Document(outcome.NewTable(mustCollect(t, reporttest.Results(o))), nil)
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
	table := troubledTable()
	d := Document(table, nil)
	golden.Check(t, "table.txt", rendered(t, func(w io.Writer) error { return document.WriteText(w, d) }))
	golden.Check(t, "table.md", rendered(t, func(w io.Writer) error { return document.WriteMarkdown(w, d) }))
	golden.Check(t, "table.tex", rendered(t, func(w io.Writer) error { return document.WriteLaTeX(w, d) }))
	golden.Check(t, "table.csv", rendered(t, func(w io.Writer) error { return WriteTableCSV(table, w) }))
	one := mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Runs: stats.MinRuns, Steps: 2}))
	golden.Check(t, "curves.csv", rendered(t, func(w io.Writer) error { return WriteCurvesCSV(w, outcome.Curves(one)) }))

	// All that a suite of drawn 1-D functions has: a norm, beliefs, the paper's curve.
	gp := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Algorithms: []string{"popbo", "dts"}, Paper: "gp-1d", Runs: stats.MinRuns, Steps: 50, Norm: 5.5, Snapshots: []int{10, 30}})))
	d = Document(gp, nil)
	golden.Check(t, "gp.txt", rendered(t, func(w io.Writer) error { return document.WriteText(w, d) }))
	golden.Check(t, "gp.tex", rendered(t, func(w io.Writer) error { return document.WriteLaTeX(w, d) }))
	golden.Check(t, "orders.csv", rendered(t, func(w io.Writer) error { return WriteOrdersCSV(gp.Growth, w) }))
	golden.Check(t, "growth.csv", rendered(t, func(w io.Writer) error { return WriteGrowthCSV(gp.Growth, w, "gp1") }))
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
		"many damaged files": {func(in *reporttest.Folder) {
			in.Issues = slices.Repeat([]record.Issue{{Path: "x", What: "bad", Mend: "mend"}}, 14)
		}, "And 4 more files like these."},
	} {
		t.Run(name, func(t *testing.T) {
			in := reporttest.Results(options)
			tc.change(in)
			notes := footnotes(Document(outcome.NewTable(mustCollect(t, in)), nil))
			check.Contains(t, "the notes", notes, tc.want)
		})
	}
}

// One group without a complete run does not stop the others.
func TestGroupWithoutCompleteRuns(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 3})
	for _, r := range in.Records[:2] {
		r.Footer.Status, r.Footer.Error, r.Steps = record.Failed, "it broke", r.Steps[:1]
	}
	table := outcome.NewTable(mustCollect(t, in))
	text := string(rendered(t, func(w io.Writer) error { return document.WriteText(w, Document(table, nil)) }))
	if !strings.Contains(text, "2 runs left out (0, 1): failed after 1 of 3 steps (it broke).") || !strings.Contains(text, document.None) {
		t.Errorf("the table does not say what is missing:\n%s", text)
	}
	rendered(t, func(w io.Writer) error { return WriteTableCSV(table, w) })
	charts := charting.Of(table, outcome.Curves(table.Results))
	check.That(t, len(charts) == 2 && charts[0].Problem == "branin", "%d charts, want the two of Branin", len(charts))
}

// The tests of single runs have nothing to say.
func TestOneRun(t *testing.T) {
	table := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Runs: 1, Steps: 3})))
	for i := range table.Rows {
		if v := table.Rows[i].Against; v.Paper != outcome.TooFew || v.Random != outcome.TooFew || v.Best != outcome.TooFew {
			t.Errorf("%s: a verdict from one run: %+v", table.Rows[i].Name(), v)
		}
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
	if got, want := strings.Join(titles, ", "), "Problem, POP-BO, 95\u00a0% interval, Problem, max-mle (selected), max-mle-visited, min-uncertainty, Problem, R_T, 95\u00a0% interval, Exponent, "+
		"Problem, Suboptimality, Mean suboptimality, Best-asked regret, Cumulative regret, Utility regret, Preference regret, Weak regret, Weak preference regret, Self-duels"; got != want {
		t.Errorf("columns\n  %s\nwant\n  %s", got, want)
	}
	check.That(t, footnotes(d) == "" && len(d.Summary) == 0, "notes %q, summary %q", footnotes(d), d.Summary)
}

func TestSameBytes(t *testing.T) {
	write := func() []byte {
		r := mustCollect(t, reporttest.Results(reporttest.Options{Runs: 5, Steps: 6, Algorithms: []string{"popbo", "sgp"}}))
		table := outcome.NewTable(r)
		d := Document(table, nil)
		var b bytes.Buffer
		for _, err := range []error{document.WriteText(&b, d), document.WriteMarkdown(&b, d), document.WriteLaTeX(&b, d), WriteTableCSV(table, &b), WriteCurvesCSV(&b, outcome.Curves(r)), WriteHTML(&b, &Page{Table: table, Document: d})} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	if a, b := write(), write(); !bytes.Equal(a, b) {
		t.Errorf("the same records, two reports: %s", firstDifference(a, b))
	}
}

// Labels are the user's: they may hold anything.
func TestOddNamesAreEscaped(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Runs: 2, Steps: 2})
	const odd = `β₀=0.1 [a|b] 50% <i>*x*_y_</i> & $z^2$ #1 {q} \w ~`
	for _, r := range in.Records {
		r.Header.Algorithm.Label, r.Header.Problem.Title, r.Header.SuiteTitle = odd, odd+r.Header.Problem.Name, odd
	}
	table := outcome.NewTable(mustCollect(t, in))
	d := Document(table, nil)

	tex := string(rendered(t, func(w io.Writer) error { return document.WriteLaTeX(w, d) }))
	for _, line := range strings.Split(tex, "\n") {
		if strings.HasPrefix(line, "%") {
			continue
		}
		for _, r := range line {
			if r > 126 {
				t.Fatalf("LaTeX has %q in %q", r, line)
			}
		}
		plain := strings.NewReplacer(`\\`, "", `\%`, "", `\{`, "", `\}`, "", `\&`, "", `\#`, "", `\$`, "", `\_`, "").Replace(line)
		if strings.Count(plain, "$")%2 != 0 || strings.Contains(plain, "#") || strings.Contains(strings.TrimSuffix(plain, "%"), "%") {
			t.Errorf("LaTeX is not escaped: %q", line)
		}
	}
	if o, c := strings.Count(strings.ReplaceAll(tex, `\{`, ""), "{"), strings.Count(strings.ReplaceAll(tex, `\}`, ""), "}"); o != c {
		t.Errorf("LaTeX has %d { and %d }", o, c)
	}

	md := string(rendered(t, func(w io.Writer) error { return document.WriteMarkdown(w, d) }))
	for _, line := range strings.Split(md, "\n") {
		check.That(t, !strings.Contains(line, "<i>") && !strings.Contains(line, " *x"), "Markdown is not escaped: %q", line)
	}
	bars := func(line string) int { return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") }
	rows := strings.Split(md, "\n")
	for i := range rows {
		if i > 0 && strings.HasPrefix(rows[i], "|") && strings.HasPrefix(rows[i-1], "|") && bars(rows[i]) != bars(rows[i-1]) {
			t.Errorf("Markdown rows have different numbers of cells:\n%s\n%s", rows[i-1], rows[i])
		}
	}
}

// No cell of any CSV is a formula to a spreadsheet, and reading a cell back gives
// the original text, except for one apostrophe.
func TestCSVHasNoFormulas(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Runs: 3, Steps: 4})
	for i, r := range in.Records {
		r.Header.Algorithm.Label = []string{"=cmd()", "+a", "-b", "@c"}[i%4] + r.Header.Algorithm.Label
		r.Header.Problem.Title = "=" + r.Header.Problem.Name
		r.Header.Problem.Optimum = new(1e3) // differences get a sign, too
	}
	results := mustCollect(t, in)
	table := outcome.NewTable(results)
	curves := outcome.Curves(results)
	quoted := 0
	for name, data := range map[string][]byte{
		"table":  rendered(t, func(w io.Writer) error { return WriteTableCSV(table, w) }),
		"curves": rendered(t, func(w io.Writer) error { return WriteCurvesCSV(w, curves) }),
		"chart":  rendered(t, func(w io.Writer) error { c := charting.Of(table, curves); return WriteChartsCSV(w, &c[0]) }),
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
			if err != nil || len(lines) < 3 {
				t.Fatalf("%d lines, %v", len(lines), err)
			}
			for _, line := range lines {
				for _, cell := range line {
					if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
						if _, err := strconv.ParseFloat(cell, 64); err != nil {
							t.Errorf("%s has the cell %q", name, cell)
						}
					}
					if strings.HasPrefix(cell, "'=") {
						quoted++
					}
				}
			}
		})
	}
	check.That(t, quoted >= 10, "only %d cells are quoted", quoted)
}

// labels returns the labels of a chart's lines.
func labels(c chart.Chart) string {
	var labels []string
	for _, l := range c.Lines {
		labels = append(labels, l.Label)
	}
	return strings.Join(labels, ", ")
}

func close(t *testing.T, what string, got, want float64) {
	t.Helper()
	check.That(t, math.Abs(got-want) <= 1e-12*(1+math.Abs(want)), "%s = %.17g, the records have %.17g", what, got, want)
}

func init() { figure.PixelsPerInch = 30 } // a hundredth of the pixels, which take a third of a report's time
