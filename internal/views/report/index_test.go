package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func TestHeadline(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "levy13"}, Algorithms: []string{"popbo", "sgp", "dts"}, Runs: 12, Steps: 4})
	// Known outcomes: SGP is 0.5 worse than POP-BO, DTS 0.1 ± 0.5 on Beale and 0.1 better on Levy13.
	for _, rec := range in.Records {
		last := &rec.Steps[3].Recommendations[0]
		base := 0.2 + 0.01*float64(rec.Header.Repetition)
		switch rec.Header.Algorithm.Name {
		case "sgp":
			base += 0.5
		case "dts":
			if rec.Header.Problem.Name == "levy13" {
				base -= 0.1
			} else {
				base += 0.1 + 0.5*float64(rec.Header.Repetition%2*2-1)
			}
		}
		last.Utility = *rec.Header.Problem.Optimum - base
	}
	r := mustCollect(t, in)
	h := NewHeadline(outcome.NewTable(r), false)
	rows := map[string]string{}
	var order []string
	for _, row := range h.Rows {
		var cells []string
		for _, c := range row[1:4] {
			cells = append(cells, c.String())
		}
		order = append(order, row[0].String())
		rows[row[0].String()] = strings.Join(cells, " | ")
	}
	check.Equal(t, "rows", strings.Join(order, " "), "DTS POP-BO SGP")
	for label, want := range map[string]string{
		"POP-BO": "1.5 | Lowest on 1 of 2; ",
		"DTS":    "1.5 | Lowest on 1 of 2, not clearly higher on 1; ",
		"SGP":    "3.0 | Higher than the lowest on all; ",
	} {
		check.That(t, strings.HasPrefix(rows[label], want), "%s: %q, want %q", label, rows[label], want)
	}
	for i, style := range h.Styles {
		check.That(t, style == charting.Styles(r)[h.Rows[i][0].String()],
			"%s has another style than in the figures", h.Rows[i][0].Text)
	}

	for i, want := range []float64{1.5, 3, 1.5, 4} { // equal ones share their ranks
		rows := []*outcome.Row{{Exponent: 1}, {Exponent: 2}, {Exponent: 1}, {Exponent: 5}}
		check.Equal(t, "rank", rank(rows, rows[i], func(row *outcome.Row) float64 { return row.Exponent }), want)
	}

	one := NewHeadline(outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 6, Steps: 3, Norm: 5}))), false)
	check.Equal(t, "rows of one algorithm", len(one.Rows), 1)
	check.Equal(t, "text above one algorithm", one.About, "")
	check.Equal(t, "title of its second column", one.Columns[1].Title, "Suboptimality")
	check.Equal(t, "title of its fifth column", one.Columns[4].Title, "Truth inside")
}

// With too few runs the headline explains no words that it does not say, and promises no
// interval.
func TestHeadlineOfFewRuns(t *testing.T) {
	for _, problems := range [][]string{{"beale"}, {"beale", "branin"}} {
		for runs, few := range map[int]bool{stats.MinRuns - 1: true, stats.MinRuns: false} {
			t.Run(fmt.Sprintf("%d problems, %d runs", len(problems), runs), func(t *testing.T) {
				in := reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "dts"}, Runs: runs, Steps: 3})
				h := NewHeadline(outcome.NewTable(mustCollect(t, in)), true)
				check.Equal(t, "words are explained", h.About != "", !few)
				caption := h.Caption.String()
				check.Equal(t, "the caption says that runs are few: "+caption, strings.Contains(caption, "fewer than 6 runs"), few)
				interval := strings.Contains(caption, "with its 95")
				check.Equal(t, "the caption promises an interval: "+caption, interval, !few && len(problems) == 1)
			})
		}
	}
}

// An algorithm that observes values is shown last and has no rank, however well it does.
func TestHeadlineWithReference(t *testing.T) {
	table := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"bukin6", "levy13"}, Algorithms: []string{"popbo", "gpucb", "random"}, Runs: 6, Steps: 4})))
	h := NewHeadline(table, true)
	check.Equal(t, "first", h.Rows[0][0].Text+h.Rows[0][1].Text, "POP-BO1.0")
	if last := h.Rows[2]; last[0].Text != "GP-UCB" || last[1].Text != document.None || !strings.HasPrefix(last[2].String(), "Observes noisy values") {
		t.Errorf("last is %v", last)
	}
	check.That(t, strings.Contains(footnotes(Document(table, nil)), outcome.ValuesNote), "the tables do not tell")
}

