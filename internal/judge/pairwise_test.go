package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func pairwise(t *testing.T, in *reporttest.Folder, reference string, margin *float64) *judge.Pairwise {
	t.Helper()
	r := check.Must(outcome.Collect(in))(t)
	return judge.NewPairwise(r, reference, margin)
}

// The numbers are those of the records: of the differences run by run, in units of a random point.
func TestPairwiseNumbers(t *testing.T) {
	check.Sequential(t)
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin", "levy13"}, Algorithms: []string{"popbo", "sgp", "random"}, Runs: 9, Steps: 6})
	p := pairwise(t, in, "SGP", nil)
	differences := func(problem, label string) stats.Stratum {
		d := make([]float64, 9)
		for _, r := range in.Records {
			if h := &r.Header; h.Problem.Name == problem {
				sign := map[string]float64{label: 1, "SGP": -1}[h.Algorithm.Label]
				d[h.Repetition] += sign * (*h.Problem.Optimum - r.Steps[5].Recommendations[0].Utility) / h.Problem.Uniform.Mean
			}
		}
		return stats.Stratum{d}
	}
	agree := func(v *judge.Versus, problems ...stats.Stratum) {
		t.Helper()
		var all []float64
		for _, d := range problems {
			all = append(all, d[0]...)
		}
		of := stats.Resample(problems, func(means [][]float64) (m float64) {
			for _, mean := range means {
				m += mean[0] / float64(len(means))
			}
			return m
		}, stats.Resamples)
		ci, what := of.Interval(0.95), v.Label+" on "+v.Problem
		check.Near(t, v.Value, of.Value, 1e-12, "difference of %s", what)
		check.Near(t, v.CI.Lo, ci.Lo, 1e-12, "lower end of %s", what)
		check.Near(t, v.CI.Hi, ci.Hi, 1e-12, "upper end of %s", what)
		check.Near(t, v.P, stats.SignedRank(all).P, 1e-12, "P of %s", what)
		check.Equal(t, "pairs of "+what, v.Runs, [2]int{len(all), len(all)})
	}
	var raw []float64
	for _, v := range p.Problems {
		agree(v, differences(v.Problem, v.Label))
		raw = append(raw, v.P)
	}
	check.Equal(t, "comparisons", len(p.Problems), 4)
	for i, adjusted := range stats.Holm(raw) {
		check.Equal(t, "adjusted P", p.Problems[i].Adjusted, adjusted)
	}
	check.Equal(t, "overall comparisons", fmt.Sprint(p.Overall[0].Label, " ", p.Overall[1].Label, len(p.Overall)), "POP-BO Random2")
	for _, v := range p.Overall {
		agree(v, differences("branin", v.Label), differences("levy13", v.Label))
		check.Equal(t, "problems", v.Over, 2)
	}
}

func TestPairwiseFindings(t *testing.T) {
	options := reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"popbo", "random"}, Runs: 12, Steps: 6}
	none, wide := 0.0, 1e3
	find := func(in *reporttest.Folder, reference string, margin *float64) judge.Verdict {
		p := pairwise(t, in, reference, margin)
		check.That(t, len(p.Problems) == 1 && len(p.Overall) == 1 && p.Problems[0].Verdict == p.Overall[0].Verdict, "one problem and one algorithm: %+v", p)
		return p.Overall[0].Verdict
	}
	in := reporttest.Results(options)
	check.Equal(t, "Random against POP-BO", find(in, "POP-BO", nil), judge.Worse)
	check.Equal(t, "POP-BO against Random", find(in, "Random", nil), judge.Better)
	check.Equal(t, "within a wide margin", find(in, "POP-BO", &wide), judge.Same)
	options.Algorithms, options.Steps = []string{"popbo", "other"}, 5 // the same distribution
	check.Equal(t, "two alike with few runs", find(reporttest.Results(options), "POP-BO", &none), judge.Undecided)
	options.Runs = stats.MinRuns - 1
	options.Algorithms = []string{"popbo", "random"}
	check.Equal(t, "too few runs", find(reporttest.Results(options), "POP-BO", &wide), judge.Undecided)

	same := reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"popbo", "random"}, Runs: 8, Steps: 6})
	for i, r := range same.Records[8:] {
		r.Steps = same.Records[i].Steps
	}
	check.Equal(t, "the same runs, without a margin", find(same, "POP-BO", &none), judge.Same)

	// Of a metric of which higher is better, the higher is better.
	r := check.Must(outcome.Collect(in))(t)
	m := *outcome.Find(outcome.Suboptimality)
	m.Higher = true
	r.Headline = &m
	check.Equal(t, "Random against POP-BO if higher is better", judge.NewPairwise(r, "POP-BO", nil).Overall[0].Verdict, judge.Better)
}

