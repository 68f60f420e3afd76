package verify

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/record"
)

// verdicts of the claims, by ID.
func verdicts(e *judge.Evidence) map[string]*judge.Outcome {
	m := map[string]*judge.Outcome{}
	for _, o := range judge.Judge(e).Outcomes {
		m[o.Claim.ID] = o
	}
	return m
}

// Missing runs in a suite, and suites by two programs, are reported above the
// verdicts.
func TestWarnings(t *testing.T) {
	e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	e.Resamples = 200
	for i, p := range claimstest.AsClaimed.Plans()[:2] {
		in := p.Results()
		if i == 0 {
			in.List = &record.List{}
			in.List.Add("gp1/POP-BO", 30)
		} else {
			for _, r := range in.Records {
				r.Header.Platform = "plan9/386"
			}
		}
		check.OK(t, e.Add(in))
	}
	v := judge.Judge(e)
	all := Brief(v).Warnings
	check.Equal(t, "warnings", len(all), 2)
	check.Contains(t, "the first", string(all[0]), "paper-gp-1d: Not complete: of the 1 cell that cells.json lists 1 has no record: gp1/POP-BO 030.")
	check.Contains(t, "the second", string(all[1]), "A mixture: the suites were run by 2 programs")
	check.Same(t, "warnings of the document", Document(v).Warnings, all)
	var facts []string
	for _, f := range pageDocument(v).Facts { // the paper and its suites stand elsewhere
		facts = append(facts, f.Name.String())
	}
	check.Equal(t, "facts of the page", strings.Join(facts, ", "), "Program, Machine")
	var b bytes.Buffer
	check.OK(t, WriteJSON(&b, v))
	check.Contains(t, "JSON", b.String(), `"paper-gp-1d: Not complete`)
}

// usual is evidence on the usual trial by the repetitions below n. The notes on its groups are of values above the optimum,
// which drawn numbers have: they are left out.
func usual(t *testing.T, n int, change func(h *record.Header)) *judge.Evidence {
	e, records := judge.NewEvidence(claimstest.Usual.Study()), claimstest.Usual.Records(n)
	for _, r := range records.Records {
		change(&r.Header)
	}
	e.Resamples = 50
	check.OK(t, e.Add(records))
	for _, g := range e.Suites["s"].Groups {
		g.Notes = slices.DeleteFunc(g.Notes, func(note string) bool { return strings.Contains(note, "exceeds") })
	}
	return e
}

func TestGoldens(t *testing.T) {
	none := func(*record.Header) {}
	earlier := usual(t, 30, none)
	byPlan, _, err := check.Must(earlier.Plan(judge.DefaultTerms(), nil))(t).Decide(earlier, usual(t, claimstest.All, none), "")
	check.OK(t, err)
	// Every output marks the checks of runs that share a pilot, and no others; a note on several groups appears once.
	noted := usual(t, 30, func(h *record.Header) {
		switch h.Algorithm.Label {
		case "a":
			h.PilotComparisons, h.PilotPer = 300, record.PerProblem
		case "b":
			h.PilotComparisons, h.PilotPer = 300, record.PerRepetition
		case "d":
			h.Algorithm.Feedback = record.Values
		}
	})
	for name, d := range map[string]*document.Document{"decided.txt": Document(byPlan), "thirty.txt": Document(judge.Judge(noted)), "plan.txt": PlanDocument(byPlan.Plan)} {
		check.GoldenWritten(t, name, func(w io.Writer) error { return document.WriteText(w, d) })
	}
	check.GoldenWritten(t, "decided.json", func(w io.Writer) error { return WriteJSON(w, byPlan) })
	check.GoldenWritten(t, "thirty.json", func(w io.Writer) error { return WriteJSON(w, judge.Judge(noted)) })
	source := page(t, byPlan)
	check.Golden(t, "decided.html", source[strings.Index(source, "<main>"):strings.Index(source, "</main>")]+"\n")
	check.Contains(t, "counts of papers with a plan", Papers{byPlan}.Counts(), " and 1 is undecided.")
	byPlan.Plan.Outside = nil
	check.Lacks(t, "a plan for all claims", ruleOf(byPlan).String(), "It is not about")
}

// outcomeOf returns the outcome of a claim.
func outcomeOf(v *judge.Verdicts, id string) *judge.Outcome {
	return v.Outcomes[slices.IndexFunc(v.Outcomes, func(o *judge.Outcome) bool { return o.Claim.ID == id })]
}

// evidence of a world, from the suites with the given names, or from all suites if none are given.
func evidence(w claimstest.World, suites ...string) *judge.Evidence {
	e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	// The widest intervals would need more resamples, but no verdict here is that close.
	e.Resamples, e.Suites = 200, w.Results(suites...)
	return e
}
