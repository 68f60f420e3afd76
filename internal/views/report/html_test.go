package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
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
	for _, r := range in.Records {
		if r.Header.Problem.Name == "branin" {
			r.Header.Algorithm.Settings = []byte(`{"norm_bound":10,"kernel":{"family":"matern52","lengthscale":[1,2],"variance":1},"report":"max-mle"}`)
			r.Header.Algorithm.InForce = &record.InForce{Kernel: &record.Kernel{Family: "se-half", Variance: 4, Lengthscale: []float64{1.25, 2}}, NormBound: 8}
		}
	}
	table := outcome.NewTable(mustCollect(t, in))
	link := []document.Link{{Text: "CSV", Href: "data/branin.csv"}}
	figure := document.Figure{ID: "branin-regret", SVG: template.HTML(`<svg viewBox="0 0 1 1" role="img" aria-label="a line"><path d="M0,0" /></svg>`), Caption: "Regret.", Links: link}
	p := &Page{Table: table, Document: Document(table, nil), Suite: "../suite.yaml", Files: []document.Link{{Text: "table.csv", Href: "table.csv"}},
		Problems: []*pageProblem{{Title: "Branin", Place: "figures/branin"}},
		With:     map[string][]document.Figure{"figures/branin": {figure}, "coverage": {{ID: "overview-coverage", SVG: figure.SVG, Caption: "Coverage.", Links: link, Wide: true}}}}
	page := string(rendered(t, func(w io.Writer) error { return writeHTML(w, p) }))
	check.Equal(t, "the page written again", string(rendered(t, func(w io.Writer) error { return writeHTML(w, p) })), page)
	checkAlone(t, page)
	check.Lacks(t, "the page", page, "kernel.lengthscale", "norm_bound")
	check.Contains(t, "the page", page,
		"<td>se-half</td>", "<td>1.25, 2</td>", "<td>8</td>", "1 run left out (3)", "bench run suite.yaml", "0.31 ± 0.29", "<dt>Runs</dt>", `[-5, 10]</span> × <span class="whole">[0, 15]`)
	_, after, _ := strings.Cut(page, `<section id="coverage">`)
	section, _, _ := strings.Cut(after, `<section id="solver">`)
	check.Contains(t, "the section of the coverage", section, `<figure id="overview-coverage" class="wide">`)
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
	ids, count := map[string]bool{}, map[string]int{}
	var fragments []string
	for _, e := range check.Elements(t, page) {
		count[e.Name.Local]++
		attr := map[string]string{}
		for _, a := range e.Attr {
			attr[a.Name.Local] = a.Value
		}
		if id := attr["id"]; id != "" {
			check.That(t, !ids[id], "id %q is there twice", id)
			ids[id] = true
		}
		if href, ok := strings.CutPrefix(attr["href"], "#"); ok {
			fragments = append(fragments, href)
		}
		switch e.Name.Local {
		case "html":
			check.That(t, attr["lang"] != "", "the page has no language")
		case "th":
			check.That(t, attr["scope"] != "", "a table header has no scope")
		case "svg":
			check.That(t, attr["aria-hidden"] == "true" || attr["role"] == "img" && attr["aria-label"] != "", "a figure has no text for who cannot see it")
		}
	}
	check.That(t, count["figure"] != 0 && count["figcaption"] == count["figure"], "figures and captions: %v", count)
	for _, f := range fragments {
		check.That(t, ids[f], "a link leads to #%s, which is not there", f)
	}
}

// liveData is what a figure's data in a page say of a line.
type liveData struct {
	Lines []struct {
		Label                                       string
		N                                           int
		Mean, Lo, Hi, Median, Q1, Q3, Last, Seconds []float64
		Runs                                        [][]float64
	}
}

var liveElement = regexp.MustCompile(`<figure id="([^"]+)"[^\n]*\n<div class="art">.*</div><script type="application/json" class="lines">(.*)</script>`)

// livePage returns the table of the results, and a function for their page within a limit of bytes, and the data in it by
// figure.
func livePage(t *testing.T, o reporttest.Options) (table *outcome.Table, within func(limit int) (page string, figures map[string]liveData)) {
	t.Helper()
	table = tableOf(t, o)
	p := &Page{Table: table, Document: Document(table, nil), With: map[string][]document.Figure{}, curves: outcome.Curves(table.Results)}
	p.fill()
	for _, e := range p.exhibits {
		f := document.Figure{ID: figureID + e.Name, SVG: "<svg></svg>", Caption: e.Caption, Links: []document.Link{{Text: "SVG", Href: "figures/" + e.Name + ".svg"}}}
		f.Data = &e.live
		p.With[e.place] = append(p.With[e.place], f)
	}
	return table, func(limit int) (string, map[string]liveData) {
		text := check.Must(p.withData(limit))(t)
		figures := map[string]liveData{}
		for _, m := range liveElement.FindAllSubmatch(text, -1) {
			var d liveData
			check.OK(t, json.Unmarshal(m[2], &d))
			figures[strings.TrimPrefix(string(m[1]), figureID)] = d
		}
		return string(text), figures
	}
}

// rounded reports whether v is want with that many significant digits.
func rounded(v, want float64, digits int) bool {
	return math.Abs(v-want) <= 0.51*math.Abs(want)*math.Pow10(1-digits)
}