// The regret of all steps is divided by U at every step.
func TestPairwiseOfASum(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "random"}, Runs: 7, Steps: 4})
	r := check.Must(outcome.Collect(in))(t)
	r.Headline = outcome.Find(outcome.CumulativeRegret)
	var sum [2]float64
	for _, rec := range in.Records {
		for _, s := range rec.Steps {
			k := 0
			if rec.Header.Algorithm.Name == "random" {
				k = 1
			}
			sum[k] += *rec.Header.Problem.Optimum - s.Utility[1]
		}
	}
	check.Near(t, judge.NewPairwise(r, "POP-BO", nil).Overall[0].Value, (sum[1]-sum[0])/7/(0.3*4), 1e-12, "difference")

	// A share has its own unit, and no margin unless one is given.
	r.Headline = outcome.Find(outcome.SelfDuels)
	p := judge.NewPairwise(r, "POP-BO", nil)
	check.Equal(t, "unit of a share", p.Unit(), "")
	check.Equal(t, "margin of a share", p.Margin, 0)
	check.Equal(t, "finding if no run differs", p.Overall[0].Verdict, judge.Same)
}

// Without the suboptimality of a random point a difference has the unit of the objective, and no margin.
func TestPairwiseWithoutUnit(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin", "beale"}, Algorithms: []string{"popbo", "random"}, Runs: 8, Steps: 6})
	with := pairwise(t, in, "POP-BO", nil)
	for _, r := range in.Records {
		if r.Header.Problem.Name == "branin" {
			r.Header.Problem.Uniform = nil
		}
	}
	wide := 1e3
	p := pairwise(t, in, "POP-BO", &wide)
	for i, v := range p.Problems {
		check.Equal(t, v.Problem+" has no unit", v.Unitless, v.Problem == "branin")
		if v.Unitless {
			const u = 0.95 // of the made-up Branin
			check.Near(t, v.Value, with.Problems[i].Value*u, 1e-12, "difference without a unit")
			check.Equal(t, "finding without a unit", v.Verdict, judge.Worse)
		} else {
			check.Equal(t, "finding within the margin", v.Verdict, judge.Same)
		}
	}
	check.Equal(t, "problems in the overall comparison", p.Overall[0].Over, 1)
}

// A repetition that one of them lacks is no pair.
func TestPairwiseMissingRuns(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin", "beale"}, Algorithms: []string{"popbo", "random"}, Runs: 8, Steps: 6})
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
		h := &r.Header
		return h.Problem.Name == "beale" && h.Algorithm.Name == "random" || h.Repetition == 2 && h.Algorithm.Name == "popbo"
	})
	p := pairwise(t, in, "POP-BO", nil)
	sizes := func(p *judge.Pairwise) [4]int { // problems, problems in the mean, pairs of the first and in the mean
		return [4]int{len(p.Problems), p.Overall[0].Over, p.Problems[0].Runs[0], p.Overall[0].Runs[0]}
	}
	check.Equal(t, "where two runs and a problem are missing", sizes(p), [4]int{1, 1, 7, 7})
	// A problem with too few pairs stays out of the mean, unless all have.
	in = reporttest.Results(reporttest.Options{Problems: []string{"branin", "beale"}, Algorithms: []string{"popbo", "random"}, Runs: 8, Steps: 6})
	for _, c := range []struct {
		problem string
		want    [4]int
	}{{"beale", [4]int{2, 1, 5, 8}}, {"branin", [4]int{2, 2, 5, 10}}} {
		in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
			h := &r.Header
			return h.Problem.Name == c.problem && h.Algorithm.Name == "random" && h.Repetition > 4
		})
		p := pairwise(t, in, "POP-BO", nil)
		check.Equal(t, "with few pairs on "+c.problem, sizes(p), c.want)
		check.Equal(t, "the interval is known", math.IsNaN(p.Overall[0].CI.Lo), len(p.Problems) == p.Overall[0].Over)
	}
	check.That(t, pairwise(t, in, "no such", nil) == nil, "there is a comparison with no algorithm")
}

// errs counts in how many cases a comparison with POP-BO is wrong, of runs whose suboptimalities are drawn.
func errs(t *testing.T, cases int, in *reporttest.Folder, margin float64, draw func(algorithm string, r *rand.Rand) float64, wrong func(*judge.Pairwise) bool) (n int) {
	t.Helper()
	check.Sequential(t)
	check.Slow(t, "it simulates")
	r := rand.New(rand.NewPCG(3, 4))
	for range cases {
		for _, rec := range in.Records {
			rec.Header.Problem.Uniform.Mean = 1
			rec.Steps[0].Recommendations[0].Utility = *rec.Header.Problem.Optimum - draw(rec.Header.Algorithm.Name, r)
		}
		if wrong(pairwise(t, in, "POP-BO", &margin)) {
			n++
		}
	}
	return n
}

