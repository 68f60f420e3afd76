package verify

import (
	"bytes"
	"errors"
	"math"
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
	"popbench/internal/paper"
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

// Every claim holds in a world in which it is true, fails in one in which its contrary is, and is decided neither at its
// border nor by few runs.
func TestVerdictsOfWorlds(t *testing.T) {
	check.Sequential(t)
	border := verdicts(evidence(claimstest.OnBorder))
	slower := claimstest.OnBorder
	slower.Name = ""
	slower.Regret = func(_, _ string, t int) float64 { return claimstest.Power(0.875, t) }
	border["reg-2"] = verdictOn(evidence(slower, "paper-gp-1d"), "reg-2")
	few := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
	few.Resamples = 100
	for _, p := range claimstest.AsClaimed.Plans() {
		p.Runs = 5
		check.OK(t, few.Add(p.Results()))
	}
	for _, world := range []struct {
		name string
		want judge.Verdict
		got  map[string]judge.Outcome
	}{
		{"as claimed", judge.Holds, verdicts(evidence(claimstest.AsClaimed))},
		{"the contrary", judge.Fails, verdicts(evidence(claimstest.Contrary))},
		{"at the border", judge.Undecided, border},
		{"few runs", judge.Undecided, verdicts(few)},
	} {
		for id, o := range world.got {
			check.That(t, o.Verdict == world.want, "%s, %s: %s%s", world.name, id, o.Verdict, describe(o))
		}
	}
}

// If every part is at its border, the verdicts "holds" and "does not hold" have a rate of 2.5 % each, and of up to 5 %
// because intervals of skewed numbers are not exact. Parts and runs are as in the claims, of which only one has more than
// nine parts. With a rate of 5 %, more than 8 % of 200 worlds have the verdict with a probability of 3 %, of 100 with 6 %.
// The seeds are fixed.
func TestRuleIsRightAtTheBorder(t *testing.T) {
	worlds := check.Few(100, 200)
	for _, c := range []struct{ parts, runs int }{{1, 10}, {2, 20}, {1, 30}, {9, 30}} {
		count := map[judge.Verdict]int{}
		for k := range worlds {
			r := rand.New(rand.NewPCG(uint64(k), uint64(100*c.parts+c.runs)))
			results := &outcome.Results{Suite: "made-up"}
			e := judge.NewEvidence(claims.LookupStudy(claims.POPBO))
			e.Resamples, e.Suites["made-up"] = 2000, results
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
				parts = append(parts, e.Find(claims.Gap(at, claims.Suboptimality(claimstest.POPBO, claims.Last), claims.Suboptimality(claimstest.QEUBO, claims.Last), claims.Below(0)), c.parts))
			}
			count[judge.Together(parts, func(f judge.Finding) judge.Verdict { return f.Verdict }, judge.Holds)]++
		}
		most := worlds * 8 / 100
		check.That(t, count[judge.Holds] <= most && count[judge.Fails] <= most && count[judge.NotRun] == 0, "%d parts, %d runs: %v of %d", c.parts, c.runs, count, worlds)
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
	check.Equal(t, "gp1d-1", verdictOn(e, "gp1d-1").Verdict, judge.Fails)
}

// Only runs of the same repetition are compared, and only if they have the same function and its optimum is known: the best
// value that happens to be found is none.
func TestRunsArePaired(t *testing.T) {
	e := evidence(claimstest.AsClaimed, "paper-ackley-6d")
	groups := e.Suites["paper-ackley-6d"].Groups
	g := &groups[slices.IndexFunc(groups, func(g outcome.Group) bool { return g.Algorithm.Label == claimstest.QEUBO })]
	g.Runs = slices.Delete(g.Runs, 3, 8)
	check.Equal(t, "runs", verdictOn(e, "ack-1").Parts[0].Runs, 25)
	missing := func(want string) {
		t.Helper()
		o := verdictOn(e, "ack-1")
		check.Equal(t, "verdict", o.Verdict, judge.NotRun)
		check.Contains(t, "what is missing", o.Parts[0].Missing, want)
	}
	g.Runs[20].Optimum++
	missing("another function than that of")
	for i := range groups {
		groups[i].BestFound = &outcome.BestFound{Value: 1, Runs: 90}
	}
	missing("the optimum of ackley6 is unknown")
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	_, err := judge.ReadStudy(claims.LookupStudy(claims.POPBO), dir)
	check.That(t, errors.Is(err, judge.ErrNoEvidence), "an empty folder: %v", err)
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
		check.Equal(t, "what ran", verdictOn(e, "ack-1").Verdict, judge.Holds)
		check.Equal(t, "what did not", verdictOn(e, "gp1d-2").Verdict, judge.NotRun)
	}
	ackley.Suite, ackley.Runs = "quick", 1
	put("paper-gp-1d", ackley)
	_, err = judge.ReadStudy(claims.LookupStudy(claims.POPBO), dir)
	check.Error(t, "another suite's records", err, "the suite quick, which no claim is about")
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

func TestCounts(t *testing.T) {
	v := &judge.Verdicts{Outcomes: []judge.Outcome{{Verdict: judge.Holds}, {Verdict: judge.Fails}, {Verdict: judge.Fails}, {Verdict: judge.NotRun}}, Evidence: judge.NewEvidence(claims.LookupStudy(claims.POPBO))}
	check.Equal(t, "counts", Counts(v), "Of the paper's 4 claims 1 holds, 2 do not hold and 1 was not run.")
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
			f := e.Find(claims.Mean(at, q, claims.Below(0)), 1)
			check.That(t, f.Value == want.Mean && f.CI == want.CI, "%v is %g %v, the report has %g %v", q, f.Value, f.CI, want.Mean, want.CI)
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
	text := ruleOf(judge.Judge(judge.NewEvidence(claims.LookupStudy(claims.POPBO)))).String()
	check.Contains(t, "how verdicts come about", text, "its 95\u00a0% bootstrap interval", "right together with 95\u00a0%", "one of 28 verdicts",
		"was fixed before there were results. ")
}

// The paper's column is the same statistic of the paper's numbers. It agrees with hand
// calculations from the table and the curve, where a random point's suboptimality is 1.
func TestPapersNumbers(t *testing.T) {
	check.Sequential(t)
	got := verdicts(evidence(claimstest.AsClaimed))
	curve := paper.LookupGrowth("gp-1d").Regret
	for _, c := range []struct {
		id   string
		part int // also of those beside the claim
		want float64
	}{
		{"gp1d-2", 0, 0.6559658896440037},
		{"reg-2", 0, 0.6559658896440037},
		{"reg-1", 0, least(curve, 0.5)},
		{"reg-1", 1, curve[1] / 2},
		{"reg-2", 1, 0.526903073483516}, // from step 10 on
		{"gp1d-3", 0, 2.5},
		{"gp1d-3", 1, 2.5},
		{"time-1", 0, 0.09},
		{"tf-1", 0, 0.008 - 0.84}, // Beale, DTS
		{"tf-2", 0, 0.92 - 0.59},
		{"tf-2", 2 + 2, 0.92 - 1.27}, // Bukin; the second lowest of the others is SGP's
		{"tf-3", 3, (0.008 + 0.31 + 0.92 + 1.38 + 1.83 + 1.22 + 0.35) / 7},
		{"gp12-3", 0, 18},
		{"gp7-3", 0, 11},
		{"th2-1", 0, 2},
	} {
		o := got[c.id]
		v := slices.Concat(o.Parts, o.Beside)[c.part].Printed
		check.That(t, math.Abs(v-c.want) <= 1e-9, "%s, part %d: the paper's number is %v, not %v", c.id, c.part, v, c.want)
	}
}

// least R_t / (R_1 t^p) of a curve from step 2 on.
func least(curve []float64, p float64) float64 {
	v := math.Inf(1)
	for i := 1; i < len(curve); i++ {
		v = min(v, curve[i]/math.Pow(float64(i+1), p))
	}
	return v
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
