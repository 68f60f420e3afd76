package verify

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/report"
	"popbench/internal/words"
)

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

// papersTitle is the title of the page.
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

// index leads to the page of all claims and to the pages of the papers.
func (p Papers) index(exists func(path string) bool) *report.Index {
	x := &report.Index{Title: "The experiments of papers, run again",
		Claims: &report.Claims{Title: papersTitle, Counts: p.Counts(), Href: Page, Tally: tally(p.Count)}}
	for _, v := range p {
		x.Claims.Failing = append(x.Claims.Failing, failing(v)...)
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

// page has the claims about all papers.
func (p Papers) page(exists func(path string) bool) (report.File, error) {
	d := &document.Document{Title: papersTitle, Summary: []document.Text{document.Plain(p.Counts())}, Notes: pageNotes(p...)}
	a := about.Page{Lead: "Claims about the experiments of several papers; each names its own", Description: p.Counts()}
	values := map[document.Text][]string{}
	links := []report.Link{{Text: "How to read this page", Href: "#rule"}, {Text: "All papers", Href: "index.html"}}
	var papers []placed
	for _, v := range p {
		dir := v.Study().Name
		papers = append(papers, placed{v, dir, func(file string) bool { return exists(path.Join(dir, file)) }})
		links = append(links, report.Link{Text: dir, Href: path.Join(dir, Page)})
		for _, text := range warnings(v) {
			d.Warnings = append(d.Warnings, document.Plain(dir+": "+text))
		}
		for _, f := range facts(v) {
			values[f.Name] = append(values[f.Name], f.Value.String())
		}
		a.Uses, a.Metrics = append(a.Uses, about.Uses(v.Results()...)...), append(a.Metrics, about.Metrics(v.Results()...)...)
	}
	for _, name := range []document.Text{"Program", "Machine"} {
		if all := distinct(slices.Clone(values[name])); all != nil {
			d.Facts = append(d.Facts, document.Fact{Name: name, Value: document.Plain(strings.Join(all, "; "))})
		}
	}
	h, err := document.NewHTML(d)
	if err != nil {
		return report.File{}, err
	}
	lead, style, err := writeCards(papers, h)
	if err != nil {
		return report.File{}, err
	}
	var b bytes.Buffer
	err = document.WriteHTML(&b, &document.Page{Document: d, About: a.About(), Lead: lead, Links: links, FigureCSS: figure.InlineCSS + style})
	return report.File{Path: Page, Data: b.Bytes()}, err
}

// Index is what the index of the suites shows of the verdicts, whose page is at href from it.
func Index(v *judge.Verdicts, href string) *report.Claims {
	return &report.Claims{Title: Title(v), Counts: Counts(v), Href: href, Tally: tally(v.Count), Failing: failing(v)}
}

// failing are the claims that do not hold.
func failing(v *judge.Verdicts) (all []report.FailingClaim) {
	for _, o := range v.Outcomes {
		if o.Verdict == judge.Fails {
			all = append(all, report.FailingClaim{ID: o.Claim.ID, Short: o.Claim.Short})
		}
	}
	return all
}

// tally is how many claims have each verdict.
func tally(count func(judge.Verdict) int) (all []report.Tally) {
	for _, v := range judge.All() {
		several := v.String()
		switch v {
		case judge.Holds:
			several = "hold"
		case judge.Fails:
			several = "do not hold"
		}
		if n := count(v); n > 0 {
			all = append(all, report.Tally{Words: words.Choose(n, v.String(), several), N: n, Key: v.Key(), Icon: v.Icon()})
		}
	}
	return all
}