// The data of a figure are the summary of the records, and their runs.
func TestDataOfFigures(t *testing.T) {
	table, within := livePage(t, reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "qeubo"}, Runs: 7, Steps: 8})
	page, figures := within(maxPage)
	check.Lacks(t, "the page", page, "curves of single runs")
	check.Equal(t, "figures with data", len(figures), 2)
	for k, row := range table.Rows { // the lines are in their order
		for metric, s := range map[outcome.Metric]stats.Summary{outcome.Suboptimality: row.Rules[0].True, outcome.CumulativeRegret: row.Regret} {
			name := map[outcome.Metric]string{outcome.Suboptimality: "beale-suboptimality", outcome.CumulativeRegret: "beale-regret"}[metric]
			line := figures[name].Lines[k]
			check.Equal(t, "label", line.Label, row.Algorithm.Label)
			check.Equal(t, "runs", line.N, 7)
			for i, v := range [][2]float64{{line.Mean[7], s.Mean}, {line.Lo[7], s.CI.Lo}, {line.Hi[7], s.CI.Hi}, {line.Median[7], s.Median}, {line.Q1[7], s.Q1}, {line.Q3[7], s.Q3}, {line.Seconds[7], row.Times.Run}} {
				check.That(t, rounded(v[0], v[1], 4), "%s, %s, number %d: got %v, want %v", name, line.Label, i, v[0], v[1])
			}
			for i, run := range row.Runs {
				series := outcome.Find(metric).Series(run)
				check.That(t, rounded(line.Last[i], series[7], 4) && rounded(line.Runs[i][3], series[3], 3),
					"%s, %s, run %d: got %v and %v, want %v and %v", name, line.Label, i, line.Runs[i][3], line.Last[i], series[3], series[7])
			}
		}
	}
}

// With one algorithm the lines are of recommendation rules.
func TestDataOfRules(t *testing.T) {
	table, within := livePage(t, reporttest.Options{Problems: []string{"beale"}, Runs: 4, Steps: 5})
	_, figures := within(maxPage)
	lines := figures["beale-suboptimality"].Lines
	check.Equal(t, "rules", len(lines), 3)
	for k, rule := range table.Rows[0].Group.Rules {
		check.Equal(t, "label", lines[k].Label, rule)
		for i := range table.Rows[0].Runs {
			want := table.Rows[0].Runs[i].FinalSuboptimality(k)
			check.That(t, rounded(lines[k].Last[i], want, 4), "%s, run %d: got %v, want %v", rule, i, lines[k].Last[i], want)
		}
	}
}

// A page leaves out as little as needed to stay below its limit, and says what.
func TestSizeOfPage(t *testing.T) {
	check.Sequential(t)
	_, within := livePage(t, reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "qeubo"}, Runs: 30, Steps: 30})
	full, _ := within(maxPage)
	brief, figures := within(len(full))
	for id, f := range figures {
		check.That(t, f.Lines[0].Runs == nil && len(f.Lines[0].Last) == 30 && f.Lines[0].Median != nil,
			"%s has curves of single runs, or no last values or medians", id)
	}
	bare, none := within(len(brief))
	check.Equal(t, "figures with data in the smallest page", len(none), 0)
	check.Contains(t, "the page without single runs", brief, "The curves of single runs are not in this page")
	check.Contains(t, "the page without data", bare, "These figures cannot be changed")
	check.That(t, len(figures) != 0 && len(brief) < len(full) && len(bare) < len(brief), "pages of %d, %d and %d bytes", len(full), len(brief), len(bare))
	images, _ := within(len(bare))
	check.Lacks(t, "the page without data", bare, "<img")
	check.Contains(t, "the smallest page", images, `<img src="figures/overview-suboptimality.svg" alt="Suboptimality`, `<img src="figures/overview-cumulative-regret.svg"`, "overviews are images")
	n := (len(full) - len(bare)) / 4 * 28 // from two problems and methods to seven and four
	check.That(t, n <= maxPage/2, "the data of the seven functions of the paper's suite have %d bytes, more than half of a page", n)
}

// A page has as many runs of each method as its share of bytes allows, of POP-BO first.
func TestReplays(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"dts", "popbo"}, Runs: 12, Steps: 9})
	in.Records = in.Records[12:] // without DTS on Beale
	table := outcome.NewTable(mustCollect(t, in))
	page := func(limit int) (*Page, int) {
		t.Helper()
		p := &Page{Table: table, Problems: []*pageProblem{{name: "beale", file: "beale"}, {name: "branin", file: "branin-2"}}}
		check.OK(t, p.addReplays(limit))
		size := 0
		for _, problem := range p.Problems {
			if problem.Replay != nil {
				size += len(problem.Replay.JSON)
			}
		}
		return p, size
	}
	whole, size := page(1e9)
	check.Equal(t, "runs", whole.Problems[0].Replay.Runs, 12)
	text := string(whole.Problems[1].Replay.HTML())
	check.Contains(t, "figure", text, `<figure id="branin-2-runs"`, "POP-BO, run 0, step 9 of 9: (")
	check.Lacks(t, "figure", text, "Here are")
	check.Lacks(t, "the figure of Beale", string(whole.Problems[0].Replay.HTML()), `"label":"DTS"`)
	check.Equal(t, "order of the methods", strings.Index(text, `"label":"POP-BO"`) < strings.Index(text, `"label":"DTS"`), true)
	none, nothing := page(100)
	check.Equal(t, "bytes where not one run fits", nothing, 0)
	check.Equal(t, "the page says so", none.Unshown && !whole.Unshown, true)
	for _, limit := range []int{size - 1, size / 2, size / 5} {
		some, is := page(limit)
		if n := some.Problems[0].Replay.Runs; is > limit || n < 12*limit/size-2 {
			t.Errorf("%d runs in %d bytes of %d, where 12 need %d", n, is, limit, size)
		} else {
			check.Contains(t, "figure", string(some.Problems[1].Replay.HTML()), fmt.Sprintf("Here are the first %d of 12 runs of each method.", n))
		}
	}
}
