package report

import (
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func TestMissing(t *testing.T) {
	in := troubled()
	r := mustCollect(t, in)
	check.Equal(t, "without a list", strings.Join(r.Missing(), "; "), "2 runs failed or cannot be used")
	check.Equal(t, "warnings without a list", len(r.Warnings), 0)
	in.List = &record.List{}
	for _, group := range []string{"beale/POP-BO", "branin/POP-BO", "bukin6/POP-BO", "bukin6/SGP"} {
		for n := range 9 {
			in.List.Add(group, n)
		}
	}
	in.List.LeftOut = []record.Part{{Group: "beale/SGP", Repetitions: record.Repetitions{{0, 8}}, Reason: "it has no mind for it"}}
	r = mustCollect(t, in)
	check.Equal(t, "missing", strings.Join(r.Missing(), "; "), "13 runs have no record; 2 runs failed or cannot be used")
	check.Contains(t, "notes", strings.Join(r.Notes, " "), "Left out on purpose: beale/SGP 000-008: it has no mind for it.")
	check.Equal(t, "of complete results", len(mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2})).Missing()), 0)

	// Every form of the report begins with it.
	doc := Document(outcome.NewTable(r), nil)
	check.Same(t, "warnings", doc.Warnings, document.PlainAll(r.Warnings))
	check.Contains(t, "warnings", strings.Join(r.Warnings, "\n"),
		"Not complete: of the 36 cells that cells.json lists 13 have no record: beale/POP-BO 008; branin/POP-BO 008; bukin6/POP-BO 002, 008; bukin6/SGP 000-008.")
	for _, write := range []func(io.Writer, *document.Document) error{document.WriteText, document.WriteMarkdown, document.WriteLaTeX} {
		top, _, _ := strings.Cut(string(rendered(t, func(w io.Writer) error { return write(w, doc) })), "Runs")
		check.Contains(t, "the top", flat(strings.ReplaceAll(top, "!", "")), "of the 36 cells that cells.json lists 13 have no record")
	}
	page := rendered(t, func(w io.Writer) error {
		return document.WriteHTML(w, &document.Page{Document: doc, About: &document.About{}})
	})
	check.Contains(t, "the page", string(page), `<p class="warning">Not complete: of the 36`)
}

func TestIndex(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Algorithms: six, Runs: 2, Steps: 2})
	in.List = &record.List{}
	in.List.Add("beale/other", 0)
	in.List.Add("beale/other", 1)
	in.Issues = []record.Issue{{What: "the records are not of one program: a; b", Mixture: "program"}}
	card := NewCard(outcome.NewTable(mustCollect(t, in)), "a/report/index.html")
	card.Suite, card.Shows, card.Thumb = "a", "A figure.", `<svg viewBox="0 0 1 1" role="img" aria-label="a line"></svg>`
	index := &Index{Title: "All <suites>", Claims: &Claims{Title: "The claims", Counts: "12 of 28 hold", Href: "claims.html", Tally: []Tally{{"hold", 12, "holds", "✓"}, {"do not hold", 16, "fails", "✗"}}, Failing: []*judge.Outcome{{Claim: &claims.Claim{ID: "gp1d-3", Short: "too $R_T$ big"}}}}, Cards: []*Card{card, {Suite: "b", Error: "records/x is damaged."}}}
	page := string(check.Must(index.File())(t).Data)
	check.Contains(t, "the index", page,
		"All &lt;suites&gt;", `<a href="claims.html">The claims</a></h2>`, `<b>12</b> hold`, `<a href="claims.html#gp1d-3">gp1d-3</a> <span>too <span`, `<a href="a/report/index.html">`, "7 problems × 6 algorithms × 2 runs of 2 steps",
		"Not complete: 2 runs have no record.", "<strong>A mixture: the records are not of one program: a; b.</strong>", "There is no report of this.</strong> records/x is damaged.", "GP-UCB", "made-up runs")
	check.Equal(t, "suites by one program", Mixture([][]string{{"a"}, {"a"}}), "")
	check.Contains(t, "suites by two", Mixture([][]string{{"a"}, {"a", "b"}}), "by 2 programs", "a; b")
	checkAlone(t, page)
	checkPage(t, page)
}

// Cells that a program does not do are not counted as missing, on the index or anywhere else.
func TestLeftOutIsNotMissing(t *testing.T) {
	in := outside(t)
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool { return r.Footer.Status == record.Failed })
	for i := range 5 {
		in.List.LeaveOut(record.Part{Group: "beale/Random", Repetitions: record.Repetitions{{i, i}}, Reason: "no"})
	}
	card := NewCard(outcome.NewTable(mustCollect(t, in)), "outside/index.html")
	check.Equal(t, "missing", len(card.Missing), 0)
	check.Equal(t, "state", card.State(), "complete; left out: 6 runs (the notes say why)")
	check.Equal(t, "size", card.Size, "2 problems × 2 algorithms × 2 to 8 of 8 runs of 4 steps")
	index := check.Must((&Index{Cards: []*Card{card}}).File())(t)
	check.Contains(t, "index", string(index.Data), "Complete. Left out: 6 runs (the notes say why).")
}
