package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"html/template"
	"io"
	"slices"
	"sync"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/replay"
	"popbench/internal/words"
)

// Options say how a report differs from the usual one.
type Options struct {
	Headline *outcome.Measure // instead of the suite's; nil for the suite's
	Suite    string           // path of the suite file from the page; "" without one
	Up       *document.Link   // to the page that this one leads back to; nil without one

	Reference string   // label of the algorithm that all others are compared with; "" for the first of the suite
	Margin    *float64 // largest difference that counts as no difference, as in judge.Pairwise; nil for its default
}

// Report is the report of a results folder in memory.
type Report struct {
	*outcome.Table
	Files  []File
	curves []*outcome.Curve
}

// File returns the contents of one of the files.
func (r *Report) File(path string) []byte {
	return r.Files[slices.IndexFunc(r.Files, func(f File) bool { return f.Path == path })].Data
}

// Of makes all files of the report of results, which have times. Equal records make equal bytes. It returns early, with an
// error, if ctx is cancelled while it draws.
func Of(ctx context.Context, results *outcome.Results, o Options) (*Report, error) {
	if asked := o.Headline; asked != nil {
		if !results.Measured(asked) {
			return nil, fmt.Errorf("report: no run of %s has the metric %s; give another --headline (docs/metrics.md says which runs have it)",
				words.Quote(results.Dir), asked.Name)
		}
		results.Headline = asked
	}
	if usual := outcome.Find(outcome.Suboptimality); !results.Measured(results.Headline) && results.Headline != usual {
		results.Notes = append(results.Notes, fmt.Sprintf("The suite names the metric %s for its headline, which no run has; the suboptimality is in its place.",
			results.Headline.Name))
		results.Headline = usual
	}
	page := &Page{Up: o.Up, Suite: o.Suite}
	var wait sync.WaitGroup
	wait.Go(func() { page.curves = outcome.Curves(results) })
	page.Table = outcome.NewTable(results)
	wait.Wait()
	var err error
	if page.Comparison, err = newComparison(page.Table, o.Reference, o.Margin); err != nil {
		return nil, err
	}
	files, err := page.allFiles(ctx)
	if err != nil {
		return nil, err
	}
	return &Report{page.Table, files, page.curves}, nil
}

// allFiles completes the page, and returns it with the files beside it.
func (page *Page) allFiles(ctx context.Context) ([]File, error) {
	t, made := page.Table, &page.made
	doc := Document(t, page.Comparison)
	made.Add("table.txt", func(w io.Writer) error { return document.WriteText(w, doc) })
	made.Add("table.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) })
	made.Add("table.tex", func(w io.Writer) error { return document.WriteLaTeX(w, doc) })
	made.Add("table.csv", tableCSV(t))
	if t.Growth != nil {
		made.Add("orders.csv", ordersCSV(t.Growth))
	}
	if t.Times != nil {
		made.Add("times.csv", timesCSV(t.Times))
	}
	page.Files = words.Each(made.All, func(f File) document.Link { return document.Link{Text: f.Path, Href: f.Path} })
	page.Document, page.With = doc, map[string][]document.Figure{}
	page.fill()
	replays := make(chan error, 1)
	go func() { replays <- page.addReplays(maxReplays) }()
	images, err := page.draw(ctx)
	if err := cmp.Or(<-replays, made.Err, err); err != nil {
		return nil, err
	}
	text, err := page.withData(maxPage)
	return append(slices.Concat(made.All, images), File{indexFile, text}), err
}

// maxPage is the size of a page, in bytes, from which it leaves out data for its script.
const maxPage = 5_000_000

// withData writes the page with as much data of its figures as it has space for: with all, without the curves of single
// runs, or with none. If it is too large even so, the overviews are images in files of their own.
func (page *Page) withData(limit int) ([]byte, error) {
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
		for _, e := range page.exhibits {
			e.live = document.Data{Kind: "lines"}
			if e.lines == nil || !detail.data {
				continue
			}
			e.live.JSON = e.lines.Data(func(line *figure.Line) *figure.Runs { return page.runsOf(line, detail.runs) })
		}
		if !detail.drawn {
			for _, f := range pointers(page.With["figures"]) {
				f.SVG = template.HTML(fmt.Sprintf(`<img src="%s" alt="%s" />`,
					html.EscapeString(fileOf(f, ".svg")), html.EscapeString(f.Caption.String())))
			}
		}
		b.Reset()
		page.Brief = detail.left
		if err := writeHTML(&b, page); err != nil {
			return nil, err
		}
		if b.Len() < limit {
			break
		}
	}
	return b.Bytes(), nil
}

// maxReplays is how many bytes of a page are for runs step by step. The runs of every method are cut to as many as fit.
const maxReplays = 1_500_000

// addReplays puts the runs on problems of one or two dimensions on the page, step by step. The method whose lines have the
// first style comes first: POP-BO where it was run. If not even one run of each fits, the page has none.
func (page *Page) addReplays(limit int) error {
	styles, grounds := about.Styles(page.Table.Results), replay.NewGrounds(page.Table.Dir)
	for most := outcome.MaxTraces; most > 0; {
		size := 0
		for _, p := range page.Problems {
			groups := words.Only(page.Table.Groups, func(g *outcome.Group) bool { return g.Problem.Name == p.name })
			if k := slices.IndexFunc(groups, func(g *outcome.Group) bool { return styles[g.Algorithm.Label] == 0 }); k > 0 {
				first := groups[k]
				groups = slices.Insert(slices.Delete(groups, k, k+1), 0, first)
			}
			var err error
			if p.Replay, err = replay.New(grounds, p.file+"-runs", groups, most); err != nil {
				return err
			}
			if p.Replay != nil {
				size += len(p.Replay.JSON)
			}
		}
		if size <= limit {
			return nil
		}
		most = min(most-1, most*limit/size)
	}
	for _, p := range page.Problems {
		p.Replay = nil
	}
	page.Unshown = true
	return nil
}
