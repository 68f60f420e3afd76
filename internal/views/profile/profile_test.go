package profile

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// collect returns synthetic results after a change.
func collect(t *testing.T, o reporttest.Options, change func(*record.Record)) *outcome.Results {
	t.Helper()
	in := reporttest.Results(o)
	in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool {
		if change != nil {
			change(r)
		}
		return r.Header.Suite == "" // how a change asks to leave it out
	})
	return check.Must(outcome.Collect(in))(t)
}

func profiled(t *testing.T, r *outcome.Results, o Options) *Profile {
	t.Helper()
	return check.Must(New(r, o))(t)
}

// reports sets the suboptimality of the selected recommendation after each step.
func reports(r *record.Record, suboptimality ...float64) {
	for i, v := range suboptimality {
		r.Steps[i].Recommendations[0].Utility = *r.Header.Problem.Optimum - v
	}
}

var two = reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "dts"}, Runs: 2, Steps: 4}

// Runs that can be checked by hand. A random point has a suboptimality of 0.3 on Beale and of
// 0.95 on Branin.
func byHand(t *testing.T) *outcome.Results {
	return collect(t, two, func(r *record.Record) {
		u := r.Header.Problem.Uniform.Mean
		switch r.Header.Cell[:len(r.Header.Cell)-3] + fmt.Sprint(r.Header.Repetition) {
		case "beale/POP-BO/0":
			reports(r, 0.9*u, 0.4*u, 0.6*u, 0.3*u) // 0.5 for good at step 4
		case "beale/POP-BO/1":
			reports(r, 0.49*u, 0.09*u, 0.09*u, 0.05*u) // 0.5 at 1, 0.1 at 2
		case "branin/POP-BO/0":
			reports(r, 2*u, 2*u, 2*u, 0.09*u) // both at 4
		default:
			reports(r, 2*u, 0.05*u, 2*u, 2*u) // never for good
		}
	})
}

func TestByHand(t *testing.T) {
	o := Default()
	o.Targets = []float64{0.1, 0.5, 0.1}
	// By problem, algorithm and target.
	ert := [2][2][2]float64{{{2.5, 6}, {math.Inf(1), math.Inf(1)}}, {{8, 8}, {math.Inf(1), math.Inf(1)}}}
	reached := [2][2][2]int{{{2, 1}, {0, 0}}, {{1, 1}, {0, 0}}}
	by := [2][]float64{{1. / 8, 2. / 8, 2. / 8, 5. / 8}, {0, 0, 0, 0}} // algorithm
	area, quickest := [2]float64{10. / 32, 0}, [2]float64{1, 0}
	p := profiled(t, byHand(t), o)
	check.Same(t, "targets", p.Options.Targets, []float64{0.5, 0.1})
	check.Same(t, "algorithms", p.Algorithms, []string{"DTS", "POP-BO"})
	for i := range p.Problems {
		for a, o := range p.Problems[i].Outcomes {
			for k, target := range o.Targets {
				what := fmt.Sprintf("problem %d, algorithm %d, target %d", i, a, k)
				check.Equal(t, what, target.ERT, ert[i][1-a][k])
				check.Equal(t, what+": reached", target.Reached, stats.Share{Count: reached[i][1-a][k], N: 2})
				check.That(t, math.IsNaN(target.CI.Lo), "%s: two runs have the interval %v", what, target.CI)
			}
		}
	}
	for a := range p.Algorithms {
		r := p.Runtimes[a]
		check.That(t, slices.Equal(r, by[1-a]) && math.Abs(stats.Mean(r)-area[1-a]) <= 1e-15, "algorithm %d: runtimes %+v", a, r)
		got := stats.PerformanceProfile(p.Ratios, a, 1)
		check.That(t, got == quickest[1-a], "algorithm %d is the quickest on %g", a, got)
	}
}

