package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

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

  index.html   all of it on one page, figures included
  table.*      the table as text, Markdown, CSV and LaTeX
  data/        every curve as CSV, by problem
  figures/     every figure as SVG, PNG and PDF

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
	for _, f := range files {
		if err := f.write(out); err != nil {
			return err
		}
	}
	for _, f := range files {
		if f.path == show {
			if _, err := stdout.Write(f.data); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(stderr, "\nwrote %s\n", filepath.Join(out, "index.html"))
	return nil
}

// file is a file of a report; its path is from the report's folder, with
// slashes.
type file struct {
	path string
	data []byte
}

func (f *file) write(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.path))
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, f.data, 0o666)
	}
	if err != nil {
		return fmt.Errorf("report: %w; make room or give another --out", err)
	}
	return nil
}

// reportFiles are all files of a report. The same records make the same bytes.
func reportFiles(ctx context.Context, t *report.Table, suite string) ([]file, error) {
	document := t.Document()
	var files []file
	var b bytes.Buffer
	add := func(path string, err error) error {
		files = append(files, file{path, bytes.Clone(b.Bytes())})
		b.Reset()
		return err
	}
	if err := add("table.txt", report.WriteText(&b, document)); err != nil {
		return nil, err
	}
	if err := add("table.md", report.WriteMarkdown(&b, document)); err != nil {
		return nil, err
	}
	if err := add("table.tex", report.WriteLaTeX(&b, document)); err != nil {
		return nil, err
	}
	if err := add("table.csv", t.WriteCSV(&b)); err != nil {
		return nil, err
	}
	page := &report.Page{Table: t, Document: document, Suite: suite, FigureCSS: figure.InlineCSS}
	for _, f := range files {
		page.Files = append(page.Files, report.Link{Text: f.path, Href: f.path})
	}

	curves := report.Curves(t.Results)
	charts := report.Charts(t, curves)
	for i := range charts {
		c := &charts[i]
		if i > 0 && c.Problem == charts[i-1].Problem {
			continue
		}
		var own []report.Curve
		for _, cv := range curves {
			if cv.Problem == c.Problem {
				own = append(own, cv)
			}
		}
		if err := add(c.DataFile(), report.WriteCurvesCSV(&b, own)); err != nil {
			return nil, err
		}
	}
	images, err := addFigures(ctx, page, charts)
	if err != nil {
		return nil, err
	}
	files = append(files, images...)
	if err := add("index.html", report.WriteHTML(&b, page)); err != nil {
		return nil, err
	}
	return files, nil
}

// addFigures draws the charts, puts them on the page, and returns their files.
func addFigures(ctx context.Context, page *report.Page, charts []report.Chart) ([]file, error) {
	overviews, singles := figure.All(charts)
	figures := append(overviews, singles...)
	kinds := []struct {
		name   string
		encode func(*figure.Figure) ([]byte, error)
	}{
		{"svg", (*figure.Figure).SVG},
		{"png", (*figure.Figure).PNG},
		{"pdf", (*figure.Figure).PDF},
	}
	files := make([]file, len(figures)*len(kinds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range figures {
		for k, kind := range kinds {
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				data, err := kind.encode(f)
				files[i*len(kinds)+k] = file{"figures/" + f.Name + "." + kind.name, data}
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	inline := func(f *figure.Figure, data string) (report.PageFigure, error) {
		svg, err := f.Inline()
		p := report.PageFigure{ID: f.Name, SVG: template.HTML(svg), Caption: f.Caption}
		if data != "" {
			p.Links = append(p.Links, report.Link{Text: "CSV", Href: data})
		}
		for _, kind := range []string{"svg", "png", "pdf"} {
			p.Links = append(p.Links, report.Link{Text: map[string]string{"svg": "SVG", "png": "PNG", "pdf": "PDF"}[kind], Href: "figures/" + f.Name + "." + kind})
		}
		return p, err
	}
	for _, f := range overviews {
		p, err := inline(f, "")
		if err != nil {
			return nil, err
		}
		page.Overviews = append(page.Overviews, p)
	}
	for i, f := range singles {
		p, err := inline(f, charts[i].DataFile())
		if err != nil {
			return nil, err
		}
		if i == 0 || charts[i].Problem != charts[i-1].Problem {
			page.Problems = append(page.Problems, report.PageProblem{Title: charts[i].Title})
		}
		last := &page.Problems[len(page.Problems)-1]
		last.Figures = append(last.Figures, p)
	}
	return files, nil
}
