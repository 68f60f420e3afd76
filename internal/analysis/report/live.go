package report

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/figure"
	"popbench/internal/analysis/outcome"
	"popbench/internal/printable"
)

// live is the data of a figure for the script of its page.
type live struct {
	document.Data
	chart *chart.Chart
}

func newLive(c *chart.Chart) *live { return &live{document.Data{Kind: "lines"}, c} }

// MaxPage is the size of a page, in bytes, from which it leaves out data for its script.
const MaxPage = 5_000_000

// withData writes the page with as much data of its figures as it has space for: with all, without the curves of single
// runs, or with none. If it is too large even so, the overviews are images in files of their own.
func (page *Page) withData(all []exhibit, curves []outcome.Curve, limit int) ([]byte, error) {
	var b bytes.Buffer
	for _, detail := range []struct {
		runs, data, drawn bool
		left              string
	}{
		{true, true, true, ""},
		{false, true, true, "The curves of single runs are not in this page: with them it would be larger than 5 MB. bench export writes them."},
		{false, false, true, "These figures cannot be changed: with their data this page would be larger than 5 MB."},
		{false, false, false, "These figures cannot be changed, and overviews are images: otherwise this page would be larger than 5 MB."},
	} {
		for i := range all {
			if l := all[i].live; l != nil {
				l.JSON = nil
				if !detail.data {
					continue
				}
				var err error
				if l.JSON, err = figure.Lines(l.chart, func(line *chart.Line) *figure.Runs { return runsOf(page.Table, curves, line, detail.runs) }); err != nil {
					return nil, err
				}
			}
		}
		if !detail.drawn {
			for i := range page.Overviews {
				asImage(&page.Overviews[i])
			}
		}
		b.Reset()
		page.Brief = detail.left
		if err := WriteHTML(&b, page); err != nil {
			return nil, err
		}
		if b.Len() < limit {
			break
		}
	}
	return b.Bytes(), nil
}

// asImage shows a figure from its file, which lies beside the page.
func asImage(f *PageFigure) {
	for _, l := range f.Links {
		if strings.HasSuffix(l.Href, ".svg") {
			f.SVG = template.HTML(fmt.Sprintf(`<img src="%s" alt="%s" />`, html.EscapeString(printable.URLPath(l.Href)), html.EscapeString(f.Caption.String())))
		}
	}
}

// runsOf are the runs behind a line that shows one of the curves; nil if it is none of numbers of runs.
func runsOf(t *outcome.Table, curves []outcome.Curve, line *chart.Line, values bool) *figure.Runs {
	k := slices.IndexFunc(curves, func(c outcome.Curve) bool { return &c.Points[0] == &line.Points[0] })
	if k < 0 || outcome.Find(curves[k].Metric) == nil {
		return nil
	}
	c := &curves[k]
	g := newLayout(t).row(c.Problem, c.Algorithm).Group
	runs := &figure.Runs{Seconds: g.MeanSeconds()}
	for i := range g.Runs {
		of := outcome.Find(c.Metric).Series(&g.Runs[i])
		if c.Rule != "" {
			of = g.Runs[i].Suboptimality[slices.Index(g.Rules, c.Rule)]
		}
		runs.Last = append(runs.Last, of[len(of)-1])
		if values {
			runs.Values = append(runs.Values, of)
		}
	}
	return runs
}
