package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// folder returns synthetic results, the same at every call except for the change.
func folder(o reporttest.Options, change func(*record.Record)) *reporttest.Folder {
	if o.Problems == nil {
		o.Problems = []string{"beale", "branin"}
	}
	if o.Runs == 0 {
		o.Runs = 20
	}
	if o.Steps == 0 {
		o.Steps = 4
	}
	res := reporttest.Results(o)
	for _, r := range res.Records {
		r.Header.PilotComparisons, r.Header.PilotPer = 0, record.PerProblem
		if change != nil {
			change(r)
		}
	}
	return res
}

// on restricts a change to the records of one problem.
func on(problem string, change func(*record.Record)) func(*record.Record) {
	return func(r *record.Record) {
		if r.Header.Problem.Name == problem {
			change(r)
		}
	}
}

// lower subtracts d from the value of the last recommended point.
func lower(d float64) func(*record.Record) {
	return func(r *record.Record) { r.Steps[len(r.Steps)-1].Recommendations[0].Utility -= d }
}

// set sets a metric to a value at every step.
func set(name string, value float64) func(*record.Record) {
	return func(r *record.Record) {
		for i := range r.Steps {
			m := r.Steps[i].Metrics
			for k := range m {
				if m[k].Name == name {
					m[k].Value = value
				}
			}
		}
	}
}

func fail(repetitions ...int) func(*record.Record) {
	return on("beale", func(r *record.Record) {
		if slices.Contains(repetitions, r.Header.Repetition) {
			r.Steps = r.Steps[:1]
			r.Footer = record.Footer{Kind: "footer", Steps: 1, Status: record.Failed, Error: "after step 1: no"}
		}
	})
}

func compared(t *testing.T, base, head *reporttest.Folder, o Options) *Comparison {
	t.Helper()
	return check.Must(Compare(base, head, o))(t)
}

// row returns the row of a problem and a metric.
func (c *Comparison) row(t *testing.T, problem, metric string) *Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Problem == problem && r.Metric == metric {
			return r
		}
	}
	t.Fatalf("there is no row of %s on %s", metric, problem)
	return nil
}

// others checks the verdict of all rows except one.
func (c *Comparison) others(t *testing.T, but *Row, want judge.Verdict) {
	t.Helper()
	for _, r := range c.Rows {
		check.That(t, r == but || r.Verdict == want, "%s on %s is %s, want %s", r.Metric, r.Problem, r.Verdict, want)
	}
}

var small = reporttest.Options{}

func TestSameRecords(t *testing.T) {
	c := compared(t, folder(small, nil), folder(small, nil), Default())
	c.others(t, nil, judge.Same)
	check.Equal(t, "verdict, regression and notes", fmt.Sprintf("%s %q %q", c.Verdict, c.Regression(), c.Notes), `same "" []`)
	check.Equal(t, "rows", len(c.Rows), 2*11)
	for i := range c.Rows {
		check.That(t, c.Rows[i].Identical() && math.IsNaN(c.Rows[i].Adjusted), "%+v is not without a difference", c.Rows[i])
	}
	var b bytes.Buffer
	check.OK(t, c.WriteJSON(&b)) // a reader of the file can count on a list, though it is empty
	check.Contains(t, "JSON", b.String(), `"failures": []`)
	// The last digits of an instance may differ between platforms.
	c = compared(t, folder(small, nil), folder(small, func(r *record.Record) { *r.Header.Problem.Optimum += 1e-13 }), Default())
	check.Equal(t, "verdict on another platform", c.Verdict, judge.Same)
}

// mean is that of a metric over the complete runs on a problem, against a best value found if the optimum is unknown.
func mean(in *reporttest.Folder, problem string, of outcome.Metric, best float64) float64 {
	var values []float64
	for _, r := range in.Records {
		if r.Header.Problem.Name == problem && r.OK() {
			run := outcome.NewRun(r, nil)
			if r.Header.Problem.Optimum == nil {
				run.Against(&outcome.BestFound{Value: best})
			}
			values = append(values, outcome.Find(of).Final(run))
		}
	}
	return stats.Mean(values)
}