func TestMissing(t *testing.T) {
	in := troubled()
	r := mustCollect(t, in)
	check.Equal(t, "without a list", strings.Join(r.Missing(), "; "), "2 runs failed or cannot be used")
	check.That(t, r.Warnings == nil, "without a list: warnings %q", r.Warnings)
	in.List = &record.List{}
	for _, group := range []string{"beale/POP-BO", "branin/POP-BO", "bukin6/POP-BO", "bukin6/SGP"} {
		for n := range 9 {
			in.List.Add(group, n)
		}
	}
	in.List.LeftOut = []record.Part{{Group: "beale/SGP", Repetitions: record.Repetitions{{0, 8}}, Reason: "it has no mind for it"}}
	r = mustCollect(t, in)
	check.Equal(t, "missing", strings.Join(r.Missing(), "; "), "13 runs have no record; 2 runs failed or cannot be used")
	doc := Document(outcome.NewTable(r), nil)
	want := "Not complete: of the 36 cells that cells.json lists 13 have no record: beale/POP-BO 008; branin/POP-BO 008; bukin6/POP-BO 002, 008; bukin6/SGP 000-008."
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], want) || !slices.Equal(doc.Warnings, document.PlainAll(r.Warnings)) {
		t.Errorf("warnings %q, want %q", doc.Warnings, want)
	}
	for name, write := range map[string]func(io.Writer, *document.Document) error{"text": document.WriteText, "Markdown": document.WriteMarkdown, "LaTeX": document.WriteLaTeX} {
		t.Run(name, func(t *testing.T) {
			top, _, _ := strings.Cut(string(rendered(t, func(w io.Writer) error { return write(w, doc) })), "Runs")
			if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(top, "!", "")), " "), "of the 36 cells that cells.json lists 13 have no record") {
				t.Errorf("%s does not begin with it:\n%s", name, top)
			}
		})
	}
	page := string(rendered(t, func(w io.Writer) error {
		return document.WriteHTML(w, &document.Page{Document: doc, About: &document.About{}})
	}))
	check.That(t, strings.Contains(page, `<p class="warning">Not complete: of the 36`), "the page does not have it")
	check.Contains(t, "notes", strings.Join(r.Notes, " "), "Left out on purpose: beale/SGP 000-008: it has no mind for it.")
	r = mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2}))
	got := r.Missing()
	check.That(t, got == nil, "of complete results: %q", got)
}

func TestIndex(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Algorithms: six, Runs: 2, Steps: 2})
	in.List = &record.List{}
	in.List.Add("beale/other", 0)
	in.List.Add("beale/other", 1)
	in.Issues = []record.Issue{{What: "the records are not of one program: a; b", Mixture: "program"}}
	card := NewCard(outcome.NewTable(mustCollect(t, in)), "a/report/index.html")
	svg := template.HTML(`<svg viewBox="0 0 1 1" aria-hidden="true"></svg>`)
	card.Suite, card.Shows, card.Thumb = "a", "A figure.", `<svg viewBox="0 0 1 1" role="img" aria-label="a line"></svg>`
	for range card.Headline.Rows {
		card.Swatches = append(card.Swatches, svg)
	}
	index := &Index{Title: "All <suites>", Claims: &Claims{Title: "The claims", Counts: "12 of 28 hold", Href: "claims.html", Tally: []Tally{{"hold", 12, "holds", "✓"}, {"do not hold", 16, "fails", "✗"}}, Failing: []FailingClaim{{"gp1d-3", "too $R_T$ big"}}}, Cards: []Card{*card, {Suite: "b", Error: "records/x is damaged."}}}
	page := string(rendered(t, func(w io.Writer) error { return WriteIndex(w, index) }))
	check.Contains(t, "the index", page,
		"All &lt;suites&gt;", `<a href="claims.html">The claims</a></h2>`, `<b>12</b> hold`, `<a href="claims.html#gp1d-3">gp1d-3</a> <span>too <span`, `<a href="a/report/index.html">`, "7 problems × 6 algorithms × 2 runs of 2 steps",
		"Not complete: 2 runs have no record.", "<strong>A mixture: the records are not of one program: a; b.</strong>", "There is no report of this.</strong> records/x is damaged.", "GP-UCB", "made-up runs")
	checkAlone(t, page)
	checkPage(t, page)
}
