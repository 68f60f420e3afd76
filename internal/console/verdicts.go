package console

import (
	"fmt"
	"io"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/terminal"
	"popbench/internal/views/verify"
)

// verdictStyles are the styles of verdicts; others are plain.
var verdictStyles = map[judge.Verdict]terminal.Style{
	judge.Holds: terminal.Green, judge.Fails: terminal.Red, judge.Undecided: terminal.Yellow, judge.AtBorder: terminal.Yellow,
}

// ShortVerdict is a sentence with verdicts, without what the notes say too.
func ShortVerdict(text string) string { return strings.ReplaceAll(text, " at this sample size", "") }

// VerdictItems returns a line for each of the outcomes: verdict, claim, and what it says in a few words.
func VerdictItems(outcomes []judge.Outcome) (items []Item) {
	verdicts, claims := 0, 0 // widths
	for i := range outcomes {
		verdicts = max(verdicts, len(outcomes[i].Verdict.String()))
		claims = max(claims, len(outcomes[i].Claim.ID))
	}
	for i := range outcomes {
		o := &outcomes[i]
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
		s := Summary{Result: ShortVerdict(verify.Counts(verdicts)), Items: VerdictItems(verdicts.Outcomes), Whole: true, Tail: []string{Open(page)}}
		s.Print(stdout)
		return nil
	}
	if err := document.WriteText(stdout, verify.Brief(verdicts)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", Open(page))
	return err
}
