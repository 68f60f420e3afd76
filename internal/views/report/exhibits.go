package report

import (
	"context"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/charting"
	"popbench/internal/words"
)

// exhibit is a figure and where on the page it stands.
type exhibit struct {
	*figure.Figure
	place string        // key of Page.With
	data  string        // the file of its numbers, from the report's folder
	lines *chart.Chart  // that the script of the page may show in another way; nil for none
	live  document.Data // for that script
}

// exhibition is all figures of a page and the files beside it, each in order.
type exhibition struct {
	page    *Page
	figures []*exhibit
	Files
}

// fill adds all figures and their numbers.
func (x *exhibition) fill(curves []*outcome.Curve) {
	page := x.page
	if page.Comparison != nil {
		x.addComparison()
	}
	charts := charting.Of(page.Table, curves)
	x.addOverviews(charts)
	x.addProblems(charts, curves)
	if charts := charting.Coverage(page.Table, curves); charts != nil {
		x.addCharts(figure.Together("overview-coverage", charts), "coverage", charts...)
	}
	x.addGrowth()
	x.addBeliefs()
}

// add adds a figure, and the file of its numbers.
func (x *exhibition) add(f *figure.Figure, at string, write func(io.Writer) error) *exhibit {
	e := &exhibit{Figure: f, place: at, data: chart.DataFile(f.Name)}
	x.figures = append(x.figures, e)
	x.Add(e.data, write)
	return e
}

// addCharts adds a figure of charts, which shows no more than these.
func (x *exhibition) addCharts(f *figure.Figure, at string, charts ...*chart.Chart) *exhibit {
	return x.add(f, at, func(w io.Writer) error { return WriteChartsCSV(w, charts...) })
}

// addComparison adds the figures of the comparison.
func (x *exhibition) addComparison() {
	t, c := x.page.Table, x.page.Comparison
	reference := ""
	if c.Pairwise != nil {
		if reference = c.Reference; c.Overall != nil {
			x.add(figure.Differences(charting.Differences(t.Results, c.Pairwise)), "pairwise",
				func(w io.Writer) error { return WritePairwiseCSV(c.Pairwise, w) })
		}
	}
	if c.Ranked != nil {
		r := charting.Ranks("ranks", "Average rank", c.Ranked, &c.Ranks, func(label string) bool { return label == reference })
		r.Stands = "the reference"
		x.add(figure.Ranks(r), "ranks", func(w io.Writer) error { return WriteRanksCSV(r, w) })
	}
	if c.Profile == nil {
		return
	}
	order := make([]int, len(c.Profile.Algorithms))
	for i := range order {
		order[i] = i
	}
	for _, s := range c.Profile.Charts(order, charting.Styles(t.Results)) {
		x.add(figure.Shares(s), "to-target", func(w io.Writer) error { return WriteSharesCSV(s, w) })
	}
}

// addOverviews adds the figures of all problems of a suite that has several, and figures of a setting that it varies.
func (x *exhibition) addOverviews(charts []*chart.Chart) {
	t := x.page.Table
	metrics := charting.Metrics(t)
	for _, metric := range metrics {
		if of := charting.OfMetric(charts, metric); len(of) > 1 { // of one problem its own figure is enough
			x.addCharts(figure.Overview(charting.OverviewName(metric), of), "figures", of...)
		}
	}
	for _, metric := range metrics {
		if doses := charting.Doses(t, outcome.Find(metric), charting.OfMetric(charts, metric)); doses != nil {
			x.add(figure.Doses("dose-"+string(metric), doses), "figures", func(w io.Writer) error { return WriteDosesCSV(w, doses) })
		}
	}
}

// addProblems adds the problems with their figures, first as the report draws them, then as the paper does.
func (x *exhibition) addProblems(charts []*chart.Chart, curves []*outcome.Curve) {
	page := x.page
	for _, c := range slices.Concat(charts, charting.AsInPaper(page.Table, curves)) {
		if !slices.ContainsFunc(page.Problems, func(p *PageProblem) bool { return p.name == c.Problem }) {
			data := chart.DataFile(c.File)
			page.Problems = append(page.Problems, &PageProblem{Title: c.Title, Data: data, Place: "figures/" + c.Problem, name: c.Problem, file: c.File})
			own := words.Only(curves, func(cv *outcome.Curve) bool { return cv.Problem == c.Problem })
			x.Add(data, func(w io.Writer) error { return WriteCurvesCSV(w, own) })
		}
		x.addCharts(figure.Single(c), "figures/"+c.Problem, c).lines = c
	}
}

func (x *exhibition) addGrowth() {
	g := x.page.Table.Growth
	if g == nil {
		return
	}
	for _, c := range charting.Growth(x.page.Table) {
		x.add(figure.Single(c), "growth", func(w io.Writer) error { return WriteGrowthCSV(g, w, c.Problem) }).lines = c
	}
}

// addBeliefs adds the confidence sets. All sets of a group share one file of numbers.
func (x *exhibition) addBeliefs() {
	for _, c := range charting.Beliefs(x.page.Table.Results) {
		if !c.Again {
			x.Add(chart.DataFile(c.File), func(w io.Writer) error { return WriteBeliefCSV(c, w) })
		}
		x.figures = append(x.figures, &exhibit{Figure: figure.Beliefs(c), place: "beliefs", data: chart.DataFile(c.File)})
	}
}

// draw returns the files of the figures, and hangs the figures on the page.
func (x *exhibition) draw(ctx context.Context) ([]File, error) {
	kinds := []struct {
		name, title string
		encode      func(*figure.Figure) []byte
	}{
		{"svg", "SVG", (*figure.Figure).SVG},
		{"png", "PNG", (*figure.Figure).PNG},
		{"pdf", "PDF", (*figure.Figure).PDF},
	}
	all := x.figures
	files := make([]File, len(all)*len(kinds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, e := range all {
		for k, kind := range kinds {
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				files[i*len(kinds)+k] = File{"figures/" + e.Name + "." + kind.name, kind.encode(e.Figure)}
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, e := range all {
		p := e.OnPage(figureID + e.Name)
		p.Links, p.Data = []Link{{Text: "CSV", Href: e.data}}, &e.live
		for k, kind := range kinds {
			p.Links = append(p.Links, Link{Text: kind.title, Href: files[i*len(kinds)+k].Path})
		}
		x.page.With[e.place] = append(x.page.With[e.place], p)
	}
	return files, nil
}

// runsOf are the runs behind a line that shows one of the curves; nil for other lines, and for metrics that are not of runs.
func runsOf(t *outcome.Table, curves []*outcome.Curve, line *chart.Line, values bool) *figure.Runs {
	k := slices.IndexFunc(curves, func(c *outcome.Curve) bool { return &c.Points[0] == &line.Points[0] })
	if k < 0 || outcome.Find(curves[k].Metric) == nil {
		return nil
	}
	c := curves[k]
	g := t.Row(c.Problem, c.Algorithm).Group
	runs := &figure.Runs{Seconds: g.MeanSeconds()}
	for _, run := range g.Runs {
		of := outcome.Find(c.Metric).Series(run)
		if c.Rule != "" {
			of = run.Suboptimality[slices.Index(g.Rules, c.Rule)]
		}
		runs.Last = append(runs.Last, of[len(of)-1])
		if values {
			runs.Values = append(runs.Values, of)
		}
	}
	return runs
}
