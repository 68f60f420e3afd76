package verify

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/page/document"
)

// quickly judges by few resamples: a page shows intervals, whatever they are.
func quickly(w claimstest.World, suites ...string) *judge.Verdicts {
	e := evidence(w, suites...)
	e.Resamples = 100
	return judge.Judge(e)
}

// page makes the page of the verdicts. There is a file at each of the paths.
func page(t *testing.T, v *judge.Verdicts, files ...string) string {
	t.Helper()
	all := check.Must(Files(v, nil, func(path string) bool { return slices.Contains(files, path) }))(t)
	return string(all[len(all)-1].Data)
}

// Every claim of every study has one card, and the page is well-formed, whatever the records.
func TestEveryClaimHasACard(t *testing.T) {
	check.Sequential(t)
	all := map[string]*judge.Verdicts{"as claimed": quickly(claimstest.AsClaimed, "paper-gp-1d"), "the contrary": quickly(claimstest.Contrary, "paper-gp-1d", claimstest.Functions)}
	for _, s := range claims.Studies() {
		all[s.Name+" without records"] = judge.Judge(judge.NewEvidence(s))
	}
	for about, v := range all {
		source := page(t, v)
		check.Elements(t, source)
		ids := map[string]bool{}
		for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(source, -1) {
			check.That(t, !ids[m[1]], "%s: several elements are called %s", about, m[1])
			ids[m[1]] = true
		}
		check.Equal(t, about+": cards", strings.Count(source, `<article class="claim`), len(v.Outcomes))
		for _, o := range v.Outcomes {
			check.That(t, ids[o.Claim.ID], "%s: there is no %s", about, o.Claim.ID)
			for _, known := range o.Claim.Known {
				check.Equal(t, about+": times that it says "+known.String(), strings.Count(source, string(document.HTMLText(known))), 1)
			}
		}
	}
}

// A page of cards in outline: their names, verdicts, links to papers, to reports beside the page and to the figures there of
// what the claims are about; and the filters, with the rules that hide what an option leaves out, or say that none is left.
func TestCards(t *testing.T) {
	check.Sequential(t)
	v := quickly(claimstest.Contrary, "paper-gp-1d", claimstest.Functions)
	several := Papers{quickly(claimstest.Contrary, "paper-gp-1d"), judge.Judge(judge.NewEvidence(claims.LookupStudy("qeubo-2023")))}
	exists := func(path string) bool { // no overview of the regret, nor gp1-suboptimality
		return slices.Contains([]string{"popbo-2024/index.html", "popbo-2024/paper-gp-1d/report/index.html", "popbo-2024/paper-gp-1d/report/figures/gp1-regret.svg"}, path)
	}
	files := check.Must(several.Files(exists))(t)
	for name, source := range map[string]string{
		"one": page(t, v, "paper-gp-1d/report/index.html", "paper-gp-1d/report/figures/gp1-regret.svg", claimstest.Functions+"/report/index.html",
			claimstest.Functions+"/report/figures/overview-suboptimality.svg"),
		"itself":  page(t, quickly(claimstest.AsClaimed, "paper-gp-1d"), "report/index.html"), // a results folder
		"several": string(files[1].Data),
	} {
		var outline []string
		for line := range strings.Lines(source) {
			if outlined.MatchString(line) {
				outline = append(outline, line)
			}
		}
		check.Golden(t, name+".html", strings.Join(outline, ""))
	}
	check.Golden(t, "index.html", strings.Join(regexp.MustCompile(`(?s)<main>.*</main>`).FindAllString(string(files[0].Data), -1), "")+"\n")
}

var outlined = regexp.MustCompile(`^(<div><dt|<article|<h2 id|<p class="(badge|where|suites|thumbs|verdict)|<legend|<span class="choice|:root:has\()`)

