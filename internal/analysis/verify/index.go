package verify

import (
	"slices"

	"popbench/internal/analysis/report"
	"popbench/internal/words"
)

// Index is what the index of the suites shows of the verdicts, whose page is at href from it.
func (v *Verdicts) Index(href string) *report.Claims {
	c := &report.Claims{Title: v.Title(), Counts: v.Counts(), Href: href}
	kinds := []Verdict{Holds, Fails}
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		if !slices.Contains(kinds, o.Verdict) {
			kinds = append(kinds, o.Verdict)
		}
		if o.Verdict == Fails {
			c.Failing = append(c.Failing, report.FailingClaim{ID: o.Claim.ID, Short: o.Claim.Short})
		}
	}
	for _, verdict := range kinds {
		if n := v.Count(verdict); n > 0 {
			kind := map[Verdict]string{Holds: "holds", Fails: "fails"}[verdict]
			if kind == "" {
				kind = "open"
			}
			several := string(verdict)
			switch verdict {
			case Holds:
				several = "hold"
			case Fails:
				several = "do not hold"
			}
			c.Tally = append(c.Tally, report.Tally{Verdict: words.Choose(n, string(verdict), several), N: n, Kind: kind})
		}
	}
	return c
}
