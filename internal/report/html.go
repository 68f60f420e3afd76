package report

import (
	_ "embed"
	"html/template"
	"io"
)

// Page is the whole report as one HTML page without scripts, which needs
// nothing from a network: figures are in it.
type Page struct {
	Table     *Table
	Document  *Document
	Overviews []PageFigure
	Problems  []PageProblem
	With      map[string][]PageFigure // figures that belong to a sheet of the document, by its ID
	Files     []Link                  // of the report, beside the page
	Suite     string                  // path of the suite file from the page; "" if there is none
	FigureCSS template.CSS
}

// PageProblem is the figures of one problem.
type PageProblem struct {
	Title   string
	Figures []PageFigure
}

// PageFigure is a figure with its caption and the files that have it.
type PageFigure struct {
	ID      string
	SVG     template.HTML
	Caption string
	Links   []Link
	Wide    bool // it needs the whole width of the page
}

// pageSheet is a sheet and the figures that belong to it.
type pageSheet struct {
	*Sheet
	Figures []PageFigure
}

// Link is a file beside the page.
type Link struct{ Text, Href string }

//go:embed page.tmpl
var pageSource string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).Parse(pageSource))

// WriteHTML writes the page.
func WriteHTML(w io.Writer, p *Page) error {
	sheets := map[string]pageSheet{}
	for i := range p.Document.Sheets {
		s := &p.Document.Sheets[i]
		sheets[s.ID] = pageSheet{s, p.With[s.ID]}
	}
	problems, sources := p.Table.problems()
	return pageTemplate.Execute(w, struct {
		*Page
		CSS         template.CSS
		Sheet       map[string]pageSheet
		ProblemList *Sheet
		Sources     []Fact
		Settings    []Settings
		SuiteName   string
	}{p, template.CSS(pageCSS), sheets, &problems, sources, p.Table.settings(), p.Table.Results.Suite})
}
