package verify

import (
	"fmt"
	"io"
	"path"

	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/views/report"
	"popbench/internal/words"
)

// Page is the file name of the page with the claims.
const Page = "claims.html"

// Files returns the verdicts in all forms, the text first. The page links to the other files
// and has the given links. exists reports whether there is a file at a path from the page: the page links to reports that
// are beside it, and shows their figures.
func Files(v *judge.Verdicts, links []document.Link, exists func(path string) bool) ([]report.File, error) {
	sheets, figures := also(v)
	page := pageOf([]placed{{v, "", exists}}, pageDocument(v, sheets...), aboutOf(v))
	page.Figures, page.Links = figures, append(page.Links, links...)
	doc := Document(v, sheets...)
	var files report.Files
	add := func(as, path string, write func(io.Writer) error) {
		files.Add(path, write)
		page.Links = append(page.Links, document.Link{Text: as, Href: path})
	}
	add("text", "claims.txt", func(w io.Writer) error { return document.WriteText(w, doc) })
	add("Markdown", "claims.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) })
	add("JSON", "claims.json", func(w io.Writer) error { return WriteJSON(w, v) })
	files.Add(Page, func(w io.Writer) error { return document.WriteHTML(w, page) })
	return files.All, files.Err
}

// pageOf is the page with the claims about papers, with a link to its rules.
func pageOf(papers []placed, d *document.Document, a *document.About) *document.Page {
	lead, style := writeCards(papers, document.NewHTML(d))
	return &document.Page{Document: d, About: a, Lead: lead, FigureCSS: figure.InlineCSS + style,
		Links: []document.Link{{Text: "How to read this page", Href: "#rule"}}}
}

func aboutOf(v *judge.Verdicts) *document.About {
	p := about.Page{Paper: paper.LookupPublication(v.Study().Name), Uses: about.Uses(v.Results()...), Metrics: about.Metrics(v.Results()...),
		Description: Counts(v)}
	if p.Paper == nil {
		p.Lead = "Claims of this project, not of a paper"
		return p.About()
	}
	p.Lead = "Claims of"
	if v.Study().HasOwn() {
		p.Lead = "Claims about the experiments of"
	}
	p.Description += " Each is checked on the records of runs, with an interval: " + p.Paper.Title + ", " + p.Paper.Short() + "."
	return p.About()
}

// Papers are the verdicts on several papers, for a page that shows them together. The results of each are in a folder with
// the name of its study, beside the page.
type Papers []*judge.Verdicts

// Count returns the number of claims with a verdict.
func (p Papers) Count(of judge.Verdict) (n int) {
	for _, v := range p {
		n += v.Count(of)
	}
	return n
}

// Counts is the verdicts in a sentence.
func (p Papers) Counts() string {
	claims, planned := 0, false
	for _, v := range p {
		claims += len(v.Outcomes)
		planned = planned || v.Plan != nil
	}
	return fmt.Sprintf("Of %s about %s %s.", words.Count(claims, "claim"), words.Count(len(p), "paper"), counts(p.Count, !planned))
}

const papersTitle = "What is claimed about papers, and what came out"

// Files are the page with the claims about all papers, and an index that leads to it and to the page of each paper. exists
// reports whether there is a file at a path from them.
func (p Papers) Files(exists func(path string) bool) ([]report.File, error) {
	index, err := p.index(exists).File()
	if err != nil {
		return nil, err
	}
	page, err := p.page(exists)
	return []report.File{index, page}, err
}

func (p Papers) index(exists func(path string) bool) *report.Index {
	x := &report.Index{Title: "The experiments of papers, run again",
		Claims: &report.Claims{Title: papersTitle, Counts: p.Counts(), Href: Page, Tally: tally(p.Count)}}
	for _, v := range p {
		x.Claims.Failing = append(x.Claims.Failing, v.Failing()...)
		study := v.Study()
		href := path.Join(study.Name, "index.html")
		if !exists(href) {
			href = path.Join(study.Name, Page)
		}
		one := Index(v, href)
		one.Title, one.Failing = study.Name+": "+study.Citation(), nil
		x.Papers = append(x.Papers, *one)
	}
	return x
}

func (p Papers) page(exists func(path string) bool) (report.File, error) {
	d := &document.Document{Title: papersTitle, Summary: []document.Text{document.Plain(p.Counts())}, Notes: pageNotes(p...)}
	a := about.Page{Lead: "Claims about the experiments of several papers; each names its own", Description: p.Counts()}
	links := []document.Link{{Text: "All papers", Href: "index.html"}}
	var papers []placed
	for _, v := range p {
		dir := v.Study().Name
		papers = append(papers, placed{v, dir, func(file string) bool { return exists(path.Join(dir, file)) }})
		links = append(links, document.Link{Text: dir, Href: path.Join(dir, Page)})
		for _, text := range warnings(v) {
			d.Warnings = append(d.Warnings, document.Plain(dir+": "+text))
		}
		a.Uses, a.Metrics = append(a.Uses, about.Uses(v.Results()...)...), append(a.Metrics, about.Metrics(v.Results()...)...)
	}
	addProvenance(d, p...)
	page := pageOf(papers, d, a.About())
	page.Links = append(page.Links, links...)
	return report.Written(Page, func(w io.Writer) error { return document.WriteHTML(w, page) })
}

// Index is what the index of the suites shows of the verdicts, whose page is at href from it.
func Index(v *judge.Verdicts, href string) *report.Claims {
	return &report.Claims{Title: Title(v), Counts: Counts(v), Href: href, Tally: tally(v.Count), Failing: v.Failing()}
}

func tally(count func(judge.Verdict) int) (all []report.Tally) {
	for _, v := range judge.All() {
		n := count(v)
		if n == 0 {
			continue
		}
		text := v.String()
		if v == judge.Holds || v == judge.Fails {
			text = v.Said(n)
		}
		all = append(all, report.Tally{Words: text, N: n, Key: v.Key(), Icon: v.Icon()})
	}
	return all
}
