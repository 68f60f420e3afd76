package verify

import (
	"popbench/internal/analysis/report"
	"popbench/internal/words"
)

// Index is what the index of the suites shows of the verdicts, whose page is at href from it.
func (v *Verdicts) Index(href string) *report.Claims {
	return &report.Claims{Title: v.Title(), Counts: v.Counts(), Href: href, Tally: tally(v.Count), Failing: v.failing()}
}

// failing are the claims that do not hold.
func (v *Verdicts) failing() (all []report.FailingClaim) {
	for i := range v.Outcomes {
		if o := &v.Outcomes[i]; o.Verdict == Fails {
			all = append(all, report.FailingClaim{ID: o.Claim.ID, Short: o.Claim.Short})
		}
	}
	return all
}

// tally is how many claims have each verdict.
func tally(count func(Verdict) int) (all []report.Tally) {
	for _, b := range badges {
		several := b.Word
		switch b.of {
		case Holds:
			several = "hold"
		case Fails:
			several = "do not hold"
		}
		if n := count(b.of); n > 0 {
			all = append(all, report.Tally{Words: words.Choose(n, b.Word, several), N: n, Key: b.Key, Icon: b.Icon})
		}
	}
	return all
}