// Every row agrees with the records.
func TestRow(t *testing.T) {
	base := folder(small, nil)
	std := compared(t, base, base, Default()).row(t, "beale", "suboptimality").Std
	d := 0.4 * std
	c := compared(t, base, folder(small, on("beale", lower(d))), Default())
	r := c.row(t, "beale", "suboptimality")
	before := mean(base, "beale", outcome.Suboptimality, 0)
	check.Close(t, "mean of BASE", r.Mean[0], before)
	check.Close(t, "mean of HEAD", r.Mean[1], before+d)
	check.Close(t, "difference", r.Value, d)
	check.Close(t, "minimum", r.Minimum, 0.2*std)
	check.Close(t, "effect", r.Effect, 1)
	check.Close(t, "P", r.P, math.Ldexp(1, -19))    // 20 heads, or 20 tails
	check.Close(t, "adjusted P", r.Adjusted, 2*r.P) // the mean over the steps differs too
	check.Equal(t, "the row", fmt.Sprintf("%s %v %v %v %s", r.Verdict, r.Paired, r.Runs, r.Kind == Quality, r.Title), "worse true [20 20] true Beale")
	c.others(t, r, judge.Same)
	check.Equal(t, "verdict on all", c.Verdict, judge.Worse)
	check.Contains(t, "regression", c.Regression(), "1 of 22 rows worse, the first: suboptimality of POP-BO on Beale")
	check.Close(t, "difference of the mean over the steps", c.row(t, "beale", "mean suboptimality").Value, d/4)
	check.Close(t, "regret", c.row(t, "beale", "cumulative regret").Mean[0], mean(base, "beale", outcome.CumulativeRegret, 0))

	back := compared(t, folder(small, on("beale", lower(d))), base, Default())
	r = back.row(t, "beale", "suboptimality")
	check.Equal(t, "the other way round", [2]judge.Verdict{r.Verdict, back.Verdict}, [2]judge.Verdict{judge.Better, judge.Better})
	check.Equal(t, "effect the other way round", r.Effect, -1)
}

// A difference below the minimum effect is none, even if every run has it. If BASE has no spread, rounding is tolerated.
// Noise is neither better, nor worse, nor the same.
func TestMinimumEffect(t *testing.T) {
	base := folder(small, nil)
	std := compared(t, base, base, Default()).row(t, "beale", "suboptimality").Std
	flat := func(d float64) *reporttest.Folder {
		return folder(small, func(r *record.Record) { r.Steps[3].Recommendations[0].Utility = 1 - d })
	}
	r := rand.New(rand.NewPCG(1, 2))
	noise := folder(small, on("beale", func(rec *record.Record) { rec.Steps[3].Recommendations[0].Utility += 0.5 * r.NormFloat64() }))
	ninth := folder(small, on("beale", set("solves", 10))) // 9 in BASE
	gap := func(v float64) *reporttest.Folder { return folder(small, on("beale", set("duality_gap", v))) }
	const sub, cost, log = "suboptimality", "solves", "log10 duality_gap"
	for name, c := range map[string]struct {
		base, head *reporttest.Folder
		change     func(o *Options)
		metric     string
		want       judge.Verdict
	}{
		"a tenth of a standard deviation":        {base, folder(small, on("beale", lower(0.1*std))), nil, sub, judge.Same},
		"a tenth, where a twentieth matters":     {base, folder(small, on("beale", lower(0.1*std))), func(o *Options) { o.MinEffect = 0.05 }, sub, judge.Worse},
		"rounding, where there is no spread":     {flat(0), flat(1e-12), nil, sub, judge.Same},
		"more than rounding, without a spread":   {flat(0), flat(1e-6), nil, sub, judge.Worse},
		"noise":                                  {base, noise, nil, sub, judge.Undecided},
		"almost nothing, without an interval":    {base, folder(small, on("beale", lower(1e-10))), func(o *Options) { o.noIntervals = true }, sub, judge.Undecided},
		"a ninth more solves":                    {base, ninth, nil, cost, judge.Worse},
		"a ninth more, where 12 % matter":        {base, ninth, func(o *Options) { o.MinCost = 0.12 }, cost, judge.Same},
		"a gap as small as any":                  {base, gap(1e-10), nil, log, judge.Same},
		"a gap less than ten times the least":    {base, gap(8e-9), nil, log, judge.Same},
		"a gap of more than ten times the least": {base, gap(1.1e-8), nil, log, judge.Worse},
	} {
		o := Default()
		if c.change != nil {
			c.change(&o)
		}
		got := compared(t, c.base, c.head, o)
		row := got.row(t, "beale", c.metric)
		check.Equal(t, name, row.Verdict, c.want)
		check.Equal(t, name+": is a regression", got.Regression() != "", c.want == judge.Worse)
	}
	// Metrics of only one side, and metrics that are not work counts, are not compared.
	drop := folder(small, func(r *record.Record) {
		for i := range r.Steps {
			r.Steps[i].Metrics = slices.DeleteFunc(r.Steps[i].Metrics, func(m record.Metric) bool { return m.Name == "solves" })
		}
	})
	for _, r := range compared(t, base, drop, Default()).Rows {
		check.That(t, r.Metric != "solves" && r.Metric != "beta", "%s is compared", r.Metric)
	}
}

