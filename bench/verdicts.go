package bench

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

// shortVerdict is a sentence with verdicts, without what the notes say too.
func shortVerdict(text string) string { return strings.ReplaceAll(text, " at this sample size", "") }

// verdictItems returns a line for each of the outcomes: verdict, claim, and what it says in a few words.
func verdictItems(outcomes []judge.Outcome) (items []item) {
	verdicts, claims := 0, 0 // widths
	for i := range outcomes {
		verdicts = max(verdicts, len(outcomes[i].Verdict.String()))
		claims = max(claims, len(outcomes[i].Claim.ID))
	}
	for i := range outcomes {
		o := &outcomes[i]
		items = append(items, item{
			style: verdictStyles[o.Verdict],
			word:  fmt.Sprintf("%-*s", verdicts, o.Verdict),
			text:  fmt.Sprintf("  %-*s  %s", claims, o.Claim.ID, o.Claim.Short),
		})
	}
	return items
}

// printVerdicts prints a line for each claim, or with -v the whole table and its notes.
func printVerdicts(stdout io.Writer, verdicts *judge.Verdicts, page string, v voice) error {
	if !v.verbose {
		s := summary{result: shortVerdict(verify.Counts(verdicts)), items: verdictItems(verdicts.Outcomes), whole: true, tail: []string{open(page)}}
		s.print(stdout, v)
		return nil
	}
	if err := document.WriteText(stdout, verify.Brief(verdicts)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", open(page))
	return err
}