// The sentence says why, in the words of the claimed region.
func TestWhy(t *testing.T) {
	at := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	nan := math.NaN()
	part := func(v judge.Verdict, value float64, ci, joint stats.Interval, r claims.Region) *judge.Finding {
		return &judge.Finding{Check: claims.Check{What: "$a$ / $b$", Region: r}, Verdict: v, Value: value, CI: ci, Joint: joint, Runs: 30}
	}
	holds := part(judge.Holds, 0.5, at(0.4, 0.6), at(0.3, 0.7), claims.Below(1))
	far := part(judge.Holds, -1.2, at(-1.3, -1.1), at(-1.3, -1.1), claims.Below(1))
	fails := part(judge.Fails, 3, at(2, 4), at(1.5, 5), claims.AtMost(1))
	few := part(judge.Undecided, 3, at(nan, nan), at(nan, nan), claims.Below(1))
	few.Runs = 1
	gone := part(judge.NotRun, nan, at(nan, nan), at(nan, nan), claims.Below(1))
	gone.Missing = "suite: no records"
	border := part(judge.AtBorder, 1.01, at(0.98, 1.04), at(0.98, 1.04), claims.Below(1))
	border.Runs, border.Decided = 120, &judge.Decision{Looks: make([]judge.LookAt, 3), Estimate: 1.02, Adjusted: at(0.99, 1.05), Border: 1, Margin: 0.067, Reason: "the repeated interval holds the border and lies within δ of it"}
	capped := part(judge.Undecided, 1.3, at(0.9, 1.6), at(0.9, 1.6), claims.Below(1))
	capped.Runs, capped.Decided = 480, &judge.Decision{Looks: make([]judge.LookAt, 5), Estimate: nan, Adjusted: at(nan, nan), Border: 1, Reason: "the largest number of runs is reached"}
	for _, c := range []struct {
		parts   []*judge.Finding
		verdict judge.Verdict
		want    string
	}{
		{[]*judge.Finding{holds}, judge.Holds, "a / b is 0.50 [0.40, 0.60], and the whole interval is below 1."},
		{[]*judge.Finding{far, holds}, judge.Holds, "Both parts hold; nearest to its border: a / b is 0.50 [0.40, 0.60], and the whole interval is below 1."},
		{[]*judge.Finding{holds, holds, holds}, judge.Holds, "All 3 parts hold; nearest to its border: a / b is 0.50 [0.40, 0.60], and the whole interval is below 1."},
		{[]*judge.Finding{holds, fails}, judge.Fails, "Of 2 parts one does not hold: a / b is 3.0 [2.0, 4.0], and no part of the interval is at most 1."},
		{[]*judge.Finding{part(judge.Undecided, 1, at(0.5, 1.5), at(0.4, 1.6), claims.Above(1.2))}, judge.Undecided, "a / b is 1.00 [0.50, 1.50]: the interval reaches across 1.2."},
		{[]*judge.Finding{holds, part(judge.Undecided, 3, at(1.25, 4), at(1, 4.5), claims.Between(0.5, 1.125))}, judge.Undecided, "Of 2 parts one is undecided: a / b is 3.0 [1.2, 4.0], outside, but the wider interval for 2 parts reaches across 1.12."},
		{[]*judge.Finding{few}, judge.Undecided, "1 run is too few for an interval."},
		{[]*judge.Finding{holds, gone}, judge.NotRun, "suite: no records."},
		{[]*judge.Finding{border}, judge.AtBorder, "a / b is 1.020 [0.990, 1.050]: the repeated interval [0.98, 1.04] holds the border 1 and lies within 0.067 of it. Decided after 120 runs, look 3."},
		{[]*judge.Finding{capped}, judge.Undecided, "a / b is 1.30 [0.90, 1.60]: the repeated interval [0.9, 1.6] reaches across 1. Not decided after 480 runs, look 5: the largest number of runs is reached."},
	} {
		o := judge.Outcome{Claim: &claims.Claim{}, Verdict: c.verdict, Parts: c.parts}
		check.Equal(t, string(c.verdict), why(&o).String(), c.want)
	}
}
