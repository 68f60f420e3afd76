package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// The page is well-formed, complete in itself, and can be used without seeing it.
func TestPage(t *testing.T) {
	in := troubled()
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
		return !slices.Contains([]string{"beale", "branin"}, r.Header.Problem.Name)
	})
	for i, r := range in.Records {
		if r.Header.Problem.Name == "branin" {
			in.Records[i].Header.Algorithm.Settings = []byte(`{"norm_bound":10,"kernel":{"family":"matern52","lengthscale":[1,2],"variance":1},"report":"max-mle"}`)
			in.Records[i].Header.Algorithm.InForce = &record.InForce{Kernel: &record.Kernel{Family: "se-half", Variance: 4, Lengthscale: []float64{1.25, 2}}, NormBound: 8}
		}
	}
	table := outcome.NewTable(mustCollect(t, in))
	link := []Link{{Text: "CSV", Href: "data/branin.csv"}}
	figure := PageFigure{ID: "branin-regret", SVG: template.HTML(`<svg viewBox="0 0 1 1" role="img" aria-label="a line"><path d="M0,0" /></svg>`), Caption: "Regret.", Links: link}
	p := &Page{Table: table, Document: Document(table, nil), Suite: "../suite.yaml", Files: []Link{{Text: "table.csv", Href: "table.csv"}},
		Problems: []PageProblem{{Title: "Branin", Figures: []PageFigure{figure}}},
		With:     map[string][]PageFigure{"coverage": {{ID: "overview-coverage", SVG: figure.SVG, Caption: "Coverage.", Links: link, Wide: true}}}}
	var b bytes.Buffer
	check.OK(t, WriteHTML(&b, p))
	page := b.String()
	checkAlone(t, page)
	check.Lacks(t, "the page", page, "kernel.lengthscale", "norm_bound")
	check.Contains(t, "the page", page,
		"<td>se-half</td>", "<td>1.25, 2</td>", "<td>8</td>", "1 run left out (3)", "bench run suite.yaml", "0.31 ± 0.29", `[-5, 10]</span> × <span class="whole">[0, 15]`)
	if at := strings.Index(page, `<figure id="overview-coverage" class="wide">`); at < strings.Index(page, `<section id="coverage">`) || at > strings.Index(page, `<section id="solver">`) {
		t.Error("the figure of the coverage is not in its section")
	}
	checkPage(t, page)
}

// checkAlone checks that a page shows all without a network: addresses are in links and citations only.
func checkAlone(t *testing.T, page string) {
	t.Helper()
	check.Lacks(t, "the page", addresses.ReplaceAllString(page, ""),
		"http:", "https:", "<script src", "@import", "url(", "ZgotmplZ")
}

var addresses = regexp.MustCompile(`(?:<a href="|\n  url +[= {]+)https://`)

// checkPage parses the page strictly and looks at its structure.
func checkPage(t *testing.T, page string) {
	t.Helper()
	ids := map[string]bool{}
	var fragments []string
	var open []string
	captions, figures := 0, 0
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			attr := map[string]string{}
			for _, a := range e.Attr {
				attr[a.Name.Local] = a.Value
			}
			if id := attr["id"]; id != "" {
				check.That(t, !ids[id], "id %q is there twice", id)
				ids[id] = true
			}
			if href := attr["href"]; strings.HasPrefix(href, "#") {
				fragments = append(fragments, href[1:])
			}
			switch e.Name.Local {
			case "html":
				check.That(t, attr["lang"] != "", "the page has no language")
			case "th":
				check.That(t, attr["scope"] != "", "a table header has no scope")
			case "svg":
				check.That(t, attr["aria-hidden"] == "true" || attr["role"] == "img" && attr["aria-label"] != "",
					"a figure has no text for who cannot see it")
			case "figure":
				figures++
			case "figcaption":
				captions++
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	check.That(t, len(open) == 0, "elements are left open: %v", open)
	check.That(t, figures != 0 && captions == figures, "%d figures with %d captions", figures, captions)
	for _, f := range fragments {
		check.That(t, ids[f], "a link leads to #%s, which is not there", f)
	}
}

func TestSettings(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 2})
	in.Records[0].Header.Algorithm.Settings = []byte(`{"a":1,"b":{"c":"x","d":[1,2]},"e":true}`)
	in.Records[2].Header.Algorithm.Settings = []byte(`{"a":1,"b":{"c":"y","d":[1,2]}}`)
	all := settingsOfAll(mustCollect(t, in))
	if len(all) != 1 || all[0].Label != "POP-BO" || all[0].Pilot != "20, a draw for each repetition" {
		t.Fatalf("settings %+v", all)
	}
	s := all[0]
	want := []document.Fact{{Name: "a", Value: "1"}, {Name: "b.d", Value: "[1, 2]"}}
	check.That(t, slices.Equal(s.Common, want), "common settings %v, want %v", s.Common, want)
	if s.Differ == nil || len(s.Differ.Rows) != 2 {
		t.Fatalf("settings that differ: %+v", s.Differ)
	}
	check.Equal(t, "b.c on branin", s.Differ.Rows[1][1].Text, "y")
	check.Equal(t, "e on branin", s.Differ.Rows[1][2].Text, document.None)
}
