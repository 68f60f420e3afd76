package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"popbench/internal/figure"
	"popbench/internal/report"
	"popbench/internal/runlog"
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
left out of the numbers and named in the notes below the table.`,
	min: 1,
	max: 1,
	setup: func(flags *flag.FlagSet) action {
		out := flags.String("out", "", "write to `DIR` instead of RESULTS/report")
		format := flags.String("format", "text", "print the table as `FORMAT`: text, markdown, csv or latex")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			return runReport(ctx, stdout, stderr, args[0], *out, *format)
		}
	},
}

// tableFiles are the forms of the table, by what --format calls them.
var tableFiles = map[string]string{"text": "table.txt", "markdown": "table.md", "csv": "table.csv", "latex": "table.tex"}

func runReport(ctx context.Context, stdout, stderr io.Writer, dir, out, format string) error {
	show, ok := tableFiles[format]
	if !ok {
		return fmt.Errorf("report: --format %q is unknown; give text, markdown, csv or latex", format)
	}
	records, err := runlog.ReadDir(dir)
	if err != nil {
		return err
	}
	if err := records.ReadTimings(); err != nil {
		return err
	}
	results, err := report.Collect(records)
	if err != nil {
		return err
	}
	var suite string // from the page
	if out == "" {
		out = filepath.Join(dir, "report")
		if _, err := os.Stat(filepath.Join(dir, "suite.yaml")); err == nil {
			suite = "../suite.yaml"
		}
	}
	files, err := reportFiles(ctx, report.NewTable(results), suite)
	if err != nil {
		return err
	}
	kept, err := replaceFiles(out, files)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.path == show {
			if _, err := stdout.Write(f.data); err != nil {
				return err
			}
		}
	}
	for _, path := range kept {
		fmt.Fprintf(stderr, "\n%s is of an earlier report and was changed since; it stays, but has nothing to do with this one", path)
	}
	fmt.Fprintf(stderr, "\nwrote %s\n", filepath.Join(out, "index.html"))
	return nil
}

// reportFiles are all files of a report. The same results folder makes the same
// bytes.
func reportFiles(ctx context.Context, t *report.Table, suite string) ([]file, error) {
	document := t.Document()
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
		{"table.txt", func(w io.Writer) error { return report.WriteText(w, document) }},
		{"table.md", func(w io.Writer) error { return report.WriteMarkdown(w, document) }},
		{"table.tex", func(w io.Writer) error { return report.WriteLaTeX(w, document) }},
		{"table.csv", t.WriteCSV},
	}
	if t.Growth != nil {
		tables = append(tables, table{"orders.csv", t.Growth.WriteOrdersCSV})
	}
	if t.Times != nil {
		tables = append(tables, table{"times.csv", t.Times.WriteCSV})
	}
	for _, table := range tables {
		if err := write(table.path, table.of); err != nil {
			return nil, err
		}
	}
	page := &report.Page{Table: t, Document: document, Suite: suite, FigureCSS: figure.InlineCSS, With: map[string][]report.PageFigure{}}
	for _, f := range files {
		page.Files = append(page.Files, report.Link{Text: f.path, Href: f.path})
	}
	all, err := exhibits(t, page, write)
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
