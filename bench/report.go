package bench

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/figure"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/report"
	"popbench/internal/printable"
)

var reportCommand = &command{
	name:  "report",
	args:  "RESULTS",
	short: "turn a results folder into tables, figures and a page",
	long: `
Prints the table, and writes into RESULTS/report:

  index.html     all of it on one page, figures included
  table.*        the tables as text, Markdown, CSV and LaTeX
  orders.csv     the order of the cumulative regret, where the paper claims one
  times.csv      computation time, where all of the paper's methods were run
  data/          what every figure shows, and every curve by problem, as CSV
  figures/       every figure as SVG, PNG and PDF
  files.sha256   a list of all these; the next report removes what it does not
                 write again and nobody has changed

Records that cannot be read, runs that failed and runs that are missing are
left out of the numbers and named in the notes below the table.

If RESULTS holds several results folders, each gets its report, and RESULTS an
index.html that leads to them; a line for each is printed.

Exit code: 0 if all is well, 1 if some of several folders have no report, 2 if
there is none, 130 if it was interrupted, before the report was written.`,
	min:   1,
	max:   1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		out := flags.String("out", "", "write to `DIR` instead of RESULTS/report")
		format := flags.String("format", "text", "print the table as `FORMAT`: text, markdown, csv or latex")
		title := flags.String("title", "", "give the report the title `TEXT`; the suite's by default")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			return a.runReport(ctx, stdout, stderr, args[0], *out, *format, *title)
		}
	},
}

// tableFiles are the forms of the table, by what --format calls them.
var tableFiles = map[string]string{"text": "table.txt", "markdown": "table.md", "csv": "table.csv", "latex": "table.tex"}

func (a *app) runReport(ctx context.Context, stdout, stderr io.Writer, dir, out, format, title string) error {
	show, ok := tableFiles[format]
	if !ok {
		return fmt.Errorf("report: --format %q is unknown; give text, markdown, csv or latex", format)
	}
	folders, err := resultsFolders(dir)
	if err != nil {
		return err
	}
	if folders != nil {
		if out != "" || format != "text" || title != "" {
			return fmt.Errorf("report: %s holds %s; --out, --format and --title work for one", dir, count(len(folders), "results folder"))
		}
		index := &report.Index{Title: "Results"}
		if _, err := os.Stat(filepath.Join(dir, claimsPage)); err == nil {
			index.Claims = &report.Claims{Title: "The paper’s claims", Counts: "which of them hold here", Href: claimsPage}
		}
		return a.reportAll(ctx, stdout, stderr, dir, folders, index)
	}
	r, err := a.writeReport(ctx, stderr, dir, out, title, nil)
	if err != nil {
		return err
	}
	if _, err := stdout.Write(r.file(show)); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "\nwrote %s\n", printable.Quote(r.page))
	return nil
}

// claimsPage is what bench verify writes beside the index.
const claimsPage = "claims.html"

// reported is a report that was written.
type reported struct {
	*outcome.Table
	curves []outcome.Curve
	files  []file
	page   string // path
}

// file is the content of one of its files.
func (r *reported) file(path string) []byte {
	return r.files[slices.IndexFunc(r.files, func(f file) bool { return f.path == path })].data
}

// writeReport writes the report of a results folder, into its folder report if out
// is "". A title that is not empty replaces the suite's. Up is the page that it
// leads back to.
func (a *app) writeReport(ctx context.Context, stderr io.Writer, dir, out, title string, up *report.Link) (*reported, error) {
	r, err := until(ctx, func() (*reported, error) { return a.makeReport(ctx, dir, out, title, up) }, "the report was not written")
	if err != nil {
		return nil, err
	}
	return r, put(stderr, filepath.Dir(r.page), r.files)
}

// makeReport makes all files of a report in memory.
func (a *app) makeReport(ctx context.Context, dir, out, title string, up *report.Link) (*reported, error) {
	records, err := a.openResults(dir)
	if err != nil {
		return nil, err
	}
	records.Timed = true
	results, err := outcome.Collect(records)
	if err != nil {
		return nil, err
	}
	results.Title = cmp.Or(printable.Quote(title), results.Title)
	page := &report.Page{Table: outcome.NewTable(results), Up: up}
	curves := outcome.Curves(results)
	if out == "" {
		out = filepath.Join(dir, "report")
		if _, err := os.Stat(filepath.Join(dir, "suite.yaml")); err == nil {
			page.Suite = "../suite.yaml"
		}
	}
	files, err := reportFiles(ctx, page, curves)
	if err != nil {
		return nil, err
	}
	return &reported{page.Table, curves, files, filepath.Join(out, "index.html")}, nil
}

// put replaces the files of an earlier report, and tells which it left alone.
func put(stderr io.Writer, dir string, files []file) error {
	kept, err := replaceFiles(dir, files)
	for _, path := range kept {
		fmt.Fprintf(stderr, "\n%s belongs to an earlier report and was changed since; it is kept, but is not part of this report", printable.Quote(path))
	}
	return err
}

// reportFiles are all files of a report, whose page it completes. The same
// results folder makes the same bytes.
func reportFiles(ctx context.Context, page *report.Page, curves []outcome.Curve) ([]file, error) {
	t := page.Table
	doc := report.Document(t)
	var files []file
	write := func(path string, of func(io.Writer) error) error {
		var b bytes.Buffer
		err := of(&b)
		files = append(files, file{path, b.Bytes()})
		return err
	}
	type table struct {
		path string
		of   func(io.Writer) error
	}
	tables := []table{
		{"table.txt", func(w io.Writer) error { return document.WriteText(w, doc) }},
		{"table.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) }},
		{"table.tex", func(w io.Writer) error { return document.WriteLaTeX(w, doc) }},
		{"table.csv", func(w io.Writer) error { return report.WriteTableCSV(t, w) }},
	}
	if t.Growth != nil {
		tables = append(tables, table{"orders.csv", func(w io.Writer) error { return report.WriteOrdersCSV(t.Growth, w) }})
	}
	if t.Times != nil {
		tables = append(tables, table{"times.csv", func(w io.Writer) error { return report.WriteTimesCSV(t.Times, w) }})
	}
	for _, table := range tables {
		if err := write(table.path, table.of); err != nil {
			return nil, err
		}
	}
	page.Document, page.FigureCSS, page.With = doc, figure.InlineCSS, map[string][]report.PageFigure{}
	var err error
	if page.Swatches, err = swatches(report.NewHeadline(t, false)); err != nil {
		return nil, err
	}
	for _, f := range files {
		page.Files = append(page.Files, report.Link{Text: f.path, Href: f.path})
	}
	all, err := exhibits(page, curves, write)
	if err != nil {
		return nil, err
	}
	images, err := draw(ctx, all)
	if err != nil {
		return nil, err
	}
	files = append(files, images...)
	err = write("index.html", func(w io.Writer) error { return report.WriteHTML(w, page) })
	return files, err
}
