package profile

import (
	"io"
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
)

// WriteCSV writes every number in full precision, one per line:
//
//	ert          for a problem, algorithm and target, with its interval; n of "of" runs reach the target
//	runtime      share of problems, targets and runs reached after step x
//	performance  share of problems and targets with a ratio of at most x, at each x where it rises
//	rank         average rank of an algorithm
//	critical     the critical difference of two ranks
//	best-found   what stands for the unknown optimum of a problem, the best value of n runs
//
// Values that do not apply are empty; those never reached are inf.
func (p *Profile) WriteCSV(w io.Writer) error {
	type line struct {
		statistic, problem, algorithm string
		target, x, value              float64 // NaN if missing
		ci                            stats.Interval
		reached                       stats.Share
	}
	var lines []line
	none := stats.NoInterval()
	for _, problem := range p.Problems {
		for a, o := range problem.Outcomes {
			for k, t := range o.Targets {
				lines = append(lines, line{"ert", problem.Name, p.Algorithms[a], p.Options.Targets[k], math.NaN(), t.ERT, t.CI, t.Reached})
			}
		}
	}
	add := func(statistic, algorithm string, x, value float64) {
		lines = append(lines, line{statistic, "", algorithm, math.NaN(), x, value, none, stats.Share{}})
	}
	for a, label := range p.Algorithms {
		for t, v := range p.Runtimes[a] {
			add("runtime", label, float64(t+1), v)
		}
	}
	for a, label := range p.Algorithms {
		for _, tau := range p.rises(a) {
			add("performance", label, tau, stats.PerformanceProfile(p.Ratios, a, tau))
		}
	}
	for a, label := range p.Algorithms {
		add("rank", label, math.NaN(), p.Ranks.Ranks[a])
	}
	add("critical", "", math.NaN(), p.Ranks.Critical)
	for _, problem := range p.Problems {
		if b := problem.BestFound; b != nil {
			lines = append(lines, line{"best-found", problem.Name, "", math.NaN(), math.NaN(), b.Value, none, stats.Share{Count: b.Runs, N: b.Runs}})
		}
	}
	return document.WriteCSV(w, lines,
		document.WordsAt("statistic", func(l line) string { return l.statistic }),
		document.WordsAt("problem", func(l line) string { return l.problem }),
		document.WordsAt("algorithm", func(l line) string { return l.algorithm }),
		document.NumberAt("target", func(l line) float64 { return l.target }),
		document.NumberAt("x", func(l line) float64 { return l.x }),
		document.NumberAt("value", func(l line) float64 { return l.value }),
		document.Column[line]{Of: func(l line) document.Cell { return document.SignedInterval(l.ci) }},
		document.Column[line]{Key: "n", Of: func(l line) document.Cell { return document.Count(l.reached.Count).If(l.reached.N > 0) }},
		document.Column[line]{Key: "of", Of: func(l line) document.Cell { return document.Count(l.reached.N).If(l.reached.N > 0) }})
}

// rises returns the τ at which an algorithm's performance profile rises, and 1.
func (p *Profile) rises(algorithm int) []float64 {
	at := []float64{1}
	for _, r := range p.Ratios {
		if v := r[algorithm]; !math.IsInf(v, 1) {
			at = append(at, v)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}