func TestRanks(t *testing.T) {
	o := reporttest.Options{Algorithms: []string{"popbo", "qeubo", "sgp"}, Runs: stats.MinRuns, Steps: 3}
	r := collect(t, o, func(r *record.Record) {
		end := map[string]float64{"POP-BO": 1, "qEUBO": 2, "SGP": 3}[r.Header.Algorithm.Label]
		if r.Header.Problem.Name == "beale" && end > 1 {
			end = 5 - end // the other two change places
		}
		reports(r, 9, 9, end+float64(r.Header.Repetition%2)/10)
	})
	p := profiled(t, r, Default())
	check.Equal(t, "problems", len(p.Problems), 7)
	for a, want := range []float64{1, 2 + 1./7, 3 - 1./7} {
		check.Near(t, p.Ranks.Ranks[a], want, 1e-12, "rank of %s", p.Algorithms[a])
	}
	check.Near(t, p.Problems[1].Outcomes[0].Final, 1.05, 1e-12, "the mean at the end")
	check.That(t, p.Ranks.Critical == stats.CriticalDifference(3, 7, 0.05), "critical difference %g", p.Ranks.Critical)
	// 1.86 apart is enough, 1.14 and 0.71 are not: 3 over 7 have 1.25.
	for _, c := range []struct {
		a, b int
		want bool
	}{{0, 2, true}, {2, 0, true}, {0, 1, false}, {1, 2, false}} {
		check.That(t, p.Ranks.Differ(c.a, c.b) == c.want, "%s and %s: %t", p.Algorithms[c.a], p.Algorithms[c.b], !c.want)
	}
}

// Pairs are compared only if the test of all algorithms is significant.
func TestNoDifferenceAtAll(t *testing.T) {
	p := &Profile{Options: Options{Metric: outcome.Find(outcome.Suboptimality)}, Algorithms: []string{"a", "b"}, Ranks: judge.Ranks{FriedmanResult: stats.FriedmanResult{Ranks: []float64{1, 2}, P: 0.06}, Critical: 0.9},
		Steps: 1, Problems: make([]*Problem, 1)}
	check.Contains(t, "caption", p.rankSheet().Caption.String(), "after 1 step, averaged over 1 problem;")
	check.That(t, !p.Ranks.Differ(0, 1) && strings.Contains(p.rankSheet().Caption.String(), "so none differ here"), "a pair differs where all are alike")
	p.Ranks.P = 0.04
	check.That(t, p.Ranks.Differ(0, 1) && !strings.Contains(p.rankSheet().Caption.String(), "so none differ here"), "a pair does not differ")
}

func TestRefuses(t *testing.T) {
	check.Error(t, "no random point", check.Err(New(collect(t, two, func(r *record.Record) { r.Header.Problem.Uniform = nil }), Default())),
		"lack the suboptimality of a random point")
}

// Where the optimum is unknown, the best value found stands for it.
func TestUnknownOptimum(t *testing.T) {
	change := func(found float64) func(*record.Record) {
		return func(r *record.Record) {
			if r.Header.Problem.Name == "beale" {
				for i, v := range [][]float64{{0.9, 0.4, 0.6, 0.3}, {0.49, 0.09, 0.09, 0.05}}[r.Header.Repetition] {
					r.Steps[i].Recommendations[0].Utility = found - 0.3*v
				}
				for i := range r.Steps {
					r.Steps[i].Utility[0], r.Steps[i].Utility[1] = found-1, found-1
					r.Steps[i].Recommendations = r.Steps[i].Recommendations[:1]
				}
				r.Steps[0].Utility[1] = found
			}
		}
	}
	o := two
	o.Unknown = []string{"beale"}
	targets := Default()
	targets.Targets = []float64{0.5, 0.1}
	p := profiled(t, collect(t, o, change(1.25)), targets)
	for a := range p.Algorithms {
		got := p.Problems[0].Outcomes[a].Targets
		check.That(t, got[0].ERT == 2.5 && got[1].ERT == 6, "%s: %g and %g steps", p.Algorithms[a], got[0].ERT, got[1].ERT)
	}
	check.GoldenWritten(t, "unknown.txt", func(w io.Writer) error { return document.WriteText(w, p.Document()) })
	check.GoldenWritten(t, "unknown.csv", p.WriteCSV)

	// No run is better than random points on average, 0.95: nothing is a share of the way from there.
	p = profiled(t, collect(t, o, change(0.9)), targets)
	check.Equal(t, "problems", len(p.Problems), 1)
	check.Contains(t, "notes", strings.Join(p.Notes, "\n"), "Left out: no run on Beale found a value above the average of random points")
}

// A problem without random points costs the others nothing.
func TestNoRandomPoint(t *testing.T) {
	p := profiled(t, collect(t, two, func(r *record.Record) {
		if r.Header.Problem.Name == "beale" {
			r.Header.Problem.Uniform = nil
		}
	}), Default())
	check.That(t, len(p.Problems) == 1 && p.Problems[0].Problem.Name == "branin", "%+v", p.Problems)
	check.Contains(t, "notes", strings.Join(p.Notes, "\n"), "Left out: the records of Beale lack the suboptimality of a random point, of which targets are shares; run the suite again.")
}

