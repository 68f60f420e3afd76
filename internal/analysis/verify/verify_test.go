package verify

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/report/reporttest"
	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/record"
)

// verdicts of the claims, by ID.
func verdicts(e *Evidence) map[string]Outcome {
	m := map[string]Outcome{}
	for _, o := range Judge(e).Outcomes {
		m[o.Claim.ID] = o
	}
	return m
}

// verdictOn returns the verdict on the claim with the ID.
func verdictOn(e *Evidence, id string) Outcome {
	all := LookupStudy(POPBO).Claims()
	return e.judge(&all[slices.IndexFunc(all, func(c Claim) bool { return c.ID == id })])
}

func describe(o Outcome) string {
	var b strings.Builder
	for i := range o.Parts {
		f := &o.Parts[i]
		b.WriteString("\n\t" + statistic(f).String() + " on " + problemsOf(f) + ": " + ours(f).String() + ", claimed " + f.Region.String() + ": " + string(f.Verdict) + " " + f.Missing)
	}
	return b.String()
}

func TestEveryClaimHoldsWhereItIsTrue(t *testing.T) {
	for id, o := range verdicts(asClaimed.evidence()) {
		check.That(t, o.Verdict == judge.Holds, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

func TestEveryClaimFailsWhereItIsFalse(t *testing.T) {
	check.Sequential(t)
	for id, o := range verdicts(contrary.evidence()) {
		check.That(t, o.Verdict == judge.Fails, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

func TestEveryClaimIsUndecidedAtItsBorder(t *testing.T) {
	check.Sequential(t)
	got := verdicts(onBorder.evidence())
	other := onBorder
	other.name = ""
	other.regret = func(_, _ string, t int) float64 { return power(0.875, t) }
	got["reg-2"] = verdictOn(other.evidence("paper-gp-1d"), "reg-2")
	for id, o := range got {
		check.That(t, o.Verdict == judge.Undecided, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

func TestNothingIsDecidedByFewRuns(t *testing.T) {
	e := NewEvidence(LookupStudy(POPBO))
	e.resamples = 100
	for _, p := range asClaimed.plans() {
		p.Runs = 5
		check.OK(t, e.Add(p.Results()))
	}
	for id, o := range verdicts(e) {
		check.That(t, o.Verdict == judge.Undecided, "%s: %s%s", id, o.Verdict, describe(o))
	}
}

// The output does not depend on the order of the records.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	write := func(e *Evidence) string {
		v := Judge(e)
		var b bytes.Buffer
		check.OK(t, WriteJSON(&b, v))
		check.OK(t, document.WriteText(&b, Document(v)))
		return b.String()
	}
	suites := []string{"paper-gp-1d", functions, "paper-thermal-4d"}
	e := asClaimed.evidence(suites...)
	want := write(e)
	shuffled := NewEvidence(LookupStudy(POPBO))
	shuffled.resamples = e.resamples
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range slices.Backward(asClaimed.plans()) {
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
				e := NewEvidence(LookupStudy(POPBO))
				e.resamples = 2000
				results := &outcome.Results{Suite: "made-up"}
				var parts []Finding
				for part := range c.parts {
					at := place{"made-up", string(rune('a' + part))}
					for _, label := range []string{popbo, qeubo} {
						g := outcome.Group{Rules: []string{"only"}}
						g.Problem.Name, g.Algorithm.Label = at.problem, label
						for i := range c.runs {
							g.Runs = append(g.Runs, outcome.Run{Repetition: i, Regret: []float64{0}, Suboptimality: [][]float64{{r.ExpFloat64()}}, Uniform: &record.Uniform{Mean: 1}})
						}
						results.Groups = append(results.Groups, g)
					}
					e.suites["made-up"] = results
					parts = append(parts, e.find(gap(at, suboptimality(popbo, last), suboptimality(qeubo, last), below(0)), c.parts))
				}
				count[together(parts)]++
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
	e := asClaimed.evidence()
	whole := verdicts(e)
	delete(e.suites, "paper-gp-7d")
	without := func(e *Evidence, suite, label string) {
		r := e.suites[suite]
		r.Groups = slices.DeleteFunc(r.Groups, func(g outcome.Group) bool { return g.Algorithm.Label == label })
	}
	without(e, "paper-gp-1d", dts)
	for i := range e.suites["paper-thermal-2d"].Groups { // of an older format, say
		for k := range e.suites["paper-thermal-2d"].Groups[i].Runs {
			e.suites["paper-thermal-2d"].Groups[i].Runs[k].Uniform = nil
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
	at := place{functions, "beale"}
	r := e.suites[functions]
	r.Groups = slices.DeleteFunc(r.Groups, func(g outcome.Group) bool { return g.Problem.Name == "beale" && g.Algorithm.Label == dts })
	_, err := e.stratum(sample{at, []quantity{suboptimality(dts, last)}})
	check.Equal(t, "missing on a problem", err.Error(), functions+": no runs of DTS on beale")
	without(e, functions, dts)
	_, err = e.stratum(sample{at, []quantity{suboptimality(dts, last)}})
	check.Equal(t, "missing everywhere", err.Error(), functions+": no runs of DTS")
	// One part that fails is enough, even if others are missing.
	e = contrary.evidence("paper-gp-1d")
	without(e, "paper-gp-1d", dts)
	if o := verdictOn(e, "gp1d-1"); o.Verdict != judge.Fails {
		t.Errorf("gp1d-1: %s%s", o.Verdict, describe(o))
	}
}

// Only runs of the same repetition are compared, and only if they have the same function.
func TestRunsArePaired(t *testing.T) {
	e := asClaimed.evidence("paper-ackley-6d")
	groups := e.suites["paper-ackley-6d"].Groups
	g := &groups[slices.IndexFunc(groups, func(g outcome.Group) bool { return g.Algorithm.Label == qeubo })]
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
	e := asClaimed.evidence("paper-ackley-6d")
	groups := e.suites["paper-ackley-6d"].Groups
	for i := range groups {
		groups[i].BestFound = &outcome.BestFound{Value: 1, Runs: 90}
	}
	if o := verdictOn(e, "ack-1"); o.Verdict != judge.NotRun || !strings.Contains(o.Parts[0].Missing, "the optimum of ackley6 is unknown") {
		t.Errorf("%s%s", o.Verdict, describe(o))
	}
}

func TestRegions(t *testing.T) {
	at := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	nan := math.NaN()
	for _, c := range []struct {
		region  Region
		ci      stats.Interval
		in, out bool
		text    string
	}{
		{below(1), at(0, 0.5), true, false, "< 1"},
		{below(1), at(0, 1), false, false, "< 1"},
		{below(1), at(1, 2), false, true, "< 1"},
		{atMost(1), at(1, 1), true, false, "≤ 1"},
		{atMost(1), at(1, 2), false, false, "≤ 1"},
		{above(2.5), at(2.5, 3), false, false, "> 2.5"},
		{above(2.5), at(2, 2.5), false, true, "> 2.5"},
		{atLeast(1), at(1, 3), true, false, "≥ 1"},
		{between(1.7, 2.1), at(1.7, 2.1), true, false, "1.7 to 2.1"},
		{between(1.7, 2.1), at(1, 3), false, false, "1.7 to 2.1"},
		{between(1.7, 2.1), at(2.2, 3), false, true, "1.7 to 2.1"},
		{between(1.7, 2.1), at(nan, nan), false, false, "1.7 to 2.1"},
		{below(0), at(nan, nan), false, false, "< 0"},
	} {
		t.Run(fmt.Sprintf("%v of %v", c.ci, c.region), func(t *testing.T) {
			if in, out := c.region.contains(c.ci), c.region.misses(c.ci); in != c.in || out != c.out || c.region.String() != c.text {
				t.Errorf("%v of %v: %v, %v", c.ci, c.region, in, out)
			}
		})
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadStudy(LookupStudy(POPBO), dir); !errors.Is(err, ErrNoEvidence) {
		t.Errorf("an empty folder: %v", err)
	}
	put := func(under string, p reporttest.Plan) {
		t.Helper()
		for _, r := range p.Results().Records {
			check.OK(t, record.WriteFile(record.RecordPath(filepath.Join(dir, under), r.Header.Cell), r))
		}
	}
	plans := asClaimed.plans()
	ackley := plans[slices.IndexFunc(plans, func(p reporttest.Plan) bool { return p.Suite == "paper-ackley-6d" })]
	ackley.Runs = 10
	put("paper-ackley-6d", ackley)
	for _, folder := range []string{dir, filepath.Join(dir, "paper-ackley-6d")} {
		e := check.Must(ReadStudy(LookupStudy(POPBO), folder))(t)
		e.resamples = 200
		if ran, not := verdictOn(e, "ack-1").Verdict, verdictOn(e, "gp1d-2").Verdict; ran != judge.Holds || not != judge.NotRun {
			t.Errorf("%s: ack-1 %s, gp1d-2 %s", folder, ran, not)
		}
	}
	ackley.Suite, ackley.Runs = "quick", 1
	put("paper-gp-1d", ackley)
	if _, err := ReadStudy(LookupStudy(POPBO), dir); err == nil || !strings.Contains(err.Error(), "the suite quick, which no claim is about") {
		t.Errorf("another suite's records: %v", err)
	}
}

// Missing runs in a suite, and suites by two programs, are reported above the
// verdicts.
func TestWarnings(t *testing.T) {
	e := NewEvidence(LookupStudy(POPBO))
	e.resamples = 200
	for i, p := range asClaimed.plans()[:2] {
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
	v := Judge(e)
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
	v := &Verdicts{Outcomes: []Outcome{{Verdict: judge.Holds}, {Verdict: judge.Fails}, {Verdict: judge.Fails}, {Verdict: judge.NotRun}}, evidence: NewEvidence(LookupStudy(POPBO))}
	if got, want := Counts(v), "Of the paper's 4 claims 1 holds, 2 do not hold and 1 was not run."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every output marks the checks of runs that share a pilot, and no others.
func TestSharedPilotIsMarked(t *testing.T) {
	e := asClaimed.evidence("paper-gp-1d")
	for _, p := range asClaimed.plans() {
		if p.Suite != functions {
			continue
		}
		records := p.Results()
		for _, rec := range records.Records {
			if h := &rec.Header; h.Algorithm.Label == popbo {
				h.PilotComparisons = 300
				if h.Problem.Name != "beale" {
					h.PilotPer = record.PerRepetition
				}
			}
		}
		check.OK(t, e.Add(records))
	}
	v := Judge(e)
	for _, o := range v.Outcomes {
		for _, f := range slices.Concat(o.Parts, o.Beside) {
			want := 0
			if f.Missing == "" && strings.Contains(string(f.What), "POP-BO") && slices.ContainsFunc(f.samples, func(s sample) bool { return s.place == place{functions, "beale"} }) {
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
	e := asClaimed.evidence("paper-ackley-6d")
	e.resamples = stats.Resamples
	table := outcome.NewTable(e.suites["paper-ackley-6d"])
	for i := range table.Rows {
		row := &table.Rows[i]
		at := place{"paper-ackley-6d", row.Problem.Name}
		same := func(q quantity, want stats.Summary) {
			t.Helper()
			if f := e.find(mean(at, q, below(0)), 1); f.Value != want.Mean || f.CI != want.CI {
				t.Errorf("%v is %g %v, the report has %g %v", q, f.Value, f.CI, want.Mean, want.CI)
			}
		}
		same(suboptimality(row.Algorithm.Label, last), row.Rules[0].True)
		same(regret(row.Algorithm.Label, last), row.Regret)
	}
}

// A note on several groups appears once, with their names.
func TestGroupNotes(t *testing.T) {
	e := NewEvidence(LookupStudy(POPBO))
	e.resamples = 200
	for _, p := range asClaimed.plans()[:3] {
		records := p.Results()
		for _, r := range records.Records {
			if r.Header.Algorithm.Label == sgp {
				r.Header.Algorithm.Feedback = record.Values
			}
		}
		check.OK(t, e.Add(records))
	}
	var found []string
	for _, note := range Document(Judge(e)).Footnotes() {
		if strings.Contains(note.String(), outcome.ValuesNote) {
			found = append(found, note.String())
		}
	}
	if len(found) != 1 || !strings.HasPrefix(found[0], "SGP in paper-") || !strings.Contains(found[0], " and paper-") {
		t.Errorf("notes %q", found)
	}
}

func TestNumbersAreWrittenAsInThePaper(t *testing.T) {
	for v, want := range map[float64]string{2: "2.0", 0.92: "0.92", -1: "-1.0", 12.5: "12.5"} {
		check.Equal(t, "number", decimal(v), want)
	}
	check.Contains(t, "how verdicts come about", general("paper", 28).String(), "its 95\u00a0% bootstrap interval", "right together with 95\u00a0%", "one of 28 verdicts")
}
