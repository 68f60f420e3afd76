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
	"popbench/internal/golden"
	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/record"
)

// verdicts of the claims, by ID.
func verdicts(e *judge.Evidence) map[string]judge.Outcome {
	m := map[string]judge.Outcome{}
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

// Every output marks the checks of runs that share a pilot, and no others.
func TestSharedPilotIsMarked(t *testing.T) {
	e := evidence(claimstest.AsClaimed, "paper-gp-1d")
	for _, p := range claimstest.AsClaimed.Plans() {
		if p.Suite != claimstest.Functions {
			continue
		}
		records := p.Results()
		for _, rec := range records.Records {
			if h := &rec.Header; h.Algorithm.Label == claimstest.POPBO {
				h.PilotComparisons = 300
				if h.Problem.Name != "beale" {
					h.PilotPer = record.PerRepetition
				}
			}
		}
		check.OK(t, e.Add(records))
	}
	v := judge.Judge(e)
	for _, o := range v.Outcomes {
		for _, f := range slices.Concat(o.Parts, o.Beside) {
			want := 0
			if f.Missing == "" && strings.Contains(string(f.What), "POP-BO") && slices.ContainsFunc(f.Samples, func(s claims.Sample) bool {
				return s.Place == claims.Place{Suite: claimstest.Functions, Problem: "beale"}
			}) {
				want = 300
			}
			check.That(t, f.SharedPilot == want, "%s: %s on %s shares a pilot of %d, want %d", o.Claim.ID, statistic(&f), problemsOf(&f), f.SharedPilot, want)
		}
	}
	d := Document(v)
	n := document.Plain(outcome.ConditionalNote(300))
	check.Equal(t, "the notes say so", strings.Count(document.Join(d.Footnotes(), "\n").String(), n.String()), 1)
	for _, row := range d.Sheets[0].Rows {
		about := strings.HasPrefix(row[0].String(), "tf-")
		check.That(t, slices.Contains(row[2].Notes, n) == about, "the verdict on %s is marked: %v", row[0].Text, !about)
	}
	for _, row := range d.Sheets[1].Rows {
		if last := row[len(row)-1]; slices.Contains(last.Notes, n) && !strings.HasPrefix(row[0].String(), "tf-") {
			t.Errorf("a check of %s is marked: %s", row[0].Text, row[1].Text)
		}
	}
	var b bytes.Buffer
	check.OK(t, WriteJSON(&b, v))
	check.Contains(t, "JSON", b.String(), `"shared_pilot": 300`)
}

// decided are the verdicts on the usual trial by a plan, and by its first thirty runs.
func decided(t *testing.T) (byPlan, byThirty *judge.Verdicts) {
	runs := func(n int) *judge.Evidence {
		e := judge.NewEvidence(claimstest.Usual.Study())
		e.Resamples = 50
		check.OK(t, e.Add(claimstest.Usual.Records(n)))
		for i := range e.Suites["s"].Groups {
			e.Suites["s"].Groups[i].Notes = nil // on values above the optimum, which drawn numbers have
		}
		return e
	}
	earlier := runs(30)
	v, _, err := check.Must(earlier.Plan(judge.DefaultTerms(), nil))(t).Decide(earlier, runs(claimstest.All), "")
	check.OK(t, err)
	return v, judge.Judge(earlier)
}

func TestGoldens(t *testing.T) {
	byPlan, byThirty := decided(t)
	for name, d := range map[string]*document.Document{"decided.txt": Document(byPlan), "thirty.txt": Document(byThirty), "plan.txt": PlanDocument(byPlan.Plan)} {
		golden.Written(t, name, func(w io.Writer) error { return document.WriteText(w, d) })
	}
	golden.Written(t, "decided.json", func(w io.Writer) error { return WriteJSON(w, byPlan) })
	_, source := page(t, byPlan)
	golden.Check(t, "decided.html", source[strings.Index(source, "<main>"):strings.Index(source, "</main>")]+"\n")
}

// A note on several groups appears once, with their names.
func TestGroupNotes(t *testing.T) {
	e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	e.Resamples = 200
	for _, p := range claimstest.AsClaimed.Plans()[:3] {
		records := p.Results()
		for _, r := range records.Records {
			if r.Header.Algorithm.Label == claimstest.SGP {
				r.Header.Algorithm.Feedback = record.Values
			}
		}
		check.OK(t, e.Add(records))
	}
	var found []string
	for _, note := range Document(judge.Judge(e)).Footnotes() {
		if strings.Contains(note.String(), outcome.ValuesNote) {
			found = append(found, note.String())
		}
	}
	if len(found) != 1 || !strings.HasPrefix(found[0], "SGP in paper-") || !strings.Contains(found[0], " and paper-") {
		t.Errorf("notes %q", found)
	}
}

// outcomeOf returns the outcome of a claim.
func outcomeOf(v *judge.Verdicts, id string) *judge.Outcome {
	return &v.Outcomes[slices.IndexFunc(v.Outcomes, func(o judge.Outcome) bool { return o.Claim.ID == id })]
}

// evidence of a world, from the suites with the given names, or from all suites if none are given.
func evidence(w claimstest.World, suites ...string) *judge.Evidence {
	e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	// The widest intervals would need more resamples, but no verdict here is that close.
	e.Resamples, e.Suites = 200, w.Results(suites...)
	return e
}
