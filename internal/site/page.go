package site

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"popbench/internal/inspect"
	"popbench/internal/page/document"
	"popbench/suite"
)

// Site has the files of a site, by their paths in it.
type Site struct {
	Files map[string][]byte
	Pages []*Page // by path
}

// Page is a page of a site.
type Page struct {
	Path  string // in the site
	Title string
	Kind  string // of the search: Documentation, Results, Papers, Methods, Problems
	Parts []Part // that the search finds too
	Body  template.HTML
}

// Part is a part of a page.
type Part struct{ ID, Title string }

// builder makes a site.
type builder struct {
	known     *results
	tree      fs.FS
	catalogue suite.Catalogue
	listing   inspect.Listing
	site      *Site
	wanted    []string // files of the tree that pages lead to
}

//go:embed site.css
var style string

//go:embed site.tmpl
var templates string

// searchPage lists all pages and their parts.
const searchPage = "search.html"

// maxFile is the size up to which a file that pages lead to is part of the site.
const maxFile = 1 << 20

// styleFile is the style sheet of all pages except the field's, which has its own.
const styleFile = "style.css"

var layout = template.Must(template.New("").Funcs(template.FuncMap{"lower": strings.ToLower}).Parse(templates))

// made is what a template makes of data.
func made(name string, data any) []byte {
	var b bytes.Buffer
	if err := layout.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the template is part of the program
	}
	return b.Bytes()
}

// add adds a page whose body is made by a template.
func (b *builder) add(p *Page, name string, data any) {
	p.Body = template.HTML(made(name, data)) // by html/template
	b.site.Pages = append(b.site.Pages, p)
}

// Root is the way from a page to the top of the site: "", "../", ...
func (p *Page) Root() string { return strings.Repeat("../", strings.Count(p.Path, "/")) }

// Navigation leads to the parts of the site.
func (p *Page) Navigation() []document.Link { return navigation(p.Root()) }

func navigation(root string) (links []document.Link) {
	for _, to := range [][2]string{{"popbench", "index.html"}, {"Field", fieldPage}, {"Papers", "papers/index.html"}, {"Methods", "methods/index.html"},
		{"Problems", "problems/index.html"}, {"Documentation", "docs/README.html"}, {"Search", searchPage}} {
		links = append(links, document.Link{Text: to[0], Href: root + to[1]})
	}
	return links
}

// relative is the way from a page at one path of the site to another path.
func relative(from, to string) string {
	rel, err := filepath.Rel(path.Dir(from), to)
	if err != nil {
		panic(err) // both are paths in the site
	}
	return filepath.ToSlash(rel)
}
