package verify

import (
	"popbench/internal/judge"
	"popbench/internal/views/report"
	"popbench/internal/words"
)

// Index is what the index of the suites shows of the verdicts, whose page is at href from it.
func Index(v *judge.Verdicts, href string) *report.Claims {
	return &report.Claims{Title: Title(v), Counts: Counts(v), Href: href, Tally: tally(v.Count), Failing: failing(v)}
}

// failing are the claims that do not hold.
func failing(v *judge.Verdicts) (all []report.FailingClaim) {
	for i := range v.Outcomes {
		if o := &v.Outcomes[i]; o.Verdict == judge.Fails {
			all = append(all, report.FailingClaim{ID: o.Claim.ID, Short: o.Claim.Short})
		}
	}
	return all
}

// tally is how many claims have each verdict.
func tally(count func(judge.Verdict) int) (all []report.Tally) {
	for _, v := range judge.All() {
		several := v.String()
		switch v {
		case judge.Holds:
			several = "hold"
		case judge.Fails:
			several = "do not hold"
		}
		if n := count(v); n > 0 {
			all = append(all, report.Tally{Words: words.Choose(n, v.String(), several), N: n, Key: v.Key(), Icon: v.Icon()})
		}
	}
	return all
}