func TestMetricsFlag(t *testing.T) {
	o := Default()
	o.Metrics = []string{"solves", "suboptimality"}
	c := compared(t, folder(small, nil), folder(small, nil), o)
	check.Equal(t, "rows", len(c.Rows), 4)
	o.Metrics = []string{"*suboptimality*", "cumulative regret"}
	check.Equal(t, "rows of qualities", len(compared(t, folder(small, nil), folder(small, nil), o).Rows), 2*7)
	o.Metrics = []string{"newton"}
	check.Error(t, "an unknown metric", check.Err(Compare(folder(small, nil), folder(small, nil), o)), `no metric "newton"`, "cumulative regret")

	// A metric of no run is not unknown.
	two := reporttest.Options{Problems: []string{"beale"}, Runs: 2}
	failed := compared(t, folder(two, nil), folder(two, fail(0, 1)), o)
	check.Equal(t, "all runs of HEAD fail", [2]any{failed.Verdict, len(failed.Failures)}, [2]any{judge.Worse, 2})
	check.Error(t, "runs too few", check.Err(Compare(folder(two, fail(0)), folder(two, fail(0)), o)), "two complete runs or more")
}

// Each recommendation rule has its own rows, at any position among the rules.
func TestRules(t *testing.T) {
	base := folder(small, nil)
	report := func(rule string, d float64) func(*record.Record) {
		return on("beale", func(r *record.Record) {
			for i := range r.Steps {
				for k := range r.Steps[i].Recommendations {
					if p := &r.Steps[i].Recommendations[k]; p.Rule == rule {
						p.Utility -= d
					}
				}
			}
		})
	}
	head := folder(small, func(r *record.Record) {
		report("min-uncertainty", 0.2)(r)
		for i := range r.Steps {
			slices.Reverse(r.Steps[i].Recommendations[1:])
		}
	})
	c := compared(t, base, head, Default())
	for _, r := range c.Rows {
		want := judge.Same
		if r.Problem == "beale" && strings.HasSuffix(r.Metric, " (min-uncertainty)") {
			check.Close(t, "difference of "+r.Metric, r.Value, 0.2)
			want = judge.Worse
		}
		check.Equal(t, r.Metric+" on "+r.Problem, r.Verdict, want)
	}
	check.That(t, c.Verdict == judge.Worse && len(c.Notes) == 0, "%s, %q", c.Verdict, c.Notes)

	// The two sides select different rules.
	other := func(r *record.Record) {
		for i := range r.Steps {
			p := r.Steps[i].Recommendations
			p[0], p[2] = p[2], p[0]
		}
	}
	check.Error(t, "another rule", check.Err(Compare(base, folder(small, other), Default())),
		"beale/POP-BO: the selected rule is max-mle in BASE and min-uncertainty in HEAD; select one rule for both, or give --allow settings")
	o := Default()
	o.AllowSettings = true
	c = compared(t, base, folder(small, other), o)
	c.says(t, "max-mle in BASE and min-uncertainty in HEAD: suboptimality compares these two")
	check.Equal(t, "rows", len(c.Rows), 2*13)
	check.Equal(t, "means of the points that were reported", c.row(t, "beale", "suboptimality").Mean,
		[2]float64{c.row(t, "beale", "suboptimality (max-mle)").Mean[1], c.row(t, "beale", "suboptimality (min-uncertainty)").Mean[0]})
	check.Equal(t, "a rule is without a difference", c.row(t, "branin", "mean suboptimality (min-uncertainty)").Identical(), true)

	// One side lacks a rule.
	drop := func(problem string, step int) *reporttest.Folder {
		return folder(small, on(problem, func(r *record.Record) {
			for i := range r.Steps {
				if step < 0 || i == step {
					r.Steps[i].Recommendations = r.Steps[i].Recommendations[:2]
				}
			}
		}))
	}
	last, mean := "suboptimality (min-uncertainty)", "mean suboptimality (min-uncertainty)"
	for _, x := range []struct {
		base, head *reporttest.Folder
		note       string
		lost       []string
	}{
		{base, drop("beale", -1), "beale/POP-BO: BASE recommends by min-uncertainty, and HEAD does not. Not compared.", []string{last, mean}},
		{drop("beale", -1), base, "beale/POP-BO: HEAD recommends by min-uncertainty, and BASE does not. Not compared.", []string{last, mean}},
		{base, drop("beale", 3), "beale/POP-BO: not every run has " + last + " and " + mean, []string{last, mean}},
		{base, drop("beale", 1), "beale/POP-BO: not every run has " + mean + ". Not compared.", []string{mean}},
	} {
		c := compared(t, x.base, x.head, Default())
		c.says(t, x.note)
		check.Equal(t, "rows", len(c.Rows), 2*11-len(x.lost))
		check.That(t, !slices.ContainsFunc(c.Rows, func(r *Row) bool { return r.Problem == "beale" && slices.Contains(x.lost, r.Metric) }), "%q is compared", x.lost)
		c.others(t, nil, judge.Same)
	}
}

