package verify

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
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

// verdictOn returns the verdict on the claim with the ID.
func verdictOn(e *judge.Evidence, id string) judge.Outcome {
	all := claims.LookupStudy(claims.POPBO).Claims()
	return e.Claim(&all[slices.IndexFunc(all, func(c claims.Claim) bool { return c.ID == id })])
}

func describe(o judge.Outcome) string {
	var b strings.Builder
	for i := range o.Parts {
		f := &o.Parts[i]
		b.WriteString("\n\t" + statistic(f).String() + " on " + problemsOf(f) + ": " + ours(f).String() + ", claimed " + f.Region.String() + ": " + string(f.Verdict) + " " + f.Missing)
	}
	return b.String()
}

func TestEveryClaimHoldsWhereItIsTrue(t *testing.T) {
	for id, o := range verdicts(evidence(claimstest.AsClaimed)) {
		check.That(t, o.Verdict == judge.Holds, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

func TestEveryClaimFailsWhereItIsFalse(t *testing.T) {
	check.Sequential(t)
	for id, o := range verdicts(evidence(claimstest.Contrary)) {
		check.That(t, o.Verdict == judge.Fails, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

func TestEveryClaimIsUndecidedAtItsBorder(t *testing.T) {
	check.Sequential(t)
	got := verdicts(evidence(claimstest.OnBorder))
	other := claimstest.OnBorder
	other.Name = ""
	other.Regret = func(_, _ string, t int) float64 { return claimstest.Power(0.875, t) }
	got["reg-2"] = verdictOn(evidence(other, "paper-gp-1d"), "reg-2")
	for id, o := range got {
		check.That(t, o.Verdict == judge.Undecided, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

func TestNothingIsDecidedByFewRuns(t *testing.T) {
	e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	e.Resamples = 100
	for _, p := range claimstest.AsClaimed.Plans() {
		p.Runs = 5
		check.OK(t, e.Add(p.Results()))
	}
	for id, o := range verdicts(e) {
		check.That(t, o.Verdict == judge.Undecided, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

// The output does not depend on the order of the records.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	write := func(e *judge.Evidence) string {
		v := judge.Judge(e)
		var b bytes.Buffer
		check.OK(t, WriteJSON(&b, v))
		check.OK(t, document.WriteText(&b, Document(v)))
		return b.String()
	}
	suites := []string{"paper-gp-1d", claimstest.Functions, "paper-thermal-4d"}
	e := evidence(claimstest.AsClaimed, suites...)
	want := write(e)
	shuffled := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	shuffled.Resamples = e.Resamples
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range slices.Backward(claimstest.AsClaimed.Plans()) {
		if !slices.Contains(suites, p.Suite) {
			continue
		}
		records := p.Results()
		r.Shuffle(len(records.Records), func(i, j int) {
			records.Records[i], records.Records[j] = records.Records[j], records.Records[i]
		})
		check.OK(t, shuffled.Add(records))
	}
	check.Equal(t, "the verdicts", write(shuffled), want)
}

// If every part is at its border, the verdicts "holds" and "does not hold" have a rate of 2.5 %
// each, and of up to 5 % because intervals of skewed numbers are not exact. Parts and runs are
// as in the claims, of which only one has more than nine parts. With a rate of 5 %, more than
// 16 of 200 worlds have the verdict with a probability of 3 %. The seeds are fixed.
func TestRuleIsRightAtTheBorder(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates")
	}
	const worlds = 200
	for _, c := range []struct{ parts, runs int }{{1, 10}, {2, 20}, {1, 30}, {9, 30}} {
		t.Run(fmt.Sprintf("%d parts, %d runs", c.parts, c.runs), func(t *testing.T) {
			count := map[judge.Verdict]int{}
			for k := range worlds {
				r := rand.New(rand.NewPCG(uint64(k), uint64(100*c.parts+c.runs)))
				e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
				e.Resamples = 2000
				results := &outcome.Results{Suite: "made-up"}
				var parts []judge.Finding
				for part := range c.parts {
					at := claims.Place{Suite: "made-up", Problem: string(rune('a' + part))}
					for _, label := range []string{claimstest.POPBO, claimstest.QEUBO} {
						g := outcome.Group{Rules: []string{"only"}}
						g.Problem.Name, g.Algorithm.Label = at.Problem, label
						for i := range c.runs {
							g.Runs = append(g.Runs, outcome.Run{Repetition: i, Regret: []float64{0}, Suboptimality: [][]float64{{r.ExpFloat64()}}, Uniform: &record.Uniform{Mean: 1}})
						}
						results.Groups = append(results.Groups, g)
					}
					e.Suites["made-up"] = results
					parts = append(parts, e.Find(claims.Gap(at, claims.Suboptimality(claimstest.POPBO, claims.Last), claims.Suboptimality(claimstest.QEUBO, claims.Last), claims.Below(0)), c.parts))
				}
				count[judge.Together(parts, func(f judge.Finding) judge.Verdict { return f.Verdict }, judge.Holds)]++
			}
			t.Logf("%d parts, %d runs: %v", c.parts, c.runs, count)
			if most := worlds * 8 / 100; count[judge.Holds] > most || count[judge.Fails] > most || count[judge.NotRun] > 0 {
				t.Errorf("%d parts, %d runs: %v of %d", c.parts, c.runs, count, worlds)
			}
		})
	}
}

// Missing runs are named, and affect only the claims that need them.
func TestWhatIsMissingIsSaid(t *testing.T) {
	check.Sequential(t)
	e := evidence(claimstest.AsClaimed)
	whole := verdicts(e)
	delete(e.Suites, "paper-gp-7d")
	without := func(e *judge.Evidence, suite, label string) {
		r := e.Suites[suite]
		r.Groups = slices.DeleteFunc(r.Groups, func(g outcome.Group) bool { return g.Algorithm.Label == label })
	}
	without(e, "paper-gp-1d", claimstest.DTS)
	for i := range e.Suites["paper-thermal-2d"].Groups { // of an older format, say
		for k := range e.Suites["paper-thermal-2d"].Groups[i].Runs {
			e.Suites["paper-thermal-2d"].Groups[i].Runs[k].Uniform = nil
		}
	}
	missing := map[string]string{
		"gp7-1": "paper-gp-7d: no records", "gp7-2": "paper-gp-7d: no records", "gp7-3": "paper-gp-7d: no records",
		"gp1d-1": "paper-gp-1d: no runs of DTS", "gp1d-6": "paper-gp-1d: no runs of DTS", "time-1": "paper-gp-1d: no runs of DTS",
		"th2-2": "records do not say how far", "th4-1": "records do not say how far",
	}
	for id, o := range verdicts(e) {
		text, gone := missing[id]
		if !gone {
			check.That(t, o.Verdict == whole[id].Verdict, "%s was %q and is %q", id, whole[id].Verdict, o.Verdict)
			continue
		}
		check.That(t, o.Verdict == judge.NotRun && strings.Contains(describe(o), text),
			"%s: %s%s, want %q", id, o.Verdict, describe(o), text)
	}
	// A method that ran elsewhere is missing on a problem only.
	at := claims.Place{Suite: claimstest.Functions, Problem: "beale"}
	r := e.Suites[claimstest.Functions]
	r.Groups = slices.DeleteFunc(r.Groups, func(g outcome.Group) bool { return g.Problem.Name == "beale" && g.Algorithm.Label == claimstest.DTS })
	of := claims.Mean(at, claims.Suboptimality(claimstest.DTS, claims.Last), claims.Below(0))
	check.Equal(t, "missing on a problem", e.Find(of, 1).Missing, claimstest.Functions+": no runs of DTS on beale")
	without(e, claimstest.Functions, claimstest.DTS)
	check.Equal(t, "missing everywhere", e.Find(of, 1).Missing, claimstest.Functions+": no runs of DTS")
	// One part that fails is enough, even if others are missing.
	e = evidence(claimstest.Contrary, "paper-gp-1d")
	without(e, "paper-gp-1d", claimstest.DTS)
	if o := verdictOn(e, "gp1d-1"); o.Verdict != judge.Fails {
		t.Errorf("gp1d-1: %s%s", o.Verdict, describe(o))
	}
}

// Only runs of the same repetition are compared, and only if they have the same function.
func TestRunsArePaired(t *testing.T) {
	e := evidence(claimstest.AsClaimed, "paper-ackley-6d")
	groups := e.Suites["paper-ackley-6d"].Groups
	g := &groups[slices.IndexFunc(groups, func(g outcome.Group) bool { return g.Algorithm.Label == claimstest.QEUBO })]
	g.Runs = slices.Delete(g.Runs, 3, 8)
	f := verdictOn(e, "ack-1").Parts[0]
	check.That(t, f.Runs == 25, "%d runs", f.Runs)
	g.Runs[20].Optimum++
	if o := verdictOn(e, "ack-1"); o.Verdict != judge.NotRun || !strings.Contains(o.Parts[0].Missing, "another function than that of") {
		t.Errorf("%s%s", o.Verdict, describe(o))
	}
}

// The claims are about regret against an optimum, which the best value that happens to be found is not.
func TestClaimsNeedAnOptimum(t *testing.T) {
	e := evidence(claimstest.AsClaimed, "paper-ackley-6d")
	groups := e.Suites["paper-ackley-6d"].Groups
	for i := range groups {
		groups[i].BestFound = &outcome.BestFound{Value: 1, Runs: 90}
	}
	if o := verdictOn(e, "ack-1"); o.Verdict != judge.NotRun || !strings.Contains(o.Parts[0].Missing, "the optimum of ackley6 is unknown") {
		t.Errorf("%s%s", o.Verdict, describe(o))
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := judge.ReadStudy(claims.LookupStudy(claims.POPBO), dir); !errors.Is(err, judge.ErrNoEvidence) {
		t.Errorf("an empty folder: %v", err)
	}
	put := func(under string, p reporttest.Plan) {
		t.Helper()
		for _, r := range p.Results().Records {
			check.OK(t, record.WriteFile(record.RecordPath(filepath.Join(dir, under), r.Header.Cell), r))
		}
	}
	plans := claimstest.AsClaimed.Plans()
	ackley := plans[slices.IndexFunc(plans, func(p reporttest.Plan) bool { return p.Suite == "paper-ackley-6d" })]
	ackley.Runs = 10
	put("paper-ackley-6d", ackley)
	for _, folder := range []string{dir, filepath.Join(dir, "paper-ackley-6d")} {
		e := check.Must(judge.ReadStudy(claims.LookupStudy(claims.POPBO), folder))(t)
		e.Resamples = 200
		if ran, not := verdictOn(e, "ack-1").Verdict, verdictOn(e, "gp1d-2").Verdict; ran != judge.Holds || not != judge.NotRun {
			t.Errorf("%s: ack-1 %s, gp1d-2 %s", folder, ran, not)
		}
	}
	ackley.Suite, ackley.Runs = "quick", 1
	put("paper-gp-1d", ackley)
	if _, err := judge.ReadStudy(claims.LookupStudy(claims.POPBO), dir); err == nil || !strings.Contains(err.Error(), "the suite quick, which no claim is about") {
		t.Errorf("another suite's records: %v", err)
	}
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
	if len(all) != 2 {
		t.Fatalf("warnings %q, want two", all)
	}
	for i, want := range []string{
		"paper-gp-1d: Not complete: of the 1 cell that cells.json lists 1 has no record: gp1/POP-BO 030.",
		"A mixture: the suites were run by 2 programs",
	} {
		got := string(all[i])
		check.That(t, strings.HasPrefix(got, want), "warning %q, want %q", got, want)
	}
	check.Same(t, "warnings of the document", Document(v).Warnings, all)
	var b bytes.Buffer
	if err := WriteJSON(&b, v); err != nil || !strings.Contains(b.String(), `"paper-gp-1d: Not complete`) {
		t.Errorf("%v; JSON without them:\n%.300s", err, &b)
	}
}

func TestCounts(t *testing.T) {
	v := &judge.Verdicts{Outcomes: []judge.Outcome{{Verdict: judge.Holds}, {Verdict: judge.Fails}, {Verdict: judge.Fails}, {Verdict: judge.NotRun}}, Evidence: judge.NewEvidence(claims.LookupStudy(claims.POPBO))}
	if got, want := Counts(v), "Of the paper's 4 claims 1 holds, 2 do not hold and 1 was not run."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
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
			check.That(t, f.SharedPilot == want,
				"%s: %s on %s shares a pilot of %d, want %d", o.Claim.ID, statistic(&f), problemsOf(&f), f.SharedPilot, want)
		}
	}
	d := Document(v)
	n := document.Plain(outcome.ConditionalNote(300))
	if !slices.Contains(d.Footnotes(), n) {
		t.Fatalf("no note says so: %q", d.Footnotes())
	}
	said := 0
	for _, note := range d.Footnotes() {
		said += strings.Count(string(note), string(n))
	}
	check.That(t, said == 1, "the notes say it %d times: %q", said, d.Footnotes())
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
	err := WriteJSON(&b, v)
	check.That(t, err == nil && strings.Contains(b.String(), `"shared_pilot": 300`), "error %v, JSON without the pilot", err)
}

// A quantity of a claim has the interval that it has in the report.
func TestIntervalsAreTheReports(t *testing.T) {
	e := evidence(claimstest.AsClaimed, "paper-ackley-6d")
	e.Resamples = stats.Resamples
	table := outcome.NewTable(e.Suites["paper-ackley-6d"])
	for i := range table.Rows {
		row := &table.Rows[i]
		at := claims.Place{Suite: "paper-ackley-6d", Problem: row.Problem.Name}
		same := func(q claims.Quantity, want stats.Summary) {
			t.Helper()
			if f := e.Find(claims.Mean(at, q, claims.Below(0)), 1); f.Value != want.Mean || f.CI != want.CI {
				t.Errorf("%v is %g %v, the report has %g %v", q, f.Value, f.CI, want.Mean, want.CI)
			}
		}
		same(claims.Suboptimality(row.Algorithm.Label, claims.Last), row.Rules[0].True)
		same(claims.Regret(row.Algorithm.Label, claims.Last), row.Regret)
	}
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

func TestHowVerdictsComeAbout(t *testing.T) {
	check.Contains(t, "how verdicts come about", general("paper", 28).String(), "its 95\u00a0% bootstrap interval", "right together with 95\u00a0%", "one of 28 verdicts")
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
