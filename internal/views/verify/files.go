package verify

import (
	"bytes"
	"io"

	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/views/report"
)

// Page is the file name of the page with the claims.
const Page = "claims.html"

var claimsNames = map[string]string{"text": "claims.txt", "Markdown": "claims.md", "JSON": "claims.json"}

// Files returns the verdicts in all forms, the text first. The page links to the other files
// and has the given links. exists reports whether there is a file at a path from the page: the page links to reports that
// are beside it, and shows their figures.
func Files(v *judge.Verdicts, links []report.Link, exists func(path string) bool) ([]report.File, error) {
	doc := Document(v)
	page := &document.Page{Document: pageDocument(v), About: aboutOf(v), Figures: map[string][]document.Figure{}, FigureCSS: figure.InlineCSS}
	h, err := document.NewHTML(page.Document)
	if err != nil {
		return nil, err
	}
	lead, style, err := writeCards([]placed{{v, "", exists}}, h)
	if err != nil {
		return nil, err
	}
	page.Lead = lead
	page.FigureCSS += style
	_, trends := also(v)
	for id, t := range trends {
		f := figure.Trend(t)
		shown, err := f.OnPage(f.Name)
		if err != nil {
			return nil, err
		}
		page.Figures[id] = []document.Figure{shown}
	}
	links = append([]report.Link{{Text: "How to read this page", Href: "#rule"}}, links...)
	for _, as := range []string{"text", "Markdown", "JSON"} {
		links = append(links, report.Link{Text: as, Href: claimsNames[as]})
	}
	page.Links = links
	var files []report.File
	for _, f := range []struct {
		path string
		of   func(io.Writer) error
	}{
		{claimsNames["text"], func(w io.Writer) error { return document.WriteText(w, doc) }},
		{claimsNames["Markdown"], func(w io.Writer) error { return document.WriteMarkdown(w, doc) }},
		{claimsNames["JSON"], func(w io.Writer) error { return WriteJSON(w, v) }},
		{Page, func(w io.Writer) error { return document.WriteHTML(w, page) }},
	} {
		var b bytes.Buffer
		if err := f.of(&b); err != nil {
			return nil, err
		}
		files = append(files, report.File{Path: f.path, Data: b.Bytes()})
	}
	return files, nil
}

// aboutOf says what the page with the claims is.
func aboutOf(v *judge.Verdicts) *document.About {
	p := about.Page{Paper: paper.LookupPublication(v.Study().Name), Uses: about.Uses(v.Results()...), Metrics: about.Metrics(v.Results()...),
		Description: Counts(v)}
	if p.Paper == nil {
		p.Lead = document.Text("Claims of this project, not of a paper")
		return p.About()
	}
	p.Lead = "Claims of"
	if v.Study().HasOwn() {
		p.Lead = "Claims about the experiments of"
	}
	p.Description += " Each is checked on the records of runs, with an interval: " + p.Paper.Title + ", " + p.Paper.Short() + "."
	return p.About()
}
