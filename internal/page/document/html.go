package document

import (
	"embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
)

// About is what a page says of itself, for readers who come to it without knowing the program.
type About struct {
	Description string // in a sentence, for search engines and previews of links
	Image       string // path of a PNG from the page; "" if there is none
	ImageAlt    string
	Source      Source
	Field       string // what preferential optimisation is
	Methods     []Entry
	Metrics     []Entry
	Symbols     Text   // of the metrics
	Cite        []Link // what to cite
	BibTeX      string // the same
	Docs        []Link // what explains more
	Where       Text   // where to find the documentation if no link leads there; "" if links do
}

// Source is the paper that a page belongs to, in a sentence: Lead, the paper, Part.
type Source struct {
	Lead  Text // the whole sentence if there is no paper
	Paper Link // to the paper, by its title
	By    string
	Part  Text // of the paper
}

// Entry explains a method or a metric.
type Entry struct {
	Name  Text   // in bold
	Text  Text   // the rest of the sentence
	Links []Link // to more; a link without Href is a path in the program's source
}

// Link is to another file, or to another part of a page.
type Link struct{ Text, Href string }

// Figure is a drawing with its caption and the files that have it.
type Figure struct {
	ID      string
	SVG     template.HTML
	Caption Text
	Links   []Link
	Wide    bool  // it needs the whole width of the page
	Data    *Data // for the script of the page; nil for none
}

// Data are the numbers of a figure for the script of its page.
type Data struct {
	Kind string // class of their element, by which the script finds them
	JSON []byte // as json.Marshal writes it, without < and &; nil for none
}

// Page is a document as a page of its own, which needs nothing from a network, and no scripts to be read.
type Page struct {
	*Document
	About     *About
	Figures   map[string][]Figure // by the ID of their sheet
	FigureCSS template.CSS
	Links     []Link        // at the end of the contents
	Lead      template.HTML // sections above the sheets

	// Of a page with an order of its own.
	Body     template.HTML // in place of the sheets; "" for the usual order
	Contents []Link        // of Body, above the usual contents; nil for a page without contents and notes
	Up       *Link         // to the page above; nil without such a page
	Top      template.HTML // below the facts
}

// HTML writes the parts of a document into a page.
type HTML struct {
	*Document
	notes *notes
}

// NewHTML prepares the document for a page.
func NewHTML(d *Document) *HTML { return &HTML{d, newNotes(d)} }

//go:embed page.css script.css page.js chart.js replay.js page.tmpl
var files embed.FS

func file(name string) string {
	data, _ := files.ReadFile(name)
	return string(data)
}

// CSS is the style of a page.
func CSS() template.CSS { return template.CSS(file("page.css") + file("script.css")) }

// aside is what a script can do without: indentation and lines of comments.
var aside = regexp.MustCompile(`(?m)^\t*//.*\n|^\t+`)

// Script is the script at the end of a page, for a closer look.
func Script() template.HTML {
	script := file("page.js") + file("chart.js") + file("replay.js")
	return template.HTML("<script>//<![CDATA[\n'use strict';{\n" + aside.ReplaceAllString(script, "") + "}\n//]]></script>")
}

var pageTemplate = Template(file("page.tmpl"))

// Template returns a template that is read when it is first asked for.
func Template(source string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		functions := template.FuncMap{"text": HTMLText, "script": Script, "inc": func(i int) int { return i + 1 }}
		return template.Must(template.New("").Funcs(functions).Parse(source))
	})
}

// WriteHTML writes the page. A page that does not say what it is about is an error.
func WriteHTML(w io.Writer, p *Page) error {
	if p.About == nil {
		return fmt.Errorf("page %q says nothing about itself", p.Title)
	}
	h := NewHTML(p.Document)
	v := pageView{Page: *p, Show: h, CSS: CSS() + p.FigureCSS}
	if p.Body == "" {
		v.CSS, v.Contents = CSS()+"\n"+sheetCSS+p.FigureCSS+"\n", []Link{}
		for _, s := range p.Sheets {
			v.Contents = append(v.Contents, Link{s.Title.String(), "#" + s.ID})
		}
	}
	if v.Contents != nil {
		if h.notes.texts != nil {
			v.Contents = append(v.Contents, Link{"Notes", "#notes"})
		}
		v.Contents = append(append(v.Contents, Link{"About this page", "#about"}), p.Links...)
	}
	return pageTemplate().Execute(w, v)
}

