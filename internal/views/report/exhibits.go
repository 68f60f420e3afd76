package report

import (
	"context"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/words"
)

// fill adds all figures and their numbers, and the problems that figures are of.
func (page *Page) fill() {
	t := page.Table
	if page.Comparison != nil {
		page.addComparison()
	}
	charts := Charts(t, page.curves)
	page.addOverviews(charts)
	page.addProblems(charts)
	if charts := CoverageCharts(t, page.curves); charts != nil {
		page.add(figure.Together("overview-coverage", charts), "coverage", chartsCSV(charts...))
	}
	if t.Growth != nil {
		for _, c := range GrowthCharts(t) {
			page.add(c.Figure(), "growth", growthCSV(t.Growth, c.Problem)).lines = c
		}
	}
	for _, c := range BeliefCharts(t.Results) { // all sets of a group share one file of numbers
		data := dataFile(c.File)
		if !c.Again {
			page.made.Add(data, beliefCSV(c))
		}
		page.exhibits = append(page.exhibits, &exhibit{Figure: c.Figure(), place: "beliefs", data: data})
	}
}

// dataFile is where a report has the numbers of a figure, or of several in a file of that name.
func dataFile(name string) string { return "data/" + name + ".csv" }

// add adds a figure, and the file of its numbers.
func (page *Page) add(f *figure.Figure, at string, numbers func(io.Writer) error) *exhibit {
	e := &exhibit{Figure: f, place: at, data: dataFile(f.Name)}
	page.exhibits = append(page.exhibits, e)
	page.made.Add(e.data, numbers)
	return e
}

// addComparison adds the figures of the comparison.
func (page *Page) addComparison() {
	t, c := page.Table, page.Comparison
	reference := ""
	if c.Pairwise != nil {
		if reference = c.Reference; c.Overall != nil {
			page.add(differences(t.Results, c.Pairwise).Figure(), "pairwise", c.pairwiseCSV())
		}
	}
	if c.Ranked != nil {
		r := RanksChart("ranks", "Average rank", c.Ranked, &c.Ranks, func(label string) bool { return label == reference })
		r.Stands = "the reference"
		page.add(r.Figure(), "ranks", ranksCSV(r))
	}
	if c.Profile == nil {
		return
	}
	order := make([]int, len(c.Profile.Algorithms))
	for i := range order {
		order[i] = i
	}
	for _, s := range c.Profile.Charts(order, about.Styles(t.Results)) {
		page.add(s.Figure(), "to-target", sharesCSV(s))
	}
}

// addOverviews adds the figures of all problems of a suite that has several, and figures of a setting that it varies.
func (page *Page) addOverviews(charts []*figure.Chart) {
	metrics := chartMetrics(page.Table)
	for _, metric := range metrics {
		if of := OfMetric(charts, metric); len(of) > 1 { // of one problem its own figure is enough
			page.add(figure.Overview(OverviewName(metric), of), "figures", chartsCSV(of...))
		}
	}
	for _, metric := range metrics {
		if doses := DoseCharts(page.Table, outcome.Find(metric), OfMetric(charts, metric)); doses != nil {
			page.add(figure.Doses("dose-"+string(metric), doses), "figures", dosesCSV(doses))
		}
	}
}

// addProblems adds the problems with their figures, first as the report draws them, then as the paper does.
func (page *Page) addProblems(charts []*figure.Chart) {
	for _, c := range slices.Concat(charts, asInPaper(page.Table, page.curves)) {
		if !slices.ContainsFunc(page.Problems, func(p *pageProblem) bool { return p.name == c.Problem }) {
			data := dataFile(c.File)
			page.Problems = append(page.Problems, &pageProblem{Title: c.Title, Data: data, Place: "figures/" + c.Problem, name: c.Problem, file: c.File})
			page.made.Add(data, curvesCSV(words.Only(page.curves, func(cv *outcome.Curve) bool { return cv.Problem.Name == c.Problem })))
		}
		page.add(c.Figure(), "figures/"+c.Problem, chartsCSV(c)).lines = c
	}
}

// draw returns the files of the figures, and hangs the figures on the page.
func (page *Page) draw(ctx context.Context) ([]File, error) {
	kinds := []struct {
		name, title string
		encode      func(*figure.Figure) []byte
	}{
		{"svg", "SVG", (*figure.Figure).SVG},
		{"png", "PNG", (*figure.Figure).PNG},
		{"pdf", "PDF", (*figure.Figure).PDF},
	}
	all := page.exhibits
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
		p.Links, p.Data = []document.Link{{Text: "CSV", Href: e.data}}, &e.live
		for k, kind := range kinds {
			p.Links = append(p.Links, document.Link{Text: kind.title, Href: files[i*len(kinds)+k].Path})
		}
		page.With[e.place] = append(page.With[e.place], p)
	}
	return files, nil
}

// runsOf are the runs behind a line that shows one of the curves; nil for other lines, and for metrics that are not of runs.
func (page *Page) runsOf(line *figure.Line, values bool) *figure.Runs {
	k := slices.IndexFunc(page.curves, func(c *outcome.Curve) bool { return &c.Points[0] == &line.Points[0] })
	if k < 0 || outcome.Find(page.curves[k].Metric) == nil {
		return nil
	}
	c := page.curves[k]
	runs := &figure.Runs{Seconds: c.MeanSeconds()}
	for _, run := range c.Runs {
		of := outcome.Find(c.Metric).Series(run)
		if c.Rule != "" {
			of = run.Suboptimality[slices.Index(c.Rules, c.Rule)]
		}
		runs.Last = append(runs.Last, of[len(of)-1])
		if values {
			runs.Values = append(runs.Values, of)
		}
	}
	return runs
}
