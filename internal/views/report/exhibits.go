package report

import (
	"context"
	"html/template"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/charting"
)

// exhibit is a figure and where on the page it goes.
type exhibit struct {
	*figure.Figure
	data string // the file of its numbers, from the report's folder
	hang func(PageFigure)
	live *live // data for the script of the page; nil for none
}

// exhibits are all figures of a page. It writes the files of their numbers.
func exhibits(page *Page, curves []outcome.Curve, write func(path string, of func(io.Writer) error) error) ([]exhibit, error) {
	t := page.Table
	var all []exhibit
	with := func(sheet string) func(PageFigure) {
		return func(p PageFigure) { page.With[sheet] = append(page.With[sheet], p) }
	}

	// hang is a figure of charts: it shows no more than these.
	hang := func(f *figure.Figure, on func(PageFigure), charts ...*chart.Chart) error {
		data := chart.DataFile(f.Name)
		all = append(all, exhibit{Figure: f, data: data, hang: on})
		return write(data, func(w io.Writer) error { return WriteChartsCSV(w, charts...) })
	}

	if page.Comparison != nil {
		if err := page.Comparison.exhibits(page, func(f *figure.Figure, sheet string, numbers func(io.Writer) error) error {
			data := chart.DataFile(f.Name)
			all = append(all, exhibit{Figure: f, data: data, hang: with(sheet)})
			return write(data, numbers)
		}); err != nil {
			return nil, err
		}
	}
	single := func(c *chart.Chart, on func(PageFigure)) error {
		err := hang(figure.Single(c), on, c)
		all[len(all)-1].live = newLive(c)
		return err
	}
	charts := charting.Of(t, curves)
	metrics := []outcome.Metric{outcome.CumulativeRegret, outcome.Suboptimality}
	if !slices.Contains(metrics, t.Headline.Name) {
		metrics = slices.Insert(metrics, 0, t.Headline.Name)
	}
	for _, metric := range metrics {
		of := charting.OfMetric(charts, metric)
		if len(of) < 2 {
			continue // the figure of the one problem is enough
		}
		if err := hang(figure.Overview(charting.OverviewName(metric), of), func(p PageFigure) { page.Overviews = append(page.Overviews, p) }, of...); err != nil {
			return nil, err
		}
	}
	for _, metric := range metrics {
		doses := charting.Doses(t, outcome.Find(metric), charting.OfMetric(charts, metric))
		if doses == nil {
			continue
		}
		f := figure.Doses("dose-"+string(metric), doses)
		all = append(all, exhibit{Figure: f, data: chart.DataFile(f.Name), hang: func(p PageFigure) { page.Overviews = append(page.Overviews, p) }})
		if err := write(chart.DataFile(f.Name), func(w io.Writer) error { return WriteDosesCSV(w, doses) }); err != nil {
			return nil, err
		}
	}
	for i := range charts {
		c := &charts[i]
		if i == 0 || c.Problem != charts[i-1].Problem {
			page.Problems = append(page.Problems, PageProblem{Title: c.Title, Data: c.DataFile(), name: c.Problem, file: c.File})
			own := slices.DeleteFunc(slices.Clone(curves), func(cv outcome.Curve) bool { return cv.Problem != c.Problem })
			if err := write(c.DataFile(), func(w io.Writer) error { return WriteCurvesCSV(w, own) }); err != nil {
				return nil, err
			}
		}
		problem := len(page.Problems) - 1
		if err := single(c, func(p PageFigure) {
			page.Problems[problem].Figures = append(page.Problems[problem].Figures, p)
		}); err != nil {
			return nil, err
		}
	}
	asPaper := charting.AsInPaper(t, curves)
	for i := range asPaper {
		c := &asPaper[i]
		problem := slices.IndexFunc(page.Problems, func(p PageProblem) bool { return p.Data == c.DataFile() })
		if err := single(c, func(p PageFigure) {
			page.Problems[problem].AsPaper = append(page.Problems[problem].AsPaper, p)
		}); err != nil {
			return nil, err
		}
	}

	if charts := charting.Coverage(t, curves); len(charts) > 0 {
		var shown []*chart.Chart
		for i := range charts {
			shown = append(shown, &charts[i])
		}
		if err := hang(figure.Together("overview-coverage", charts), with("coverage"), shown...); err != nil {
			return nil, err
		}
	}
	if t.Growth != nil {
		charts := charting.Growth(t)
		for i := range charts {
			c := &charts[i]
			if err := write(c.DataFile(), func(w io.Writer) error { return WriteGrowthCSV(t.Growth, w, c.Problem) }); err != nil {
				return nil, err
			}
			all = append(all, exhibit{figure.Single(c), c.DataFile(), with("growth"), newLive(c)})
		}
	}
	beliefs := charting.Beliefs(t.Results)
	for i := range beliefs {
		c := &beliefs[i]
		if i == 0 || c.DataFile() != beliefs[i-1].DataFile() {
			if err := write(c.DataFile(), func(w io.Writer) error { return WriteBeliefCSV(c, w) }); err != nil {
				return nil, err
			}
		}
		all = append(all, exhibit{Figure: figure.Beliefs(c), data: c.DataFile(), hang: with("beliefs")})
	}
	return all, nil
}

