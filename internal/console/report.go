package console

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/app"
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/terminal"
	"popbench/internal/views/field"
	"popbench/internal/views/report"
	"popbench/internal/views/verify"
	"popbench/internal/words"
)

// PrintReports prints a line for each report of several.
func PrintReports(stdout io.Writer, dir string, reports []app.FolderReport) {
	s := Summary{
		Result: fmt.Sprintf("%s: %s written", words.Quote(dir), words.Count(len(reports), "report")),
		More:   "the page has them", Tail: []string{Open(filepath.Join(dir, "index.html"))},
	}
	for _, r := range reports {
		style := terminal.Plain
		if r.Card.Missing != nil || r.Card.Mixtures != nil {
			style = terminal.Red
		}
		s.Items = append(s.Items, Item{Style: style, Word: words.Quote(r.Folder) + ":", Text: fmt.Sprintf(" %s; %s", r.Card.Size, r.Card.State())})
	}
	s.Print(stdout)
}

// PrintReport prints how the algorithms did; self is the command that starts this program.
func PrintReport(stdout io.Writer, r *report.Report, self, dir, page string) {
	card := report.NewCard(r.Table, "")
	s := Summary{
		Result: fmt.Sprintf("%s: %s; %s", card.Suite, card.Size, card.State()), Bad: card.Missing != nil || card.Mixtures != nil, Table: &card.Headline.Sheet,
		More: self + " report --format text " + words.ShellQuote(dir), Tail: []string{page},
	}
	if card.Title != "" {
		s.About = []string{card.Title}
	}
	s.Print(stdout)
}

// PrintField prints the ranks of all methods, the reader's own first.
func PrintField(stdout io.Writer, f *field.Field, out string) {
	ranks := f.RankSheet()
	// Own methods are what the reader looks for, wherever they rank.
	own := func(row []document.Cell) int { return min(slices.Index(f.Mine, row[0].String()), 0) } // -1 for another one
	slices.SortStableFunc(ranks.Rows, func(a, b []document.Cell) int { return own(b) - own(a) })
	about := words.Each(f.Warnings, func(w string) string { return "! " + w })
	Summary{
		Result: fmt.Sprintf("%s: %s", f.Suite, f.Size()), Bad: f.Warnings != nil, Whole: f.Mine == nil,
		About: append(about, ranks.Title.String()), Table: &ranks,
		More: words.Quote(filepath.Join(out, "table.txt")) + " has them", Tail: []string{Open(filepath.Join(out, "index.html"))},
	}.Print(stdout)
}

// PrintTuning prints what was chosen.
func PrintTuning(stdout io.Writer, t *field.Tuning) {
	Summary{
		Result: fmt.Sprintf("%s: %s tuned on %s", t.Suite, words.Count(len(t.Methods), "method"), words.Count(len(t.Problems), "problem")),
		Whole:  true, Table: new(t.Sheet()),
	}.Print(stdout)
}

// verdictStyles are the styles of verdicts; others are plain.
var verdictStyles = map[judge.Verdict]terminal.Style{
	judge.Holds: terminal.Green, judge.Fails: terminal.Red, judge.Undecided: terminal.Yellow, judge.AtBorder: terminal.Yellow,
}

// ShortVerdict is a sentence with verdicts, without what the notes say too.
func ShortVerdict(text string) string { return strings.ReplaceAll(text, " at this sample size", "") }

// VerdictItems returns a line for each of the outcomes: verdict, claim, and what it says in a few words.
func VerdictItems(outcomes []*judge.Outcome) (items []Item) {
	verdicts, claims := 0, 0 // widths
	for _, o := range outcomes {
		verdicts, claims = max(verdicts, len(o.Verdict.String())), max(claims, len(o.Claim.ID))
	}
	for _, o := range outcomes {
		items = append(items, Item{
			Style: verdictStyles[o.Verdict],
			Word:  fmt.Sprintf("%-*s", verdicts, o.Verdict),
			Text:  fmt.Sprintf("  %-*s  %s", claims, o.Claim.ID, o.Claim.Short),
		})
	}
	return items
}

// PrintVerdicts prints a line for each claim, or if verbose the whole table and its notes.
func PrintVerdicts(stdout io.Writer, verdicts *judge.Verdicts, page string, verbose bool) error {
	if !verbose {
		Summary{Result: ShortVerdict(verify.Counts(verdicts)), Items: VerdictItems(verdicts.Outcomes), Whole: true, Tail: []string{Open(page)}}.Print(stdout)
		return nil
	}
	if err := document.WriteText(stdout, verify.Brief(verdicts)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", Open(page))
	return err
}