// says checks that the notes have the texts.
func (c *Comparison) says(t *testing.T, texts ...string) {
	t.Helper()
	check.Contains(t, "the notes", strings.Join(c.Notes, "\n"), texts...)
}

func otherSeed(r *record.Record) { r.Header.Seed, r.Header.ConfigHash = 5, "other" }

// seed are results of another seed.
func seed(o reporttest.Options, changes ...func(*record.Record)) *reporttest.Folder {
	return folder(o, func(r *record.Record) {
		otherSeed(r)
		for _, change := range changes {
			change(r)
		}
	})
}

// The golden has what is said of two folders besides their rows.
func TestNotes(t *testing.T) {
	said := func(runs int) reporttest.Options { return reporttest.Options{Runs: runs} }
	twoCauses := folder(small, func(r *record.Record) {
		fail(1, 2)(r)
		if fail(9)(r); r.Header.Repetition == 9 {
			r.Footer.Error = "something else"
		}
	})
	all := make([]int, 20)
	for i := range all {
		all[i] = i
	}
	incomplete := folder(small, nil)
	incomplete.List = &record.List{}
	incomplete.List.Add("beale/POP-BO", 77)
	others := folder(reporttest.Options{Runs: 22, Problems: []string{"beale", "branin", "levy13"}}, func(r *record.Record) {
		r.Header.Suite, r.Header.Version, r.Header.Platform = "other", "0.2.0", "plan9/386"
	})
	by := func(commit string, dirty bool) *reporttest.Folder {
		return folder(small, func(r *record.Record) { r.Header.Commit, r.Header.Dirty = strings.Repeat(commit, 40), dirty })
	}
	pilot := func(per record.Per) func(*record.Record) {
		return func(r *record.Record) { r.Header.PilotComparisons, r.Header.PilotPer = 20, per }
	}
	drawn := func(r *record.Record) {
		*r.Header.Problem.Optimum += float64(r.Header.Repetition)
		r.Header.PilotComparisons = 20
	}
	allowed := Default()
	allowed.AllowSettings, allowed.AllowMissing = true, true
	fewer := folder(reporttest.Options{Problems: []string{"beale"}, Runs: 18}, func(r *record.Record) {
		r.Header.Algorithm.Settings = json.RawMessage(strings.Replace(string(r.Header.Algorithm.Settings), `"norm_bound":6`, `"norm_bound":7`, 1))
	})
	few := on("beale", lower(5)) // with 4 runs no P value is below 1/8, however much the runs differ
	check.GoldenWritten(t, "notes.txt", func(w io.Writer) error {
		for _, x := range []struct {
			about      string
			base, head *reporttest.Folder
			o          Options
		}{
			{"The same", folder(small, nil), folder(small, nil), Default()},
			{"Better", folder(small, nil), folder(small, lower(-3)), Default()},
			{"Runs that fail in HEAD, in BASE and on both sides", folder(small, fail(5, 6, 7)), folder(small, fail(1, 2, 7)), Default()},
			{"Two causes", folder(small, nil), twoCauses, Default()},
			{"A run that fails no more", folder(small, fail(5)), folder(small, nil), Default()},
			{"All fail", folder(small, nil), folder(small, fail(all...)), Default()},
			{"Incomplete", incomplete, folder(small, nil), Default()},
			{"Another suite by another program", folder(small, nil), others, Default()},
			{"Another commit, with changes", by("a", false), by("b", true), Default()}, {"The same commit", by("a", false), by("a", false), Default()},
			{"What is allowed", folder(small, nil), fewer, allowed},
			{"Another seed, worse", folder(small, nil), seed(small, lower(9)), Default()},
			{"Another seed, two runs fail", folder(small, nil), seed(small, fail(1, 2)), Default()},
			{"Another seed, as many fail", folder(small, fail(3, 4)), seed(small, fail(1, 2)), Default()},
			{"Another seed, each run with a pilot", folder(small, pilot(record.PerRepetition)), seed(small, pilot(record.PerRepetition)), Default()},
			{"Another seed, each run with a function", folder(small, drawn), seed(small, drawn), Default()},
			{"One pilot for all runs", folder(small, pilot(record.PerProblem)), folder(small, pilot(record.PerProblem)), Default()},
			{"Four pairs", folder(said(4), nil), folder(said(4), few), Default()}, {"Six pairs", folder(said(6), nil), folder(said(6), few), Default()},
			{"Seven pairs", folder(said(7), nil), folder(said(7), few), Default()}, {"Three runs of each seed", folder(said(3), nil), seed(said(3), lower(5)), Default()},
		} {
			c := compared(t, x.base, x.head, x.o)
			fmt.Fprintf(w, "%s\n  %s: %s\n  %s\n", x.about, c.title(), c.Headline(), c.Summary())
			if c.Rows != nil {
				fmt.Fprintf(w, "  %s on %s: paired %v, runs %v\n", c.Rows[0].Metric, c.Rows[0].Problem, c.Rows[0].Paired, c.Rows[0].Runs)
			}
			for _, text := range append(append([]string{"regression: " + c.Regression()}, c.Warnings...), c.Notes...) {
				fmt.Fprintf(w, "  %s\n", text)
			}
			for _, f := range c.Failures {
				fmt.Fprintf(w, "  newly failing: %s: %s\n", f.Cell, f.Error)
			}
		}
		return nil
	})
}

