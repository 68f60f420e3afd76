package site

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// The tree is ours, so that its HTML is too.
var converter = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(html.WithUnsafe(), html.WithXHTML()))

// leftOut are folders whose texts are not for readers of the site, or not of the project: programs of others, and sites.
var leftOut = []string{"testdata", "node_modules", "build", "dist", "venv", "site-packages"}

// markdown makes a page of each Markdown file of the tree.
func (b *builder) markdown() error {
	return fs.WalkDir(b.tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && name != "."
			if hidden || name == "site" || slices.Contains(leftOut, d.Name()) || strings.HasPrefix(name, "results/") && !b.committed(name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".md" {
			return nil
		}
		return b.convert(name)
	})
}

// committed reports whether a folder below results is part of the repository, and not somebody's run.
func (b *builder) committed(folder string) bool {
	for _, of := range []string{"field", "paper", "gate"} {
		at := "results/" + of
		if folder == at || strings.HasPrefix(folder, at+"/") && !strings.Contains(folder, "/records") && !strings.Contains(folder, "/timing") {
			return true
		}
	}
	return false
}

// convert makes a page of a Markdown file. Links to other Markdown files lead to their pages, links to other files to
// copies; a link to a file that the site lacks becomes its text.
func (b *builder) convert(name string) error {
	source, err := fs.ReadFile(b.tree, name)
	if err != nil {
		return err
	}
	p := &Page{Path: htmlOf(name), Kind: "Documentation"}
	if strings.HasPrefix(name, "results/") {
		p.Kind = "Results"
	}
	body, title, parts, err := b.render(name, source)
	if err != nil {
		return err
	}
	p.Title, p.Parts = cmp.Or(title, name), parts
	p.Body = template.HTML(`<div class="text">` + body + `</div>`) // of our tree
	b.site.Pages = append(b.site.Pages, p)
	return nil
}

// render converts a Markdown text of the tree, which is or is a part of the file called name. The title is its first
// heading, and the parts are those of the second level.
func (b *builder) render(name string, source []byte) (body, title string, parts []Part, err error) {
	doc := converter.Parser().Parse(text.NewReader(source))
	var gone []*ast.Link
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			of, _ := id.([]byte)
			switch {
			case n.Level == 1 && title == "":
				title = plain(n, source)
			case n.Level == 2:
				parts = append(parts, Part{string(of), plain(n, source)})
			}
		case *ast.Link:
			to := b.target(name, string(n.Destination))
			if n.Destination = []byte(to); to == "" {
				gone = append(gone, n)
			}
		case *ast.Image:
			to := b.target(name, string(n.Destination))
			if to == "" {
				return ast.WalkStop, fmt.Errorf("%s: the figure %s is not there", name, n.Destination)
			}
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", "", nil, err
	}
	for _, link := range gone {
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, child)
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
	var out bytes.Buffer
	if err := converter.Renderer().Render(&out, source, doc); err != nil {
		return "", "", nil, fmt.Errorf("%s: %w", name, err)
	}
	body = strings.NewReplacer("<table>", `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`, "</table>", "</table></div>",
		"<pre>", `<div class="scroll" role="group" aria-label="Code" tabindex="0"><pre>`, "</pre>", "</pre></div>").Replace(out.String())
	return body, title, parts, nil
}

func plain(n ast.Node, source []byte) string {
	var all strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			all.Write(t.Segment.Value(source))
		} else if s, ok := n.(*ast.String); ok && entering {
			all.Write(s.Value)
		}
		return ast.WalkContinue, nil
	})
	return all.String()
}

// address matches a link to somewhere else.
var address = regexp.MustCompile(`^[a-z]+:`)

// target is where a link of a Markdown file leads in the site; "" if the site does not have the target.
func (b *builder) target(name, link string) string {
	to, fragment, part := strings.Cut(link, "#")
	if address.MatchString(link) || to == "" {
		return link
	}
	to = path.Join(path.Dir(name), strings.ReplaceAll(to, "%20", " "))
	at, err := fs.Stat(b.tree, to)
	if err != nil || strings.HasPrefix(to, ".") { // services that publish a site leave out hidden files
		return ""
	}
	if at.IsDir() {
		to = path.Join(to, "README.md")
		if at, err = fs.Stat(b.tree, to); err != nil {
			return ""
		}
	}
	switch {
	case path.Ext(to) == ".md":
		to = htmlOf(to)
	case at.Size() > maxFile:
		return ""
	default:
		b.wanted = append(b.wanted, to)
	}
	to = relative(name, to)
	if part {
		to += "#" + fragment
	}
	return to
}

// fragment is a part of a Markdown file as HTML.
func (b *builder) fragment(name string, source []byte) (template.HTML, error) {
	out, _, _, err := b.render(name, source)
	return template.HTML(out), err // of our tree
}