// narrow is the width, in points, of figures that a phone can show whole.
const narrow = 400

// draw returns the files of the figures, and hangs the figures on the page.
func draw(ctx context.Context, all []exhibit) ([]File, error) {
	kinds := []struct {
		name, title string
		encode      func(*figure.Figure) ([]byte, error)
	}{
		{"svg", "SVG", (*figure.Figure).SVG},
		{"png", "PNG", (*figure.Figure).PNG},
		{"pdf", "PDF", (*figure.Figure).PDF},
	}
	files := make([]File, len(all)*len(kinds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, e := range all {
		for k, kind := range kinds {
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				data, err := kind.encode(e.Figure)
				files[i*len(kinds)+k] = File{"figures/" + e.Name + "." + kind.name, data}
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
		p := PageFigure{ID: e.Name, SVG: template.HTML(svg), Caption: e.Caption, Wide: e.Width > narrow,
			Links: []Link{{Text: "CSV", Href: e.data}}}
		if e.live != nil {
			p.Data = &e.live.Data
		}
		for k, kind := range kinds {
			p.Links = append(p.Links, Link{Text: kind.title, Href: files[i*len(kinds)+k].Path})
		}
		e.hang(p)
	}
	return files, nil
}

// exhibits are the figures of the comparison, with the sheets that they belong to.
func (c *Comparison) exhibits(page *Page, hang func(f *figure.Figure, sheet string, data func(io.Writer) error) error) error {
	t := page.Table
	if c.Pairwise != nil && c.Overall != nil {
		d := charting.Differences(t.Results, c.Pairwise)
		if err := hang(figure.Differences(d), "pairwise", func(w io.Writer) error { return WritePairwiseCSV(c.Pairwise, w) }); err != nil {
			return err
		}
	}
	if c.Ranked != nil {
		reference := ""
		if c.Pairwise != nil {
			reference = c.Reference
		}
		r := chart.NewRanks("ranks", "Average rank", c.Ranked, c.Ranks.Ranks, c.Ranks.Critical, c.Ranks.Differ, func(label string) bool { return label == reference })
		r.Stands = "the reference"
		if err := hang(figure.Ranks(r), "ranks", func(w io.Writer) error { return WriteRanksCSV(r, w) }); err != nil {
			return err
		}
	}
	if c.Profile == nil {
		return nil
	}
	order := make([]int, len(c.Profile.Algorithms))
	for i := range order {
		order[i] = i
	}
	for _, s := range c.Profile.Charts(order, charting.Styles(t.Results)) {
		if err := hang(figure.Shares(s), "to-target", func(w io.Writer) error { return WriteSharesCSV(s, w) }); err != nil {
			return err
		}
	}
	return nil
}

// live is the data of a figure for the script of its page.
type live struct {
	document.Data
	chart *chart.Chart
}

func newLive(c *chart.Chart) *live { return &live{document.Data{Kind: "lines"}, c} }

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
