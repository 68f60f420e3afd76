package judge

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/record"
)

// evidenceOf has the runs of the repetitions below n of a trial.
func evidenceOf(t *testing.T, tr claimstest.Trial, n int) *Evidence {
	t.Helper()
	e := NewEvidence(tr.Study())
	e.Resamples = 50
	check.OK(t, e.Add(tr.Records(n)))
	return e
}

// of returns the outcome of a claim.
func of(v *Verdicts, id string) *Outcome {
	return v.Outcomes[slices.IndexFunc(v.Outcomes, func(o *Outcome) bool { return o.Claim.ID == id })]
}

// decide plans with the first thirty runs, and decides with those below n.
func decide(t *testing.T, tr claimstest.Trial, n int, terms Terms, ranges Ranges) (*Verdicts, []Need) {
	t.Helper()
	earlier := evidenceOf(t, tr, 30)
	v, needs, err := check.Must(earlier.Plan(terms, ranges))(t).Decide(earlier, evidenceOf(t, tr, n), "")
	check.OK(t, err)
	return v, needs
}

// Each verdict comes where it should, after as many runs as it needs, and says why: the golden has all of that. A claim
// about seconds is outside, and one of two parts costs the runs of each.
//
// Only the cells that open parts need are run, and the verdicts are the same with whatever more there is: a look has the
// same runs.
func TestDecide(t *testing.T) {
	check.Sequential(t)
	want := summary(t, claimstest.Usual, claimstest.All)
	check.Golden(t, "plan.json", check.Must(evidenceOf(t, claimstest.Usual, 30).Plan(DefaultTerms(), nil))(t).Bytes())
	check.Golden(t, "decide.txt", summary(t, claimstest.Usual, 30)+"\n"+want)
	var had []string
	for n := 30; ; {
		v, needs := decide(t, claimstest.Usual, n, DefaultTerms(), nil)
		if needs == nil {
			break
		}
		for _, o := range v.Outcomes {
			decides := slices.ContainsFunc(o.Parts, func(f *Finding) bool { return f.Verdict == o.Verdict })
			check.That(t, decides, "after %d runs no part of %s has its verdict, %s", n-30, o.Claim.ID, o.Verdict)
		}
		var labels []string
		for _, need := range needs {
			check.That(t, need.From == 31 && need.Suite == "s" && need.Problem == "p", "need %v", need)
			labels = append(labels, need.Label)
			n = need.To
		}
		had = append(had, fmt.Sprint(n-30, " ", strings.Join(labels, "")))
	}
	check.Equal(t, "needs", strings.Join(had, "; "), "30 abcd; 60 abcd; 120 abc; 240 ab")
	check.Equal(t, "with more runs", summary(t, claimstest.Usual, claimstest.All+100), want)
}