func TestOtherSeed(t *testing.T) {
	base := folder(small, nil)
	head := seed(reporttest.Options{Runs: 12}, func(r *record.Record) { lower(0.02 * float64(r.Header.Repetition))(r) })
	c := compared(t, base, head, Default())
	r := c.row(t, "branin", "suboptimality")
	values := func(res *reporttest.Folder) (v []float64) {
		for _, rec := range res.Records {
			if rec.Header.Problem.Name == "branin" {
				v = append(v, outcome.NewRun(rec, nil).FinalSuboptimality(0))
			}
		}
		return v
	}
	want := judge.Unpaired(values(base), values(head))
	want.CI, want.Adjusted, want.Verdict = stats.BootstrapDifference(values(base), values(head)), r.Adjusted, r.Verdict
	check.Equal(t, "test", r.Test, want)
}

// Folders by two programs are compared. A folder that mixes two programs is refused.
func TestMixtureIsRefused(t *testing.T) {
	for i, name := range []string{"BASE", "HEAD"} {
		sides := []*reporttest.Folder{folder(small, nil), folder(small, nil)}
		sides[i].Issues = []record.Issue{{What: "the records are not of one program: a; b", Mixture: "program"}}
		check.Error(t, name, check.Err(Compare(sides[0], sides[1], Default())), name+" is itself a mixture", "of one program: a; b")
		check.OK(t, check.Err(Exact(sides[0], sides[1])))
	}
}

