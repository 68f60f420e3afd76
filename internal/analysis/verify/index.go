package verify

import (
	"popbench/internal/analysis/report"
	"popbench/internal/words"
)

// Index is what the index of the suites shows of the verdicts, whose page is at href from it.
func (v *Verdicts) Index(href string) *report.Claims {
	c := &report.Claims{Title: v.Title(), Counts: v.Counts(), Href: href}
	for i := range v.Outcomes {
		if o := &v.Outcomes[i]; o.Verdict == Fails {
			c.Failing = append(c.Failing, report.FailingClaim{ID: o.Claim.ID, Short: o.Claim.Short})
		}
	}
	for _, b := range badges {
		several := b.Word
		switch b.of {
		case Holds:
			several = "hold"
		case Fails:
			several = "do not hold"
		}
		if n := v.Count(b.of); n > 0 {
			c.Tally = append(c.Tally, report.Tally{Words: words.Choose(n, b.Word, several), N: n, Key: b.Key, Icon: b.Icon})
		}
	}
	return c
}