// Among twelve comparisons of methods that do not differ, some is better or worse in at most one case of twenty. The bound
// is three standard deviations above that.
func TestPairwiseErrsAsOftenAsItSays(t *testing.T) {
	cases := check.Few(25, 100)
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin", "levy13"}, Algorithms: []string{"popbo", "a", "b", "c", "d"}, Runs: 10, Steps: 1})
	wrong := errs(t, cases, in, 0, func(_ string, r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }, func(p *judge.Pairwise) bool {
		check.Equal(t, "comparisons", len(p.Problems), 12)
		return slices.ContainsFunc(p.Problems, func(v *judge.Versus) bool { return v.Verdict != judge.Undecided })
	})
	limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(cases))
	check.That(t, float64(wrong)/float64(cases) <= limit, "%d of %d cases have a false finding, more than %.3f", wrong, cases, limit)
}

// At a difference as large as the margin a row is the same in 2.5 % of all cases if differences are normal, and in more of
// them if most are small and few are large. The bound is three standard deviations above what docs/compare.md says.
func TestSameErrsAsOftenAsItSays(t *testing.T) {
	const margin = 0.5
	for _, c := range []struct {
		name  string
		runs  int
		noise func(*rand.Rand) float64
		share float64
	}{
		{"normal", 30, func(r *rand.Rand) float64 { return 0.3 * r.NormFloat64() }, 0.025},
		{"exponential", 10, func(r *rand.Rand) float64 { return 0.1 * (r.ExpFloat64() - 1) }, 0.08},
	} {
		cases := check.Few(100, 400)
		in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "a"}, Runs: c.runs, Steps: 1})
		wrong := errs(t, cases, in, margin, func(algorithm string, r *rand.Rand) float64 {
			if algorithm != "a" {
				return 3
			}
			return 3 + margin + c.noise(r)
		}, func(p *judge.Pairwise) bool { return p.Overall[0].Verdict == judge.Same })
		bound := c.share + 3*math.Sqrt(c.share*(1-c.share)/float64(cases))
		check.That(t, wrong > 0 && float64(wrong)/float64(cases) <= bound, "%s: %d of %d cases are the same, want a share of %.3f, at most %.3f",
			c.name, wrong, cases, c.share, bound)
	}
}

// So many pairs, and no fewer, can be significant after Holm's correction of the least P value.
func TestPairsNeeded(t *testing.T) {
	for _, tests := range []int{1, 2, 5, 34, 374} {
		family := func(pairs int) judge.Family {
			all := slices.Repeat([]*judge.Versus{{Test: judge.Test{Paired: true, P: 0.5, Runs: [2]int{pairs, pairs}}}}, tests)
			return judge.TestsOf(all)
		}
		n := family(12).Needed(outcome.Alpha)
		blind := [2]int{len(family(n).Blind(outcome.Alpha)), len(family(n - 1).Blind(outcome.Alpha))}
		check.Equal(t, fmt.Sprintf("blind ones of %d tests with %d pairs, and with one fewer", tests, n), blind, [2]int{0, tests})
		least := func(pairs int) float64 {
			return float64(tests) * stats.SignedRank(slices.Repeat([]float64{1, 2, 4}, pairs)[:pairs]).P
		}
		check.That(t, least(n) <= outcome.Alpha && (n <= stats.MinRuns || least(n-1) > outcome.Alpha),
			"%d tests need %d pairs, with a least P of %g, and %g with one pair fewer", tests, n, least(n), least(n-1))
	}
	// Tests of many pairs come first, and leave less to be multiplied: 8 tests of 9 pairs are not blind beside 12 of 30.
	mixed := func(pairs int) judge.Family {
		all := slices.Repeat([]*judge.Versus{{Test: judge.Test{Paired: true, P: 0.5, Runs: [2]int{30, 30}}}}, 12)
		return judge.TestsOf(append(all, slices.Repeat([]*judge.Versus{{Test: judge.Test{Paired: true, P: 0.5, Runs: [2]int{pairs, pairs}}}}, 8)...))
	}
	few := mixed(8).Blind(outcome.Alpha)
	check.Equal(t, "blind ones of 9 pairs, of 8, and pairs that these need", [3]int{len(mixed(9).Blind(outcome.Alpha)), len(few), few.Needed(outcome.Alpha)}, [3]int{0, 8, 9})
	f := judge.TestsOf([]*judge.Versus{{Test: judge.Test{P: math.NaN()}}})
	check.That(t, f.Blind(outcome.Alpha) == nil && f.Size() == 0, "where no run differs, %d tests are blind", len(f.Blind(outcome.Alpha)))
}