func TestRefusals(t *testing.T) {
	damaged := folder(small, nil)
	damaged.Issues = []record.Issue{{Path: "records/x.jsonl", What: "the file is empty", Mend: "run it again"}}
	header := func(change func(*record.Header)) *reporttest.Folder {
		return folder(small, func(r *record.Record) { change(&r.Header) })
	}
	first := func(change func(*record.Header)) *reporttest.Folder {
		res := folder(small, nil)
		change(&res.Records[3].Header)
		return res
	}
	known := mould
	known.Unknown = nil
	options := func(change func(*Options)) Options {
		o := Default()
		change(&o)
		return o
	}
	for _, c := range []struct {
		name string
		base *reporttest.Folder // nil for the usual
		head *reporttest.Folder
		o    Options
		want []string
	}{
		{"damage", nil, damaged, Default(), []string{"HEAD", "records/x.jsonl", "run it again"}},
		{"nothing", &reporttest.Folder{Dir: "here"}, damaged, Default(), []string{"BASE (here)", "bench run"}},
		{"runs missing", nil, folder(reporttest.Options{Runs: 19}, nil), Default(), []string{"HEAD has no record of beale/POP-BO/019 and branin/POP-BO/019", "--allow missing"}},
		{"problem missing", nil, folder(reporttest.Options{Problems: []string{"beale"}}, nil), Default(), []string{"branin/POP-BO", "--allow missing"}},
		{"all missing", nil, folder(reporttest.Options{Problems: []string{"levy13"}}, nil), options(func(o *Options) { o.AllowMissing = true }), []string{"no algorithm on the same problem"}},
		{"settings", nil, header(func(h *record.Header) {
			h.Algorithm.Settings = json.RawMessage(`{"beta":{"beta0":3}}`)
		}), Default(), []string{"beale/POP-BO", "settings.beta.beta0 is 1 in BASE and 3 in HEAD (and 6 more differ)", "--allow settings"}},
		{"scale", nil, header(func(h *record.Header) { h.Problem.Scale = "raw" }), Default(), []string{`scale is "std" in BASE and "raw" in HEAD; `}},
		{"oracle", nil, header(func(h *record.Header) { h.Oracle = &record.Oracle{Model: "probit", Scale: 1} }), Default(), []string{`oracle is "logistic with scale 1 (Bradley–Terry–Luce)" in BASE and "probit with scale 1" in HEAD; `}},
		{"pilot", nil, header(func(h *record.Header) { h.PilotComparisons = 7 }), Default(), []string{"pilot.comparisons is 0 in BASE and 7"}},
		{"steps", nil, folder(reporttest.Options{Steps: 5}, nil), Default(), []string{"4 steps in BASE and 5"}},
		{"mixture", nil, first(func(h *record.Header) { h.ConfigHash = "other" }), Default(), []string{"in HEAD have several configurations", "beale/POP-BO/003", "--force"}},
		{"seeds in one", nil, first(func(h *record.Header) { h.Seed = 7 }), Default(), []string{"in HEAD have several configurations"}},
		{"optimum", nil, first(func(h *record.Header) { *h.Problem.Optimum += 1e-6 }), Default(), []string{"beale/POP-BO/003", "optimum", "different functions"}},
		{"factor", nil, header(func(h *record.Header) { h.Problem.Factor = 2 }), Default(), []string{"factor is -1 in BASE and 2"}},
		{"optimum, other seed", nil, folder(small, func(r *record.Record) { otherSeed(r); *r.Header.Problem.Optimum += 1e-6 }), Default(), []string{"optimum is 1.25 in BASE and 1.250001 in HEAD", "different functions"}},
		{"pilot per", header(func(h *record.Header) { h.PilotComparisons = 7 }), header(func(h *record.Header) { h.PilotComparisons, h.PilotPer = 7, record.PerRepetition }), Default(), []string{`pilot.per is "problem" in BASE and "repetition" in HEAD; `}},
		{"pilot, other seed", header(func(h *record.Header) { h.PilotComparisons = 7 }), folder(small, func(r *record.Record) { otherSeed(r); r.Header.PilotComparisons = 7 }), Default(), []string{"share the hyper-parameters that its 7 pilot", "seed of BASE"}},
		{"optimum in HEAD alone", folder(mould, nil), folder(known, nil), Default(), []string{"mould/POP-BO: the problem's optimum is unknown in BASE and 1.25 in HEAD"}},
		{"optimum in BASE alone", folder(known, nil), folder(mould, nil), Default(), []string{"mould/POP-BO: the problem's optimum is 1.25 in BASE and unknown in HEAD"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.base == nil {
				c.base = folder(small, nil)
			}
			err := check.Err(Compare(c.base, c.head, c.o))
			check.Error(t, "refused", err, c.want...)
			check.Lacks(t, "the line", fmt.Sprint(err), "\n")
		})
	}
}