// summary is all that is decided with the runs below n.
func summary(t *testing.T, tr claimstest.Trial, n int) string {
	v, _ := decide(t, tr, n, DefaultTerms(), nil)
	var b strings.Builder
	fmt.Fprintf(&b, "outside: %v\n", v.Plan.Outside)
	for _, o := range v.Outcomes {
		fmt.Fprintf(&b, "%s: %s, earlier %s", o.Claim.ID, o.Verdict, o.Earlier)
		if o.Earlier != "" {
			fmt.Fprintf(&b, ", cost %+v", o.Cost)
		}
		for _, part := range o.Parts {
			fmt.Fprintf(&b, "; %.9g %.9g", part.Value, part.CI)
			if d := part.Decided; d != nil {
				fmt.Fprintf(&b, " after %d runs, look %d: %s; %.9g %.9g, border %g ± %.9g", part.Runs, len(d.Looks), d.Reason, d.Estimate, d.Adjusted, d.Border, d.Margin)
				for _, look := range d.Looks {
					fmt.Fprintf(&b, "; %d: %.9g %.9g", look.Runs, look.Value, look.Interval)
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The value of a rank holds and fails by the tests it needs.
func TestDecideRanks(t *testing.T) {
	check.Sequential(t)
	among := func(rank int, r claims.Region) claims.Check {
		c := claims.Check{What: "rank", Samples: []claims.Sample{{Place: claimstest.Place, Quantities: []claims.Quantity{claims.Suboptimality("a", claims.Last), claims.Suboptimality("b", claims.Last), claims.Suboptimality("c", claims.Last), claims.Suboptimality("d", claims.Last)}}}, Region: r,
			Of: func(m [][]float64) float64 { return m[0][0] - kth(m[0][1:], 4-rank) }}
		return c.Among(rank, claimstest.Final("a", "b", r), claimstest.Final("a", "c", r), claimstest.Final("a", "d", r))
	}
	tr := claimstest.Trial{Mean: map[string]float64{"p/a": 0.5, "p/b": 0.2, "p/c": 0.8, "p/d": 5}, Noise: 0.1, Claims: []claims.Claim{
		claimstest.Claim("second of three", among(2, claims.Below(0))), claimstest.Claim("not the first", among(3, claims.Below(0))), claimstest.Claim("the least", among(1, claims.Below(0))), claimstest.Claim("above", among(2, claims.Above(-1))),
	}}
	v, _ := decide(t, tr, claimstest.All, DefaultTerms(), nil)
	for id, want := range map[string]Verdict{"second of three": Holds, "not the first": Fails, "the least": Holds, "above": Holds} {
		o := of(v, id)
		check.That(t, o.Verdict == want, "%s: %s, want %s; %+v", id, o.Verdict, want, o.Parts[0].Decided)
	}
}

// A part on a function of a wide range has exact intervals, and a value beyond the range is an error.
func TestDecideExact(t *testing.T) {
	check.Sequential(t)
	tr := claimstest.Trial{Mean: map[string]float64{"p/a": 0.2, "p/b": 8.5}, Noise: 0.1, Claims: []claims.Claim{claimstest.Claim("far", claimstest.Final("a", "b", claims.Below(0)))}}
	ranges := func(hi float64) Ranges { return func(string) (float64, float64, bool) { return 0, hi, true } }
	v, _ := decide(t, tr, claimstest.All, DefaultTerms(), ranges(12))
	part := v.Plan.Claims[0].Parts[0]
	check.That(t, of(v, "far").Verdict == Holds && part.Guarantee == exact && *part.Range == 12, "%s by %+v", of(v, "far").Verdict, part)
	v, _ = decide(t, tr, claimstest.All, DefaultTerms(), ranges(9))
	check.Equal(t, "guarantee of a part with a small range", v.Plan.Claims[0].Parts[0].Guarantee, asymptotic)
	// A ratio of two means that both differ from run to run has no bounds.
	tr.Claims = append(tr.Claims, claimstest.Claim("ratio", claims.Ratio(claimstest.Place, claims.Suboptimality("a", claims.Last), claims.Suboptimality("b", claims.Last), claims.Below(1))))
	v, _ = decide(t, tr, claimstest.All, DefaultTerms(), ranges(12))
	o := v.Plan.Outside
	check.That(t, len(o) == 1 && o[0].ID == "ratio" && strings.Contains(o[0].Reason, "12 times as far"), "outside: %+v", o)
	earlier := evidenceOf(t, tr, 30)
	plan := check.Must(earlier.Plan(DefaultTerms(), ranges(12)))(t)
	*plan.Claims[0].Parts[0].Range = 5
	_, _, err := plan.Decide(earlier, evidenceOf(t, tr, claimstest.All), "")
	check.Error(t, "values of −8 on a range of 5", err, "range")
}

// An exact interval is inside the bounds and holds the mean; a statistic that is no mean has none.
func TestExactIntervals(t *testing.T) {
	for _, v := range []float64{-1.9, 0.5, 1.9} {
		e := check.Must(newExactTest(slices.Repeat([]float64{v}, 400), 2))(t)
		ci := e.interval(0.05)
		check.That(t, -2 <= ci.Lo && ci.Lo <= v && v <= ci.Hi && ci.Hi <= 2 && ci.Hi-ci.Lo < 1, "%v around %g", ci, v)
	}
	check.Error(t, "no mean", check.Err(test{Check: &claims.Check{}}.bounded(nil)), "no exact interval")
}

// A plan counts the runs that all its methods have, on all problems, and says which look needs further ones.
func TestRunsOfAPlan(t *testing.T) {
	at := func(label string) claims.Quantity { return claims.Suboptimality(label, claims.Last) }
	tr := claimstest.Usual
	tr.Claims = []claims.Claim{claimstest.Claim("on two problems", claims.Quotient(at, "a", "b", claims.Below(1), claimstest.Place, claims.Place{Suite: "s", Problem: "q"}))}
	tr.Mean = map[string]float64{"p/a": 0.2, "p/b": 0.5, "q/a": 0.2, "q/b": 0.5}
	in := tr.Records(30)
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
		return r.Header.Algorithm.Label == "b" && r.Header.Problem.Name == "q" && r.Header.Repetition >= 25
	})
	e := NewEvidence(tr.Study())
	e.Resamples = 50
	check.OK(t, e.Add(in))
	plan := check.Must(e.Plan(DefaultTerms(), nil))(t)
	check.Equal(t, "runs", plan.Claims[0].Parts[0].Runs, 25)
	p := Plan{Looks: []int{30, 60, 120}, First: 31}
	check.Equal(t, "look", p.Look([]Need{{To: 60}, {To: 90}}), "look 2 of 3, after 60 fresh runs")
	found := e.Find(tr.Claims[0].Parts[0], 1)
	check.Equal(t, "the interval of one part for all", found.Joint, found.CI)
}

// A plan is a file whose hash is that of its bytes, and another plan says in what it differs.
func TestPlanFile(t *testing.T) {
	check.Sequential(t)
	e := evidence(claimstest.AsClaimed)
	plan := check.Must(e.Plan(DefaultTerms(), nil))(t)
	again, err := ReadPlan(plan.Bytes())
	check.That(t, err == nil && again.Hash() == plan.Hash() && plan.Differs(again) == "" && again.Terms() == DefaultTerms(), "%v; %s", err, plan.Differs(again))
	for want, edit := range map[string]*strings.Replacer{"edited": strings.NewReplacer(`"alpha": 0.05`, `"alpha": 0.0500`),
		"does not decide": strings.NewReplacer(`"family": false`, `"family": true`)} {
		check.Error(t, "another file", check.Err(ReadPlan([]byte(edit.Replace(string(plan.Bytes()))))), want)
	}
	for what, change := range map[string]func(*Terms){
		"looks": func(x *Terms) { x.MaxRuns = 200 }, "error probability": func(x *Terms) { x.Alpha = 0.1 }, "margin": func(x *Terms) { x.Margin = 0.5 },
	} {
		terms := DefaultTerms()
		change(&terms)
		other := check.Must(e.Plan(terms, nil))(t)
		check.Contains(t, what, plan.Differs(other), what)
	}
	for _, o := range plan.Outside {
		check.That(t, slices.Contains([]string{"time-1", "gp12-3", "gp7-3"}, o.ID), "%s is outside: %s", o.ID, o.Reason)
	}
	check.That(t, len(plan.Outside) == 3 && len(plan.Claims) == 25 && plan.First == 31,
		"%d outside, %d claims, from %d on", len(plan.Outside), len(plan.Claims), plan.First)
	terms := DefaultTerms()
	terms.Margin = 1e-6
	check.Error(t, "a margin that is too small", check.Err(e.Plan(terms, nil)), "out of reach")
}

// The committed plans can be read, and their hashes are those of the verdicts beside them.
func TestCommittedPlans(t *testing.T) {
	read := 0
	for _, folder := range []string{"", "*"} {
		plans := check.Must(filepath.Glob(filepath.Join("..", "..", "results", "paper", folder, PlanFile)))(t)
		for _, path := range plans {
			data := check.Must(os.ReadFile(path))(t)
			plan := check.Must(ReadPlan(data))(t)
			claims, err := os.ReadFile(filepath.Join(filepath.Dir(path), "claims.md"))
			check.That(t, err == nil && strings.Contains(string(claims), plan.Hash()),
				"%s has the hash %s, which the verdicts beside it do not state (%v)", path, plan.Hash(), err)
			read++
		}
	}
	check.That(t, read >= 4, "%d plans", read)
}

// Every statistic that says it is a mean over runs, or a ratio of means, is one, on runs that differ; and the statistic of
// several members is that of its rank.
func TestStatisticsAreMeans(t *testing.T) {
	check.Sequential(t)
	e := evidence(claimstest.AsClaimed)
	for _, c := range claims.LookupStudy(claims.POPBO).Claims() {
		for _, part := range slices.Concat(c.Parts, c.Beside) {
			tests, err := testsOf(&part)
			if err != nil {
				check.That(t, part.Members != nil || strings.Contains(string(part.What), "second lowest") || strings.Contains(string(part.What), "R_1"),
					"%s: %v", c.ID, err)
				continue
			}
			whole := e.Find(part, 1).Value
			var values []float64
			for _, test := range tests {
				strata := check.Must(e.strata(test.Samples))(t)
				values = append(values, middle(check.Must(test.evidence(strata))(t)))
			}
			check.Near(t, kth(values, max(1, part.Rank)), whole, 0.01*max(1, math.Abs(whole)), "%s, %s: as a mean", c.ID, part.What)
		}
	}
}

// That the largest of three is above a number is wrong if any of them errs, that it is below it only if the largest does.
func TestErrorsOfSeveralTests(t *testing.T) {
	for _, c := range []struct {
		rank, tests  int
		above, below float64
	}{{0, 1, 0.05, 0.05}, {1, 3, 0.05, 0.05 / 3}, {2, 3, 0.025, 0.025}, {3, 3, 0.05 / 3, 0.05}} {
		part := &partState{Finding: &Finding{Check: claims.Check{Rank: c.rank}}, tests: make([]test, c.tests)}
		above, below := part.sides(0.05)
		check.That(t, above == c.above && below == c.below,
			"rank %d of %d: %v above and %v below, want %v and %v", c.rank, c.tests, above, below, c.above, c.below)
	}
}
