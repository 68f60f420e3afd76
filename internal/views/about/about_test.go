package about

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	root "popbench"
	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func collect(t *testing.T, o reporttest.Options, change func(*record.Header)) *outcome.Results {
	t.Helper()
	in := reporttest.Results(o)
	for i := range in.Records {
		change(&in.Records[i].Header)
	}
	return check.Must(outcome.Collect(in))(t)
}

// html is a page that says nothing but what it says of itself.
func html(t *testing.T, a *document.About) string {
	t.Helper()
	var page strings.Builder
	check.OK(t, document.WriteHTML(&page, &document.Page{Document: &document.Document{Title: "A title"}, About: a}))
	return page.String()
}

// A suite says whose experiment it is, what its methods and metrics are, and how to cite; one of nobody's paper says that.
func TestSuite(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "sgp", "dts", "random"}, Runs: 2, Steps: 2}
	always := []string{"<title>A title</title>", `<meta name="description" content="`, `<meta property="og:title" content="A title"`, `<meta property="og:description"`, `<meta property="og:type"`,
		"Preferential optimisation looks for", "<b>POP-BO</b> duels", "<b>SGP</b> takes", "<b>Suboptimality:</b>", "Lower is better.", "How to cite", "@software{popbench,", "version = {" + popbenchProject.version + "}",
		"The popbench authors: popbench", "docs/metrics.md", "algorithms/baselines/sgp", "https://arxiv.org/abs/2302.01513"}
	for name, c := range map[string]struct {
		change func(*record.Header)
		want   []string
		lacks  []string
	}{
		"an experiment of POP-BO's paper": {func(h *record.Header) { h.Paper = "test-functions" },
			[]string{`Repeats an experiment of <cite><a href="https://arxiv.org/abs/2402.05367">Principled Preferential Bayesian Optimization</a></cite> (W. Xu, W. Wang, Y. Jiang, B. Svetozarevic and C. N. Jones, ICML 2024): Sec. 6.2`,
				"Tab. 2, Fig. 9, Fig. 10 and Fig. 11.", "After Xu et al., ICML 2024.", "@misc{popbo-2024,\n  title  = {{Principled Preferential Bayesian Optimization}},"}, []string{"subopt_testfunc"}},
		"another paper": {func(h *record.Header) { h.Paper, h.Suite = "", "bohf" },
			[]string{`After the experiments of <cite><a href="https://arxiv.org/abs/2505.23673">Bayesian Optimization from Human Feedback: Near-Optimal Regret Bounds</a>`, "@misc{bohf-2025,"}, nil},
		"an own suite": {func(h *record.Header) { h.Paper, h.Suite = "", "mine" },
			[]string{"No paper’s experiment: the suite is its author’s own.</p>"}, []string{"<cite>"}},
		"an external program, an import and an addition": {func(h *record.Header) {
			switch h.Paper, h.Suite = "", "mine"; h.Algorithm.Name {
			case "dts":
				h.Algorithm.Label, h.Algorithm.Program = "Mine", &record.Program{}
			case "random":
				h.Algorithm.Name, h.Algorithm.Label = "extra", "Extra"
			}
		}, []string{"<b>Mine</b> is a program beside popbench", "<b>Extra</b> is the method extra, which"}, nil},
	} {
		r := collect(t, o, c.change)
		text := html(t, Suite(r, Metrics(r)).About())
		check.Contains(t, name, text, append(c.want, always...)...)
		check.Lacks(t, name, text, append(c.lacks, "og:image", "ZgotmplZ")...)
	}
}

// A method.json has no other keys than those that are read.
func TestKeysOfMethods(t *testing.T) {
	strict := func(text []byte, v any) error {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		return d.Decode(v)
	}
	for _, m := range methods() {
		var of struct {
			method
			Paper json.RawMessage
		}
		err := strict(check.Must(root.Methods.ReadFile(m.folder+"/method.json"))(t), &of)
		if bytes.HasPrefix(of.Paper, []byte("{")) {
			err = cmp.Or(err, strict(of.Paper, new(paper.Publication)))
		}
		check.That(t, err == nil, "%s/method.json: %v; correct the key", m.folder, err)
	}
}

// Every formula of the texts is one that the writers know, for all methods and metrics.
func TestTexts(t *testing.T) {
	p := Page{Lead: "No paper"}
	for _, name := range Names() {
		p.Uses = append(p.Uses, Use{Name: name, Label: name})
	}
	for i := range outcome.Measures {
		p.Metrics = append(p.Metrics, outcome.Measures[i].Name, outcome.Suboptimality) // one of them twice
	}
	a := p.About()
	d := document.Document{Notes: []document.Text{a.Symbols, a.Where}}
	for _, e := range slices.Concat(a.Methods, a.Metrics) {
		d.Notes = append(d.Notes, e.Name, e.Text)
		check.That(t, strings.HasSuffix(string(e.Text), "."), "%s: %q is no sentence", e.Name, e.Text)
	}
	check.OK(t, document.WriteText(io.Discard, &d))
	check.Contains(t, "symbols", string(a.Symbols), "$x_s$ is its new point")
	check.Equal(t, "methods", len(a.Methods), len(methods()))
	check.Equal(t, "metrics", len(a.Metrics), len(outcome.Measures))
	for _, m := range methods() {
		check.That(t, m.Paper.Publication == nil || m.Paper.Title != "" && m.Paper.Authors != nil && m.Paper.URL != "", "%s: its paper lacks something: %+v", m.name, m.Paper.Publication)
		check.Equal(t, "the method titled "+m.Title, Titled(m.Title), Use{Name: m.name, Label: m.Title})
	}
}

// The citation is that of CITATION.cff; links to the documentation follow once that has an address.
func TestCitation(t *testing.T) {
	p := readCitation(root.Citation)
	check.Contains(t, "CITATION.cff", root.Citation, "version: "+p.version+"\n", "title: "+p.title+"\n", "abstract: "+p.abstract+"\n", "- name: "+p.authors[0]+"\n")
	check.Equal(t, "an author of a reference is none of ours", len(p.authors), 1)
	own := paper.LookupPublication("popbo-2024")
	check.Contains(t, "CITATION.cff", root.Citation, "title: "+own.Title+"\n", "url: "+own.URL+"\n")

	p.repository = "" // it may have been published since
	check.Equal(t, "a file without an address", p.file("docs/x.md"), document.Link{Text: "docs/x.md"})
	published := readCitation(root.Citation + "repository-code: \"https://example.org/popbench/\"\n")
	check.Equal(t, "a file with one", published.file("docs/x.md"), document.Link{Text: "docs/x.md", Href: "https://example.org/popbench/blob/main/docs/x.md"})
	check.Contains(t, "BibTeX", published.bibTeX(), "title   = {{"+p.title+": ", "url     = {https://example.org/popbench}")
}