// sheetCSS sets sheets with figures beside them.
const sheetCSS = "td.left{min-width:8rem}\nsection figure:not(.wide){display:inline-block;width:29rem;max-width:100%;vertical-align:top}\n"

// pageView is what the template of a page sees.
type pageView struct {
	Page
	CSS  template.CSS
	Show *HTML
}

// HTMLText is a text in HTML. A formula with scripts or roots has its form in Unicode as a label, for screen readers.
func HTMLText(t Text) template.HTML {
	var b strings.Builder
	t.each(func(words string) { b.WriteString(html.EscapeString(words)) }, func(source string, nodes []node) {
		if !strings.ContainsAny(source, `^_\`) {
			writeHTMLFormula(&b, nodes)
			return
		}
		var label strings.Builder
		writeUnicode(&label, nodes)
		b.WriteString(`<span class="math" role="math" aria-label="` + html.EscapeString(label.String()) + `">`)
		writeHTMLFormula(&b, nodes)
		b.WriteString(`</span>`)
	})
	return template.HTML(b.String())
}

// Fragment executes a template of a part of a page.
func Fragment(t *template.Template, name string, data any) (template.HTML, error) {
	var b strings.Builder
	err := t.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err
}

// Grid is the table of a sheet, in a region that scrolls.
func (h *HTML) Grid(s *Sheet) (template.HTML, error) {
	return Fragment(pageTemplate(), "grid", sheetView{h, s})
}

// Marks are the references to notes.
func (h *HTML) Marks(texts []Text) (template.HTML, error) {
	return Fragment(pageTemplate(), "marks", h.notes.refs(texts))
}

// HTML is the figure with its caption.
func (f Figure) HTML() (template.HTML, error) { return Fragment(pageTemplate(), "figure", f) }

// Name is what the caption begins with, for a region that scrolls.
func (f Figure) Name() string {
	name, _, _ := strings.Cut(strings.ReplaceAll(f.Caption.String(), ";", ":"), ":")
	return name
}

// Element has the data in a page; "" without data.
func (d *Data) Element() template.HTML {
	if d == nil || d.JSON == nil {
		return ""
	}
	return template.HTML(`<script type="application/json" class="` + html.EscapeString(d.Kind) + `">` + string(d.JSON) + "</script>")
}

// sheetView is what the template of a table sees.
type sheetView struct {
	*HTML
	*Sheet
}

// Grouped reports whether the rows are named by a problem and something else.
func (v sheetView) Grouped() bool { return len(v.Columns) > 1 && v.Columns[1].Head }

// Begins reports whether a row is of another problem than the one before.
func (v sheetView) Begins(i int) bool {
	return v.Grouped() && i > 0 && v.Rows[i][0].Text != v.Rows[i-1][0].Text
}

// Sign returns the sign that marks a cell.
func (v sheetView) Sign(c Cell) string { return markSigns[c.Mark] }

// Means is what the mark of a cell says.
func (v sheetView) Means(c Cell) string { return markWords[c.Mark] }

// Legend explains the marks.
func (v sheetView) Legend() string {
	return v.legend(markSigns[Best]+" and bold", markSigns[Level]+" and underlined")
}

// whole finds what stays on one line in a cell of numbers: an interval, a number with its deviation, one with its unit.
var whole = regexp.MustCompile(`\[[^\]]*\],?|\S+ ± \S+|^\S+ \pL+$`)

// Show is the text of a cell as its mark sets it.
func (v sheetView) Show(c Cell, numbers bool) template.HTML {
	shown := HTMLText(c.Text)
	if numbers && !strings.Contains(string(shown), "<") {
		shown = template.HTML(whole.ReplaceAllString(string(shown), `<span class="whole">$0</span>`))
	}
	switch c.Mark {
	case Best:
		return "<strong>" + shown + "</strong>"
	case Level:
		return "<u>" + shown + "</u>"
	}
	return shown
}