func TestLeftOut(t *testing.T) {
	r := collect(t, two, func(r *record.Record) {
		if strings.HasPrefix(r.Header.Cell, "branin/DTS/") || r.Header.Cell == "beale/POP-BO/001" {
			r.Steps, r.Footer = r.Steps[:2], record.Footer{Kind: "footer", Steps: 2, Status: record.Failed, Error: "no"}
		}
	})
	p := profiled(t, r, Default())
	notes := strings.Join(p.Notes, "\n")
	check.That(t, len(p.Problems) == 1 && strings.Contains(notes, "Left out, because some algorithm has no complete run: Branin.") && strings.Contains(notes, "POP-BO on Beale: 1 run left out (1): failed"),
		"%d problems, notes %s", len(p.Problems), notes)
	check.That(t, p.Problems[0].Outcomes[1].Targets[0].Reached.N == 1, "%+v", p.Problems[0].Outcomes[1])
	// One problem gives ranks, but no significant test.
	check.That(t, math.IsNaN(p.Ranks.P) && !p.Ranks.Differ(0, 1) && strings.Contains(p.rankSheet().Caption.String(), "A test needs two problems"),
		"%+v", p.Ranks)
	none := collect(t, two, func(r *record.Record) {
		if (r.Header.Problem.Name == "branin") == (r.Header.Algorithm.Label == "DTS") {
			r.Header.Suite = ""
		}
	})
	check.Error(t, "no problem in common", check.Err(New(none, Default())), "no problem has a complete run of each of DTS, POP-BO")
}

func TestWriters(t *testing.T) {
	p := profiled(t, collect(t, reporttest.Options{Problems: []string{"beale", "branin", "levy13", "bukin6"}, Algorithms: []string{"popbo", "qeubo", "dts"}, Runs: 6, Steps: 12}, nil), Default())
	check.GoldenWritten(t, "profile.txt", func(w io.Writer) error { return document.WriteText(w, p.Document()) })
	check.GoldenWritten(t, "profile.csv", p.WriteCSV)
	// A single algorithm has no other to be compared with.
	one := profiled(t, collect(t, reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3}, nil), Default())
	check.Equal(t, "sheets of one algorithm", len(one.Document().Sheets), 2)
}

// Targets of another metric are numbers of single steps; of the least of them, the least so far.
func TestOtherMetrics(t *testing.T) {
	r := collect(t, two, func(r *record.Record) {
		u, best := r.Header.Problem.Uniform.Mean, *r.Header.Problem.Optimum
		for i, v := range [][2]float64{{0.9, 0.3}, {0.1, 0.2}, {0.8, 0.6}, {0.3, 0.1}} { // f* − f in units of u
			r.Steps[i].Utility = []float64{best - v[0]*u, best - v[1]*u}
		}
	})
	o := Default()
	o.Targets = []float64{0.35, 0.15}
	for name, want := range map[outcome.Metric][2]float64{
		outcome.WeakRegret:      {4, 4}, // 0.3, 0.1, 0.6, 0.1
		outcome.BestAskedRegret: {1, 2}, // 0.3, 0.1, 0.1, 0.1
		outcome.UtilityRegret:   {4, math.Inf(1)},
	} {
		o.Metric = outcome.Find(name)
		p := profiled(t, r, o)
		got := p.Problems[0].Outcomes[0]
		check.Equal(t, string(name), [2]float64{got.Targets[0].ERT, got.Targets[1].ERT}, want)
		check.Contains(t, "the table of running times", p.ertSheet().Caption.String(), o.Metric.Title)
		check.Contains(t, "the table of ranks", p.rankSheet().Caption.String(), "mean "+o.Metric.Title)
	}
	for _, name := range []outcome.Metric{outcome.SelfDuels, outcome.KendallTau, outcome.ToTarget} {
		o.Metric = outcome.Find(name)
		check.Error(t, string(name), check.Err(New(r, o)), o.Metric.Title)
	}
	o.Metric = outcome.Find(outcome.PreferenceRegret)
	check.Contains(t, "as probabilities", profiled(t, r, o).ertSheet().Caption.String(), "probability")
}
