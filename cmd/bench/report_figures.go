package main

import (
	"context"
	"html/template"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"popbench/internal/figure"
	"popbench/internal/report"
)

// exhibit is a figure and where on the page it goes.
type exhibit struct {
	*figure.Figure
	data string // the file of its numbers, from the report's folder; "" if it has none of its own
	hang func(report.PageFigure)
}

// exhibits are all figures of a report. It writes the files of their numbers.
func exhibits(t *report.Table, page *report.Page, write func(path string, of func(io.Writer) error) error) ([]exhibit, error) {
	var all []exhibit
	with := func(sheet string) func(report.PageFigure) {
		return func(p report.PageFigure) { page.With[sheet] = append(page.With[sheet], p) }
	}

	curves := report.Curves(t.Results)
	charts := report.Charts(t, curves)
	overviews, singles := figure.All(charts)
	for _, f := range overviews {
		all = append(all, exhibit{f, "", func(p report.PageFigure) { page.Overviews = append(page.Overviews, p) }})
	}
	for i, f := range singles {
		c := &charts[i]
		if i == 0 || c.Problem != charts[i-1].Problem {
			page.Problems = append(page.Problems, report.PageProblem{Title: c.Title})
			own := slices.DeleteFunc(slices.Clone(curves), func(cv report.Curve) bool { return cv.Problem != c.Problem })
			if err := write(c.DataFile(), func(w io.Writer) error { return report.WriteCurvesCSV(w, own) }); err != nil {
				return nil, err
			}
		}
		problem := len(page.Problems) - 1
		all = append(all, exhibit{f, c.DataFile(), func(p report.PageFigure) {
			page.Problems[problem].Figures = append(page.Problems[problem].Figures, p)
		}})
	}

	if charts := report.CoverageCharts(t, curves); len(charts) > 0 {
		f, data := figure.Together("overview-coverage", charts), ""
		if len(charts) == 1 {
			data = charts[0].DataFile()
		}
		all = append(all, exhibit{f, data, with("coverage")})
	}
	if t.Growth != nil {
		charts := t.Growth.Charts()
		for i := range charts {
			c := &charts[i]
			if err := write(c.DataFile(), func(w io.Writer) error { return t.Growth.WriteCSV(w, c.Problem) }); err != nil {
				return nil, err
			}
			all = append(all, exhibit{figure.Single(c), c.DataFile(), with("growth")})
		}
	}
	beliefs := report.BeliefCharts(t.Results)
	for i := range beliefs {
		c := &beliefs[i]
		if i == 0 || c.DataFile() != beliefs[i-1].DataFile() {
			if err := write(c.DataFile(), c.WriteCSV); err != nil {
				return nil, err
			}
		}
		all = append(all, exhibit{figure.Beliefs(c), c.DataFile(), with("beliefs")})
	}
	return all, nil
}

// narrow is the width, in points, of figures that a phone can show whole.
const narrow = 400

// draw returns the files of the figures, and hangs the figures on the page.
func draw(ctx context.Context, all []exhibit) ([]file, error) {
	kinds := []struct {
		name, title string
		encode      func(*figure.Figure) ([]byte, error)
	}{
		{"svg", "SVG", (*figure.Figure).SVG},
		{"png", "PNG", (*figure.Figure).PNG},
		{"pdf", "PDF", (*figure.Figure).PDF},
	}
	files := make([]file, len(all)*len(kinds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, e := range all {
		for k, kind := range kinds {
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				data, err := kind.encode(e.Figure)
				files[i*len(kinds)+k] = file{"figures/" + e.Name + "." + kind.name, data}
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, e := range all {
		svg, err := e.Inline()
		if err != nil {
			return nil, err
		}
		p := report.PageFigure{ID: e.Name, SVG: template.HTML(svg), Caption: e.Caption, Wide: e.Width > narrow}
		if e.data != "" {
			p.Links = append(p.Links, report.Link{Text: "CSV", Href: e.data})
		}
		for k, kind := range kinds {
			p.Links = append(p.Links, report.Link{Text: kind.title, Href: files[i*len(kinds)+k].path})
		}
		e.hang(p)
	}
	return files, nil
}
